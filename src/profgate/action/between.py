"""The notes of a release: the cumulative change, and what the pull requests in between cost or repaid."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from profgate import wiring
from profgate.action.baseline import recording_workflow
from profgate.action.job import Job
from profgate.action.sides import Sides
from profgate.errors import GitHubError, ProfileError
from profgate.github.artifact_source import StoredSet, later_set
from profgate.github.baseline_search import Trust, distrust, first_parents
from profgate.github.records import RunRecord
from profgate.github.release_notes import Step, render_release_notes
from profgate.model.report import Document, Report, Side
from profgate.pipeline import PipelineInput

MOST_STEPS = 20  # recorded commits between two releases that are compared one by one
MOST_LOOKUPS = 60  # commits whose pull requests are asked for


@dataclass(frozen=True, slots=True)
class _Between:
    """The commits of the base branch between both sides, oldest first, and the sets that were recorded at some."""

    chain: tuple[str, ...]
    recorded: tuple[StoredSet, ...]
    doubts: tuple[str, ...] = ()


def notes_between(job: Job, report: Report, sides: Sides) -> Document:
    """The notes for two refs; what cannot be found out about the steps is said in them."""
    refs = sides.refs or ("", "")
    try:
        between = _between(job, sides.given)
        steps = _steps(job, sides.given, between)
        doubts = between.doubts
    except (GitHubError, ProfileError) as error:
        steps, doubts = [], (f"what came in between is not known: {error}",)
    address = f"{job.context.server_url}/{job.context.repository}/pull"
    return render_release_notes(report, refs, steps, pull_url=address, doubts=doubts)


def _between(job: Job, given: PipelineInput) -> _Between:
    base, head = given.baseline_side.sha or "", given.target_side.sha or ""
    commits = job.client.commits_between(base, head)
    chain = first_parents(commits, head)
    runs = _runs(job, chain[:-1])
    kept = _thinned(runs)
    doubts = []
    if len(kept) < len(runs):
        doubts.append(f"{len(runs)} commits in between were recorded; {len(kept)} of them are shown")
    recorded = []
    for run in kept:
        try:
            recorded.append(later_set(job.client, run, job.settings.artifact))
        except (GitHubError, ProfileError) as error:
            job.commands.log(f"passed over: {error}")
    lost = len(kept) - len(recorded)
    if lost:
        doubts.append(f"the profiles of {lost} recorded commits are lost; their steps are told together with the next")
    return _Between(tuple(chain), tuple(recorded), tuple(doubts))


def _runs(job: Job, chain: Sequence[str]) -> list[RunRecord]:
    """The newest trusted run of each commit that has one, in the order of the commits."""
    place, context = recording_workflow(job), job.context
    trust = Trust(context.repository_id or 0, place, None, context.run_id)
    order = {sha: number for number, sha in enumerate(chain)}
    newest: dict[str, RunRecord] = {}
    for run in sorted(job.client.workflow_runs(place), key=lambda one: one.id):
        if not distrust(run, trust, order):
            newest[run.head_sha] = run
    return sorted(newest.values(), key=lambda run: order[run.head_sha])


def _thinned(runs: Sequence[RunRecord]) -> list[RunRecord]:
    """At most so many that every step can be compared, evenly spread."""
    most = MOST_STEPS - 1
    if len(runs) <= most:
        return list(runs)
    return [runs[number * len(runs) // most] for number in range(most)]


def _steps(job: Job, given: PipelineInput, between: _Between) -> list[Step]:
    """A step from each recorded set to the next, the target last."""
    steps, start, asked = [], 0, 0
    before, described = given.baseline, given.manifests[0]
    ends = [(one.candidate.run.head_sha, one.files, one.manifest) for one in between.recorded]
    ends.append((given.target_side.sha or "", tuple(given.target), given.manifests[1]))
    for sha, files, manifest in ends:
        stop = between.chain.index(sha) + 1 if sha in between.chain else len(between.chain)
        mine = between.chain[start:stop]
        pulls: dict[int, str] = {}
        for commit in mine[: max(0, MOST_LOOKUPS - asked)]:
            pulls |= dict(job.client.pulls_of_commit(commit))
        asked += len(mine)
        step = replace(
            given,
            baseline=before,
            target=files,
            manifests=(described, manifest),
            baseline_side=Side("before"),
            target_side=Side("after", sha),
            pages=0,
            diff=None,
        )
        steps.append(Step(sha, tuple(pulls.items()), len(mine), wiring.compare(step).report))
        before, described, start = files, manifest, stop
    return steps
