"""Report as CSV, with one row for each finding, listed change, and uncompared workload or metric."""

import csv
import io
from collections.abc import Iterable

from profgate.model.change import Change, ModelPair
from profgate.model.report import Finding, MetricReport
from profgate.model.visible_text import plain
from profgate.report.rows import COLUMNS as SHOWN
from profgate.report.rows import Row, reach_text, source_text
from profgate.report.view import View
from profgate.report.wording import reason_text

COLUMNS = (
    *("record", "workload", "metric", "unit", "name", "file", "line", "module", "kind", "severity", "colour"),
    *("direction", "strategy", "family", "subtype", "from", "to", "delta", "relative", "share_from", "share_to"),
    *("confidence_type", "confidence", "reason", "flags", "context"),
)
Cell = str | float | int | None


def to_csv(view: View) -> str:
    """Return the report as CSV, with values in base units and empty cells for unknown values.

    Text that a spreadsheet would evaluate as a formula is prefixed with a quote.
    """
    stream = io.StringIO()
    writer = csv.DictWriter(stream, [*COLUMNS, *SHOWN], lineterminator="\n")
    writer.writeheader()
    for record in _records(view):
        writer.writerow(
            {column: safe_cell(value) if isinstance(value, str) else value for column, value in record.items()}
        )
    return stream.getvalue()


def _records(view: View) -> Iterable[dict[str, Cell]]:
    for row in (row for group in view.groups for row in group):
        yield _finding(row)
    for load, metric in view.report.metrics:
        yield from (_change(load.name, metric, change) for change in metric.changes)
    yield from (_change("", None, change) for change in view.report.changes)
    for entry in view.missing:
        reason = f"{entry.side}: {reason_text(entry.reason, str)}"
        yield {"record": "not compared", "workload": entry.name, "metric": entry.metric, "reason": reason}


def _finding(row: Row) -> dict[str, Cell]:
    finding = row.finding
    texts = (
        *(reason_text(reason, str) for reason in finding.reasons),
        source_text(finding),
        reach_text(finding),
        f"part of the change of {finding.explained_by.name}" if finding.explained_by else "",
    )
    return {
        **_place(row.workload, row.metric),
        **_numbers(finding),
        **dict(zip(SHOWN, row.columns, strict=True)),
        "record": "finding",
        "severity": finding.severity,
        "colour": finding.colour,
        "direction": finding.direction,
        "strategy": " ".join(change.strategy for change in finding.agreeing),
        "reason": "; ".join(filter(None, texts)),
    }


def _change(workload: str, metric: MetricReport | None, change: Change) -> dict[str, Cell]:
    pair = change.details
    models = {"from": pair.baseline, "to": pair.target} if isinstance(pair, ModelPair) else {}
    return {
        **_place(workload, metric),
        **_numbers(change),
        **models,
        "record": "change",
        "strategy": change.strategy,
        "family": change.family,
        "subtype": change.subtype,
        "confidence_type": change.confidence_type,
        "confidence": change.confidence,
        "reason": reason_text(change.reason, str) if change.reason else "",
        "flags": " ".join(change.flags),
        "context": ";".join(change.location.context or ()),
    }


def _place(workload: str, metric: MetricReport | None) -> dict[str, Cell]:
    return {"workload": workload, "metric": metric.name, "unit": metric.unit} if metric else {}


def _numbers(item: Finding | Change) -> dict[str, Cell]:
    location = item.location
    return {
        "name": location.name,
        "file": location.file,
        "line": location.line,
        "module": location.module,
        **{part: getattr(item, part) for part in ("kind", "delta", "relative", "share_from", "share_to")},
        "from": item.from_value,
        "to": item.to_value,
    }


def safe_cell(value: str) -> str:
    """Return the text on one line, in a form that a spreadsheet does not evaluate as a formula."""
    text = plain(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
