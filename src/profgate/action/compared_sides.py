"""Collect both sides of a comparison: the profiles of this build or of a fork's run, and the baseline."""

from dataclasses import dataclass, replace

from profgate.action.baseline import BaselineCommit, baseline_commit, pipeline_input, stored_at, stored_files
from profgate.action.job import Job
from profgate.action.policy_file import policy_at
from profgate.action.stored_history import Known, known_before
from profgate.errors import ProfgateError, SettingsError
from profgate.github.artifact_service import zip_files
from profgate.github.artifact_source import ForkArtifact, Found, StoredSet, asset_name
from profgate.github.records import WorkflowRun
from profgate.io.profile_files import LocalSet, local_set
from profgate.model.reason import Reason, ReasonCode
from profgate.model.sides import Side
from profgate.pipeline import PipelineInput
from profgate.report.wording import reason_text

BASE_RUNS = 8  # number of trusted base runs that estimate the noise, beside the baseline


@dataclass(frozen=True, slots=True)
class ComparedSides:
    """Both sides of a comparison.

    ``missing`` contains the reasons why there is no baseline. ``later`` is a run for a later commit of the base branch.
    ``obstacle`` is the reason why the profiles of the baseline commit itself were not used.
    """

    given: PipelineInput
    warnings: tuple[Reason, ...] = ()
    missing: tuple[Reason, ...] = ()
    never_recorded: bool = False
    later: WorkflowRun | None = None
    obstacle: Reason | None = None


def compared_sides(job: Job) -> ComparedSides:
    """Return the profiles of this build and of its baseline."""
    settings = job.settings
    target = job.with_sources(local_set(settings.profiles, job.context.workspace))
    described, side = replace(target, manifest=job.identity(target)), _target_side(job)
    sides = _local_sides(job, described, side) if settings.baseline_profiles else _against_stored(job, described, side)
    if target.ignored:
        return replace(sides, warnings=(*sides.warnings, Reason(ReasonCode.IGNORED_MANIFEST)))
    return sides


def fork_sides(job: Job, target: ForkArtifact) -> ComparedSides:
    """Return the profiles of a fork's finished run and of its baseline."""
    side = replace(_target_side(job), run_id=target.manifest.run_id)
    return _against_stored(job, target, side)


def with_own_baseline(sides: ComparedSides, baseline: LocalSet) -> ComparedSides:
    """Return the sides with a baseline that was measured by the pull request's own run."""
    side = Side("the pull request's own run")
    given = replace(
        sides.given,
        baseline=baseline.files,
        baseline_side=side,
        manifests=(baseline.manifest, sides.given.manifests[1]),
    )
    return ComparedSides(given, (*sides.warnings, Reason(ReasonCode.OWN_BASELINE)))


def ref_sides(job: Job) -> ComparedSides:
    """Return the stored profiles of the target ref and of the baseline ref.

    The profiles of the target are also written as a zip archive, which can be attached to a release, because artifacts
    expire. Raises `ProfgateError` if one of the refs has no stored profiles.
    """
    ref = job.settings.target_ref
    stored = _required(ref, stored_at(job, BaselineCommit(job.client.commit_sha(ref), ref, None), lambda _: 0))
    run, distance = stored.candidate.run, stored.candidate.distance
    target = LocalSet(stored.files, stored.manifest)
    if stored.manifest is not None and not distance:
        job.write_files({asset_name(job.settings.artifact): zip_files(stored_files(target, stored.manifest))})
    commit = baseline_commit(job)
    policy, warnings = policy_at(job, commit.sha)
    found = stored_at(job, commit, lambda _: BASE_RUNS)
    _required(commit.label, found)
    side = Side(ref, run.head_sha, run.head_branch, run.id, distance)
    given = pipeline_input(job, found, commit.label, policy, target, side)
    if distance:
        warnings = (Reason(ReasonCode.OLDER_TARGET, {"distance": distance, "ref": ref}), *warnings)
    return ComparedSides(given, warnings, obstacle=found.obstacle)


def _required(ref: str, found: Found) -> StoredSet:
    if found.baseline is None:
        reasons = "; ".join(reason_text(reason, str) for reason in found.reasons)
        raise ProfgateError(ref, f"has no stored profiles ({reasons}); record it first")
    return found.baseline


def _against_stored(job: Job, target: LocalSet, side: Side) -> ComparedSides:
    """Return both sides, with the given profiles as the target and stored profiles as the baseline."""
    commit = baseline_commit(job)
    policy, refused = policy_at(job, commit.sha)
    known: list[Known] = []

    def further(nearest: StoredSet) -> int:
        """Return the number of base runs to read in addition to the nearest run. With a long history, return 0."""
        known.extend(filter(None, [known_before(job, nearest.candidate.run)]))
        return 0 if known and known[0].commits >= BASE_RUNS else BASE_RUNS

    found = stored_at(job, commit, further)
    if found.never_recorded:
        policy, refused = policy_at(job, commit.sha, first_run=True)
    given = pipeline_input(job, found, commit.label, policy, target, side)
    if found.baseline is None:
        return ComparedSides(given, refused, found.reasons, found.never_recorded, obstacle=found.obstacle)
    if known:
        given = known[0].added_to(given, frozenset(stored.candidate.run.head_sha for stored in found.noise))
    later = None if commit.branches is None and not job.context.concerns_pull else found.later
    return ComparedSides(given, refused, later=later, obstacle=found.obstacle)


def _local_sides(job: Job, target: LocalSet, target_side: Side) -> ComparedSides:
    """Return both sides, with profiles from the workspace.

    Raises `SettingsError` if the policy at the base commit of a pull request does not allow such a baseline.
    """
    settings = job.settings
    baseline = job.with_sources(local_set(settings.baseline_profiles, job.context.workspace))
    start = baseline_commit(job).sha if job.context.event_name == "pull_request" else None
    policy, warnings = policy_at(job, start)
    if start is not None and not policy.allows_own_baseline:
        what = f"{policy.source} on the base branch does not allow a baseline that the pull request's own job measured"
        raise SettingsError(
            "baseline-profiles", f"{what}; remove this input, or set gate: {{own-baseline: true}} there"
        )
    given = PipelineInput(
        baseline.files,
        target.files,
        policy=policy,
        baseline_side=Side(", ".join(settings.baseline_profiles), sha=start),
        target_side=target_side,
        manifests=(job.identity(baseline), target.manifest),
        interleaved=settings.interleaved,
    )
    return ComparedSides(given, warnings)


def _target_side(job: Job) -> Side:
    context = job.context
    label = f"#{context.pr_number}" if context.pr_number else context.head_ref or context.ref
    return Side(label, sha=context.head_sha or context.sha, ref=context.head_ref or context.ref, run_id=context.run_id)
