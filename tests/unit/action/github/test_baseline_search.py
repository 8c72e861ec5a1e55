from datetime import UTC, datetime
from typing import Any

import pytest

from profgate.action.github.baseline_search import Trust, candidate_runs, distances, distrust, usable_artifact
from profgate.action.github.records import ArtifactRecord, CommitRecord, RepositoryRecord, WorkflowRun
from profgate.model.reason import ReasonCode
from profgate.model.record import replace

WHEN = datetime(2026, 11, 1, tzinfo=UTC)
TRUST = Trust(4711, ".github/workflows/profile.yml", frozenset({"main", "release"}), own_run=99)
OURS = RepositoryRecord(4711)
RUN = WorkflowRun(1, "push", "completed", "success", "main", "a", OURS, OURS, ".github/workflows/profile.yml")
ARTIFACT = ArtifactRecord(5, "profgate-default", expired=False, run_id=1, head_sha="a")


def commit(sha: str, *parents: str) -> CommitRecord:
    return CommitRecord(sha, "", parents, WHEN)


def test_distances_are_breadth_first_over_all_parents() -> None:
    #   m -> a -> b -> d      m -> c -> d
    commits = [commit("m", "a", "c"), commit("a", "b"), commit("b", "d"), commit("c", "d"), commit("x", "m")]
    assert distances("m", commits) == {"m": 0, "a": 1, "c": 1, "b": 2, "d": 2}


def test_a_good_run_is_trusted() -> None:
    assert distrust(RUN, TRUST, {"a": 0}) is None
    assert distrust(replace(RUN, conclusion="failure"), TRUST, {"a": 0}) is None


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"event": "pull_request"}, "event"),
        ({"event": "pull_request_target"}, "event"),
        ({"event": "workflow_run"}, "event"),
        ({"repository": RepositoryRecord(1)}, "another repository"),
        ({"head_repository": RepositoryRecord(1)}, "came from another repository"),
        ({"head_repository": None}, "came from another repository"),
        ({"head_branch": "feature"}, "branch"),
        ({"head_branch": None}, "branch"),
        ({"path": ".github/workflows/other.yml"}, "workflow"),
        ({"status": "in_progress"}, "in_progress"),
        ({"head_sha": "elsewhere"}, "ancestor"),
        ({"id": 99}, "this run"),
    ],
)
def test_each_trust_rule_refuses_a_run(change: dict[str, Any], word: str) -> None:
    reason = distrust(replace(RUN, **change), TRUST, {"a": 0})
    assert reason is not None
    assert word in reason


def test_nearest_commit_and_newest_run_come_first() -> None:
    runs = [replace(RUN, id=number, head_sha=sha) for number, sha in ((1, "c"), (2, "b"), (3, "b"), (4, "z"), (3, "b"))]
    found = candidate_runs(runs, TRUST, "a", [commit("a", "b"), commit("b", "c"), commit("c")])
    assert [(one.run.id, one.distance) for one in found] == [(3, 1), (2, 1), (1, 2)]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"expired": True}, ReasonCode.ARTIFACT_EXPIRED),
        ({"name": "profgate-other"}, ReasonCode.NO_ARTIFACT),
        ({"run_id": 2}, ReasonCode.NO_ARTIFACT),
        ({"head_sha": "b"}, ReasonCode.NO_ARTIFACT),
    ],
)
def test_unusable_artifact_is_refused_with_a_reason(change: dict[str, Any], code: ReasonCode) -> None:
    found, why = usable_artifact([replace(ARTIFACT, **change)], "profgate-default", RUN)
    assert found is None
    assert why is not None
    assert why.code is code
