import hashlib
from typing import Any

import pytest

from fake_github import FakeGitHub
from profgate.action.github.artifact_source import Found, Search, find_stored
from profgate.action.github.baseline_search import Trust
from profgate.model.manifest import Manifest, ManifestFile, manifest_to_json
from profgate.model.record import replace
from profgate.model.source import MANIFEST_NAME
from profgate.report.wording import reason_text

NAME = "profgate-default"
FILES = {"api.folded": b"main 1\n"}
LISTED = tuple(ManifestFile(name, hashlib.sha256(data).hexdigest()) for name, data in FILES.items())


@pytest.fixture
def fake(fake: FakeGitHub) -> FakeGitHub:
    sha = fake.add_commit(branch="main")
    for _ in range(4):
        sha = fake.add_commit(parents=[sha], branch="main")
    return fake


def chain(fake: FakeGitHub) -> list[str]:
    return [commit.sha for commit in fake.state.ancestors(fake.state.branches["main"])]


def store(fake: FakeGitHub, sha: str, files: dict[str, bytes] | None = None, *, expired: bool = False) -> int:
    run = fake.add_run(sha)
    fake.add_artifact(run, NAME, files or FILES, expired=expired)
    return run


def reasons_of(found: Found) -> list[str]:
    return [reason_text(reason, str) for reason in found.reasons]


def search(fake: FakeGitHub, noise: int = 8, own_run: int = 0) -> Found:
    trust = Trust(fake.state.repository_id, ".github/workflows/profgate.yml", frozenset({"main"}), own_run)
    return find_stored(fake.client(), Search(chain(fake)[0], trust, ["main"], NAME), lambda _: noise)


def test_nearest_set_is_baseline_others_are_noise(fake: FakeGitHub) -> None:
    shas = chain(fake)
    far, near = store(fake, shas[3]), store(fake, shas[1])
    found = search(fake)
    assert found.baseline is not None
    assert (found.baseline.candidate.run.id, found.baseline.candidate.distance) == (near, 1)
    assert [(one.candidate.run.id, one.candidate.distance) for one in found.noise] == [(far, 3)]
    assert found.baseline.manifest is None
    assert found.baseline.files[0].read(100) == b"main 1\n"


PLANTED: dict[str, dict[str, Any]] = {
    "by a pull request": {"event": "pull_request"},
    "by pull_request_target": {"event": "pull_request_target"},
    "by workflow_run": {"event": "workflow_run"},
    "by an issue": {"event": "issue_comment"},
    "from a fork with a branch of the same name": {"head_repository": "mallory/shop", "head_repository_id": 666},
    "in another repository": {"repository_id": 666},
    "of another branch": {"head_branch": "feature"},
    "of another workflow": {"path": ".github/workflows/mine.yml"},
    "of a file of the same name": {"path": ".github/workflows/mine/profgate.yml"},
    "before it ended": {"status": "in_progress"},
}
POISONED = {"api.folded": b"main;parse 1000000\n"}


def chosen(found: Found) -> int | None:
    return None if found.baseline is None else found.baseline.candidate.run.id


@pytest.mark.parametrize("how", PLANTED)
def test_poisoned_artifact_of_untrusted_run_is_ignored(fake: FakeGitHub, how: str) -> None:
    fake.state.ignores_filters = True  # what GitHub lists is only a hint
    shas = chain(fake)
    good, planted = store(fake, shas[1]), store(fake, shas[0], POISONED)
    assert chosen(search(fake)) == planted  # it is the nearest
    fake.state.runs[planted] = replace(fake.state.runs[planted], **PLANTED[how])
    assert chosen(search(fake)) == good


def test_poisoned_artifact_of_no_ancestor_is_ignored(fake: FakeGitHub) -> None:
    shas = chain(fake)
    good = store(fake, shas[1])
    store(fake, fake.add_commit(parents=[shas[0]]), POISONED)
    assert chosen(search(fake)) == good


def test_poisoned_artifact_of_this_run_is_ignored(fake: FakeGitHub) -> None:
    shas = chain(fake)
    good, own = store(fake, shas[1]), store(fake, shas[0], POISONED)
    assert chosen(search(fake, own_run=own)) == good


@pytest.mark.parametrize(
    "artifact",
    [
        *({"name": "profgate-other"}, {"expired": True}, {"digest": f"sha256:{'0' * 64}"}),
        *({"content": b"PK\x03\x04"}, {"content": {}}, {"content": {"../../etc/profile": b"a 1\n"}}),
        {"content": POISONED | {MANIFEST_NAME: manifest_to_json(Manifest(commit="0" * 40)).encode()}},
    ],
)
def test_poisoned_artifact_of_trusted_run_is_ignored(fake: FakeGitHub, artifact: dict[str, Any]) -> None:
    shas = chain(fake)
    good, run = store(fake, shas[1]), fake.add_run(shas[0])
    fake.add_artifact(run, **{"name": NAME, "content": POISONED, **artifact})
    assert chosen(search(fake)) == good


def test_broken_set_is_skipped_with_a_reason(fake: FakeGitHub) -> None:
    shas = chain(fake)
    listed = Manifest(commit=shas[0], files=(ManifestFile("api.folded", "0" * 64),))
    store(fake, shas[0], FILES | {MANIFEST_NAME: manifest_to_json(listed).encode()})
    fake.add_artifact(fake.add_run(shas[1]), NAME, b"no zip at all")
    good = store(fake, shas[2])
    found = search(fake)
    assert found.baseline is not None
    assert found.baseline.candidate.run.id == good
    assert len(reasons_of(found)) == 2
    assert "differ from the manifest" in reasons_of(found)[0]


@pytest.mark.parametrize(
    ("lie", "reason"),
    [
        ({}, ""),
        ({"commit": "f" * 40}, "is of another commit than its run"),
        ({"files": ()}, "lists other files"),
        ({"files": (*LISTED, ManifestFile("more.folded", "0" * 64))}, "lists other files"),
        ({"files": (ManifestFile("api.folded", "0" * 64),)}, "differ from the manifest"),
    ],
)
def test_wrong_manifest_is_refused(fake: FakeGitHub, lie: dict[str, Any], reason: str) -> None:
    sha = chain(fake)[0]
    manifest = Manifest(**{"commit": sha, "files": LISTED} | lie)
    store(fake, sha, FILES | {MANIFEST_NAME: manifest_to_json(manifest).encode()})
    found = search(fake)
    assert (found.baseline is None) == bool(reason)
    assert reason in "".join(reasons_of(found))
