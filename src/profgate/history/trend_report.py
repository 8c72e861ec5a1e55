"""Trends for a terminal, for the run of a base branch, and as JSON: `profgate.trends/1`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from profgate.history.trend import Trend
from profgate.model.history import StoredCommit
from profgate.model.report import Document
from profgate.model.visible_text import cut, name_text, plain
from profgate.report import numbers
from profgate.report.markdown_text import code_cell, markdown_filters, sentence
from profgate.report.templates import render_template
from profgate.report.terminal_report import Line

SCHEMA = "profgate.trends/1"
SHOWN = 12
ROWS = 50  # of a summary


def trends_json(trends: Sequence[Trend], new: Sequence[Trend], further: int) -> str:
    """The document; ``before`` and ``after`` of a symbol are shares of the run, of a total values in the unit.

    ``further``: measured commits before those that were looked at.
    """
    known = {id(trend) for trend in new}
    rows = [
        {
            **asdict(trend),
            "kind": "drift" if trend.is_drift else "step",
            "relative": trend.relative,
            "new": id(trend) in known,
        }
        for trend in trends
    ]
    return json.dumps({"schema": SCHEMA, "further": further, "trends": rows}, indent=1, allow_nan=False) + "\n"


def trends_lines(trends: Sequence[Trend], commits: Mapping[str, StoredCommit]) -> list[Line]:
    """A line for each trend below its workload and metric."""
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
    """A trend as a sentence, for an annotation."""
    place = f"{name_text(trend.workload, 60)}, {name_text(trend.metric, 30)}"
    return f"{place}, {_what(trend)}: {_how(trend)}, {_when(trend, commits)}"


def trends_summary(trends: Sequence[Trend], commits: Mapping[str, StoredCommit]) -> Document:
    """The trends that a run of the base branch reports, worse ones first."""
    ordered = sorted(trends, key=lambda trend: not trend.worse)
    cells = [
        {
            "tag": "worse" if trend.worse else "better",
            "workload": trend.workload,
            "metric": trend.metric,
            "what": "the total" if trend.name is None else code_cell(trend.name),
            "how": sentence(_how(trend)),
            "when": sentence(_when(trend, commits)),
        }
        for trend in ordered[:ROWS]
    ]
    text = render_template(
        "markdown/trends.md.j2",
        filters=markdown_filters,
        trends=cells,
        more=len(ordered) - len(cells),
        worse=sum(trend.worse for trend in trends),
        better=sum(not trend.worse for trend in trends),
    )
    return Document("trends.md", "text/markdown", text)


def _what(trend: Trend) -> str:
    if trend.name is None:
        return "total"
    return name_text(trend.name, 60) + (f" ({plain(trend.file)})" if trend.file else "")


def _how(trend: Trend) -> str:
    relative = f" ({numbers.signed_percent(trend.relative)})" if trend.relative is not None else ""
    if trend.name is None:
        return f"{numbers.from_to(trend.before, trend.after, trend.unit)}{relative}, p {trend.p:.2g}"
    return f"{trend.before:.1%} → {trend.after:.1%} of the run, p {trend.p:.2g}"


def _when(trend: Trend, commits: Mapping[str, StoredCommit]) -> str:
    if not trend.is_drift:
        return f"at once, with {_commit(trend.first, commits)}"
    return (
        f"slowly, over {trend.commits} commits: from {_commit(trend.first, commits)} to {_commit(trend.last, commits)}"
    )


def _commit(sha: str, commits: Mapping[str, StoredCommit]) -> str:
    title = commits[sha].title if sha in commits else ""
    return sha[:SHOWN] + (f" ({cut(plain(title), 50)})" if title else "")
