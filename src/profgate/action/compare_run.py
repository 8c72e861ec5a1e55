"""One comparison, which reads from top to bottom: event, policy, baseline, comparison, publishing.

`handler_for` in ``entry.py`` maps an event to one of the functions that name the target of a comparison.
"""

import posixpath
from functools import partial

from profgate import loading, pipeline
from profgate.action.base_runs import store_target
from profgate.action.baseline import BaselineCommit, baseline_commit, stored_at, stored_files
from profgate.action.compared_sides import ComparedSides, local_baseline, required, stored_baseline
from profgate.action.github.artifact_service import zip_files
from profgate.action.github.artifact_source import ForkArtifact, asset_name
from profgate.action.github.artifact_upload import report_artifact, upload_pages
from profgate.action.github.records import TreeRecord
from profgate.action.job import Job
from profgate.action.policy_file import accepted, claimed, last_proof, policy_at
from profgate.action.reporting import UNFINISHED, ReportResult, comment_of, conclude, end_shard, first_run, summarize
from profgate.action.source_diff import repository_sources, source_diff
from profgate.api import write_report
from profgate.decide.judge.verdict import judge
from profgate.errors import GitHubError
from profgate.io.profile_files import LocalSet, committed, local_set, repository_paths
from profgate.model.links import Links
from profgate.model.policy import Policy
from profgate.model.reason import NotCompared, Reason, ReasonCode, Side
from profgate.model.record import replace
from profgate.model.report import Report
from profgate.pipeline import PipelineInput
from profgate.report.view import View


def compare_build(job: Job) -> int:
    """Compare this build with its baseline. With a read-only token, also store it for the fork comment workflow."""
    if job.context.read_only:
        store_target(job)
    target = job.with_sources(local_set(job.settings.profiles, job.context.workspace))
    warnings = (Reason(ReasonCode.IGNORED_MANIFEST),) if target.ignored else ()
    return compare_run(job, replace(target, manifest=job.identity(target)), _side_of(job), warnings)


def compare_refs(job: Job) -> int:
    """Compare the stored profiles of two refs and return the exit code.

    The profiles of the target are also written as a zip archive, which can be attached to a release, because artifacts
    expire. Raises `ProfgateError` if one of the refs has no stored profiles.
    """
    ref = job.settings.target_ref
    stored = required(ref, stored_at(job, BaselineCommit(job.client.commit_sha(ref), ref, None), lambda _: 0))
    run, distance = stored.candidate.run, stored.candidate.distance
    target = LocalSet(stored.files, stored.manifest)
    if stored.manifest is not None and not distance:
        job.write_files({asset_name(job.settings.artifact): zip_files(stored_files(target, stored.manifest))})
    warnings = (Reason(ReasonCode.OLDER_TARGET, {"distance": distance, "ref": ref}),) if distance else ()
    side = Side(ref, run.head_sha, run.head_branch, run.id, distance)
    return compare_run(job, target, side, warnings, refs=True)


def compare_fork(job: Job, target: ForkArtifact) -> int:
    """Compare the stored profiles of a finished run of a pull request and return the exit code."""
    return compare_run(job, target, replace(_side_of(job), run_id=target.manifest.run_id), fork=True)


def compare_run(
    job: Job,
    target: LocalSet,
    side: Side,
    warnings: tuple[Reason, ...] = (),
    *,
    fork: bool = False,
    refs: bool = False,
) -> int:
    """Compare profiles with their baseline, publish the result, and return the exit code.

    ``fork`` is True if a run of the pull request stored the profiles, and ``refs`` is True if two refs are compared,
    both of which must have stored profiles.
    """
    settings = job.settings

    # policy: that of the base commit, because a pull request controls its own checkout
    local = bool(settings.baseline_profiles) and not fork and not refs
    pulled = job.context.event_name in {"pull_request", "merge_group"}
    start = baseline_commit(job) if pulled or not local else None
    policy, changed = policy_at(job, start.sha if start else None)

    # baseline: from the workspace, or from a trusted run of the base branch
    if start is None or local:
        sides = local_baseline(job, policy, start)
    else:
        sides = stored_baseline(job, start, refs=refs)
        if sides.never_recorded:
            policy, changed = policy_at(job, start.sha, first_run=True)
    manifests = (sides.given.manifests[0], target.manifest, *sides.given.manifests[2:])
    given = replace(sides.given, target=target.files, target_side=side, policy=policy, manifests=manifests)
    given = replace(given, claims=claimed(job))
    warnings = (*changed, *warnings, *sides.warnings)

    # comparison
    obstacle = sides.obstacle
    if given.baseline and given.target:
        merged = settings.mode == "shard" and job.can_upload  # the job that merges the shards reads the acceptances
        acceptances, unread = ((), ()) if merged else accepted(job, policy, given.baseline_side)
        commit = (side.sha if refs else None) or job.measured_commit
        tree = _tree(job, commit)
        given = replace(given, diff=source_diff(job, given.baseline_side, tree), acceptances=acceptances)
        given = replace(given, sources=partial(repository_sources, job, commit, tree))
        obstacle = _committed(job, given, commit, tree) or obstacle
        warnings = (*warnings, *unread)
    built = pipeline.compare(given)
    report = replace(built.report, warnings=(*built.report.warnings, *warnings, *sides.missing[1:]))
    report = _explained(report, sides, obstacle, policy)
    if settings.mode != "shard":
        report = replace(report, proof=last_proof(job))

    # publishing: the files and the summary come before all that needs the network
    never = bool(sides.missing) and sides.never_recorded
    first = first_run(job, report, policy, loading.tests_in(given.target)) if never else None
    links = Links(run=job.context.run_url)
    result = ReportResult(View(report), links, first)
    written = write_report(result.view, built.pages, job.write_files)
    job.write(comment_of(job, result))
    summarize(job, result, UNFINISHED)  # the run may be ended during the upload
    links, warning = upload_pages(
        job.uploads,
        built.pages,
        key=settings.key,
        attempt=job.context.run_attempt,
        folder=settings.output_dir,
        run_url=job.context.run_url,
    )
    if warning:
        job.warn(warning)
    if len(written.pages) < len(built.pages):
        links = replace(links, fetch=None)
    result = replace(result, links=links)
    if links.pages:
        summarize(job, result, UNFINISHED)
    if settings.mode == "shard":
        return end_shard(job, result)
    return conclude(job, result, "" if warning else report_artifact(settings.key, job.context.run_attempt))


def _side_of(job: Job) -> Side:
    """Return the side of this build, or of the pull request of a finished run."""
    context = job.context
    label = f"#{context.pr_number}" if context.pr_number else context.head_ref or context.ref
    return Side(label, sha=context.head_sha or context.sha, ref=context.head_ref or context.ref, run_id=context.run_id)


def _tree(job: Job, commit: str) -> TreeRecord | GitHubError:
    """Return the files of a commit, or the reason why they are not known."""
    try:
        return job.client.taken(job.client.files_of_commit, commit)
    except GitHubError as error:
        return error


def _committed(job: Job, given: PipelineInput, commit: str, tree: TreeRecord | GitHubError) -> Reason | None:
    """Return the reason not to compare if the measured commit contains a profile that was read, or may contain one.

    Such a file would count as a run of this job, so a slower program could be hidden among them.
    """
    if isinstance(tree, GitHubError):
        return Reason(ReasonCode.COMMITTED_PROFILES, {"case": "unknown", "text": str(tree)})
    baseline, target, *_ = given.manifests
    if target is None or not target.folder:
        text = "the manifest does not state the folder of the profiles"
        return Reason(ReasonCode.COMMITTED_PROFILES, {"case": "unknown", "text": text})
    paths = repository_paths(given.target, target.folder, job.context.workspace)
    if baseline is not None and baseline.run_id == target.run_id:
        paths += repository_paths(given.baseline, baseline.folder, job.context.workspace)
    if found := committed(paths, (entry.path for entry in tree.tree if entry.type != "tree")):
        return Reason(ReasonCode.COMMITTED_PROFILES, {"case": "committed", "file": found[0], "more": len(found) - 1})
    if tree.truncated and not _is_absent(job, posixpath.commonpath(paths).partition("/")[0], commit):
        return Reason(ReasonCode.COMMITTED_PROFILES, {"case": "truncated"})
    return None


def _is_absent(job: Job, name: str, commit: str) -> bool:
    """Return whether a commit is known not to contain an entry in its top folder."""
    try:
        return bool(name) and job.client.file_at(name, commit) is None
    except GitHubError:
        return False


def _explained(report: Report, sides: ComparedSides, obstacle: Reason | None, policy: Policy) -> Report:
    """Return the report judged again, if there is no baseline or an obstacle: neither can fail the gate as a change."""
    if sides.missing:
        code = ReasonCode.NEVER_RECORDED if sides.never_recorded else ReasonCode.NO_BASELINE
        why = Reason(code, reasons=sides.missing[:1])
        entries = tuple(
            replace(entry, reason=why) if entry.side == "target" else entry for entry in report.not_compared
        )
    elif obstacle is not None:
        name = "profiles" if obstacle.code is ReasonCode.COMMITTED_PROFILES else "baseline"
        entries = (NotCompared(name, None, "both", obstacle), *report.not_compared)
    else:
        return report
    return judge(replace(report, not_compared=entries), policy)
