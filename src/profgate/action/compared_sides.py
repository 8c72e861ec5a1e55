"""Collect the baseline of a comparison: profiles of the workspace, or those that a run of the base branch stored."""

from profgate.action.baseline import BaselineCommit, stored_at
from profgate.action.github.artifact_source import Found, StoredSet
from profgate.action.job import Job
from profgate.action.stored_history import Known, known_before
from profgate.errors import ProfgateError, SettingsError
from profgate.io.profile_files import local_set
from profgate.model.policy import Policy
from profgate.model.reason import Reason, Side
from profgate.model.record import Record
from profgate.pipeline import PipelineInput
from profgate.report.wording import reason_text

BASE_RUNS = 8  # number of trusted base runs that estimate the noise, beside the baseline


class ComparedSides(Record):
    """The baseline in the input of a comparison, to which `compare_run` adds the target.

    ``missing`` contains the reasons why there is no baseline. ``obstacle`` is the reason why the profiles of the
    baseline commit itself were not used.
    """

    given: PipelineInput
    warnings: tuple[Reason, ...] = ()
    missing: tuple[Reason, ...] = ()
    never_recorded: bool = False
    obstacle: Reason | None = None


def local_baseline(job: Job, policy: Policy, start: BaselineCommit | None) -> ComparedSides:
    """Return the baseline with profiles from the workspace.

    Raises `SettingsError` if the policy at ``start``, the base commit of a pull request, does not allow such a
    baseline.
    """
    settings = job.settings
    baseline = job.with_sources(local_set(settings.baseline_profiles, job.context.workspace))
    if start is not None and not policy.allows_own_baseline:
        what = f"{policy.source} on the base branch does not allow a baseline that the pull request's own job measured"
        raise SettingsError(
            "baseline-profiles", f"{what}; remove this input, or set gate: {{own-baseline: true}} there"
        )
    side = Side(", ".join(settings.baseline_profiles), sha=start.sha if start else None)
    manifests = (job.identity(baseline), None)
    given = PipelineInput(baseline.files, (), baseline_side=side, manifests=manifests, interleaved=settings.interleaved)
    return ComparedSides(given)


def stored_baseline(job: Job, commit: BaselineCommit, *, refs: bool) -> ComparedSides:
    """Return the baseline with profiles that a run stored for the commit or for an ancestor.

    Raises `ProfgateError` if two refs are compared and this one has no stored profiles.
    """
    known: list[Known] = []

    def further(nearest: StoredSet) -> int:
        """Return the number of base runs to read in addition to the nearest run. With a long history, return 0."""
        if not refs:
            _start_requests(job)
            known.extend(filter(None, [known_before(job, nearest.candidate.run)]))
        return 0 if known and known[0].commits >= BASE_RUNS else BASE_RUNS

    found = stored_at(job, commit, further)
    baseline = found.baseline
    if baseline is None:
        if refs:
            required(commit.label, found)
        given = PipelineInput((), (), baseline_side=Side(commit.label))
        return ComparedSides(given, missing=found.reasons, never_recorded=found.never_recorded, obstacle=found.obstacle)
    run, distance = baseline.candidate.run, baseline.candidate.distance
    job.log(f"baseline: run {run.id} of {run.head_sha}, distance {distance}")
    noise = [stored.files for stored in found.noise]
    given = PipelineInput(
        baseline.files,
        (),
        baseline_side=Side(commit.label, run.head_sha, run.head_branch, run.id, distance),
        manifests=(baseline.manifest, None, *(stored.manifest for stored in found.noise)),
        noise=noise,
    )
    if known:
        given = known[0].added_to(given, frozenset(stored.candidate.run.head_sha for stored in found.noise))
    return ComparedSides(given, never_recorded=found.never_recorded, obstacle=found.obstacle)


def _start_requests(job: Job) -> None:
    """Send the requests that a comparison needs, while the base runs are downloaded."""
    client, context = job.client, job.context
    client.start(client.files_of_commit, job.measured_commit)
    if context.event_name == "pull_request" and context.pr_number is not None:
        client.start(client.pull_files, context.pr_number)
        if job.settings.mode != "shard":
            client.start(client.comments, context.pr_number)


def required(ref: str, found: Found) -> StoredSet:
    """Return the profiles that were found for a ref. Raises `ProfgateError` without any."""
    if found.baseline is None:
        reasons = "; ".join(reason_text(reason, str) for reason in found.reasons)
        raise ProfgateError(ref, f"has no stored profiles ({reasons}); record it first")
    return found.baseline
