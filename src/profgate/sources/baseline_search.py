"""Which stored runs may serve as baseline and as noise: a pure choice from records that GitHub gave."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from profgate.model.github_records import ArtifactRecord, CommitRecord, RunRecord

TRUSTED_EVENTS = frozenset({"push", "schedule", "workflow_dispatch"})


@dataclass(frozen=True, slots=True)
class Trust:
    """What a run must be to be believed.

    ``branches`` None: any branch, where a commit was named outright. ``own_run`` is never its own baseline.
    """

    repository_id: int
    workflow_path: str
    branches: frozenset[str] | None
    own_run: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A trustworthy run and how many commits before the fair baseline commit it stands."""

    run: RunRecord
    distance: int


def distances(start: str, commits: Iterable[CommitRecord]) -> dict[str, int]:
    """Commits reachable from ``start`` through the given ones, with their distance, breadth first."""
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


def first_parents(commits: Iterable[CommitRecord], head: str) -> list[str]:
    """The given commits that lie on the line of first parents of ``head``, oldest first: what a branch was set to."""
    parents = {commit.sha: commit.parents for commit in commits}
    chain: list[str] = []
    sha = head
    while sha in parents and sha not in chain:
        chain.append(sha)
        if not parents[sha]:
            break
        sha = parents[sha][0]
    return chain[::-1]


def distrust(run: RunRecord, trust: Trust, reachable: dict[str, int]) -> str | None:
    """Why a run may not serve, or None. Every clause is needed: a fork can run a branch with the base's name."""
    clauses = (
        (run.event in TRUSTED_EVENTS, f"its event is {run.event}"),
        (run.repository_id == trust.repository_id, "it is of another repository"),
        (run.head_repository_id == trust.repository_id, "its code came from another repository"),
        (trust.branches is None or run.head_branch in trust.branches, f"its branch is {run.head_branch}"),
        (run.path == trust.workflow_path, f"its workflow is {run.path}"),
        (run.status == "completed", f"it is {run.status}"),
        (run.head_sha in reachable, "its commit is no ancestor of the baseline commit"),
        (run.id != trust.own_run, "it is this run"),
    )
    return next((reason for holds, reason in clauses if not holds), None)


def candidates(runs: Iterable[RunRecord], trust: Trust, start: str, commits: Sequence[CommitRecord]) -> list[Candidate]:
    """The trustworthy runs, nearest commit first; of one commit the newest run first."""
    reachable = distances(start, commits)
    dates = {commit.sha: commit.date.timestamp() for commit in commits}
    unique = {run.id: run for run in runs}
    found = [Candidate(run, reachable[run.head_sha]) for run in unique.values() if not distrust(run, trust, reachable)]
    return sorted(
        found, key=lambda one: (one.distance, -dates.get(one.run.head_sha, 0.0), one.run.head_sha, -one.run.id)
    )


def usable_artifact(
    artifacts: Iterable[ArtifactRecord], name: str, run: RunRecord
) -> tuple[ArtifactRecord | None, str]:
    """The newest artifact of this name in this run, or None with the reason."""
    named = [one for one in artifacts if one.name == name and one.run_id in {None, run.id}]
    same = [one for one in named if one.head_sha in {None, run.head_sha}]
    if not same:
        return None, f"run {run.id} stored no artifact {name}"
    newest = max(same, key=lambda one: one.id)
    if newest.expired:
        return None, f"artifact {name} of run {run.id} has expired"
    return newest, ""
