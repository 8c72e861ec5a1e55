"""Of what a run handed over nothing is taken that is not its own, and of pull requests none that is not the run's."""

import hashlib
from dataclasses import dataclass, replace
from typing import Any

import pytest

from profgate.model.github_records import ArtifactRecord, PullRecord
from profgate.model.manifest import MANIFEST_NAME, Manifest, ManifestFile, manifest_to_json
from profgate.model.run_context import TriggeringRun
from profgate.sources.handed_over import handed_over, pull_of_run

PROFILE = b"main 1\n"
RUN = TriggeringRun(7, "pull_request", "success", "topic", "a" * 40, 2, "stranger", ".github/workflows/a.yml")
MINE = ArtifactRecord(1, "profgate", 9, expired=False, digest=None, run_id=7, head_sha="a" * 40, created_at=None)
PULL = PullRecord(3, "open", False, "u", "a" * 40, "topic", 2, "stranger/shop", "b" * 40, "main", 1, ())


@dataclass
class Stored:
    """What is stored, whatever is asked for."""

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
    found = handed_over(Stored(list(records)), "profgate", RUN)
    return found.files[0].name if found else None


def test_the_newest_artifact_of_the_run_is_taken() -> None:
    assert taken(MINE, replace(MINE, id=3), replace(MINE, id=2)) == "3.folded"
    assert taken(replace(MINE, id=4, run_id=None, head_sha=None)) == "4.folded"  # an older server does not say


@pytest.mark.parametrize("other", [{"run_id": 8}, {"head_sha": "c" * 40}, {"name": "profgate-2"}])
def test_an_artifact_that_is_not_of_the_run_is_not_taken(other: dict[str, Any]) -> None:
    strange = replace(MINE, **{"id": 9} | other)
    assert taken(strange) is None
    assert taken(MINE, strange) == "1.folded"


@pytest.mark.parametrize(
    "other",
    [
        *({"state": "closed"}, {"head_sha": "c" * 40}, {"head_repository_id": 5}, {"head_repository_id": None}),
        *({"base_repository_id": 5}, {"base_repository_id": None}),
    ],
)
def test_a_pull_request_that_differs_in_one_point_is_another_one(other: dict[str, Any]) -> None:
    strange = replace(PULL, **{"number": 1} | other)
    assert pull_of_run([strange], RUN, 1) is None
    assert pull_of_run([strange, PULL], RUN, 1) == PULL
    assert pull_of_run([replace(PULL, head_repository_id=None)], replace(RUN, head_repository_id=None), 1) is None


def test_a_hint_only_chooses_among_those_that_are_the_runs() -> None:
    second = replace(PULL, number=4)
    assert pull_of_run([second, PULL], RUN, 1) == PULL
    assert pull_of_run([PULL, second], RUN, 1, "refs/pull/4/merge") == second
    assert pull_of_run([PULL, replace(second, state="closed")], RUN, 1, "refs/pull/4/merge") == PULL
