"""The client against a GitHub that is judged by its own description."""

import gc
import itertools
import json
import threading
import time
from typing import Any

import pytest
from requests import ConnectionError as RequestsConnectionError

from fake_github import HANG, FakeGitHub
from profgate.action.github import requests
from profgate.action.github.client import GitHubClient
from profgate.action.github.connections import RetryBudget, RetryBudgetExceededError, read_body
from profgate.action.github.downloads import fetch
from profgate.action.github.requests import MOVED, NotFoundError, ServerFailedError
from profgate.errors import GitHubError, NotAllowed, ProfileError

pytestmark = pytest.mark.sockets

MARKER = "<!-- profgate v1 key=cpu head=abc -->"


def client_of(fake: FakeGitHub, token: str = "", budget: RetryBudget | None = None) -> GitHubClient:
    return fake.client(token, retries=4, budget=budget)


def test_downloads_in_the_background_overlap(fake: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    daemons = list[bool]()

    def noted(*args: Any, **options: Any) -> bytes:
        daemons.append(threading.current_thread().daemon)
        return fetch(*args, **options)

    monkeypatch.setattr("profgate.action.github.client.fetch", noted)
    both = threading.Barrier(2, timeout=30)
    run = fake.add_run(fake.add_commit(branch="main"))
    for name in ("first", "second"):
        fake.add_artifact(run, name, {name: b"main;work 10\n"})
    fake.meanwhile("GET", "/zip", both.wait, times=2)
    client = client_of(fake)
    artifacts = client.run_artifacts(run)
    client.start_downloads(artifacts)
    assert {name for artifact in artifacts for name in client.artifact_files(artifact)} == {"first", "second"}
    assert fake.count("GET", "/zip") == 2
    assert not both.broken
    assert daemons == [True, True]  # other threads would delay the end of the program


def test_started_request_is_not_sent_again(fake: FakeGitHub) -> None:
    base = fake.add_commit(branch="main")
    number = fake.add_pull(fake.add_commit(parents=[base], files={"a.py": b""}), base)
    client = client_of(fake)
    client.start(client.pull_files, number)
    client.start(client.pull_files, 404)
    assert [file.path for file in client.taken(client.pull_files, number)] == ["a.py"]
    with pytest.raises(NotFoundError):
        client.taken(client.pull_files, 404)
    assert len(fake.requests) == 2


def test_artifacts_come_newest_first_from_all_pages(fake: FakeGitHub) -> None:
    run = fake.add_run(fake.add_commit())
    ids = [fake.add_artifact(run, f"part-{number % 2}", b"x", mime_type="text/plain") for number in range(205)]
    client = client_of(fake)
    assert [item.id for item in client.run_artifacts(run)] == ids[::-1]
    assert len(fake.requests) == 3
    assert [item.id for item in client.run_artifacts(run, "part-1")] == ids[1::2][::-1]


def test_files_are_read_at_a_ref(fake: FakeGitHub) -> None:
    base = fake.add_commit(branch="main", files={".github/profgate.yml": b"fail-on: severe\n"})
    head = fake.add_commit(parents=[base], files={".github/profgate.yml": b"fail-on: never\n", "empty": b""})
    client = client_of(fake)
    assert client.file_at(".github/profgate.yml", base) == b"fail-on: severe\n"
    assert client.file_at(".github/profgate.yml", head) == b"fail-on: never\n"
    assert client.file_at("empty", head) == b""
    assert client.file_at("empty", base) is None
    with pytest.raises(GitHubError, match="is not a file"):
        client.file_at(".github", base)


def test_commit_files_are_listed_up_to_a_limit(fake: FakeGitHub) -> None:
    sha = fake.add_commit(files={"a.py": b"", "src/b.py": b"", "src/deep/c.py": b""})
    client = client_of(fake)
    tree = client.files_of_commit(sha)
    assert (set(tree.paths), tree.truncated) == ({"a.py", "src/b.py", "src/deep/c.py"}, False)
    fake.state.most_listed = 3  # a.py, src, src/b.py
    tree = client.files_of_commit(sha)
    assert (set(tree.paths), tree.truncated) == ({"a.py", "src/b.py"}, True)
    with pytest.raises(NotFoundError):
        client.files_of_commit("0" * 40)
    assert len(fake.requests) == 3


def test_comments_are_listed_created_edited_and_deleted(fake: FakeGitHub) -> None:
    number = fake.add_pull(fake.add_commit(), fake.add_commit())
    for index in range(101):
        fake.add_comment(number, f"{MARKER} pasted {index}", author="mallory")
    client = client_of(fake)
    assert len(client.comments(number)) == 101
    created = client.create_comment(number, f"{MARKER}\nworse")
    assert created.author == "github-actions[bot]"
    assert client.edit_comment(created.id, f"{MARKER}\nbetter").body.endswith("better")
    assert fake.comment_bodies(number)[-1] == f"{MARKER}\nbetter"
    client.delete_comment(created.id)
    client.delete_comment(created.id)
    assert len(fake.comment_bodies(number)) == 101


@pytest.mark.parametrize(("stored", "posts"), [(True, 1), (False, 2)])
def test_comment_is_sent_again_unless_it_was_stored(fake: FakeGitHub, *, stored: bool, posts: int) -> None:
    number = fake.add_pull(fake.add_commit(), fake.add_commit())
    fake.fail("POST", "/comments", 502, stored=stored)
    comment = client_of(fake).create_comment(number, f"{MARKER}\nworse")
    assert fake.comment_bodies(number) == [comment.body] == [f"{MARKER}\nworse"]
    assert fake.count("POST") == posts


def test_read_only_token_names_the_missing_permission(fake: FakeGitHub) -> None:
    number = fake.add_pull(fake.add_commit(), fake.add_commit())
    fake.read_only()
    client = client_of(fake)
    assert client.comments(number) == []
    with pytest.raises(NotAllowed, match=r"Resource not accessible .* issues: write or pull-requests: write"):
        client.create_comment(number, "text")
    assert fake.count("POST") == 1


def test_a_wrong_token_is_named_as_such(fake: FakeGitHub) -> None:
    with pytest.raises(NotAllowed, match="does not accept the token"):
        client_of(fake, "wrong").commit_sha("main")


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize(("retry_after", "waited"), [(7, [7, 7]), (None, [60, 60]), (3600, None)])
def test_short_rate_limit_is_waited_for(
    fake: FakeGitHub, status: int, retry_after: int | None, waited: list[float] | None
) -> None:
    sha, slept = fake.add_commit(), list[float]()
    fake.limit_rate(times=2, retry_after=retry_after, status=status)
    client = client_of(fake, budget=RetryBudget(sleep=slept.append))
    if waited is None:
        with pytest.raises(GitHubError, match="rate limit"):
            client.commit_sha(sha)
    else:
        assert client.commit_sha(sha) == sha
    assert slept == (waited or [])
    gc.collect()  # an answer that is not closed would warn here, and a warning is an error


@pytest.mark.parametrize(("ahead", "waits"), [(30, True), (3000, False)])
def test_hourly_limit_is_waited_for_if_short(fake: FakeGitHub, ahead: int, *, waits: bool) -> None:
    sha, slept = fake.add_commit(), list[float]()
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + ahead)}
    fake.fail("GET", "/commits", 403, headers=headers, message="API rate limit exceeded for installation")
    client = client_of(fake, budget=RetryBudget(sleep=slept.append))
    if waits:
        assert client.commit_sha(sha) == sha
        assert slept == [pytest.approx(ahead, abs=5)]
    else:
        with pytest.raises(GitHubError, match="rate limit"):
            client.commit_sha(sha)
        assert slept == []


@pytest.mark.parametrize("method", ["GET", "PATCH", "POST"])
def test_repetition_comes_after_a_pause(fake: FakeGitHub, method: str) -> None:
    number, slept = fake.add_pull(fake.add_commit(), fake.add_commit()), list[float]()
    comment = client_of(fake).create_comment(number, MARKER)
    client = fake.client(retries=4, backoff=2, budget=RetryBudget(sleep=slept.append))
    fake.fail(method, "", 502)
    if method == "GET":
        client.pull(number)
    elif method == "PATCH":
        client.edit_comment(comment.id, MARKER)
    else:
        client.react(comment.id, "+1")
    assert slept == [2]


@pytest.mark.parametrize(("failures", "succeeds"), [(1, True), (5, False)])
def test_request_with_a_broken_answer_is_sent_again(
    fake: FakeGitHub, monkeypatch: pytest.MonkeyPatch, failures: int, *, succeeds: bool
) -> None:
    number, broken = fake.add_pull(fake.add_commit(), fake.add_commit()), [True] * failures

    def cut(*args: Any) -> bytes:
        body = read_body(*args)
        if broken:
            broken.pop()
            raise RequestsConnectionError
        return body

    monkeypatch.setattr(requests, "read_body", cut)
    if succeeds:
        assert client_of(fake).pull(number).number == number
    else:
        with pytest.raises(ServerFailedError, match="ConnectionError"):
            client_of(fake).pull(number)
    assert fake.count("GET") == min(failures + 1, 5)


def test_failed_requests_use_up_the_budget(fake: FakeGitHub) -> None:
    sha, ticks = fake.add_commit(), itertools.count(0, 30)  # thirty seconds go by in every request
    client = client_of(fake, budget=RetryBudget(60, sleep=lambda _: None, clock=lambda: next(ticks)))
    fake.fail("GET", "/commits", 504, times=99)
    for _ in range(2):
        with pytest.raises(ServerFailedError):
            client.commit_sha(sha)
    with pytest.raises(RetryBudgetExceededError):
        client.pull(1)
    assert len(fake.requests) == 10


def test_expired_artifact_costs_no_request(fake: FakeGitHub) -> None:
    run = fake.add_run(fake.add_commit())
    fake.add_artifact(run, "old", {"a": b""}, expired=True)
    fake.add_artifact(run, "young", {"a": b""})
    client = client_of(fake)
    young, old = client.run_artifacts(run)
    with pytest.raises(NotFoundError, match="has expired"):
        client.download(old)
    assert len(fake.requests) == 1
    fake.fail("GET", "/zip", 410, message="Artifact has expired")
    with pytest.raises(NotFoundError, match="has expired"):
        client.download(young)


def test_wrong_digest_is_refused(fake: FakeGitHub) -> None:
    run = fake.add_run(fake.add_commit())
    fake.add_artifact(run, "profiles", {"a": b"1"}, digest="sha256:" + "0" * 64)
    fake.add_artifact(run, "before-digests", {"a": b"1"}, digest=None)
    client = client_of(fake)
    older, wrong = client.run_artifacts(run)
    with pytest.raises(GitHubError, match="do not match the digest"):
        client.download(wrong)
    assert client.artifact_files(older) == {"a": b"1"}


def test_a_bomb_in_an_artifact_is_refused(fake: FakeGitHub) -> None:
    run = fake.add_run(fake.add_commit())
    fake.add_artifact(run, "bomb", {"a": bytes(20_000_000)})
    client = client_of(fake)
    with pytest.raises(ProfileError, match="unpacks to more than is allowed"):
        client.artifact_files(client.run_artifacts(run)[0])


def test_redirect_keeps_its_query(fake: FakeGitHub) -> None:
    run = fake.add_run(fake.add_commit())
    for name in ("a", "b"):
        fake.add_artifact(run, name, b"x", mime_type="text/plain")
    place = f"{fake.api_url}/repos/{fake.state.repository}/actions/runs/{run}/artifacts?name=b&per_page=100"
    fake.fail("GET", "/artifacts", 301, headers={"Location": place})
    assert [artifact.name for artifact in client_of(fake).run_artifacts(run)] == ["b"]


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308])
def test_a_redirect_is_not_an_answer(fake: FakeGitHub, status: int) -> None:
    sha = fake.add_commit(branch="main")
    for place in ("https://elsewhere.example/x", "", f"{fake.api_url}/repos/octo-org/shop/commits/none"):
        if status in MOVED and "none" in place:
            continue  # a moved resource is requested at its new address
        body = json.dumps({"sha": "f" * 40}).encode()
        fake.fail("GET", "/commits/", status, headers={"Location": place}, body=body)
        fake.fail("POST", "/statuses/", status, headers={"Location": place}, body=b"{}")
        with pytest.raises(GitHubError, match="check GITHUB_API_URL"):
            client_of(fake).commit_sha("main")
        with pytest.raises(GitHubError, match="check GITHUB_API_URL"):
            client_of(fake).set_status(sha, "profgate", "success", "", "")


@pytest.mark.parametrize("status", [307, 308])
def test_write_request_for_a_renamed_repository_is_sent_to_its_new_address(fake: FakeGitHub, status: int) -> None:
    number = fake.add_pull(fake.add_commit(), fake.add_commit())
    place = f"{fake.api_url}/repos/{fake.state.repository}/issues/{number}/comments"
    fake.fail("POST", "/comments", status, headers={"Location": place}, message="Moved Permanently")
    assert client_of(fake).create_comment(number, "text").body == "text"
    assert fake.comment_bodies(number) == ["text"]


@pytest.mark.parametrize(
    ("limit", "value", "reason"),
    [
        ("MAX_ANSWER", 0, "AnswerTooLarge"),
        ("ANSWER_SECONDS", -1.0, "AnswerTooSlow"),
        ("TIMEOUT", 0.05, "ReadTimeout"),
    ],
)
def test_answers_are_limited(
    fake: FakeGitHub, monkeypatch: pytest.MonkeyPatch, limit: str, value: float, reason: str
) -> None:
    monkeypatch.setattr(requests, limit, value)
    sha = fake.add_commit(files={"large": bytes(700_000)})
    if limit == "TIMEOUT":
        fake.fail("GET", "/contents/", HANG, times=100)
    with pytest.raises(GitHubError, match=reason):
        client_of(fake).file_at("large", sha)
    gc.collect()  # an answer that is not closed would warn here, and a warning is an error


def test_only_writes_are_apart(fake: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    slept = list[float]()
    monkeypatch.setattr(time, "sleep", slept.append)
    base = fake.add_commit(branch="main")
    number = fake.add_pull(fake.add_commit(parents=[base]), base)
    client = fake.client(write_pause=5)
    for _ in range(2):
        client.texts_at([(base, "README.md")])
        client.create_comment(number, MARKER)
    assert [round(seconds) for seconds in slept] == [0, 5]


def test_endless_redirects_are_an_error(fake: FakeGitHub) -> None:
    fake.add_commit(branch="main")
    places = (f"{fake.api_url}/repos/{fake.state.repository}/commits/{name}" for name in itertools.cycle("ab"))
    for place in itertools.islice(places, 100):
        fake.fail("GET", "/commits/", 301, headers={"Location": place})
    with pytest.raises(GitHubError, match="check GITHUB_API_URL"):
        client_of(fake).commit_sha("main")
    assert len(fake.requests) == 5
