"""Publish the result of a comparison or a merge: report, summary, comment, status and outputs."""

import posixpath

from profgate.action.github.artifact_upload import report_artifact, store_report, upload_step
from profgate.action.github.first_run import render_first_run
from profgate.action.job import Job
from profgate.action.policy_file import policy_at
from profgate.action.publishing import exit_code_of, set_outputs, write_comment, write_status
from profgate.errors import ProfgateError
from profgate.io.files import give_to_owner
from profgate.model.links import Links
from profgate.model.policy import Policy
from profgate.model.reason import ReasonCode
from profgate.model.record import Record, replace
from profgate.model.report import Document, Report
from profgate.report.comment import render_comment, render_summary
from profgate.report.json_report import LINKS_NAME, REPORT_NAME, links_to_json, to_json
from profgate.report.metric_headline import workload_table
from profgate.report.view import View

UNFINISHED = "This run ended before it published its result."


class ReportResult(Record):
    """The view of a report, its links and the comment of a first run."""

    view: View
    links: Links
    first_run: Document | None = None


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
    comment = comment_of(job, result)
    job.write(comment, Document(LINKS_NAME, "application/json", links_to_json(links)))
    url, note = write_comment(job, view, comment, links)
    has_status = write_status(job, view)
    _end(job, result, note, url)
    return exit_code_of(job, result.view.report, has_status=has_status)


def conclude_drift(job: Job, report: Report) -> int:
    """Publish the report on the drift of a base branch below the summary of the run, and return the exit code."""
    result = ReportResult(View(report), Links(run=job.context.run_url))
    job.write(comment_of(job, result), Document(REPORT_NAME, "application/json", to_json(report)))
    give_to_owner(job.output_dir, job.context.workspace)
    job.commands.add_summary(render_summary(result.view, links=result.links).text)
    set_outputs(job.commands, {"conclusion": report.verdict.conclusion, "report": job.written(REPORT_NAME)})
    return exit_code_of(job, report)


def comment_of(job: Job, result: ReportResult) -> Document:
    """Return the comment for a result."""
    if result.first_run is not None:
        return result.first_run
    return render_comment(result.view, key=job.settings.key, links=result.links, run_url=job.context.run_url)


def end_shard(job: Job, result: ReportResult) -> int:
    """Store the report for the job that merges the shards, and return the exit code.

    Without an artifact service, the exit code is that of this shard alone. Raises `ProfgateError` if the report cannot
    be stored; otherwise, the gate could pass although a shard is missing.
    """
    name = report_artifact(job.settings.key, job.context.run_attempt)
    folder = "leg"  # this name must not change, because existing workflows may upload this folder
    files = _files(result)
    job.write_files({posixpath.join(folder, file): data for file, data in files.items()})
    if not job.can_upload:
        alone = "This shard has its own verdict: without an artifact service its report cannot be merged with others."
        _end(job, result, alone, "")
        step = upload_step(name, posixpath.join(job.settings.output_dir, folder), job.context.run_url)
        how = "and in the last job download them, run profgate report merge, and publish the result with mode: report"
        job.warn(f"{alone} For one verdict of all shards add this step:\n{step}\n{how}")
        return exit_code_of(job, result.view.report)
    _end(job, result, "This is one shard: the job that merges all shards writes the comment and the verdict.", "")
    if warning := store_report(job.uploads, name, files)[1]:
        raise ProfgateError("mode shard", f"the report was not stored, so it cannot be merged: {warning}")
    job.log(f"stored the report as {name}")
    return 0


def _files(result: ReportResult) -> dict[str, bytes]:
    """Return the files of a result that are read by the job that merges the shards."""
    texts = {REPORT_NAME: to_json(result.view.report), LINKS_NAME: links_to_json(result.links)}
    return {name: text.encode() for name, text in texts.items()}


def _end(job: Job, result: ReportResult, note: str, comment_url: str) -> None:
    """Write the summary and set the outputs."""
    report, links = result.view.report, result.links
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
        table = workload_table(result.view, result.links.pages)
        summary = replace(summary, text=f"{summary.text}\n{table}\n" if table else summary.text)
    job.commands.replace_summary(summary.text)
    return summary


def first_run(job: Job, report: Report, policy: Policy, tests: int = 0) -> Document:
    """Return the comment for a first run. ``tests`` is the number of tests in test result files.

    The policy of a pull request applies after its merge. Raises SettingsError if it is invalid.
    """
    after, _ = policy_at(job, job.context.head_sha, first_run=True, merged=True)
    return render_first_run(
        key=job.settings.key,
        workloads=len({absence.name for absence in report.not_compared if absence.side == "target"}),
        base_branch=job.context.base_branch or None,
        run_url=job.context.run_url,
        head_sha=job.context.head_sha,
        policy=policy,
        after=after,
        fails=report.verdict.fails,
        tests=tests,
        unstored="".join(
            View(report).reason(why)
            for reason in report.verdict.reasons
            for why in reason.reasons
            if why.code is ReasonCode.NO_ARTIFACT
        ),
    )


def is_first_run(report: Report) -> bool:
    """Return whether no base run had ever stored profiles when this report was written."""
    return any(reason.code is ReasonCode.NEVER_RECORDED for reason in report.verdict.reasons)
