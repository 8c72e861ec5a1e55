"""``profgate overweight BASELINE TARGET``: who carries the change of the total, and what is left without a pivot."""

import argparse
import json
import math
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from profgate import wiring
from profgate.cli.sides_options import add_sides, one_comparison, pipeline_input
from profgate.detect.overweight import (
    Overweight,
    OverweightTable,
    PivotLevel,
    overweight_kinds,
    pivot_levels,
)
from profgate.detect.strategy import resolved, worse_sign
from profgate.detect.totals import noise_bar
from profgate.errors import ProfgateError
from profgate.model.change import Context
from profgate.model.comparison import Comparison
from profgate.model.kinds import Kind
from profgate.model.policy import Policy
from profgate.model.visible_text import fitting, name_text, plain

SCHEMA = "profgate.overweight/1"
ROWS = 40
NARROWEST_NAME = 40
LONGEST_NAME = 400


def _number(value: float, scale: float) -> float | int | None:
    """A JSON number in the unit; whole numbers stay whole, unknown is None."""
    if not math.isfinite(value):
        return None
    scaled = float(value) * scale
    return int(scaled) if scaled.is_integer() else scaled


def _numbers(values: Sequence[float], scale: float) -> list[float | int | None]:
    """The same for a column."""
    scaled = [value * scale for value in values]
    if all(map(float.is_integer, scaled)):
        return list(map(int, scaled))
    return [_number(value, scale) for value in values]


def _ratio(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class Findings:
    """What the table does not say itself: kinds by row, the pivots of the recursion, and the thresholds in force."""

    kinds: tuple[str, ...]
    levels: tuple[PivotLevel, ...]
    thresholds: dict[str, Any]


def findings_of(levels: tuple[PivotLevel, ...], comparison: Comparison, bar: float | None) -> Findings:
    """The words of the strategy on the first level's table, before the test of totals caps them."""
    table = levels[0].table
    thresholds = resolved(Overweight(), {})
    codes = overweight_kinds(table, thresholds, worse_sign(comparison.metric), bar).tolist()
    if bar is not None:
        thresholds["min_total_change"] = max(thresholds["min_total_change"], bar)
    return Findings(tuple(Kind(code).word for code in codes), levels, thresholds)


def as_json(comparison: Comparison, dropped: tuple[int, ...] = (), *, by_interest: bool = False) -> dict[str, Any]:
    """The published form; ratios are fractions (1.0 = 100 %), null where undefined."""
    bar = noise_bar(comparison, Context())
    levels = pivot_levels(comparison, {}, bar, dropped)
    scale, table, found = comparison.metric.scale, levels[0].table, findings_of(levels, comparison, bar)
    order = table.by_interest().tolist() if by_interest else list(range(len(table.symbol)))
    columns = {
        "baseline": _numbers(table.baseline.tolist(), scale),
        "target": _numbers(table.target.tolist(), scale),
        "delta": _numbers(table.delta.tolist(), scale),
        "exclusive_baseline": _numbers(table.exclusive_baseline.tolist(), scale),
        "exclusive_target": _numbers(table.exclusive_target.tolist(), scale),
        "responsibility": [_ratio(value) for value in table.responsibility.tolist()],
        "overweight": [_ratio(value) for value in table.overweight.tolist()],
        "interest": table.interest.tolist(),
        "kind": found.kinds,
    }
    places = [_place(comparison, symbol) for symbol in table.symbol.tolist()]
    rows = list(zip(places, *columns.values(), strict=True))
    return {
        "schema": SCHEMA,
        "unit": comparison.metric.unit,
        "total": _total(table, scale),
        "thresholds": found.thresholds,
        "symbols": [place | dict(zip(columns, row, strict=True)) for place, *row in (rows[number] for number in order)],
        "only_baseline": _alone(comparison, table, "baseline"),
        "only_target": _alone(comparison, table, "target"),
        "pivots": [
            {**_place(comparison, level.pivot), "without": _total(below.table, scale)}
            for level, below in pairwise(found.levels)
            if level.pivot is not None
        ],
    }


def _place(comparison: Comparison, symbol: int) -> dict[str, Any]:
    return {"name": comparison.symbols.names[symbol], "file": comparison.symbols.files[symbol]}


def _total(table: OverweightTable, scale: float) -> dict[str, Any]:
    return {
        "baseline": _number(table.baseline_total, scale),
        "target": _number(table.target_total, scale),
        "delta": _number(table.total_delta, scale),
    }


def _alone(comparison: Comparison, table: OverweightTable, side: str) -> list[dict[str, Any]]:
    """Symbols that one side knows: no overweight, and all they have or had is their change."""
    columns = (table.only_baseline, table.only_baseline_value)
    if side == "target":
        columns = (table.only_target, table.only_target_value)
    change = table.total_delta if side == "target" else -table.total_delta
    return [
        {
            **_place(comparison, symbol),
            side: _number(value, comparison.metric.scale),
            "responsibility": _ratio(value / change) if change else None,
        }
        for symbol, value in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.2f}"


def _value(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"


def _shown(place: dict[str, Any], room: int) -> str:
    name = place["name"] if place["file"] is None else f"{place['name']} ({place['file']})"
    return fitting(name_text(name, LONGEST_NAME), max(room, NARROWEST_NAME))


VALUES = {
    "baseline": "baseline",
    "target": "target",
    "change": "delta",
    "self before": "exclusive_baseline",
    "self after": "exclusive_target",
}


def as_text(document: dict[str, Any], width: int) -> str:
    """The table of the published reports, at most 40 rows, with the exclusive cost beside the inclusive one.

    Long names are cut in the middle to keep the width.
    """
    total, shown = document["total"], document["symbols"][:ROWS]
    sides = f"{_value(total['baseline'])} -> {_value(total['target'])} {plain(document['unit'])}"
    cells = [[*VALUES, "resp. %", "overweight %"]] + [
        [*(_value(row[key]) for key in VALUES.values()), _percent(row["responsibility"]), _percent(row["overweight"])]
        for row in shown
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    room = width - sum(widths) - 2 * len(widths)
    names = ["symbol", *(_shown(row, room) for row in shown)]
    lines = [f"Total: {sides}, change {_value(total['delta'])}"]
    lines += ["  ".join([*map(str.rjust, row, widths), name]) for row, name in zip(cells, names, strict=True)]
    hidden = len(document["symbols"]) - ROWS
    if hidden > 0:
        lines.append(f"and {hidden} more; --format json prints all")
    lines += [
        f"{len(document[key])} symbols only in the {side}: not rated"
        for key, side in (("only_baseline", "baseline"), ("only_target", "target"))
        if document[key]
    ]
    for pivot in document["pivots"]:
        rest = pivot["without"]
        left = f"{_value(rest['baseline'])} -> {_value(rest['target'])}, change {_value(rest['delta'])}"
        lines.append(f"Pivot {_shown(pivot, width // 2)}: without its stacks {left}")
    return "\n".join(lines) + "\n"


def _pivots(comparison: Comparison, names: Sequence[str]) -> tuple[int, ...]:
    found = []
    for name in names:
        places = [place for place, known in enumerate(comparison.symbols.names) if known == name]
        if not places:
            raise ProfgateError("--pivot", f"no symbol is called {name!r}; names are shown by 'profgate overweight'")
        found += places
    return tuple(found)


def run(argv: Sequence[str]) -> int:
    """Prints the table as text or JSON. Raises ProfgateError."""
    parser = argparse.ArgumentParser(prog="profgate overweight", description=__doc__.replace("`", ""))
    add_sides(parser, target="?")
    parser.add_argument("--pivot", action="append", default=[], metavar="SYMBOL", help="drop its stacks (repeatable)")
    parser.add_argument(
        "--sort", choices=("overweight", "interest"), default="overweight", help="interest counts bars that are passed"
    )
    parser.add_argument("--metric", help="which metric, where the profile has several")
    parser.add_argument("--workload", help="which workload, where a folder holds several")
    parser.add_argument("--format", choices=("terminal", "json"), default="terminal")
    arguments = parser.parse_args(argv)
    given = pipeline_input(arguments.baseline, arguments.target, Policy(), difference=arguments.difference)
    comparison = one_comparison(wiring.overlays(given), arguments.metric, arguments.workload)
    dropped = _pivots(comparison, arguments.pivot)
    if dropped and comparison.tree is None:
        raise ProfgateError("--pivot", "this format has no stacks, so none can be dropped")
    document = as_json(comparison, dropped, by_interest=arguments.sort == "interest")
    if arguments.format == "json":
        # a field on a line, without the indentation that takes ten times as long
        sys.stdout.write(json.dumps(document, allow_nan=False, separators=(",\n", ": ")) + "\n")
    else:
        sys.stdout.write(as_text(document, shutil.get_terminal_size((120, 24)).columns))
    return 0
