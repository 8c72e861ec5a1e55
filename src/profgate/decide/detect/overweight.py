"""Overweight analysis, which finds symbols whose share of the total's change exceeds their share of the baseline."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from profgate.decide.detect.gate_tests import noise_bar
from profgate.decide.detect.strategy import counts_apart, directed, not_tested, resolved, worse_sign
from profgate.errors import ProfgateError
from profgate.model.arrays import BoolArray, FloatArray, IntArray, finite
from profgate.model.call_tree import added_at
from profgate.model.change import Columns, Context, Detection, Kind, OptionSpec, OverweightShare
from profgate.model.comparison import Comparison
from profgate.model.frame_names import is_library
from profgate.model.reason import Reason, ReasonCode
from profgate.statistics.thresholds import above, at_least, below


class Values(NamedTuple):
    """Means over runs, with one row per side and one column per symbol. ``known`` marks the symbols that exist."""

    inclusive: FloatArray
    exclusive: FloatArray
    known: BoolArray
    totals: FloatArray


class OverweightTable(NamedTuple):
    """The symbols of both sides with their ratios as parallel columns, sorted by overweight.

    ``values`` contains their costs in stored units. Ratios are fractions, or NaN if undefined. ``only_baseline`` and
    ``only_target`` are the symbols that exist on one side only, sorted by descending cost.
    """

    values: Values
    symbol: IntArray
    responsibility: FloatArray
    overweight: FloatArray
    interest: IntArray
    only_baseline: IntArray
    only_target: IntArray

    @property
    def total_delta(self) -> float:
        """Target total minus baseline total."""
        return float(self.values.totals[1] - self.values.totals[0])

    @property
    def delta(self) -> FloatArray:
        """Target cost minus baseline cost of each symbol of both sides."""
        before, after = self.values.inclusive[:, self.symbol]
        return np.asarray(after - before)


def _interest(overweight: FloatArray, responsibility: FloatArray, target: FloatArray, target_total: float) -> IntArray:
    points = above(np.abs(overweight), 1.10).astype(np.int64)
    for bar in (0.05, 0.20, 1.00):
        points += above(np.abs(responsibility), bar)
    if target_total > 0:
        for bar in (0.95, 0.75):
            points += below(target / target_total, bar)
    return points


def _heaviest_first(symbols: IntArray, values: FloatArray) -> IntArray:
    return symbols[np.lexsort((symbols, -values[symbols]))]


def _values(comparison: Comparison, dropped: Sequence[int]) -> Values:
    """Return the values of the stacks that contain none of the dropped symbols."""
    tree, runs, symbols = comparison.tree, comparison.runs, len(comparison.symbols)
    if not dropped:
        return Values(
            np.stack(runs.means(comparison.total_value)),
            np.stack(runs.means(comparison.self_value)),
            comparison.present,
            np.stack(runs.means(comparison.run_totals)),
        )
    if tree is None:
        raise ValueError("stacks are needed to drop the stacks of a symbol")
    top = np.sort(tree.topmost())  # sorted, so that memory access is sequential
    gone = tree.below(np.flatnonzero(np.isin(tree.symbol, np.asarray(dropped))))
    inclusive, exclusive, totals = np.zeros((2, symbols)), np.zeros((2, symbols)), np.zeros(2)
    for side, (own, count) in enumerate(((tree.baseline_self, runs.baseline), (tree.target_self, runs.target))):
        left = np.where(gone, 0, own)
        below_rows = tree.totals(left)
        inclusive[side] = added_at(symbols, tree.symbol[top], below_rows[top]) / count
        exclusive[side] = added_at(symbols, tree.symbol[1:], left[1:]) / count
        totals[side] = int(below_rows[0]) / count
    return Values(inclusive, exclusive, inclusive > 0, totals)


def overweight_table(comparison: Comparison, *, dropped: Sequence[int] = ()) -> OverweightTable:
    """Return the table without stacks that contain a dropped symbol. Raises ValueError if stacks are missing."""
    values = _values(comparison, dropped)
    (b, t), (total_b, total_t) = values.inclusive, values.totals.tolist()
    known_b, known_t = values.known
    both = np.flatnonzero((b > 0) & known_t & known_b)
    change, delta = total_t - total_b, (t - b)[both]
    # a single division is rounded correctly, so equal ratios compare as equal
    ratio = delta / b[both]
    if change != 0.0:
        overweight, responsibility = ratio * (total_b / change), delta / change
        order = np.lexsort((-delta, -np.sign(change) * ratio))
    else:
        overweight = responsibility = np.full(len(both), np.nan)
        order = np.argsort(-np.abs(values.exclusive[1] - values.exclusive[0])[both], kind="stable")
    return OverweightTable(
        values,
        both[order],
        responsibility[order],
        overweight[order],
        _interest(overweight, responsibility, t[both], total_t)[order],
        only_baseline=_heaviest_first(np.flatnonzero((b > 0) & ~known_t), b),
        only_target=_heaviest_first(np.flatnonzero((t > 0) & ~(known_b & (b > 0))), t),
    )


def _candidates(table: OverweightTable, options: Mapping[str, Any]) -> BoolArray:
    heavy = at_least(np.abs(table.responsibility), options["responsibility"])
    out_of_scale = (table.responsibility > 0) & above(table.overweight, options["overweight"])
    return np.asarray(heavy & (out_of_scale | (table.responsibility < 0)))


def _is_small(table: OverweightTable, options: Mapping[str, Any], bar: float | None) -> bool:
    """Return whether the total changed by less than the threshold or the noise, which would make ratios unbounded."""
    before, after = table.values.totals.tolist()
    if abs(after - before) < options["min_total_change"] * before:
        return True
    return bar is not None and min(before, after) > 0.0 and abs(math.log(after / before)) < bar


def overweight_kinds(
    table: OverweightTable, options: Mapping[str, Any], sign_of_worse: int, bar: float | None = None
) -> IntArray:
    """Return the kinds before the test of totals limits them. ``bar`` is the noise of the total as a log ratio."""
    kinds = np.full(len(table.symbol), int(Kind.NO_CHANGE), dtype=np.int64)
    if table.total_delta == 0.0 or _is_small(table, options, bar):
        return kinds
    worse = np.sign(table.delta) == sign_of_worse
    weight = np.abs(table.responsibility)
    severe = at_least(weight, options["severe"]) & at_least(np.abs(table.overweight), 2.0)
    plain = at_least(weight, options["plain"])
    candidate = _candidates(table, options)
    kinds = np.where(candidate, directed(Kind.MAYBE_DEGRADATION, worse), kinds)
    kinds = np.where(candidate & plain, directed(Kind.DEGRADATION, worse), kinds)
    return np.where(candidate & plain & severe, directed(Kind.SEVERE_DEGRADATION, worse), kinds)


def pivot_levels(
    comparison: Comparison,
    options: Mapping[str, Any] | None = None,
    bar: float | None = None,
    dropped: tuple[int, ...] = (),
) -> tuple[list[OverweightTable], list[int]]:
    """Drop the stacks of the most interesting candidate and recompute the table, until no candidate is left.

    Return the table before and after each drop, and the dropped pivots. The stacks of the symbols in ``dropped`` are
    excluded from all tables. There is no pivot if the comparison has no stacks, no candidate or an unchanged total.
    """
    chosen = resolved(Overweight(), options or {})
    tables, pivots = [overweight_table(comparison, dropped=dropped)], list[int]()
    while comparison.tree is not None and len(pivots) < chosen["max_pivots"]:
        pivot = _next_pivot(tables[-1], chosen, bar)
        if pivot is None:
            break
        pivots.append(pivot)
        tables.append(overweight_table(comparison, dropped=(*dropped, *pivots)))
    return tables, pivots


def _next_pivot(table: OverweightTable, options: Mapping[str, Any], bar: float | None) -> int | None:
    if table.total_delta == 0.0 or _is_small(table, options, bar):
        return None
    order = np.lexsort((-table.delta, -table.overweight, -table.interest))
    chosen = order[_candidates(table, options)[order]]
    return int(table.symbol[chosen[0]]) if len(chosen) else None


class Overweight:
    """Finds functions whose share of the total's change is larger than their share of the baseline.

    The strategy works on any profile with inclusive costs. Responsibility is a symbol's share of the total's change,
    and overweight is responsibility divided by the symbol's share of the baseline. An overweight of 1.0 means that a
    symbol changed in proportion to the total. In profiles with stacks, the strategy drops the stacks of the most
    interesting symbol and repeats the analysis to find a second cause. The strategy has no confidence value, because it
    explains a change in the total but does not prove one. The strategy therefore reports at most a possible change
    unless the test of totals also finds a change. The strategy fails if the total changed by less than its noise,
    because the ratios are then unbounded. The strategy also reports the callers of a cause. Symbols that exist on one
    side only have no overweight and are listed separately.
    """

    name = "overweight"
    short = "ow"
    family = "S"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("responsibility", 0.05, "smallest share of a candidate in the change of the total", 0.0),
        OptionSpec("overweight", 1.10, "smallest overweight of an interesting candidate", 0.0),
        OptionSpec("plain", 0.20, "smallest responsibility for more than a possible change", 0.0),
        OptionSpec("severe", 0.50, "smallest responsibility at which an overweight of 2 is severe", 0.0),
        OptionSpec("min_total_change", 0.01, "smallest change of the total at which symbols are reported", 0.0),
        OptionSpec("max_pivots", 5, "maximum number of pivots", 0, 100),
    )

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:
        """Return one row per symbol: symbols on both sides sorted by overweight, then symbols on one side only."""
        chosen = resolved(self, options)
        if apart := counts_apart(comparison):
            return not_tested(self, apart)
        bar = noise_bar(comparison, context)
        (table, *_), pivots = pivot_levels(comparison, chosen, bar)
        if table.values.totals[0] <= 0.0:
            return not_tested(self, Reason(ReasonCode.CANNOT_TEST, {"case": "zero_baseline"}))
        gone, new = table.only_baseline, table.only_target
        symbol = np.concatenate([table.symbol, gone, new])
        from_value, to_value = table.values.inclusive[:, symbol]
        unknown = np.full(len(gone) + len(new), np.nan)
        change = table.total_delta or np.nan
        unchanged, small = table.total_delta == 0.0, _is_small(table, chosen, bar)
        shared = overweight_kinds(table, chosen, worse_sign(comparison.metric), bar)
        numbers = np.full(len(comparison.symbols), np.nan)  # the number of each symbol among the pivots, or NaN
        numbers[pivots] = np.arange(1, len(pivots) + 1)
        return Detection(
            strategy=self.name,
            family=self.family,
            subtype="overweight",
            symbol=symbol,
            kind=np.append(shared, [int(Kind.NOT_IN_TARGET)] * len(gone) + [int(Kind.NOT_IN_BASELINE)] * len(new)),
            from_value=from_value,
            to_value=to_value,
            details=Columns(
                OverweightShare,
                {
                    "of": "overweight",
                    "responsibility": (to_value - from_value) / change,
                    "overweight": np.concatenate([table.overweight, unknown]),
                    "interest": np.concatenate([table.interest.astype(np.float64), unknown]),
                    "pivot": numbers[symbol],
                },
            ),
            reasons=[Reason(ReasonCode.NO_RESULT, {"case": "total_unchanged"})] * len(symbol) if unchanged else [],
            flags=["total_small"] * len(symbol) if small and not unchanged else [],
        )


def overweight_document(comparison: Comparison, pivots: Sequence[str] = ()) -> dict[str, Any]:
    """Return the table as JSON data, with ratios as fractions or None. Raises ProfgateError for unknown pivots."""
    bar, dropped = noise_bar(comparison, Context()), _symbols(comparison, pivots)
    (table, *rest), found = pivot_levels(comparison, {}, bar, dropped)
    scale, values, thresholds = comparison.metric.scale, table.values, resolved(Overweight(), {})
    kinds = overweight_kinds(table, thresholds, worse_sign(comparison.metric), bar).tolist()
    if bar is not None:
        thresholds["min_total_change"] = max(thresholds["min_total_change"], bar)
    costs = (*values.inclusive[:, table.symbol], table.delta, *values.exclusive[:, table.symbol])
    names = ("baseline", "target", "delta", "exclusive_baseline", "exclusive_target")
    columns: dict[str, list[Any]] = {
        name: _numbers(cost.tolist(), scale) for name, cost in zip(names, costs, strict=True)
    }
    columns |= {
        "responsibility": list(map(finite, table.responsibility.tolist())),
        "overweight": list(map(finite, table.overweight.tolist())),
        "interest": table.interest.tolist(),
        "kind": [Kind(code).word for code in kinds],
    }
    rows = [_place(comparison, symbol) for symbol in table.symbol.tolist()]
    for row, cells in zip(rows, zip(*columns.values(), strict=True), strict=True):
        row.update(zip(columns, cells, strict=True))
    pivot_rows = [
        {**_place(comparison, pivot), "without": _total(without.values.totals, scale)}
        for pivot, without in zip(found, rest, strict=True)
    ]
    return {
        "schema": "profgate.overweight/1",
        "unit": comparison.metric.unit,
        "all_stacks": _total(comparison.runs.means(comparison.run_totals), scale),
        "dropped": [_place(comparison, symbol) for symbol in dropped],
        "total": _total(values.totals, scale),
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
    table = comparison.symbols
    place = (table.labels[symbol], (table.origins or table.files)[symbol], table.modules[symbol])
    return {"name": table.names[symbol], "file": table.files[symbol], "library": is_library(*place)}


def _total(sides: Sequence[float] | FloatArray, scale: float) -> dict[str, Any]:
    baseline, target = map(float, sides)
    totals = [baseline, target, target - baseline]
    return dict(zip(("baseline", "target", "delta"), _numbers(totals, scale), strict=True))


def _alone(comparison: Comparison, table: OverweightTable, side: str) -> list[dict[str, Any]]:
    """Return the symbols on one side only, which have no overweight. Their entire values count as their changes."""
    target = side == "target"
    symbols = (table.only_target if target else table.only_baseline).tolist()
    values = table.values.inclusive[int(target), symbols].tolist()
    change = table.total_delta if target else -table.total_delta
    return [
        {**_place(comparison, symbol), side: number, "responsibility": finite(value / change) if change else None}
        for symbol, value, number in zip(symbols, values, _numbers(values, comparison.metric.scale), strict=True)
    ]
