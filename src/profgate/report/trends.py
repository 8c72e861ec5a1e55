"""Trends for a terminal, and as JSON: `profgate.trends/1`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from profgate.model.history import StoredCommit
from profgate.model.trend import Trend
from profgate.model.visible_text import cut, name_text, plain
from profgate.report import numbers
from profgate.report.terminal_report import Line

SCHEMA = "profgate.trends/1"
SHOWN = 12


def trends_json(trends: Sequence[Trend], new: Sequence[Trend]) -> str:
    """The document; ``before`` and ``after`` of a symbol are shares of the run, of a total values in the unit."""
    known = {id(one) for one in new}
    rows = [
        {**asdict(one), "kind": "drift" if one.is_drift else "step", "relative": one.relative, "new": id(one) in known}
        for one in trends
    ]
    return json.dumps({"schema": SCHEMA, "trends": rows}, indent=1, allow_nan=False) + "\n"


def trends_record(trends: Sequence[Trend]) -> str:
    """The trends as the history remembers them."""
    return json.dumps([asdict(one) for one in trends], allow_nan=False)


def trends_of_record(text: str) -> list[Trend]:
    """What `trends_record` wrote; entries of another kind are left out."""
    try:
        entries = json.loads(text)
    except ValueError:
        return []
    names = {field.name: field.type for field in fields(Trend)}
    return [
        Trend(**{name: entry[name] for name in names})
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict) and names.keys() <= entry.keys() and _is_trend(entry)
    ]


def _is_trend(entry: Mapping[str, Any]) -> bool:
    numbers_fit = all(isinstance(entry[name], int | float) for name in ("before", "after", "p", "commits"))
    return numbers_fit and all(isinstance(entry[name], str) for name in ("series", "metric", "unit", "first", "last"))


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
