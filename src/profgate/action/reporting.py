"""From both sides to a report: every file and the summary are written before anything is published."""

import posixpath
from dataclasses import dataclass, replace

from profgate import wiring
from profgate.action.acceptances import accepted
from profgate.action.base_tip import beside_base_tip
from profgate.action.baseline import base_branch
from profgate.action.between import notes_between
from profgate.action.job import Job
from profgate.action.sides import Sides, never_stored
from profgate.action.source_diff import source_diff
from profgate.action.telling import exit_code_of, set_outputs, tell_check_run, tell_pull_request, tell_status
from profgate.errors import ProfgateError
from profgate.model.links import Links
from profgate.model.policy import Policy
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import Document, Report
from profgate.pipeline import Built
from profgate.publish.artifacts import Page, report_artifact, store_report, upload_pages, upload_step
from profgate.publish.files import give_back, write_documents
from profgate.publish.step_outputs import Published
from profgate.report.comment import render_comment, render_summary
from profgate.report.first_run import render_first_run
from profgate.report.json_report import REPORT_NAME, to_json
from profgate.report.links_json import LINKS_NAME, links_to_json
from profgate.report.page import IndexRow, build_index

UNTOLD = "This run was ended before it told its result anywhere else."
LEG = "This is one leg: the job that merges all of them comments and gives the verdict."
LEG_ALONE = "This leg gives its own verdict: there is no artifact service that could store its report for one of all."
LEG_FOLDER = "leg"
NO_BASELINE = "no baseline: "


@dataclass(frozen=True, slots=True)
class Result:
    """What is told: the report, what its links lead to, and a text that takes the comment's place on a first run."""

    report: Report
    links: Links
    base_runs: int = 0
    first_run: Document | None = None
    notes: Document | None = None


def compare_and_report(job: Job, sides: Sides) -> int:
    """Compares, writes every file, and only then publishes; gives the exit code."""
    settings, run_url = job.settings, job.context.run_url
    given = sides.given
    if given.baseline and given.target:
        merged = settings.mode == "leg" and job.can_upload  # the job that merges the legs reads what was accepted
        acceptances, unread = ((), ()) if merged else accepted(job, given.policy, given.baseline_side)
        given = replace(given, diff=source_diff(job, given.baseline_side), acceptances=acceptances)
        sides = replace(sides, given=given, warnings=(*sides.warnings, *unread))
    built = wiring.compare(given)
    report = beside_base_tip(job, _explained(built.report, sides), sides)
    given = sides.given
    first = first_run(job, report, given.policy, wiring.tests_in(given.target)) if sides.first_run else None
    _write(job, report, built, first or _comment(job, report, Links(run=run_url)))
    _summarize(job, Result(report, Links(run=run_url), first_run=first), UNTOLD)
    uploaded = upload_pages(
        job.uploads,
        [Page(page.workload, page.metric, page.document) for page in built.pages],
        key=settings.key,
        attempt=job.context.run_attempt,
        folder=settings.output_dir,
        run_url=run_url,
    )
    for warning in uploaded.warnings:
        job.commands.warning(warning, title="profgate")
    notes = notes_between(job, report, sides) if sides.refs else None
    result = Result(report, uploaded.links, sides.base_runs, first, notes)
    if settings.mode == "leg":
        return _end_leg(job, result)
    if not uploaded.warnings:
        result = with_stored_report(job, result, report_artifact(settings.key, job.context.run_attempt))
    return conclude(job, result)


def conclude(job: Job, result: Result) -> int:
    """Tells the result to everybody who is to hear of it; gives the exit code."""
    report, links = result.report, result.links
    comment = result.first_run or _comment(job, report, links)
    _summarize(job, result, UNTOLD)
    write_documents(job.output_dir, [comment, Document(LINKS_NAME, "application/json", links_to_json(links))])
    url, note = tell_pull_request(job, report, comment, links)
    has_status = tell_status(job, report)
    tell_check_run(job, report, comment)
    _end(job, result, note, url)
    return exit_code_of(job, report, has_status=has_status)


def _end_leg(job: Job, result: Result) -> int:
    """Stores the report for the job that merges; a leg has no verdict of its own, but must not be lost."""
    name = report_artifact(job.settings.key, job.context.run_attempt)
    write_documents(posixpath.join(job.output_dir, LEG_FOLDER), _stored(result))
    if not job.can_upload:
        return _end_alone(job, result, name)
    _end(job, result, LEG, "")
    if warning := store_report(job.uploads, name, _files(result))[1]:
        raise ProfgateError("mode leg", f"the report was not stored, so it cannot be merged: {warning}")
    job.commands.log(f"stored the report as {name}")
    return 0


def _end_alone(job: Job, result: Result, name: str) -> int:
    """Ends a leg that no job may ever merge: its verdict must stand by itself, or a lost leg would pass."""
    _end(job, result, LEG_ALONE, "")
    step = upload_step(name, posixpath.join(job.settings.output_dir, LEG_FOLDER), job.context.run_url)
    how = "and in the last job download them, join them with profgate report merge, and tell the result with mode: tell"
    told = f"{LEG_ALONE} For one verdict of all legs add this step:\n{step}\n{how}"
    job.commands.warning(told, title="profgate")
    return exit_code_of(job, result.report)


def with_stored_report(job: Job, result: Result, name: str) -> Result:
    """The result with a link to its report, stored under this name; that it fails is a warning."""
    url, warning = store_report(job.uploads, name, _files(result))
    if warning:
        job.commands.warning(warning, title="profgate")
    return replace(result, links=replace(result.links, report=url or None))


def _stored(result: Result) -> list[Document]:
    """What is stored of a result, for whoever merges or reads it later."""
    texts = {REPORT_NAME: to_json(result.report), LINKS_NAME: links_to_json(result.links)}
    return [Document(name, "application/json", text) for name, text in texts.items()]


def _files(result: Result) -> dict[str, bytes]:
    return {one.name: one.text.encode() for one in _stored(result)}


def _end(job: Job, result: Result, note: str, comment_url: str) -> None:
    """Summary and outputs."""
    report, links = result.report, result.links
    summary = _summarize(job, result, note)
    if result.notes is not None:
        job.commands.add_summary(result.notes.text)
        write_documents(job.output_dir, [result.notes])
    write_documents(job.output_dir, [replace(summary, name="summary.md")])
    give_back(job.output_dir, job.context.workspace)
    page_url = next(iter(links.pages.values()), "")
    place = posixpath.join(job.settings.output_dir, REPORT_NAME)
    notes = posixpath.join(job.settings.output_dir, result.notes.name) if result.notes else ""
    set_outputs(job.commands, report, Published(place, page_url, comment_url, result.base_runs, notes))


def _summarize(job: Job, result: Result, note: str) -> Document:
    """Writes the summary in the place of an earlier one."""
    run_url = job.context.run_url
    summary = result.first_run or render_summary(result.report, links=result.links, run_url=run_url, note=note)
    job.commands.replace_summary(summary.text)
    return summary


def _write(job: Job, report: Report, built: Built, comment: Document) -> None:
    """Report, pages, their index and the comment without links, whatever happens afterwards."""
    documents = [
        Document(REPORT_NAME, "application/json", to_json(report)),
        comment,
        *(page.document for page in built.pages),
    ]
    if built.pages:
        rows = [IndexRow(page.document.name, page.workload, page.metric) for page in built.pages]
        documents.append(Document("index.html", "text/html", build_index(rows)))
    write_documents(job.output_dir, documents)


def _text_reason(text: str) -> Reason:
    return Reason(ReasonCode.NO_BASELINE, {"text": text})


def first_run(job: Job, report: Report, policy: Policy, tests: int = 0) -> Document:
    """The comment where no base run ever stored profiles; ``tests``: the files are results of so many tests."""
    return render_first_run(
        key=job.settings.key,
        workloads=len({absence.name for absence in report.not_compared if absence.side == "target"}),
        base_branch=base_branch(job.context) or None,
        run_url=job.context.run_url,
        head_sha=job.context.head_sha,
        policy=policy,
        tests=tests,
    )


def is_first_run(report: Report) -> bool:
    """Whether a finished report is about a repository in which no base run ever stored profiles."""
    absences = [absence for absence in report.not_compared if absence.side == "target"]
    return not report.workloads and never_stored([absence.reason.removeprefix(NO_BASELINE) for absence in absences])


def _comment(job: Job, report: Report, links: Links) -> Document:
    return render_comment(report, key=job.settings.key, links=links, run_url=job.context.run_url)


def _explained(report: Report, sides: Sides) -> Report:
    """The report with what only the door knows: refused wishes, and why there is no baseline."""
    report = replace(report, warnings=(*report.warnings, *sides.warnings, *sides.missing[1:]))
    if not sides.missing:
        return report
    reason = f"{NO_BASELINE}{sides.missing[0]}"
    return replace(
        report,
        not_compared=tuple(replace(one, reason=reason) if one.side == "target" else one for one in report.not_compared),
        verdict=replace(report.verdict, reasons=(_text_reason(reason), *report.verdict.reasons)),
    )
