from collections.abc import Iterator

import pytest

from fake_github import FakeGitHub
from profgate.errors import GitHubError, NotAllowed
from profgate.github.check_run import CheckText, check_name, publish_check_run
from profgate.github.client import GitHubClient
from profgate.github.commit_status import status_context
from profgate.model.annotation import Annotation
from profgate.model.report import Conclusion, Verdict

TEXT = CheckText("parse got worse", "### summary", "7/1/api")


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub() as server:
        server.add_commit(branch="main")
        yield server


def publish(fake: FakeGitHub, verdict: Verdict, notes: list[Annotation], text: CheckText = TEXT) -> int:
    client = fake.closing(
        GitHubClient(fake.token, fake.api_url, fake.state.repository, pauses=(0, 0), retries=0, backoff=0)
    )
    return publish_check_run(client, fake.state.branches["main"], "api", verdict, text, notes)


def notes_of(count: int) -> list[Annotation]:
    return [Annotation("src/a.py", line, "warning", "title", "message") for line in range(1, count + 1)]


FAILED = Verdict("fail", "red", (), exit_code=1)


@pytest.mark.parametrize(("count", "requests"), [(0, 1), (1, 1), (50, 1), (51, 2), (120, 3)])
def test_notes_are_sent_by_fifty(fake: FakeGitHub, count: int, requests: int) -> None:
    assert publish(fake, FAILED, notes_of(count)) == requests
    (run,) = fake.state.check_runs
    assert [one["start_line"] for one in run["output"]["annotations"]] == list(range(1, count + 1))
    assert (fake.count("POST", "/check-runs"), fake.count("PATCH")) == (1, requests - 1)


@pytest.mark.parametrize(
    ("conclusion", "code", "told"),
    [
        ("pass", 0, "success"),
        ("warn", 0, "neutral"),
        ("fail", 1, "failure"),
        ("not_compared", 3, "neutral"),
        ("not_compared", 1, "failure"),
    ],
)
def test_the_verdict_as_a_conclusion(fake: FakeGitHub, conclusion: Conclusion, code: int, told: str) -> None:
    publish(fake, Verdict(conclusion, "neutral", (), exit_code=code), [])
    (run,) = fake.state.check_runs
    assert (run["status"], run["conclusion"]) == ("completed", told)


@pytest.mark.parametrize("stored", [True, False])
def test_a_server_that_stumbles_makes_no_second_check_run(fake: FakeGitHub, *, stored: bool) -> None:
    fake.fail("POST", "/check-runs", stored=stored)
    publish(fake, FAILED, notes_of(60))
    (run,) = fake.state.check_runs
    assert len(run["output"]["annotations"]) == 60


def test_long_texts_are_cut_to_what_github_takes(fake: FakeGitHub) -> None:
    publish(fake, FAILED, [], CheckText("t" * 900, "é" * 70_000, "7/1/api"))
    (run,) = fake.state.check_runs
    assert len(run["output"]["title"]) == 255
    assert len(run["output"]["summary"].encode()) == 60_000


def test_a_check_and_a_status_never_share_a_name() -> None:
    assert check_name("api") != status_context("api")


def test_a_token_that_may_not_says_what_to_add(fake: FakeGitHub) -> None:
    fake.read_only()
    with pytest.raises(NotAllowed, match="checks: write"):
        publish(fake, FAILED, [])


def test_without_a_commit_there_is_no_check_run(fake: FakeGitHub) -> None:
    client = fake.closing(GitHubClient(fake.token, fake.api_url, fake.state.repository))
    with pytest.raises(GitHubError, match="the commit is not known"):
        publish_check_run(client, "", "api", FAILED, TEXT, [])
