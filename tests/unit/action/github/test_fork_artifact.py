"""Only what belongs to the finished run is read: its own artifact and its own pull request."""

import hashlib
from dataclasses import dataclass
from typing import Any

import pytest

from profgate.action.github.artifact_source import fork_artifact, pull_of_run
from profgate.action.github.records import ArtifactRecord, PullRecord, PullSide, RepositoryRecord
from profgate.model.manifest import Manifest, ManifestFile, manifest_to_json
from profgate.model.record import replace
from profgate.model.run_context import TriggeringRun
from profgate.model.source import MANIFEST_NAME

PROFILE = b"main 1\n"
RUN = TriggeringRun(7, "pull_request", "success", "topic", "a" * 40, 2, "mallory", ".github/workflows/a.yml")
MINE = ArtifactRecord(1, "profgate", expired=False, run_id=7, head_sha="a" * 40)
HEAD, BASE = PullSide("a" * 40, "topic", RepositoryRecord(2)), PullSide("b" * 40, "main", RepositoryRecord(1))
PULL = PullRecord(3, "open", HEAD, BASE)


@dataclass
class Stored:
    """Returns the same artifacts for every request."""

    records: list[ArtifactRecord]

    def run_artifacts(self, run_id: int, name: str | None = None) -> list[ArtifactRecord]:  # noqa: ARG002
        return self.records

    def artifact_files(self, artifact: ArtifactRecord) -> dict[str, bytes]:
        """The profile bears the artifact's number."""
        path = f"{artifact.id}.folded"
        listed = (ManifestFile(path, hashlib.sha256(PROFILE).hexdigest()),)
        manifest = Manifest(run_id=7, event="pull_request", files=listed)
        return {MANIFEST_NAME: manifest_to_json(manifest).encode(), path: PROFILE}


def taken(*records: ArtifactRecord) -> str | None:
    client: Any = Stored(list(records))
    found = fork_artifact(client, "profgate", RUN)
    return found.files[0].name if found else None


def test_newest_artifact_of_the_run_is_used() -> None:
    assert taken(MINE, replace(MINE, id=3), replace(MINE, id=2)) == "3.folded"
    assert taken(replace(MINE, id=4, run_id=None, head_sha=None)) == "4.folded"  # an older server states no run


@pytest.mark.parametrize("other", [{"run_id": 8}, {"head_sha": "c" * 40}, {"name": "profgate-2"}])
def test_artifact_of_another_run_is_ignored(other: dict[str, Any]) -> None:
    strange = replace(MINE, **{"id": 9} | other)
    assert taken(strange) is None
    assert taken(MINE, strange) == "1.folded"


@pytest.mark.parametrize(
    "other",
    [
        *(
            {"state": "closed"},
            {"head": replace(HEAD, sha="c" * 40)},
            {"head": replace(HEAD, repo=RepositoryRecord(5))},
        ),
        *({"head": replace(HEAD, repo=None)}, {"base": replace(BASE, repo=RepositoryRecord(5))}),
        {"base": replace(BASE, repo=None)},
    ],
)
def test_pull_request_must_match_in_every_field(other: dict[str, Any]) -> None:
    strange = replace(PULL, **{"number": 1} | other)
    assert pull_of_run([strange], RUN, 1) is None
    assert pull_of_run([strange, PULL], RUN, 1) == PULL
    lost = replace(PULL, head=replace(HEAD, repo=None))
    assert pull_of_run([lost], replace(RUN, head_repository_id=None), 1) is None


def test_hint_only_chooses_among_matching_pull_requests() -> None:
    second = replace(PULL, number=4)
    assert pull_of_run([second, PULL], RUN, 1) == PULL
    assert pull_of_run([PULL, second], RUN, 1, "refs/pull/4/merge") == second
    assert pull_of_run([PULL, replace(second, state="closed")], RUN, 1, "refs/pull/4/merge") == PULL
