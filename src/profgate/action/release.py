"""Compare releases or other refs, and write release notes about the changes between them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from profgate import wiring
from profgate.action.base_runs import described_set, stored_files
from profgate.action.baseline import named_ref, named_set, pipeline_input, recording_workflow
from profgate.action.compared_sides import ComparedSides
from profgate.action.job import Job
from profgate.action.policy_file import policy_at
from profgate.action.publishing import set_outputs
from profgate.action.reporting import compare_and_report
from profgate.errors import GitHubError, ProfgateError, ProfileError
from profgate.github.artifact_service import zip_files
from profgate.github.artifact_source import LATEST, Found, StoredSet, asset_name, later_set, latest
from profgate.github.baseline_search import Trust, distrust
from profgate.github.records import WorkflowRun
from profgate.github.release_notes import Step, render_release_notes
from profgate.history.ancestry import first_line
from profgate.io.files import give_to_owner
from profgate.io.profile_files import LocalSet, local_files
from profgate.model.history import StoredCommit
from profgate.model.manifest import Manifest
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import Document, Report
from profgate.model.sides import Side
from profgate.pipeline import PipelineInput
from profgate.report.wording import reason_text

MOST_STEPS = 20  # maximum number of comparisons between two releases
MOST_LOOKUPS = 60  # maximum number of commits for which pull requests are requested


def compare_release(job: Job) -> int:
    """Write the profiles of the release as a file, compare them with an earlier release, and return the exit code.

    A later step of the workflow attaches the file to the release.
    """
    tag = job.context.release_tag
    commit = job.client.commit_sha(tag)
    own = _own(job, tag, commit)
    _write_asset(job, tag, own)
    before = job.settings.baseline_ref
    if before in {"", LATEST}:
        before = latest(job.client.releases(), tag) or ""
    if before:
        side = Side(tag, commit, tag, own.manifest.run_id if own.manifest else None, 0)
        return _compare(job, before, own, side)
    job.notice(f"{tag} is the first release, so there is nothing to compare it with")
    give_to_owner(job.output_dir, job.context.workspace)
    set_outputs(job.commands)
    return 0


def compare_refs(job: Job) -> int:
    """Compare the stored profiles of two refs and return the exit code."""
    ref = job.settings.target_ref
    found = _required(ref, named_set(job, ref, job.client.commit_sha(ref), lambda _: 0))
    run, distance = found.candidate.run, found.candidate.distance
    side = Side(ref, run.head_sha, run.head_branch, run.id, distance)
    warnings = (Reason(ReasonCode.OLDER_TARGET, {"distance": distance, "ref": ref}),) if distance else ()
    before = named_ref(job, job.settings.baseline_ref)
    return _compare(job, before, LocalSet(found.files, found.manifest), side, warnings)


def _compare(job: Job, ref: str, target: LocalSet, side: Side, warnings: Sequence[Reason] = ()) -> int:
    """Compare the profiles with those of another ref. Raises `ProfgateError` if there are none for that ref."""
    commit = job.client.commit_sha(ref)
    policy, refused = policy_at(job, commit)
    found = named_set(job, ref, commit, lambda _: job.settings.baseline_runs, policy.max_gate_distance)
    _required(ref, found)
    given = pipeline_input(job, found, ref, policy, target, side)
    sides = ComparedSides(given, 1 + len(found.noise), (*warnings, *refused), obstacle=found.obstacle)
    return compare_and_report(job, sides, partial(_notes, job, given))


def _required(ref: str, found: Found) -> StoredSet:
    if found.baseline is None:
        reasons = "; ".join(reason_text(reason, str) for reason in found.reasons)
        raise ProfgateError(ref, f"has no stored profiles ({reasons}); record it first")
    return found.baseline


def _own(job: Job, tag: str, commit: str) -> LocalSet:
    """Return the profiles of this build or, if there are none, the profiles stored for the commit of the tag."""
    local = local_files(job.settings.profiles, job.context.workspace)
    if local is not None:
        local = job.with_sources(local)
        return LocalSet(local.files, described_set(job, local))
    found = named_set(job, tag, commit, lambda _: 0).baseline
    if found is None or found.candidate.distance:
        what = "has neither profiles of this build nor stored ones of its commit; record it on push, or build it here"
        raise ProfgateError(tag, what)
    return LocalSet(found.files, found.manifest or Manifest(commit=commit))


def _write_asset(job: Job, tag: str, own: LocalSet) -> None:
    """Write the profiles and their manifest as a zip archive, which `attached_set` reads from the release."""
    manifest = own.manifest or Manifest()
    described = manifest if manifest.files else described_set(job, own)
    stored = stored_files(own, replace(described, commit=manifest.commit))
    name = asset_name(job.settings.artifact)
    job.write_files({name: zip_files(stored)})
    job.log(f"wrote {len(own.files)} profiles of {tag} to {job.settings.output_dir}/{name}")


def _notes(job: Job, given: PipelineInput, report: Report) -> Document:
    """Return the release notes for two refs. The notes also state which information is missing."""
    steps: list[Step] = []
    try:
        chain, recorded, doubts = _between(job, given)
        steps = _steps(job, given, chain, recorded)
    except (GitHubError, ProfileError) as error:
        doubts = [f"the changes in between are not known: {error}"]
    address = f"{job.context.server_url}/{job.context.repository}/pull"
    refs = (given.baseline_side.label, given.target_side.label)
    return render_release_notes(report, refs, steps, pull_url=address, doubts=doubts)


def _between(job: Job, given: PipelineInput) -> tuple[list[str], list[StoredSet], list[str]]:
    """Return the commits between the two sides, oldest first, the profiles recorded for some of them, and doubts."""
    base, head = given.baseline_side.sha or "", given.target_side.sha or ""
    commits = {
        commit.sha: StoredCommit(commit.sha, commit.parents) for commit in job.client.commits_between(base, head)
    }
    chain = [sha for sha in first_line(head, commits) if sha in commits]
    runs = _runs(job, chain[:-1])
    most = MOST_STEPS - 1
    shown = runs if len(runs) <= most else [runs[number * len(runs) // most] for number in range(most)]
    recorded, doubts = list[StoredSet](), list[str]()
    if len(shown) < len(runs):
        doubts.append(f"{len(runs)} commits in between were recorded; {len(shown)} of them are shown")
    for run in shown:
        try:
            recorded.append(later_set(job.client, run, job.settings.artifact))
        except (GitHubError, ProfileError) as error:
            job.log(f"skipped: {error}")
    if lost := len(shown) - len(recorded):
        doubts.append(f"the profiles of {lost} recorded commits are lost; the next step includes their changes")
    return chain, recorded, doubts


def _runs(job: Job, chain: Sequence[str]) -> list[WorkflowRun]:
    """Return the newest trusted run of each commit that has one, in the order of ``chain``."""
    workflow, context = recording_workflow(job), job.context
    trust = Trust(context.repository_id or 0, workflow, None, context.run_id)
    order = {sha: number for number, sha in enumerate(chain)}
    runs = sorted(job.client.workflow_runs(workflow), key=lambda run: run.id)
    newest = {run.head_sha: run for run in runs if not distrust(run, trust, order)}
    return sorted(newest.values(), key=lambda run: order[run.head_sha])


def _steps(job: Job, given: PipelineInput, chain: Sequence[str], recorded: Sequence[StoredSet]) -> list[Step]:
    """Return the steps from each recorded set of profiles to the next one. The last step ends at the target side."""
    steps, start = [], 0
    before, manifest_before = given.baseline, given.manifests[0]
    ends = [(stored.candidate.run.head_sha, stored.files, stored.manifest) for stored in recorded]
    ends.append((given.target_side.sha or "", tuple(given.target), given.manifests[1]))
    for sha, files, manifest in ends:
        stop = chain.index(sha) + 1 if sha in chain else len(chain)
        pulls: dict[int, str] = {}
        for commit in chain[start : min(stop, MOST_LOOKUPS)]:
            pulls |= dict(job.client.pulls_of_commit(commit))
        step = replace(
            given,
            baseline=before,
            target=files,
            manifests=(manifest_before, manifest, *given.manifests[2:]),
            baseline_side=Side("before"),
            target_side=Side("after", sha),
            pages=0,
            diff=None,
        )
        steps.append(Step(sha, tuple(pulls.items()), max(0, stop - start), wiring.compare(step).report))
        before, manifest_before, start = files, manifest, stop
    return steps
