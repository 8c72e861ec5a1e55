"""The result of one metric of a workload: the headline that a report with only this metric would have."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from profgate.model.reason import ReasonCode
from profgate.report import numbers, rows
from profgate.report.cells import plain_name
from profgate.report.statements import NO_PATH, SOURCES, reach_text, would_have_seen
from profgate.report.wording import full_sentence

if TYPE_CHECKING:
    from profgate.model.report import MetricReport, Report, WorkloadReport
    from profgate.report.finding_text import Row


class MetricHeadline(NamedTuple):
    """A conclusion such as "fails" or "unchanged", and a sentence.

    The change in the total, how the pull request affects the first function, and the word for doubt about the total may
    be empty.
    """

    conclusion: str
    text: str
    total: str
    whose: str = ""
    doubt: str = ""


def metric_headline(report: Report, workload: WorkloadReport, metric: MetricReport) -> MetricHeadline:
    """Return the headline of one metric of a report, with plain names."""
    alone = report_of_metric(report, workload, metric)
    conclusion, reasons = rows.shown_conclusion(metric).badge, alone.verdict.reasons
    if metric.state != "compared":
        return MetricHeadline(conclusion, f"Not compared: {rows.doubt(alone, plain_name)}", "")
    text = rows.headline(alone, plain_name, total=False)
    if not text and reasons:
        conclusion, text = "review" if conclusion == "unchanged" else conclusion, full_sentence(reasons[0], plain_name)
    first = rows.leading(alone)
    about_total = bool(text) and first is not None and first.total
    text = text or ("No performance change found" if conclusion == "unchanged" else "Inconclusive")
    total_text = "" if about_total else _total(metric, visible=conclusion == "unchanged")
    whose = _whose(ordered_findings(report, workload, metric), text)
    return MetricHeadline(conclusion, text, total_text, whose, rows.unseen_total(metric))


def report_of_metric(report: Report, workload: WorkloadReport, metric: MetricReport) -> Report:
    """Return a report that contains only one metric, and the verdict that follows from this metric alone."""
    place = {"workload": workload.name, "metric": metric.name}
    reasons = tuple(
        reason
        for reason in report.verdict.reasons
        if reason.code is not ReasonCode.FINDING and place.items() <= reason.parameters.items()
    )
    conclusion = rows.conclusion_of(metric)
    if conclusion == "inconclusive" and not reasons:  # another metric decides about this workload
        conclusion = "pass"
    return replace(
        report,
        workloads=(replace(workload, metrics=(metric,)),),
        not_compared=tuple(
            entry for entry in report.not_compared if (entry.name, entry.metric) == (workload.name, metric.name)
        ),
        verdict=replace(report.verdict, conclusion=conclusion, reasons=reasons),
    )


def ordered_findings(report: Report, workload: WorkloadReport, metric: MetricReport) -> list[Row]:
    """Return the findings of a metric that are not neutral, in the order of all reports."""
    return rows.ordered(rows.grouped(report_of_metric(report, workload, metric)))


def _whose(findings: list[Row], text: str) -> str:
    """Return how the pull request affects the first function, with its name if the headline does not contain it."""
    if not findings or findings[0].total:
        return ""
    finding = findings[0].finding
    changed, reach = SOURCES.get(finding.attribution.source or ""), NO_PATH.get(finding.attribution.reach or "", "")
    whose = f"{changed} in this pull request" if changed else reach_text(finding, with_path=False) or reach
    name = plain_name(finding.location.name)
    return whose if not whose or name in text else f"{name}: {whose}"


def _total(metric: MetricReport, *, visible: bool) -> str:
    """Return the change in the total, and which changes the runs would have shown if ``visible`` is set."""
    state, seen = rows.unseen_total(metric), would_have_seen(metric.calibration)
    values = numbers.from_to(metric.total.baseline, metric.total.target, metric.unit)
    text = f"total {values}, {numbers.relative_growth(metric.total.relative)}{f' ({state})' if state else ''}"
    return f"{text}. {seen}" if visible and seen else text
