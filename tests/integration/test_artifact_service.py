"""Uploads against a results service that checks names, ids, sizes and digests."""

import itertools

import pytest

from fake_github import FakeGitHub
from profgate.action.github.artifact_service import ArtifactService, UploadUnavailable
from profgate.action.github.connections import RetryBudget

pytestmark = pytest.mark.sockets


def service_of(fake: FakeGitHub, secrets: list[str] | None = None) -> ArtifactService:
    if fake.state.current_run_id is None:
        fake.start_run(fake.add_commit(branch="main"))
    run_url = f"{fake.server_url}/{fake.state.repository}/actions/runs/{fake.state.current_run_id}"
    masked = [] if secrets is None else secrets
    return ArtifactService(fake.results_url, fake.runtime_token, run_url, mask=masked.append, pause=0)


def stored(fake: FakeGitHub, url: str) -> bytes:
    return fake.state.artifacts[int(url.rpartition("/")[2])].data


def test_client_reads_what_was_uploaded(fake: FakeGitHub) -> None:
    service = service_of(fake)
    run = fake.state.current_run_id
    assert run is not None
    page = service.upload_file("report.html", b"<html></html>", "text/html")
    profiles = service.upload_zip("profgate-cpu", {"b.folded": b"b 1\n", "a/a.folded": b"a 1\n"})
    client = fake.client()
    newest, oldest = client.run_artifacts(run)
    place = f"{fake.server_url}/octo-org/shop/actions/runs/{run}/artifacts"
    assert [page, profiles] == [f"{place}/{oldest.id}", f"{place}/{newest.id}"]
    assert client.artifact_files(newest) == {"a/a.folded": b"a 1\n", "b.folded": b"b 1\n"}
    assert client.download(oldest) == b"<html></html>"
    assert fake.blobs.tokens_received == 0


def test_signatures_are_masked_before_use(fake: FakeGitHub) -> None:
    secrets: list[str] = []
    service_of(fake, secrets).upload_file("a.txt", b"a", "text/plain")
    raw, encoded = secrets
    assert raw.endswith("+/=")
    assert encoded.endswith("%2B%2F%3D")


@pytest.mark.parametrize("name", ["", "a/b", "a\\b", "a\nb", 'say "a"', "a?"])
def test_a_name_the_service_refuses_is_not_sent(fake: FakeGitHub, name: str) -> None:
    with pytest.raises(UploadUnavailable, match="the name"):
        service_of(fake).upload_file(name, b"", "text/plain")
    assert fake.count("POST") == 0


def test_passing_failures_are_sat_out(fake: FakeGitHub) -> None:
    service = service_of(fake)
    fake.fail("POST", "CreateArtifact", 503, times=2)
    fake.fail("POST", "FinalizeArtifact", 502, html=True)
    fake.blobs.failures = 2
    uploaded = service.upload_file("a.txt", b"1", "text/plain")
    assert stored(fake, uploaded) == b"1"
    assert (fake.count("POST", "CreateArtifact"), fake.count("POST", "FinalizeArtifact")) == (3, 2)


def test_repeated_failures_share_a_budget(fake: FakeGitHub) -> None:
    run_url, ticks = f"{fake.server_url}/run", itertools.count(0, 60)
    fake.start_run(fake.add_commit(branch="main"))
    budget = RetryBudget(100, sleep=lambda _: None, clock=lambda: next(ticks))
    service = ArtifactService(fake.results_url, fake.runtime_token, run_url, pause=0, budget=budget)
    fake.fail("POST", "", 504, times=99)
    for message in ("504", "504", "100 seconds"):
        with pytest.raises(UploadUnavailable, match=message):
            service.upload_file("a.txt", b"1", "text/plain")
    assert fake.count("POST") == 10


@pytest.mark.parametrize(
    ("status", "retry_after", "message", "what"),
    [(503, "600", "", "rate limit"), (429, "0", "insufficient usage to create artifact", "429 .*insufficient usage")],
)
def test_hopeless_upload_is_not_repeated(
    fake: FakeGitHub, status: int, retry_after: str, message: str, what: str
) -> None:
    fake.fail("POST", "CreateArtifact", status, headers={"Retry-After": retry_after}, message=message, times=9)
    with pytest.raises(UploadUnavailable, match=what):
        service_of(fake).upload_file("a.txt", b"1", "text/plain")
    assert fake.count("POST") == 1


def test_first_retry_comes_after_a_pause(fake: FakeGitHub) -> None:
    slept: list[float] = []
    fake.start_run(fake.add_commit(branch="main"))
    budget = RetryBudget(sleep=slept.append)
    service = ArtifactService(fake.results_url, fake.runtime_token, "http://run", pause=3, budget=budget)
    fake.fail("POST", "CreateArtifact", 503)
    service.upload_file("a.txt", b"1", "text/plain")
    assert slept == [3]


@pytest.mark.parametrize("token", ["", "abc", "a.b.c", "e30.e30.", "e30.eyJzY3AiOiAiQWN0aW9ucy5SZXN1bHRzOngifQ."])
def test_a_token_without_a_run_offers_no_upload(token: str) -> None:
    with pytest.raises(UploadUnavailable, match="use actions/upload-artifact"):
        ArtifactService("http://127.0.0.1:9/", token, "http://127.0.0.1:9/run")


def test_a_refused_token_is_not_in_the_message(fake: FakeGitHub) -> None:
    fake.start_run(fake.add_commit())
    foreign = fake.runtime_token + "x"
    service = ArtifactService(fake.results_url, foreign, "http://127.0.0.1:9/run", pause=0)
    with pytest.raises(UploadUnavailable, match="401 invalid token") as caught:
        service.upload_file("a.txt", b"1", "text/plain")
    assert foreign not in str(caught.value)


def test_either_spelling_of_answers_is_read(fake: FakeGitHub) -> None:
    fake.results.camel_case = True
    page = service_of(fake).upload_file("report.html", b"<html></html>", "text/html")
    assert stored(fake, page) == b"<html></html>"
