"""Compare both sides and report the result. The files and the summary are written before anything is published."""

import posixpath
from dataclasses import dataclass, field, replace

from profgate import loading, pipeline
from profgate.action.compared_sides import ComparedSides
from profgate.action.job import Job
from profgate.action.policy_file import accepted
from profgate.action.publishing import exit_code_of, set_outputs, write_comment, write_status
from profgate.attribution.base_branch import with_base_branch
from profgate.attribution.dependencies import wanted_texts
from profgate.errors import GitHubError, ProfgateError, ProfileError
from profgate.flamegraph.pages import build_index, earlier_totals, run_totals
from profgate.github.artifact_source import later_set
from profgate.github.artifact_upload import report_artifact, store_report, upload_pages, upload_step
from profgate.github.first_run import render_first_run
from profgate.github.pull_files import diff_of_pull, of_another_start, with_files, with_gap
from profgate.io.files import give_to_owner
from profgate.io.profile_files import is_in
from profgate.judge.verdict import judge
from profgate.model.attribution import SourceDiff, SourceTexts
from profgate.model.links import Links
from profgate.model.policy import Policy
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import Document, Report
from profgate.model.sides import NotCompared, Side
from profgate.pipeline import Built
from profgate.report.comment import render_comment, render_summary
from profgate.report.json_report import LINKS_NAME, REPORT_NAME, links_to_json, to_json
from profgate.report.view import View
from profgate.report.workload_rows import Earlier, workload_table

SHARD_FOLDER = "leg"  # this name must not change, because existing workflows may upload this folder
UNFINISHED = "This run ended before it published its result."
SHARD = "This is one shard: the job that merges all shards writes the comment and the verdict."
SHARD_ALONE = "This shard has its own verdict: without an artifact service its report cannot be merged with others."


@dataclass(frozen=True, slots=True)
class ReportResult:
    """The view of a report, its links, the comment of a first run, and totals of earlier base jobs."""

    view: View
    links: Links
    first_run: Document | None = None
    earlier: Earlier = field(default_factory=dict)

    @property
    def report(self) -> Report:
        """The report, from which all outputs are written."""
        return self.view.report


def compare_and_report(job: Job, sides: ComparedSides) -> int:
    """Compare both sides, write all files, publish the result, and return the exit code."""
    settings, run_url = job.settings, job.context.run_url
    given = sides.given
    if given.baseline and given.target:
        merged = settings.mode == "shard" and job.can_upload  # the job that merges the shards reads the acceptances
        acceptances, unread = ((), ()) if merged else accepted(job, given.policy, given.baseline_side)
        given = replace(given, diff=source_diff(job, given.baseline_side), acceptances=acceptances)
        obstacle = _committed(job, given.diff) or sides.obstacle
        sides = replace(sides, given=given, warnings=(*sides.warnings, *unread), obstacle=obstacle)
    built = pipeline.compare(given)
    report = beside_base_tip(job, _explained(built.report, sides), sides)
    first = first_run(job, report, given.policy, loading.tests_in(given.target)) if sides.never_recorded else None
    result = ReportResult(View(report), Links(run=run_url), first, earlier_totals(built.comparisons))
    _write(job, result, built)
    summarize(job, result, UNFINISHED)  # the run may be ended during the upload
    links, warning = upload_pages(
        job.uploads,
        built.pages,
        key=settings.key,
        attempt=job.context.run_attempt,
        folder=settings.output_dir,
        run_url=run_url,
    )
    if warning:
        job.warn(warning)
    if not all(job.written(page.document.name) for page in built.pages):
        links = replace(links, fetch=None)
    result = replace(result, links=links)
    if settings.mode == "shard":
        return _end_shard(job, result)
    return conclude(job, result, "" if warning else report_artifact(settings.key, job.context.run_attempt))


def _committed(job: Job, diff: SourceDiff | None) -> Reason | None:
    """Return the reason not to compare if the pull request commits files where its job stores profiles.

    Such files would count as runs of this job, so a slower program could be hidden among them. In a stack, the files of
    the pull request do not include those of the layers below, so that any file of the commit counts.
    """
    if diff is None:
        return None
    paths = {file.path for file in diff.files if file.status != "removed"}
    if job.context.stacked or any(gap.parameters.get("case") == "pull_files_limited" for gap in diff.gaps):
        paths |= diff.repository_files or frozenset()
    found = sorted(path for path in paths if is_in(path, job.settings.profiles))
    return Reason(ReasonCode.COMMITTED_PROFILES, {"file": found[0], "more": len(found) - 1}) if found else None


def conclude(job: Job, result: ReportResult, artifact: str) -> int:
    """Publish the comment, the commit status and the summary, and return the exit code.

    The report is stored under the name ``artifact``, if given.
    """
    if artifact:
        stored, warning = store_report(job.uploads, artifact, _files(result))
        result = replace(result, links=replace(result.links, report=stored or None))
        if warning:
            job.warn(warning)
    view, links = result.view, result.links
    comment = result.first_run or render_comment(view, key=job.settings.key, links=links, run_url=job.context.run_url)
    job.write(comment, Document(LINKS_NAME, "application/json", links_to_json(links)))
    url, note = write_comment(job, view, comment, links)
    has_status = write_status(job, view)
    _end(job, result, note, url)
    return exit_code_of(job, result.report, has_status=has_status)


def _end_shard(job: Job, result: ReportResult) -> int:
    """Store the report for the job that merges the shards, and return the exit code.

    Raises `ProfgateError` if the report cannot be stored; otherwise, the gate could pass although a shard is missing.
    """
    name = report_artifact(job.settings.key, job.context.run_attempt)
    job.write_files({posixpath.join(SHARD_FOLDER, file): data for file, data in _files(result).items()})
    if not job.can_upload:
        return _end_alone(job, result, name)
    _end(job, result, SHARD, "")
    if warning := store_report(job.uploads, name, _files(result))[1]:
        raise ProfgateError("mode shard", f"the report was not stored, so it cannot be merged: {warning}")
    job.log(f"stored the report as {name}")
    return 0


def _end_alone(job: Job, result: ReportResult, name: str) -> int:
    """End a shard that cannot upload its report. Return the exit code for the verdict of this shard alone."""
    _end(job, result, SHARD_ALONE, "")
    step = upload_step(name, posixpath.join(job.settings.output_dir, SHARD_FOLDER), job.context.run_url)
    how = "and in the last job download them, run profgate report merge, and publish the result with mode: report"
    warning = f"{SHARD_ALONE} For one verdict of all shards add this step:\n{step}\n{how}"
    job.warn(warning)
    return exit_code_of(job, result.report)


def _files(result: ReportResult) -> dict[str, bytes]:
    """Return the files of a result that are read by the job that merges the shards."""
    texts = {REPORT_NAME: to_json(result.report), LINKS_NAME: links_to_json(result.links)}
    return {name: text.encode() for name, text in texts.items()}


def _end(job: Job, result: ReportResult, note: str, comment_url: str) -> None:
    """Write the summary and set the outputs."""
    report, links = result.report, result.links
    summary = summarize(job, result, note)
    job.write(replace(summary, name="summary.md"))
    give_to_owner(job.output_dir, job.context.workspace)
    values = {
        "conclusion": report.verdict.conclusion,
        "report": job.written(REPORT_NAME),
        "page-url": next(iter(links.pages.values()), ""),
        "comment-url": comment_url,
    }
    set_outputs(job.commands, values)


def summarize(job: Job, result: ReportResult, note: str) -> Document:
    """Write the step summary, which replaces any earlier summary of the step, and return the new summary."""
    run_url = job.context.run_url
    summary = result.first_run
    if summary is None:
        summary = render_summary(result.view, links=result.links, run_url=run_url, note=note)
        table = workload_table(result.view, result.links.pages, result.earlier)
        summary = replace(summary, text=f"{summary.text}\n{table}\n" if table else summary.text)
    job.commands.replace_summary(summary.text)
    return summary


def _write(job: Job, result: ReportResult, built: Built) -> None:
    """Write the report, the pages and an index of the workloads."""
    report = result.report
    job.write(Document(REPORT_NAME, "application/json", to_json(report)), *(page.document for page in built.pages))
    if report.metrics:
        written = [page for page in built.pages if job.written(page.document.name)]
        hrefs = {(page.workload, page.metric): page.document.name for page in written}
        index = build_index(result.view, hrefs, result.earlier, run_totals(built.comparisons))
        job.write(Document("index.html", "text/html", index))


def first_run(job: Job, report: Report, policy: Policy, tests: int = 0) -> Document:
    """Return the comment for a first run. ``tests`` is the number of tests in test result files."""
    return render_first_run(
        key=job.settings.key,
        workloads=len({absence.name for absence in report.not_compared if absence.side == "target"}),
        base_branch=job.context.base_branch or None,
        run_url=job.context.run_url,
        head_sha=job.context.head_sha,
        policy=policy,
        fails=report.verdict.fails,
        tests=tests,
    )


def is_first_run(report: Report) -> bool:
    """Return whether no base run had ever stored profiles when this report was written."""
    return any(reason.code is ReasonCode.NEVER_RECORDED for reason in report.verdict.reasons)


def _explained(report: Report, sides: ComparedSides) -> Report:
    """Return the report with warnings, including the reasons why the baseline is missing or could not be used."""
    report = replace(report, warnings=(*report.warnings, *sides.warnings, *sides.missing[1:]))
    if not sides.missing:
        return report if sides.obstacle is None else _without_gate(report, sides.obstacle, sides.given.policy)
    code = ReasonCode.NEVER_RECORDED if sides.never_recorded else ReasonCode.NO_BASELINE
    why = Reason(code, reasons=sides.missing[:1])
    entries = tuple(replace(one, reason=why) if one.side == "target" else one for one in report.not_compared)
    return judge(replace(report, not_compared=entries), sides.given.policy)


def _without_gate(report: Report, obstacle: Reason, policy: Policy) -> Report:
    """Return the report judged as "not compared", because the comparison cannot fail the gate for this reason."""
    name = "profiles" if obstacle.code is ReasonCode.COMMITTED_PROFILES else "baseline"
    entry = NotCompared(name, None, "both", obstacle)
    return judge(replace(report, not_compared=(entry, *report.not_compared)), policy)


def beside_base_tip(job: Job, report: Report, sides: ComparedSides) -> Report:
    """Return the report with later changes on the base branch, if it has a regression and there is a later base run."""
    later = sides.later
    if later is None:
        return report
    possible = (finding for _, _, finding in report.findings if finding.colour in {"red", "yellow"})
    if all(finding.direction != "worse" for finding in possible):
        return report
    try:
        stored = later_set(job.client, later, job.settings.artifact)
    except (GitHubError, ProfileError) as error:
        job.log(f"the base branch's later state was not read: {error}")
        return report
    side = Side(later.head_branch or "", later.head_sha, later.head_branch, later.id)
    given = replace(
        sides.given,
        target=stored.files,
        target_side=side,
        manifests=(sides.given.manifests[0], stored.manifest),
        pages=0,
    )
    name = f"{later.head_branch} at {later.head_sha[:7]}"
    return with_base_branch(report, pipeline.compare(given).report, name)


def source_diff(job: Job, base: Side) -> SourceDiff | None:
    """Return the source diff of the pull request, with the reasons why it is incomplete, or None without one."""
    context = job.context
    if context.pr_number is None or not context.concerns_pull or not job.settings.token:
        return None
    try:
        records = job.client.pull_files(context.pr_number)
    except GitHubError as error:
        return SourceDiff((), complete=False, gaps=(_gap("pull_files_unlisted", error),))
    place = f"{context.server_url}/{context.repository}"
    links = [f"{place}/blob/{sha}" if sha else None for sha in (base.sha, context.head_sha)]
    diff = diff_of_pull(records, f"{place}/pull/{context.pr_number}/files", (links[0], links[1]))
    # the files of a pull request in a stack are those that changed since the layer below
    if elsewhere := (base.sha or "")[:12] if base.distance or context.stacked else job.settings.baseline_ref:
        diff = of_another_start(diff, elsewhere)
    try:
        diff = with_files(diff, job.client.files_of_commit(context.head_sha))
    except GitHubError as error:
        diff = with_gap(diff, _gap("commit_files_unlisted", error))
    if base.sha is None:
        return diff
    is_merge = context.event_name == "pull_request" and context.sha and not job.measures_head
    after = context.sha if is_merge else context.head_sha
    try:
        return _with_texts(diff, job, base.sha, after)
    except GitHubError as error:
        return with_gap(diff, _gap("changed_files_unread", error))


def _gap(case: str, error: GitHubError) -> Reason:
    return Reason(ReasonCode.DIFF_INCOMPLETE, {"case": case, "text": str(error)})


def _with_texts(diff: SourceDiff, job: Job, *commits: str) -> SourceDiff:
    """Return the diff with the texts of the changed files at both commits."""
    places = [(commit, path) for commit, paths in zip(commits, wanted_texts(diff), strict=True) for path in paths]
    found = job.client.texts_at(places)
    sides = ({path: text for (sha, path), text in found.items() if sha == commit} for commit in commits)
    return replace(diff, texts=SourceTexts(*sides))
