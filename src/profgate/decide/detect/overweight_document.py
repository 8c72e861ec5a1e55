"""Overweight tables as JSON data. The tables show which functions explain the change in the total."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from profgate.decide.detect.gate_tests import noise_bar
from profgate.decide.detect.overweight import Overweight, OverweightTable, overweight_kinds, pivot_levels
from profgate.decide.detect.strategy import resolved, worse_sign
from profgate.errors import ProfgateError
from profgate.model.arrays import finite
from profgate.model.change import Context
from profgate.model.comparison import Comparison
from profgate.model.kinds import Kind


def overweight_document(comparison: Comparison, pivots: Sequence[str] = ()) -> dict[str, Any]:
    """Return the table as JSON data, with ratios as fractions or None. Raises ProfgateError for unknown pivots."""
    bar, dropped = noise_bar(comparison, Context()), _symbols(comparison, pivots)
    levels = pivot_levels(comparison, {}, bar, dropped)
    scale, table, thresholds = comparison.metric.scale, levels[0].table, resolved(Overweight(), {})
    kinds = overweight_kinds(table, thresholds, worse_sign(comparison.metric), bar).tolist()
    if bar is not None:
        thresholds["min_total_change"] = max(thresholds["min_total_change"], bar)
    costs = ("baseline", "target", "delta", "exclusive_baseline", "exclusive_target")
    columns: dict[str, list[Any]] = {name: _numbers(getattr(table, name).tolist(), scale) for name in costs}
    columns |= {
        "responsibility": list(map(finite, table.responsibility.tolist())),
        "overweight": list(map(finite, table.overweight.tolist())),
        "interest": table.interest.tolist(),
        "kind": [Kind(code).word for code in kinds],
    }
    rows = [_place(comparison, symbol) for symbol in table.symbol.tolist()]
    for row, values in zip(rows, zip(*columns.values(), strict=True), strict=True):
        row.update(zip(columns, values, strict=True))
    pivot_rows = []
    for level, below in pairwise(levels):
        if level.pivot is not None:
            without = _total(below.table.baseline_total, below.table.target_total, scale)
            pivot_rows.append({**_place(comparison, level.pivot), "without": without})
    return {
        "schema": "profgate.overweight/1",
        "unit": comparison.metric.unit,
        "all_stacks": _total(*comparison.runs.means(comparison.run_totals), scale),
        "dropped": [_place(comparison, symbol) for symbol in dropped],
        "total": _total(table.baseline_total, table.target_total, scale),
        "thresholds": thresholds,
        "symbols": rows,
        "only_baseline": _alone(comparison, table, "baseline"),
        "only_target": _alone(comparison, table, "target"),
        "pivots": pivot_rows,
    }


def _symbols(comparison: Comparison, names: Sequence[str]) -> tuple[int, ...]:
    if names and comparison.tree is None:
        raise ProfgateError("--pivot", "this format has no stacks, so none can be left out")
    symbols: list[int] = []
    for name in names:
        places = [symbol for symbol, other in enumerate(comparison.symbols.names) if other == name]
        if not places:
            what = f"no symbol is called {name!r}; 'profgate overweight --format json' shows all"
            raise ProfgateError("--pivot", what)
        symbols += places
    return tuple(symbols)


def _numbers(values: Sequence[float], scale: float) -> list[float | int | None]:
    """Convert values to JSON numbers in the unit of the metric. Integers stay integers; unknown values become None."""
    scaled = [value * scale for value in values]
    return [int(value) if value.is_integer() else finite(value) for value in scaled]


def _place(comparison: Comparison, symbol: int) -> dict[str, Any]:
    return {"name": comparison.symbols.names[symbol], "file": comparison.symbols.files[symbol]}


def _total(baseline: float, target: float, scale: float) -> dict[str, Any]:
    totals = [float(total) for total in (baseline, target, target - baseline)]
    return dict(zip(("baseline", "target", "delta"), _numbers(totals, scale), strict=True))


def _alone(comparison: Comparison, table: OverweightTable, side: str) -> list[dict[str, Any]]:
    """Return the symbols on one side only, which have no overweight. Their entire values count as their changes."""
    target = side == "target"
    symbols = (table.only_target if target else table.only_baseline).tolist()
    values = (table.only_target_value if target else table.only_baseline_value).tolist()
    change = table.total_delta if target else -table.total_delta
    return [
        {**_place(comparison, symbol), side: number, "responsibility": finite(value / change) if change else None}
        for symbol, value, number in zip(symbols, values, _numbers(values, comparison.metric.scale), strict=True)
    ]
