"""The result of one metric of a workload: the headline that a report with only this metric would have."""

from dataclasses import replace
from typing import NamedTuple

from profgate.model.reason import ReasonCode
from profgate.model.report import MetricReport, Report, WorkloadReport
from profgate.report import numbers, rows
from profgate.report.cells import plain_name
from profgate.report.finding_text import Row
from profgate.report.statements import would_have_seen
from profgate.report.wording import full_sentence


class MetricHeadline(NamedTuple):
    """A conclusion such as "fails" or "unchanged", a sentence, and the change in the total, which may be empty."""

    conclusion: str
    text: str
    total: str


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
    text = text or ("No performance change" if conclusion == "unchanged" else "Inconclusive")
    return MetricHeadline(conclusion, text, "" if about_total else _total(metric, visible=conclusion == "unchanged"))


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


def _total(metric: MetricReport, *, visible: bool) -> str:
    """Return the change in the total, and which changes the runs would have shown if ``visible`` is set."""
    state, seen = rows.unseen_total(metric), would_have_seen(metric.calibration)
    values = numbers.from_to(metric.total.baseline, metric.total.target, metric.unit)
    text = f"total {values}, {numbers.relative_growth(metric.total.relative)}{f' ({state})' if state else ''}"
    return f"{text}. {seen}" if visible and seen else text
