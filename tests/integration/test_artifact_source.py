from collections.abc import Iterator

import pytest

from fake_github import FakeGitHub
from profgate.adapters.github_client import GitHubClient
from profgate.errors import GitHubError
from profgate.model.manifest import MANIFEST_NAME, Manifest, ManifestFile, manifest_to_json
from profgate.sources.artifact_source import Found, Search, find_stored
from profgate.sources.baseline_search import Trust

NAME = "profgate-default"
FILES = {"api.folded": b"main 1\n"}


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub() as server:
        sha = server.add_commit(branch="main")
        for _ in range(4):
            sha = server.add_commit(parents=[sha], branch="main")
        yield server


def chain(fake: FakeGitHub) -> list[str]:
    return [commit.sha for commit in fake.state.ancestors(fake.state.branches["main"])]


def store(fake: FakeGitHub, sha: str, files: dict[str, bytes] | None = None, *, expired: bool = False) -> int:
    run = fake.add_run(sha)
    fake.add_artifact(run, NAME, files or FILES, expired=expired)
    return run


def search(fake: FakeGitHub, noise: int = 8) -> Found:
    client = fake.closing(
        GitHubClient(fake.token, fake.api_url, fake.state.repository, pauses=(0, 0), retries=0, backoff=0)
    )
    trust = Trust(fake.state.repository_id, ".github/workflows/profgate.yml", frozenset({"main"}))
    return find_stored(client, Search(chain(fake)[0], trust, ["main"], NAME, noise))


def test_the_nearest_set_is_the_baseline_and_the_others_are_noise(fake: FakeGitHub) -> None:
    shas = chain(fake)
    far, near = store(fake, shas[3]), store(fake, shas[1])
    found = search(fake)
    assert found.baseline is not None
    assert (found.baseline.candidate.run.id, found.baseline.candidate.distance) == (near, 1)
    assert [(one.candidate.run.id, one.candidate.distance) for one in found.noise] == [(far, 3)]
    assert found.baseline.manifest is None
    assert found.baseline.files[0].read(100) == b"main 1\n"


def test_a_planted_run_of_a_fork_is_passed_over(fake: FakeGitHub) -> None:
    run = fake.add_run(chain(fake)[0], repository="mallory/shop", repository_id=666)
    fake.add_artifact(run, NAME, FILES)
    assert search(fake).baseline is None


def test_expired_sets_are_told(fake: FakeGitHub) -> None:
    store(fake, chain(fake)[0], expired=True)
    found = search(fake)
    assert found.baseline is None
    assert "expired" in found.reasons[0]


def test_a_broken_or_lying_set_is_passed_over_with_the_reason(fake: FakeGitHub) -> None:
    shas = chain(fake)
    listed = Manifest(commit=shas[0], files=(ManifestFile("api.folded", "0" * 64),))
    store(fake, shas[0], FILES | {MANIFEST_NAME: manifest_to_json(listed).encode()})
    fake.add_artifact(fake.add_run(shas[1]), NAME, b"no zip at all")
    good = store(fake, shas[2])
    found = search(fake)
    assert found.baseline is not None
    assert found.baseline.candidate.run.id == good
    assert len(found.reasons) == 2
    assert "differ from the manifest" in found.reasons[0]


def test_a_manifest_of_another_commit_is_refused(fake: FakeGitHub) -> None:
    store(fake, chain(fake)[0], FILES | {MANIFEST_NAME: manifest_to_json(Manifest(commit="f" * 40)).encode()})
    assert search(fake).baseline is None


def test_it_gives_up_after_ten_sets_that_do_not_serve(fake: FakeGitHub) -> None:
    for _ in range(15):
        store(fake, chain(fake)[0], expired=True)
    found = search(fake)
    assert found.baseline is None
    assert len(found.reasons) == 10
    assert fake.count("GET", "/artifacts") == 1


def test_an_artifact_older_than_the_newest_hundred_is_asked_for_by_itself(fake: FakeGitHub) -> None:
    store(fake, chain(fake)[0])
    elsewhere = fake.add_run(fake.add_commit(), branch="other")
    for _ in range(100):
        fake.add_artifact(elsewhere, "profgate-default", {"other.folded": b"x 1\n"})
    found = search(fake)
    assert found.baseline is not None
    assert fake.count("GET", "/artifacts") == 3  # the newest, those of the run, the download


def test_a_failing_platform_is_no_missing_baseline(fake: FakeGitHub) -> None:
    store(fake, chain(fake)[0])
    fake.fail("GET", "/actions/workflows", 500, times=9)
    with pytest.raises(GitHubError):
        search(fake)
