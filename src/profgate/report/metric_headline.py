"""The headline that a report with only one metric of a workload would have."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from profgate.model.reason import ReasonCode
from profgate.report import numbers, rows, statements
from profgate.report.finding_text import NO_DIFF, whose_text
from profgate.report.markdown_text import SHORT, plain_name
from profgate.report.view import View
from profgate.report.wording import full_sentence

if TYPE_CHECKING:
    from profgate.model.report import MetricReport, Report, WorkloadReport


class MetricHeadline(NamedTuple):
    """The headline that a report with only one metric would have: a conclusion such as "fails", and a sentence.

    The change in the total, how the pull request affects the first function, and the word for doubt about the total may
    be empty. ``step`` states whether the check fails and what a reader should do, and ``help`` links to an explanation.
    """

    conclusion: str
    text: str
    total: str
    whose: str = ""
    doubt: str = ""
    step: str = ""
    help: str = ""


def metric_headline(report: Report, alone: View) -> MetricHeadline:
    """Return the headline of one metric of a report, given by the result of `view_of_metric`, with plain names."""
    ((_, metric),) = alone.report.metrics
    conclusion, reasons = rows.shown_conclusion(metric).badge, alone.report.verdict.reasons
    elsewhere = report.verdict.fails and alone.conclusion in {"pass", "warn"}
    step = "The check fails, but not because of this page." if elsewhere else alone.step()
    link = "" if elsewhere else alone.help
    if metric.state != "compared":
        return MetricHeadline(conclusion, f"Not compared: {alone.doubt()}", "", step=step, help=link)
    text = alone.headline(total=False)
    if not text and reasons:
        conclusion, text = "review" if conclusion == "unchanged" else conclusion, full_sentence(reasons[0], plain_name)
    about_total = bool(text) and alone.first is not None and alone.first.total
    text = text or ("No performance change found" if conclusion == "unchanged" else "Inconclusive")
    seen = statements.would_have_seen(metric.calibration) if conclusion == "unchanged" else ""
    values = numbers.from_to(metric.total.baseline, metric.total.target, metric.unit)
    total = f"total {values}, {rows.total_growth(metric, rows.spread_of_runs(metric))}{f'. {seen}' if seen else ''}"
    quiet = alone.quiet_changes()
    whose = _whose(alone) or (f"changed in this PR, within noise: {quiet}" if quiet else "")
    return MetricHeadline(conclusion, text, "" if about_total else total, whose, rows.unseen_total(metric), step, link)


def view_of_metric(report: Report, workload: WorkloadReport, metric: MetricReport) -> View:
    """Return the view of only one metric, with the verdict that follows from this metric alone."""
    place = workload.name, metric.name
    reasons = tuple(
        reason
        for reason in report.verdict.reasons
        if reason.code is not ReasonCode.FINDING and tuple(map(reason.parameters.get, ("workload", "metric"))) == place
    )
    conclusion = rows.conclusion_of(metric)
    if conclusion == "inconclusive" and not reasons:  # another metric decides about this workload
        conclusion = "pass"
    missing = (entry for entry in report.not_compared if (entry.name, entry.metric) == place)
    alone = replace(
        report,
        workloads=(replace(workload, metrics=(metric,)),),
        not_compared=tuple(missing),
        verdict=replace(report.verdict, conclusion=conclusion, reasons=reasons),
    )
    return View(alone, SHORT)


def _whose(alone: View) -> str:
    """Return how the pull request affects the first function, with its name if the headline does not name it."""
    findings = rows.ordered(alone.groups)
    row = next((row for row in findings if not row.total), None)
    if row is None:
        return ""
    whose = whose_text(row.finding, with_path=False) or NO_DIFF
    lead = alone.first
    # the headline of a better total also names the first functions that became better or worse
    if row is lead or (lead is not None and lead.total and lead.finding.direction == "better"):
        return whose
    return "" if findings[0].total else f"{plain_name(row.finding.location.name)}: {whose}"
