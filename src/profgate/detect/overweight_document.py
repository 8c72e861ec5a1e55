"""Overweight tables as JSON data and text. The tables show which functions explain the change in the total."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from profgate.detect.overweight import Overweight, OverweightTable, overweight_kinds, pivot_levels
from profgate.detect.strategy import resolved, worse_sign
from profgate.detect.totals import noise_bar
from profgate.errors import ProfgateError
from profgate.model.arrays import finite
from profgate.model.change import Context
from profgate.model.comparison import Comparison
from profgate.model.kinds import Kind
from profgate.model.visible_text import fitting, name_text, plain

SCHEMA = "profgate.overweight/1"
MOST_ROWS = 40
NARROWEST_NAME = 40
LONGEST_NAME = 400
COLUMNS = {
    "baseline": "baseline",
    "target": "target",
    "change": "delta",
    "self before": "exclusive_baseline",
    "self after": "exclusive_target",
}


def overweight_document(
    comparison: Comparison, pivots: Sequence[str] = (), *, by_interest: bool = False
) -> dict[str, Any]:
    """Return the table as JSON data. Ratios are fractions (1.0 = 100 %), or None if undefined.

    Stacks that contain one of the ``pivots`` are excluded. Raises ProfgateError if there are no stacks or a pivot is
    unknown.
    """
    bar = noise_bar(comparison, Context())
    levels = pivot_levels(comparison, {}, bar, _symbols(comparison, pivots))
    scale, table, thresholds = comparison.metric.scale, levels[0].table, resolved(Overweight(), {})
    kinds = overweight_kinds(table, thresholds, worse_sign(comparison.metric), bar).tolist()
    if bar is not None:
        thresholds["min_total_change"] = max(thresholds["min_total_change"], bar)
    columns = {
        "baseline": _numbers(table.baseline.tolist(), scale),
        "target": _numbers(table.target.tolist(), scale),
        "delta": _numbers(table.delta.tolist(), scale),
        "exclusive_baseline": _numbers(table.exclusive_baseline.tolist(), scale),
        "exclusive_target": _numbers(table.exclusive_target.tolist(), scale),
        "responsibility": list(map(finite, table.responsibility.tolist())),
        "overweight": list(map(finite, table.overweight.tolist())),
        "interest": table.interest.tolist(),
        "kind": [Kind(code).word for code in kinds],
    }
    rows = [_place(comparison, symbol) for symbol in table.symbol.tolist()]
    for row, values in zip(rows, zip(*columns.values(), strict=True), strict=True):
        row.update(zip(columns, values, strict=True))
    order = table.by_interest().tolist() if by_interest else range(len(rows))
    return {
        "schema": SCHEMA,
        "unit": comparison.metric.unit,
        "total": _total(table, scale),
        "thresholds": thresholds,
        "symbols": [rows[number] for number in order],
        "only_baseline": _alone(comparison, table, "baseline"),
        "only_target": _alone(comparison, table, "target"),
        "pivots": [
            {**_place(comparison, level.pivot), "without": _total(below.table, scale)}
            for level, below in pairwise(levels)
            if level.pivot is not None
        ],
    }


def overweight_text(document: dict[str, Any], width: int) -> str:
    """Format the table as text with at most 40 rows. Long names are shortened in the middle to fit the width."""
    total, shown = document["total"], document["symbols"][:MOST_ROWS]
    cells = [[*COLUMNS, "resp. %", "overweight %"]] + [
        [*(_value(row[key]) for key in COLUMNS.values()), _percent(row["responsibility"]), _percent(row["overweight"])]
        for row in shown
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    space = width - sum(widths) - 2 * len(widths)
    names = ["symbol", *(_name(row, space) for row in shown)]
    lines = [f"Total: {_sides(total)} {plain(document['unit'])}, change {_value(total['delta'])}"]
    lines += ["  ".join([*map(str.rjust, row, widths), name]) for row, name in zip(cells, names, strict=True)]
    if (hidden := len(document["symbols"]) - MOST_ROWS) > 0:
        lines.append(f"and {hidden} more; --format json prints all")
    lines += [
        f"{len(document[key])} symbols only in the {side}: not rated"
        for key, side in (("only_baseline", "baseline"), ("only_target", "target"))
        if document[key]
    ]
    for pivot in document["pivots"]:
        rest = pivot["without"]
        name = _name(pivot, width // 2)
        lines.append(f"Pivot {name}: without its stacks {_sides(rest)}, change {_value(rest['delta'])}")
    return "\n".join(lines) + "\n"


def _symbols(comparison: Comparison, names: Sequence[str]) -> tuple[int, ...]:
    if names and comparison.tree is None:
        raise ProfgateError("--pivot", "this format has no stacks, so none can be left out")
    found: list[int] = []
    for name in names:
        places = [place for place, known in enumerate(comparison.symbols.names) if known == name]
        if not places:
            raise ProfgateError("--pivot", f"no symbol is called {name!r}; names are shown by 'profgate overweight'")
        found += places
    return tuple(found)


def _numbers(values: Sequence[float], scale: float) -> list[float | int | None]:
    """Convert values to JSON numbers in the unit of the metric. Integers stay integers; unknown values become None."""
    scaled = [value * scale for value in values]
    return [int(value) if value.is_integer() else finite(value) for value in scaled]


def _place(comparison: Comparison, symbol: int) -> dict[str, Any]:
    return {"name": comparison.symbols.names[symbol], "file": comparison.symbols.files[symbol]}


def _total(table: OverweightTable, scale: float) -> dict[str, Any]:
    totals = [float(total) for total in (table.baseline_total, table.target_total, table.total_delta)]
    return dict(zip(("baseline", "target", "delta"), _numbers(totals, scale), strict=True))


def _alone(comparison: Comparison, table: OverweightTable, side: str) -> list[dict[str, Any]]:
    """Return the symbols that exist on one side only.

    Such a symbol has no overweight, and its entire value counts as its change.
    """
    target = side == "target"
    symbols = (table.only_target if target else table.only_baseline).tolist()
    values = (table.only_target_value if target else table.only_baseline_value).tolist()
    change = table.total_delta if target else -table.total_delta
    return [
        {**_place(comparison, symbol), side: number, "responsibility": finite(value / change) if change else None}
        for symbol, value, number in zip(symbols, values, _numbers(values, comparison.metric.scale), strict=True)
    ]


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.2f}"


def _value(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"


def _sides(total: dict[str, Any]) -> str:
    return f"{_value(total['baseline'])} -> {_value(total['target'])}"


def _name(place: dict[str, Any], space: int) -> str:
    name = place["name"] if place["file"] is None else f"{place['name']} ({place['file']})"
    return fitting(name_text(name, LONGEST_NAME), max(space, NARROWEST_NAME))
