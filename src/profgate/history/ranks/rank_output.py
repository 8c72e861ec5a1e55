"""Formats the results of the ``profgate ranks`` commands."""

import json
from collections.abc import Sequence
from typing import Any

from profgate.model.durations import RankCheck, RankPoint
from profgate.model.visible_text import name_text
from profgate.report.markdown_text import sentence
from profgate.report.numbers import UNKNOWN, counted
from profgate.report.rank_report import (
    ORDER_SIGNS,
    rank_details,
    result_text,
)
from profgate.report.text_table import Line, Tone, aligned
from profgate.report.wording import reason_text

SCHEMA = "profgate.ranks/1"
HEADINGS = ("run", "tests", "stable", "expected", "")
MARKS = {"kept": "", "below": "◀ order changed", "above": "◀ steadier than before", "unknown": "not tested"}
LABEL = 60


def rank_markdown(check: RankCheck) -> str:
    """Format the check as Markdown for a pull request or a step summary."""
    return f"### {ORDER_SIGNS[check.order]} Stable ranks: {sentence(result_text(check))}\n\n{rank_details(check)}"


def rank_json(check: RankCheck, baseline: Sequence[str], target: Sequence[str]) -> str:
    """Format the check as JSON (schema `profgate.ranks/1`). Durations are in base units; unknown values are null."""
    moved = []
    for test in check.moved:
        ranks = {"name": test.name, "rank_from": test.rank_from, "rank_to": test.rank_to}
        moved.append(ranks | {"from": test.before, "to": test.after, "ratio": test.ratio})
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "order": check.order,
        "direction": check.direction if check.order == "below" else None,
        "reason": result_text(check),
        "baseline": list(baseline),
        "target": list(target),
        "tests": check.common,
        "left_out": check.left_out,
        "stable": check.count,
        "expected": check.mean,
        "bounds": check.bounds,
        "sigma": {"rule": check.sigma_rule, "value": check.sigma, "width": check.width, "distance": check.distance},
        "pairs": list(check.pair_counts),
        "against_each": list(check.target_counts),
        "chance_of_random": check.chance,
        "overall_ratio": check.overall,
        "unit": check.unit,
        "usual_distance": check.usual_distance,
        "farther": check.farther,
        "moved": moved,
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def history_lines(points: Sequence[RankPoint], *, width: int = 80) -> tuple[Line, ...]:
    """Format the history as plain lines with styles, followed by a summary sentence."""
    table = aligned([HEADINGS, *map(_point_cells, points)], max(width, 60) - 2, right=range(1, 4))
    tones: list[Tone] = ["quiet", *("warn" if point.departed else "text" for point in points)]
    return (*zip(tones, table, strict=True), ("head", _totals(points)))


def history_json(points: Sequence[RankPoint]) -> str:
    """Format the history as JSON. Unknown values are null."""
    document: dict[str, Any] = {"schema": "profgate.rank-history/1", "runs": [_document(point) for point in points]}
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _document(point: RankPoint) -> dict[str, Any]:
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
        "reason": reason_text(check.reason, str) if check.reason else "",
        "moved": [test.name for test in check.moved[:5]] if point.departed else [],
    }


def _point_cells(point: RankPoint) -> tuple[str, ...]:
    check = point.check
    expected = UNKNOWN
    if check.bounds is not None and check.order != "unknown":
        expected = f"{max(0.0, check.bounds[0]):,.0f} to {min(check.bounds[1], check.common):,.0f}"
    stable = UNKNOWN if check.count is None else f"{check.count:,.1f}"
    known = check.order == "below" and check.direction != "unknown"
    mark = MARKS[check.order] + (f": {check.direction}" if known else "")
    tests = f"{check.common:,}" if point.baseline else UNKNOWN
    return name_text(_name(point), LABEL), tests, stable, expected, mark


def _name(point: RankPoint) -> str:
    run = point.run
    return f"{run.commit[:10]} {run.label}" if run.commit and not run.label.startswith(run.commit[:7]) else run.label


def _totals(points: Sequence[RankPoint]) -> str:
    tested = sum(point.check.order != "unknown" for point in points)
    departures = sum(point.departed for point in points)
    return f"{counted(departures, 'departure')} in {counted(tested, 'run')} that could be compared, of {len(points):,}"
