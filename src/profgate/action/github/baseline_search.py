"""Decide which runs are trusted as baselines and for estimating noise. This module does not send any requests."""

from collections import deque
from collections.abc import Iterable, Sequence

from profgate.action.github.records import ArtifactRecord, CommitRecord, WorkflowRun
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import Record, replace

TRUSTED_EVENTS = ("push", "schedule", "workflow_dispatch")
NEEDS_APPROVAL = "waiting"  # for example, a job deploys to an environment with required reviewers
UNFINISHED = frozenset({"requested", NEEDS_APPROVAL, "pending", "queued", "in_progress"})


class Trust(Record):
    """The properties that a trusted run must have.

    ``branches`` is None if the user requested a commit by name. ``own_run`` is this run, which cannot be its own
    baseline.
    """

    repository_id: int
    workflow_path: str
    branches: frozenset[str] | None
    own_run: int = 0


class CandidateRun(Record):
    """A trusted run, and the distance between its commit and the baseline commit, in commits."""

    run: WorkflowRun
    distance: int


def distances(start: str, commits: Iterable[CommitRecord]) -> dict[str, int]:
    """Return the distance from ``start`` to each commit that can be reached through the given commits."""
    parents = {commit.sha: commit.parents for commit in commits}
    found = {start: 0}
    queue = deque([start])
    while queue:
        sha = queue.popleft()
        for parent in parents.get(sha, ()):
            if parent not in found:
                found[parent] = found[sha] + 1
                queue.append(parent)
    return found


def distrust(run: WorkflowRun, trust: Trust, reachable: dict[str, int]) -> str | None:
    """Return the reason why a run is not trusted, or None if it is trusted.

    The name of the branch is not sufficient, because a branch of a fork can have the name of the base branch.
    """
    checks = (
        (run.event in TRUSTED_EVENTS, f"its event is {run.event}"),
        (run.repository.id == trust.repository_id, "it is of another repository"),
        (run.head_repository_id == trust.repository_id, "its code came from another repository"),
        (trust.branches is None or run.head_branch in trust.branches, f"its branch is {run.head_branch}"),
        (run.workflow_path == trust.workflow_path, f"its workflow is {run.workflow_path}"),
        (run.status == "completed", f"it is {run.status}"),
        (run.head_sha in reachable, "its commit is no ancestor of the baseline commit"),
        (run.id != trust.own_run, "it is this run"),
    )
    return next((reason for holds, reason in checks if not holds), None)


def will_be_trusted(run: WorkflowRun, trust: Trust, commit: str) -> bool:
    """Return whether this is a run of the given commit that is trusted, or will be trusted when it has completed."""
    return distrust(replace(run, status="completed"), trust, {commit: 0}) is None


def candidate_runs(
    runs: Iterable[WorkflowRun], trust: Trust, start: str, commits: Sequence[CommitRecord]
) -> list[CandidateRun]:
    """Return the trusted runs, sorted by distance. Runs of the same commit are sorted from newest to oldest."""
    reachable = distances(start, commits)
    dates = {commit.sha: commit.date.timestamp() for commit in commits}
    unique = {run.id: run for run in runs}
    found = [
        CandidateRun(run, reachable[run.head_sha]) for run in unique.values() if not distrust(run, trust, reachable)
    ]
    return sorted(
        found, key=lambda item: (item.distance, -dates.get(item.run.head_sha, 0.0), item.run.head_sha, -item.run.id)
    )


def usable_artifact(
    artifacts: Iterable[ArtifactRecord], name: str, run: WorkflowRun
) -> tuple[ArtifactRecord | None, Reason]:
    """Return the newest artifact of this name in this run, or None, and the reason that applies if it is None."""
    newest = newest_artifact(artifacts, name, run.id, run.head_sha)
    code = ReasonCode.NO_ARTIFACT if newest is None else ReasonCode.ARTIFACT_EXPIRED
    return newest if newest and not newest.expired else None, Reason(code, {"run": run.id, "artifact": name})


def newest_artifact(
    artifacts: Iterable[ArtifactRecord], name: str, run_id: int, head_sha: str
) -> ArtifactRecord | None:
    """Return the newest artifact of this name in this run, or None."""
    found = (
        artifact
        for artifact in artifacts
        if artifact.name == name and artifact.run_id in {None, run_id} and artifact.head_sha in {None, head_sha}
    )
    return max(found, key=lambda artifact: artifact.id, default=None)
