"""Trends as text, JSON, Markdown and a page."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from profgate.flamegraph.table_page import Cell, Heading, TablePage, line_picture
from profgate.history.trends import SCHEMA, TOTAL, TotalSeries, Trend
from profgate.model.history import StoredCommit
from profgate.model.report import Document
from profgate.model.visible_text import cut, name_text, plain
from profgate.report import numbers
from profgate.report.markdown_text import code_span, paragraphs, sentence, table
from profgate.report.text_table import Line

HASH_LENGTH = 12  # number of displayed characters of a commit hash
MOST_ROWS = 50  # maximum number of rows in a summary


def trends_json(trends: Sequence[Trend], new: Sequence[Trend], further: int) -> str:
    """Return the trends as JSON. ``further`` is the number of older measured commits that were not examined."""
    rows = [
        asdict(trend) | {"kind": "drift" if trend.is_drift else "step", "relative": trend.relative, "new": trend in new}
        for trend in trends
    ]
    return json.dumps({"schema": SCHEMA, "further": further, "trends": rows}, indent=1, allow_nan=False) + "\n"


def trends_lines(trends: Sequence[Trend], commits: Mapping[str, StoredCommit]) -> list[Line]:
    """Return the lines of all trends, grouped by workload and metric."""
    lines: list[Line] = []
    heading = ""
    for trend in trends:
        place = f"{name_text(trend.workload, 60)} · {name_text(trend.metric, 30)}"
        if place != heading:
            if lines:
                lines.append(("text", ""))
            lines.append(("head", place))
            heading = place
        lines.append(("bad" if trend.worse else "good", f"  {_what(trend)}: {_how(trend)}"))
        lines.append(("quiet", f"    {_when(trend, commits)}"))
    return lines


def trend_text(trend: Trend, commits: Mapping[str, StoredCommit]) -> str:
    """Return a trend as one line for an annotation."""
    place = f"{name_text(trend.workload, 60)}, {name_text(trend.metric, 30)}"
    return f"{place}, {_what(trend)}: {_how(trend)}, {_when(trend, commits)}"


def trends_summary(trends: Sequence[Trend], commits: Mapping[str, StoredCommit]) -> Document:
    """Return the Markdown summary of the trends that are reported by a run on the base branch, regressions first."""
    ordered = sorted(trends, key=lambda trend: not trend.worse)
    cells = [
        (
            "worse" if trend.worse else "better",
            f"{code_span(trend.workload, 60)} {code_span(trend.metric, 30)}",
            TOTAL if trend.name is None else code_span(trend.name),
            sentence(_how(trend)),
            sentence(_when(trend, commits)),
        )
        for trend in ordered[:MOST_ROWS]
    ]
    worse, more = sum(trend.worse for trend in trends), len(ordered) - len(cells)
    text = paragraphs(
        "### Lasting changes on this branch",
        f"{worse} worse, {len(ordered) - worse} better. Each change is reported once.",
        table(("", "Workload", "Location", "Change", "When"), "lllll", cells),
        f"… and {more} more; `profgate trends` lists them from this run's history." if more else "",
    )
    return Document("trends.md", "text/markdown", text)


def trends_page(
    trends: Sequence[Trend],
    commits: Mapping[str, StoredCommit],
    newest: str,
    empty: str,
    totals: Sequence[TotalSeries] = (),
) -> str:
    """Return an HTML page with a row for each trend up to the commit ``newest``, the newest trend first.

    A row for each of ``totals`` without a trend follows, with a picture of its values.
    """
    changed = {(trend.workload, trend.metric, trend.unit) for trend in trends if trend.name is None}
    steady = [one for one in totals if (one.workload, one.metric.name, one.metric.unit) not in changed]
    worse = sum(trend.worse for trend in trends)
    found = f"{numbers.counted(len(trends), 'persistent change')}, {worse} for the worse."
    remarks = [found] if trends else [f"{empty}."] if steady else []
    return TablePage(
        title=f"Trends up to {_commit(newest, commits)}",
        label="Trends",
        columns=(Heading("Location"), Heading("Change"), Heading("Commit", words=True)),
        rows=[*(_cells(trend, commits) for trend in reversed(trends)), *map(_steady_cells, steady)],
        remarks=remarks,
        empty=f"{empty[:1].upper()}{empty[1:]}.",
    ).render()


def _cells(trend: Trend, commits: Mapping[str, StoredCommit]) -> list[Cell]:
    change, note = _change(trend)
    return [
        Cell(_what(trend), f"{name_text(trend.workload, 60)} · {name_text(trend.metric, 30)}"),
        Cell(change, note, "worse" if trend.worse else "better"),
        Cell(_when(trend, commits), f"p = {trend.p:.2g}"),
    ]


def _steady_cells(total: TotalSeries) -> list[Cell]:
    read = numbers.counted(len(total.values), "commit")
    unseen = f"a step of {numbers.smallest_change(total.step)} would be visible" if total.step else "too few commits"
    values = numbers.from_to(min(total.values), max(total.values), total.metric.unit)
    label, picture = f"{read}: {values.replace('→', 'to')}", line_picture(total.values)
    return [
        Cell(TOTAL, f"{name_text(total.workload, 60)} · {name_text(total.metric.name, 30)}"),
        Cell("no change", unseen),
        Cell(label, label if picture else "", picture=picture),
    ]


def _change(trend: Trend) -> tuple[str, str]:
    """Return the change, and a note: the values of a total, or that a function's values are shares of the run."""
    if trend.name is None:
        return numbers.signed_percent(trend.relative), numbers.from_to(trend.before, trend.after, trend.unit)
    return numbers.share_from_to(trend.before, trend.after), "of the run"


def _what(trend: Trend) -> str:
    if trend.name is None:
        return TOTAL
    return name_text(trend.name, 60) + (f" ({plain(trend.file)})" if trend.file else "")


def _how(trend: Trend) -> str:
    change, note = _change(trend)
    values = f"{note} ({change})" if trend.name is None else f"{change} {note}"
    return f"{values}, p = {trend.p:.2g}"


def _when(trend: Trend, commits: Mapping[str, StoredCommit]) -> str:
    if not trend.is_drift:
        return f"since {_commit(trend.first, commits)}"
    return f"over {trend.commits} commits, {_commit(trend.first, commits)} to {_commit(trend.last, commits)}"


def _commit(sha: str, commits: Mapping[str, StoredCommit]) -> str:
    title = commits[sha].title if sha in commits else ""
    return sha[:HASH_LENGTH] + (f" ({cut(plain(title), 50)})" if title else "")
