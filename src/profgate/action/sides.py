"""Both sides of a comparison: this build's profiles or those of a ref, and the baseline they are compared with."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from profgate.action.baseline import baseline_input, fair_baseline, named_ref, named_set, stored_at
from profgate.action.history import Known, known_before
from profgate.action.job import Job
from profgate.action.policy import policy_at
from profgate.errors import GitHubError, ProfgateError
from profgate.model.github_records import RunRecord
from profgate.model.manifest import Manifest
from profgate.model.report import Side
from profgate.model.source import SourceFile
from profgate.pipeline import PipelineInput
from profgate.sources.artifact_source import Found, StoredSet
from profgate.sources.handed_over import HandedOver
from profgate.sources.local import LocalSet, local_set


@dataclass(frozen=True, slots=True)
class Sides:
    """Both sides as they were found; ``base_runs`` counts runs that were read, ``missing`` says why there is none.

    ``later`` is a run that recorded a later state of the base branch; ``refs`` are the names of two refs that are
    compared for people who read what changed between them.
    """

    given: PipelineInput
    base_runs: int
    warnings: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    later: RunRecord | None = None
    refs: tuple[str, str] | None = None

    @property
    def first_run(self) -> bool:
        """Whether nothing was ever stored, as opposed to stored and lost."""
        return never_stored(self.missing)


def never_stored(reasons: Sequence[str]) -> bool:
    """Whether these are the reasons of a repository in which no base run ever stored profiles."""
    return bool(reasons) and all(
        reason.startswith("no trusted run") or "stored no artifact" in reason for reason in reasons
    )


def compared_sides(job: Job) -> Sides:
    """This build and its baseline."""
    settings = job.settings
    target = local_set(settings.profiles, job.context.workspace)
    target_side = _target_side(job)
    if settings.baseline_profiles:
        return _local_sides(job, target, target_side)
    return _against_stored(job, target.files, _own(job, target), target_side)


def handed_over_sides(job: Job, target: HandedOver) -> Sides:
    """What a finished run handed over, and its baseline."""
    side = replace(_target_side(job), run_id=target.manifest.run_id)
    return _against_stored(job, target.files, target.manifest, side)


def brought_sides(sides: Sides, baseline: HandedOver) -> Sides:
    """The same, with the baseline that the finished run measured beside its own build: where none is stored."""
    side = Side("the pull request's own run")
    given = replace(
        sides.given,
        baseline=baseline.files,
        baseline_side=side,
        manifests=(baseline.manifest, sides.given.manifests[1]),
    )
    return Sides(given, 1, (*sides.warnings, "the baseline was measured by the pull request's own run, none is stored"))


def _against_stored(job: Job, files: Sequence[SourceFile], manifest: Manifest, side: Side) -> Sides:
    """These profiles and the stored baseline that is fair for them."""
    fair = fair_baseline(job)
    policy, refused = policy_at(job, fair.start)
    known = list[Known]()

    def further(nearest: StoredSet) -> int:
        """How many base runs are of use beside the nearest and its history."""
        wanted = job.settings.baseline_runs
        known.extend(filter(None, [known_before(job, nearest.candidate.run)]))
        return 0 if known and known[0].commits >= wanted else wanted

    named = fair.branches is None
    found = named_set(job, fair.label, fair.start, further) if named else stored_at(job, fair, further)
    given = baseline_input(job, found, fair.label, policy)
    given = replace(given, target=files, target_side=side, manifests=(given.manifests[0], manifest))
    if found.baseline is None:
        return Sides(given, 0, refused, missing=found.reasons)
    runs = 1 + len(found.noise)
    if known:
        read = frozenset(one.candidate.run.head_sha for one in found.noise)
        given = known[0].beside(given, read)
        runs = max(runs, 1 + known[0].commits)
    asked = fair.branches is not None or job.context.concerns_pull
    return Sides(given, runs, refused, later=found.later if asked else None)


def release_sides(job: Job) -> Sides:
    """The stored profiles of two refs."""
    ref = job.settings.target_ref
    commit = job.client.commit_sha(ref)
    found = _wanted(ref, named_set(job, ref, commit, lambda _: 0))
    run = found.candidate.run
    own = LocalSet(found.files, found.manifest)
    side = Side(ref, run.head_sha, run.head_branch, run.id, found.candidate.distance)
    sides = against_ref(job, named_ref(job, job.settings.baseline_ref), own, side)
    distance = found.candidate.distance
    told = (f"the target stands {distance} commits before {ref}",) if distance else ()
    return replace(sides, warnings=(*told, *sides.warnings))


def against_ref(job: Job, ref: str, target: LocalSet, side: Side) -> Sides:
    """These profiles, and those that were stored for another ref. Raises `ProfgateError` that names one without any."""
    commit = job.client.commit_sha(ref)
    policy, refused = policy_at(job, commit)
    found = named_set(job, ref, commit, lambda _: job.settings.baseline_runs)
    _wanted(ref, found)
    given = baseline_input(job, found, ref, policy)
    given = replace(given, target=target.files, target_side=side, manifests=(given.manifests[0], target.manifest))
    return Sides(given, 1 + len(found.noise), refused, refs=(ref, side.label))


def _wanted(ref: str, found: Found) -> StoredSet:
    if found.baseline is None:
        raise ProfgateError(ref, f"has no stored profiles ({'; '.join(found.reasons)}); record it first")
    return found.baseline


def _local_sides(job: Job, target: LocalSet, target_side: Side) -> Sides:
    """Both sides lie in the workspace; the API is asked for the policy only, and may be missing."""
    settings = job.settings
    baseline = local_set(settings.baseline_profiles, job.context.workspace)
    start, told = None, tuple[str, ...]()
    if job.context.event_name == "pull_request" and not settings.token:
        told = (
            "the policy was read from this checkout, which the pull request may change, because no token was given",
        )
    elif job.context.event_name == "pull_request":
        try:
            start = fair_baseline(job).start
        except GitHubError as error:
            told = (f"the policy was read from this checkout, because GitHub did not tell the base commit: {error}",)
    policy, refused = policy_at(job, start)
    given = PipelineInput(
        baseline.files,
        target.files,
        policy=policy,
        baseline_side=Side(", ".join(settings.baseline_profiles), sha=start),
        target_side=target_side,
        manifests=(baseline.manifest or job.identity(), _own(job, target)),
        pages=settings.pages,
        interleaved=settings.interleaved,
    )
    return Sides(given, 1, (*told, *refused))


def _own(job: Job, target: LocalSet) -> Manifest:
    return target.manifest or job.identity()


def _target_side(job: Job) -> Side:
    context = job.context
    label = f"#{context.pr_number}" if context.pr_number else context.head_ref or context.ref
    return Side(label, sha=context.head_sha or context.sha, ref=context.head_ref or context.ref, run_id=context.run_id)
