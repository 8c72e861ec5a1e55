"""Trends as text, JSON and Markdown."""

import json
from collections.abc import Mapping, Sequence

from profgate.history.trends import SCHEMA, Trend
from profgate.model.history import StoredCommit
from profgate.model.record import to_builtins
from profgate.model.report import Document
from profgate.model.visible_text import cut, name_text, plain
from profgate.report import numbers
from profgate.report.markdown_text import code_span, paragraphs, sentence, table
from profgate.report.text_table import Line

HASH_LENGTH = 12  # number of displayed characters of a commit hash
MOST_ROWS = 50  # maximum number of rows in a summary


def trends_json(trends: Sequence[Trend], new: Sequence[Trend], further: int) -> str:
    """Return the trends as JSON. ``further`` is the number of older measured commits that were not examined."""
    rows = [to_builtins(trend) | {"relative": trend.relative, "new": trend in new} for trend in trends]
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
        lines.append(("bad" if trend.worse else "good", f"  {_how(trend)}"))
        lines.append(("quiet", f"    {_since(trend, commits)}"))
    return lines


def trend_text(trend: Trend, commits: Mapping[str, StoredCommit]) -> str:
    """Return a trend as one line for an annotation."""
    place = f"{name_text(trend.workload, 60)}, {name_text(trend.metric, 30)}"
    return f"{place}: {_how(trend)}, {_since(trend, commits)}"


def trends_summary(trends: Sequence[Trend], commits: Mapping[str, StoredCommit]) -> Document:
    """Return the Markdown summary of the trends that are reported by a run on the base branch, regressions first."""
    ordered = sorted(trends, key=lambda trend: not trend.worse)
    cells = [
        (
            "worse" if trend.worse else "better",
            f"{code_span(trend.workload, 60)} {code_span(trend.metric, 30)}",
            sentence(_how(trend)),
            sentence(_since(trend, commits)),
        )
        for trend in ordered[:MOST_ROWS]
    ]
    worse, more = sum(trend.worse for trend in trends), len(ordered) - len(cells)
    text = paragraphs(
        "### Lasting changes on this branch",
        f"{worse} worse, {len(ordered) - worse} better. Each change is reported once.",
        table(("", "Workload", "Change", "When"), "llll", cells),
        f"… and {more} more; `profgate trends` lists them from this run's history." if more else "",
    )
    return Document("trends.md", "text/markdown", text)


def _how(trend: Trend) -> str:
    values = numbers.from_to(trend.before, trend.after, trend.unit)
    return f"{values} ({numbers.signed_percent(trend.relative)}), p = {trend.p:.2g}"


def _since(trend: Trend, commits: Mapping[str, StoredCommit]) -> str:
    title = commits[trend.commit].title if trend.commit in commits else ""
    return f"since {trend.commit[:HASH_LENGTH]}" + (f" ({cut(plain(title), 50)})" if title else "")
