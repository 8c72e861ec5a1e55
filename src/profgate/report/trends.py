"""Trends for a terminal, for the run of a base branch, and as JSON: `profgate.trends/1`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from profgate.model.history import StoredCommit
from profgate.model.report import Document
from profgate.model.trend import Trend
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
    known = {id(one) for one in new}
    rows = [
        {**asdict(one), "kind": "drift" if one.is_drift else "step", "relative": one.relative, "new": id(one) in known}
        for one in trends
    ]
    return json.dumps({"schema": SCHEMA, "further": further, "trends": rows}, indent=1, allow_nan=False) + "\n"


def trends_lines(trends: Sequence[Trend], commits: Mapping[str, StoredCommit]) -> list[Line]:
    """A line for each trend below its workload and metric."""
    lines: list[Line] = []
    heading = ""
    for one in trends:
        place = f"{name_text(one.workload, 60)} · {name_text(one.metric, 30)}"
        if place != heading:
            if lines:
                lines.append(("text", ""))
            lines.append(("head", place))
            heading = place
        lines.append(("bad" if one.worse else "good", f"  {_what(one)}: {_how(one)}"))
        lines.append(("quiet", f"    {_when(one, commits)}"))
    return lines


def trend_text(one: Trend, commits: Mapping[str, StoredCommit]) -> str:
    """A trend as a sentence, for an annotation."""
    place = f"{name_text(one.workload, 60)}, {name_text(one.metric, 30)}"
    return f"{place}, {_what(one)}: {_how(one)}, {_when(one, commits)}"


def trends_summary(trends: Sequence[Trend], commits: Mapping[str, StoredCommit]) -> Document:
    """The trends that a run of the base branch tells, worse ones first."""
    ordered = sorted(trends, key=lambda one: not one.worse)
    cells = [
        {
            "tag": "worse" if one.worse else "better",
            "workload": one.workload,
            "metric": one.metric,
            "what": "the total" if one.name is None else code_cell(one.name),
            "how": sentence(_how(one)),
            "when": sentence(_when(one, commits)),
        }
        for one in ordered[:ROWS]
    ]
    text = render_template(
        "markdown/trends.md.j2",
        filters=markdown_filters,
        trends=cells,
        more=len(ordered) - len(cells),
        worse=sum(one.worse for one in trends),
        better=sum(not one.worse for one in trends),
    )
    return Document("trends.md", "text/markdown", text)


def _what(one: Trend) -> str:
    if one.name is None:
        return "total"
    return name_text(one.name, 60) + (f" ({plain(one.file)})" if one.file else "")


def _how(one: Trend) -> str:
    relative = f" ({numbers.signed_percent(one.relative)})" if one.relative is not None else ""
    if one.name is None:
        return f"{numbers.from_to(one.before, one.after, one.unit)}{relative}, p {one.p:.2g}"
    return f"{one.before:.1%} → {one.after:.1%} of the run, p {one.p:.2g}"


def _when(one: Trend, commits: Mapping[str, StoredCommit]) -> str:
    if not one.is_drift:
        return f"at once, with {_commit(one.first, commits)}"
    return f"slowly, over {one.commits} commits: from {_commit(one.first, commits)} to {_commit(one.last, commits)}"


def _commit(sha: str, commits: Mapping[str, StoredCommit]) -> str:
    title = commits[sha].title if sha in commits else ""
    return sha[:SHOWN] + (f" ({cut(plain(title), 50)})" if title else "")
