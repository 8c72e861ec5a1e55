"""The rows of the table of workloads in the index of the pages and in the step summary."""

from typing import NamedTuple

from profgate.model.report import Finding, MetricReport
from profgate.report import numbers
from profgate.report.rows import COLOURS, Quote, Row, change_text, weight_of

VERDICTS = {"red": ("❌", "fails"), "yellow": ("🟡", "review"), "green": ("⚡", "better")}


class WorkloadRow(NamedTuple):
    """One metric of a workload. ``tone`` is "worse", "better" or "" for the change of the total."""

    sign: str
    verdict: str
    change: str
    amounts: str
    tone: str
    finding: str


def workload_row(workload: str, metric: MetricReport, quote: Quote) -> WorkloadRow:
    """Return the cells of a metric. ``quote`` escapes names for the output format."""
    total = metric.total
    found = sorted((finding for finding in metric.findings if finding.colour != "neutral"), key=weight_of)
    first = next((finding for finding in found if not finding.is_total), found[0] if found else None)
    growth = (total.relative or 0.0) * (1 if metric.better == "lower" else -1)
    tone = "worse" if growth > 0 else "better" if growth < 0 else ""
    return WorkloadRow(
        *_verdict(metric, found),
        numbers.signed_percent(total.relative),
        numbers.from_to(total.baseline, total.target, metric.unit),
        tone if found else "",
        change_text(Row(workload, metric, first), quote) if first is not None else "",
    )


def _verdict(metric: MetricReport, found: list[Finding]) -> tuple[str, str]:
    """Return the symbol and the word for the worst result of a metric."""
    worst = min((finding.colour for finding in found), key=COLOURS.index, default=None)
    if metric.state != "compared":
        return "⚪", "not compared"
    if metric.calibration.inconclusive is not None and worst != "red":
        return "⚪", "inconclusive"
    return VERDICTS[worst] if worst is not None else ("✅", "unchanged")
