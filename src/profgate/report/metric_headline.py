"""What reports state about a single metric: the headline of its page, and its row in the tables of workloads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from profgate.model.reason import ReasonCode
from profgate.model.record import Record, replace
from profgate.model.report import MetricReport
from profgate.report import groups, numbers, statements
from profgate.report.groups import shown_conclusion, unseen_total
from profgate.report.markdown_text import MARKDOWN, code_span, link_target, paragraphs, table
from profgate.report.rows import NO_DIFF, Pair, Row, change_text, whose_text
from profgate.report.view import View
from profgate.report.wording import full_sentence

if TYPE_CHECKING:
    from profgate.model.report import MetricReport, Report, WorkloadReport

MOST_ROWS = 100  # maximum number of rows in the step summary


class MetricHeadline(NamedTuple):
    """The headline that a report with only one metric would have: a conclusion such as "fails", and a sentence.

    The change in the total, how the pull request affects the first function, and the word for doubt about the total may
    be empty. ``step`` states whether the check fails and what a reader should do.
    """

    conclusion: str
    text: str
    total: str
    whose: str = ""
    doubt: str = ""
    step: str = ""


def metric_headline(report: Report, alone: View) -> MetricHeadline:
    """Return the headline of one metric of a report, given by the result of `view_of_metric`, with plain names."""
    ((_, metric),) = alone.report.metrics
    conclusion, reasons = groups.shown_conclusion(metric).badge, alone.report.verdict.reasons
    elsewhere = report.verdict.fails and alone.conclusion in {"pass", "warn"}
    step = "The check fails, but not because of this page." if elsewhere else alone.step()
    step = " ".join(filter(None, (step, alone.certainty(), alone.missed)))
    if metric.state != "compared":
        return MetricHeadline(conclusion, f"Not compared: {alone.doubt()}", "", step=step)
    text = alone.headline(total=False)
    if not text and reasons:
        conclusion, text = (
            "review" if conclusion == "unchanged" else conclusion,
            full_sentence(reasons[0], alone.style.name),
        )
    about_total = bool(text) and alone.first is not None and alone.first.total
    text = text or (alone.nothing_found() if conclusion == "unchanged" else "Inconclusive")
    seen = statements.would_have_seen(metric.calibration) if conclusion == "unchanged" else ""
    values = numbers.from_to(metric.total.baseline, metric.total.target, metric.unit)
    total = f"total {values}, {groups.total_growth(metric, groups.spread_of_runs(metric))}{f'. {seen}' if seen else ''}"
    quiet = alone.quiet_changes()
    whose = _whose(alone) or (f"changed in this PR, within noise: {quiet}" if quiet else "")
    return MetricHeadline(conclusion, text, "" if about_total else total, whose, groups.unseen_total(metric), step)


def view_of_metric(report: Report, workload: WorkloadReport, metric: MetricReport) -> View:
    """Return the view of only one metric, with the verdict that follows from this metric alone."""
    place = workload.name, metric.name
    reasons = tuple(
        reason
        for reason in report.verdict.reasons
        if reason.parameters.get("workload") == workload.name
        and reason.parameters.get("metric") == metric.name
        and reason.code is not ReasonCode.FINDING
    )
    conclusion = groups.conclusion_of(metric)
    if conclusion == "inconclusive" and not reasons:  # another metric decides about this workload
        conclusion = "pass"
    missing = (entry for entry in report.not_compared if (entry.name, entry.metric) == place)
    alone = replace(
        report,
        workloads=(replace(workload, metrics=(metric,)),),
        not_compared=tuple(missing),
        verdict=replace(report.verdict, conclusion=conclusion, reasons=reasons),
    )
    return View(alone)


def _whose(alone: View) -> str:
    """Return how the pull request affects the first function, with its name if the headline does not name it."""
    findings = groups.ordered(alone.groups)
    row = next((row for row in findings if not row.total), None)
    if row is None:
        return ""
    whose = whose_text(row.shown, with_path=False) or NO_DIFF
    lead = alone.first
    # the headline of a better total also names the first functions that became better or worse
    if row is lead or (lead is not None and lead.total and lead.finding.direction == "better"):
        return whose
    return "" if findings[0].total else f"{alone.style.name(row.shown.location.name)}: {whose}"


class WorkloadRow(Record):
    """One metric of a workload. ``tone`` is "worse" or "better" if the change of the total is certain, otherwise ""."""

    sign: str
    verdict: str
    change: str
    amounts: str
    tone: str
    finding: str


def workload_row(view: View, pair: Pair) -> WorkloadRow:
    """Return the cells for a metric of a report: also why it is inconclusive, if it has no finding."""
    metric, total, quote = pair.metric, pair.metric.total, view.style.code
    findings = [finding for finding in metric.findings if finding.colour != "neutral"]
    first = next((finding for finding in findings if not finding.is_total), findings[0] if findings else None)
    certain = [finding.direction for finding in findings if finding.is_total and finding.colour in {"red", "green"}]
    shown, doubt = shown_conclusion(metric), unseen_total(metric)
    return WorkloadRow(
        shown.sign,
        shown.badge,
        numbers.relative_growth(total.relative),
        numbers.from_to(total.baseline, total.target, metric.unit) + (f" ({doubt})" if doubt else ""),
        certain[0] if certain and shown.badge != "inconclusive" else "",
        change_text(Row(pair.workload, metric, first), quote) if first is not None else view.undecided(pair),
    )


def workload_table(view: View, urls: Mapping[tuple[str, str], str]) -> str:
    """Return a Markdown table with one row per metric, or "" if fewer than two metrics were compared.

    ``urls`` contains the URLs of the flame graphs by workload and metric.
    """
    if len(view.pairs) < 2:
        return ""
    view, lines = view.in_style(MARKDOWN), []
    for pair in view.pairs[:MOST_ROWS]:
        row = workload_row(view, pair)
        name, url = code_span(pair.workload, 60), link_target(urls.get((pair.workload, pair.metric.name)))
        cells = (
            f"{f'[{name}]({url})' if url else name}<br>{code_span(pair.metric.name, 30)}",
            f"**{row.change}**<br>{row.amounts}".replace(" ", "\N{NO-BREAK SPACE}"),
            f"{row.sign} {row.verdict}",
            row.finding,
        )
        lines.append(cells)
    more = len(view.pairs) - MOST_ROWS
    return paragraphs(
        table(("Workload", "Total", "Verdict", "Largest finding"), "lrll", lines),
        f"… and {numbers.counted(more, 'more metric')} in the report." if more > 0 else "",
    ).rstrip()
