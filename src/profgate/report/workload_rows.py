"""The rows of the workload table on the index page and in the step summary."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import NamedTuple

from profgate.model.report import MetricReport
from profgate.report import numbers
from profgate.report.finding_text import Row, change_text
from profgate.report.markdown_text import code_span, link_target, paragraphs, table
from profgate.report.rows import shown_conclusion, unseen_total, weight_of
from profgate.report.view import View
from profgate.report.wording import Quote

MOST_ROWS = 100  # maximum number of rows in the step summary
BLOCKS = "▁▂▃▄▅▆▇█"
Earlier = Mapping[tuple[str, str], Sequence[float]]  # totals of earlier base jobs by workload and metric, oldest first


class WorkloadRow(NamedTuple):
    """One metric of a workload. ``tone`` is "worse" or "better" if the change of the total is certain, otherwise ""."""

    sign: str
    verdict: str
    change: str
    amounts: str
    tone: str
    finding: str


def workload_row(workload: str, metric: MetricReport, quote: Quote) -> WorkloadRow:
    """Return the cells for a metric. ``quote`` escapes names for the output format."""
    total = metric.total
    findings = sorted((finding for finding in metric.findings if finding.colour != "neutral"), key=weight_of)
    first = next((finding for finding in findings if not finding.is_total), findings[0] if findings else None)
    certain = [finding.direction for finding in findings if finding.is_total and finding.colour in {"red", "green"}]
    shown, doubt = shown_conclusion(metric), unseen_total(metric)
    return WorkloadRow(
        shown.sign,
        shown.badge,
        numbers.relative_growth(total.relative),
        numbers.from_to(total.baseline, total.target, metric.unit) + (f" ({doubt})" if doubt else ""),
        certain[0] if certain and shown.badge != "inconclusive" else "",
        change_text(Row(workload, metric, first), quote) if first is not None else "",
    )


def workload_table(view: View, urls: Mapping[tuple[str, str], str], earlier: Earlier) -> str:
    """Return a Markdown table with one row per metric, or "" if fewer than two metrics were compared.

    ``urls`` contains the URLs of the flame graphs by workload and metric.
    """
    compared = view.pairs
    if len(compared) < 2:
        return ""
    rows_shown = []
    for pair in compared[:MOST_ROWS]:
        totals = earlier.get((pair.workload, pair.metric.name), ())
        rows_shown.append((pair, [total for total in totals if isfinite(total)]))
    has_history = any(past for _, past in rows_shown)
    headings = ["Workload", "Total", "Verdict", *["History"] * has_history, "Largest finding"]
    lines = []
    for pair, past in rows_shown:
        row = workload_row(pair.workload, pair.metric, code_span)
        name, url = code_span(pair.workload, 60), link_target(urls.get((pair.workload, pair.metric.name)))
        sides = [value for value in (pair.metric.total.baseline, pair.metric.total.target) if value is not None]
        cells = (
            f"{f'[{name}]({url})' if url else name}<br>{code_span(pair.metric.name, 30)}",
            f"**{row.change}**<br>{row.amounts}".replace(" ", "\N{NO-BREAK SPACE}"),
            f"{row.sign} {row.verdict}",
            *[_blocks([*past, *sides]) if past else ""] * has_history,
            row.finding,
        )
        lines.append(cells)
    more = len(compared) - MOST_ROWS
    return paragraphs(
        table(headings, f"lr{'l' * (len(headings) - 2)}", lines),
        f"… and {numbers.counted(more, 'more metric')} in the report." if more > 0 else "",
    ).rstrip()


def _blocks(values: Sequence[float]) -> str:
    """Return the values as a line of block characters. A range below a tenth of the largest value looks small."""
    low, high = min(values), max(values)
    spread = max(high - low, 0.1 * max(abs(low), abs(high))) or 1.0
    return "".join(BLOCKS[min(int((value - low) / spread * len(BLOCKS)), len(BLOCKS) - 1)] for value in values)
