"""The history of stable ranks as a table: a row for each run, departures marked."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from profgate.model.durations import DurationRun, RankCheck
from profgate.model.visible_text import columns_of, fitting, name_text
from profgate.report.markdown_text import code_cell
from profgate.report.numbers import UNKNOWN, counted

SCHEMA = "profgate.rank-history/1"
Line = tuple[str, str]
HEADINGS = ("run", "tests", "stable", "expected", "")
MARKS = {"kept": "", "below": "◀ order changed", "above": "◀ steadier than before", "unknown": "not tested"}
LABEL = 60


class Point(Protocol):
    """One run, and what its order says against those before it."""

    @property
    def run(self) -> DurationRun:
        """The run itself."""

    @property
    def check(self) -> RankCheck:
        """Its comparison with the usual runs before it."""

    @property
    def baseline(self) -> tuple[str, ...]:
        """Their labels."""


def history_lines(points: Sequence[Point], *, width: int = 80) -> tuple[Line, ...]:
    """Plain lines with their tone, and a sentence at the end."""
    cells = [HEADINGS, *map(_cells, points)]
    columns = [max(columns_of(row[place]) for row in cells) for place in range(5)]
    columns[0] = min(columns[0], max(max(width, 60) - sum(columns[1:]) - 10, 12))
    tones = ["quiet", *("warn" if _departed(point) else "text" for point in points)]
    lines = [(tone, _aligned(row, columns)) for tone, row in zip(tones, cells, strict=True)]
    return (*lines, ("head", _sentence(points)))


def history_markdown(points: Sequence[Point]) -> str:
    """A Markdown table of the same rows."""
    rows = ["| run | tests | stable | expected | |", "|:--|--:|--:|--:|:--|"]
    for point in points:
        _, *cells = _cells(point)
        rows.append(f"| {code_cell(_name(point), LABEL)} | {' | '.join(cells)} |")
    return "\n".join([*rows, "", _sentence(points)]) + "\n"


def history_json(points: Sequence[Point]) -> str:
    """The rows for programs; unknown is null."""
    document: dict[str, Any] = {"schema": SCHEMA, "runs": [_document(point) for point in points]}
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _document(point: Point) -> dict[str, Any]:
    run, check = point.run, point.check
    return {
        "label": run.label,
        "commit": run.commit or None,
        "recorded": run.recorded or None,
        "tests": len(run.values),
        "common": check.common,
        "stable": check.count,
        "expected": check.mean,
        "bounds": check.bounds,
        "order": check.order,
        "direction": check.direction if check.order == "below" else None,
        "reason": check.reason,
        "moved": [test.name for test in check.moved[:5]] if _departed(point) else [],
    }


def _cells(point: Point) -> tuple[str, ...]:
    check = point.check
    expected = UNKNOWN
    if check.bounds is not None and check.order != "unknown":
        expected = f"{max(0.0, check.bounds[0]):,.0f} to {min(check.bounds[1], check.common):,.0f}"
    stable = UNKNOWN if check.count is None else f"{check.count:,.1f}"
    mark = MARKS[check.order]
    if check.order == "below" and check.direction != "unknown":
        mark = f"{mark}: {check.direction}"
    return name_text(_name(point), LABEL), f"{check.common:,}" if point.baseline else UNKNOWN, stable, expected, mark


def _name(point: Point) -> str:
    run = point.run
    return f"{run.commit[:10]} {run.label}" if run.commit and not run.label.startswith(run.commit[:7]) else run.label


def _departed(point: Point) -> bool:
    return point.check.order in {"below", "above"}


def _sentence(points: Sequence[Point]) -> str:
    told = sum(point.check.order != "unknown" for point in points)
    departures = sum(map(_departed, points))
    return f"{counted(departures, 'departure')} in {counted(told, 'run')} that could be compared, of {len(points):,}"


def _aligned(cells: Iterable[str], columns: Sequence[int]) -> str:
    padded = []
    for place, (cell, size) in enumerate(zip(cells, columns, strict=True)):
        text = fitting(cell, size)
        gap = " " * (size - columns_of(text))
        padded.append(gap + text if 0 < place < 4 else text + gap)
    return "  ".join(padded).rstrip()
