"""Overweight analysis: which symbols carry more of the total's change than their size explains."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from profgate.detect.base import cannot_tell, directed, resolved, side_means, worse_sign
from profgate.detect.sampling import counts_apart
from profgate.detect.totals import noise_bar
from profgate.model.arrays import BoolArray, FloatArray, IntArray, RowArray
from profgate.model.call_tree import topmost_rows
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison, DiffTree
from profgate.model.kinds import Kind
from profgate.statistics.thresholds import above, at_least, below


@dataclass(frozen=True, slots=True, eq=False)
class OverweightTable:
    """Symbols that both sides know, by overweight, as parallel columns; means over runs in stored units.

    ``symbol`` and ``interest`` int64[row], the rest float64[row]; ratios are fractions and NaN where undefined.
    ``only_baseline`` and ``only_target`` int64 are the symbols of one side, heaviest first, with their inclusive
    values beside them. ``baseline_total`` and ``target_total`` are the sides' totals.
    """

    symbol: IntArray
    baseline: FloatArray
    target: FloatArray
    delta: FloatArray
    responsibility: FloatArray
    overweight: FloatArray
    interest: IntArray
    exclusive_baseline: FloatArray
    exclusive_target: FloatArray
    only_baseline: IntArray
    only_baseline_value: FloatArray
    only_target: IntArray
    only_target_value: FloatArray
    baseline_total: float
    target_total: float

    @property
    def total_delta(self) -> float:
        """Target total - baseline total."""
        return self.target_total - self.baseline_total

    def by_interest(self) -> IntArray:
        """Rows in the alternative order: interest, then overweight, then delta, all descending."""
        return np.lexsort((-self.delta, -self.overweight, -self.interest))


@dataclass(frozen=True, slots=True, eq=False)
class PivotLevel:
    """One step of the recursion: the table without the dropped symbols' stacks, and the next pivot (None = last)."""

    dropped: tuple[int, ...]
    table: OverweightTable
    pivot: int | None


@dataclass(frozen=True, slots=True, eq=False)
class _Values:
    """Inclusive and exclusive means by symbol, who is known, and totals."""

    inclusive: tuple[FloatArray, FloatArray]
    exclusive: tuple[FloatArray, FloatArray]
    known: tuple[BoolArray, BoolArray]
    totals: tuple[float, float]


def _whole(comparison: Comparison) -> _Values:
    present = np.asarray(comparison.present, dtype=np.bool_)
    totals = side_means(comparison, comparison.run_totals)
    return _Values(
        side_means(comparison, comparison.total_value),
        side_means(comparison, comparison.self_value),
        (present[0], present[1]),
        (float(totals[0]), float(totals[1])),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _StackValues:
    """The overlaid tree in pre-order, where the rows below a row follow it and memory is read in order.

    ``symbol`` and ``after`` int64[row], the end of the row's subtree; ``own`` int64[row] of each side. ``topmost``
    int64 are the rows that lie below no other row of their symbol. Row 0 is the root, whose symbol is -1.
    """

    symbol: IntArray
    after: IntArray
    own: tuple[IntArray, IntArray]
    topmost: IntArray

    @classmethod
    def of(cls, tree: DiffTree) -> "_StackValues":
        """The rows of a tree, ordered once for any number of drops."""
        columns = [np.empty(len(tree.symbol), np.int64) for _ in range(4)]
        values: tuple[RowArray | IntArray, ...]
        values = (tree.symbol, tree.pre + tree.size, tree.baseline_self, tree.target_self)
        for column, unordered in zip(columns, values, strict=True):
            column[tree.pre] = unordered
        symbol, after, baseline, target = columns
        topmost = np.sort(tree.pre[topmost_rows(tree.symbol, tree.pre, tree.size)])
        return cls(symbol, after, (baseline, target), topmost)

    def gone(self, dropped: Sequence[int]) -> BoolArray:
        """bool[row]: at or below a row of a dropped symbol."""
        tops = np.flatnonzero(np.isin(self.symbol, np.asarray(dropped)))
        steps = np.zeros(len(self.symbol) + 1, np.int64)
        np.add.at(steps, tops, 1)
        np.add.at(steps, self.after[tops], -1)
        return np.asarray(np.cumsum(steps)[:-1] > 0)

    def without(self, gone: BoolArray, side: int, symbols: int) -> tuple[IntArray, IntArray, int]:
        """Inclusive and exclusive int64[symbol] of one side without the rows that are gone, and the total."""
        kept = np.where(gone, 0, self.own[side])
        running = np.concatenate([[0], np.cumsum(kept)])
        inclusive, exclusive = np.zeros(symbols, np.int64), np.zeros(symbols, np.int64)
        below = running[self.after[self.topmost]] - running[self.topmost]
        np.add.at(inclusive, self.symbol[self.topmost], below)
        np.add.at(exclusive, self.symbol[1:], kept[1:])
        return inclusive, exclusive, int(running[-1])


def _without(comparison: Comparison, stacks: _StackValues, dropped: Sequence[int]) -> _Values:
    """Values of the stacks that contain none of the dropped symbols."""
    runs = (comparison.runs.baseline, comparison.runs.target)
    gone = stacks.gone(dropped)
    before, after = (stacks.without(gone, side, len(comparison.symbols)) for side in (0, 1))
    inclusive = (before[0] / runs[0], after[0] / runs[1])
    return _Values(
        inclusive,
        (before[1] / runs[0], after[1] / runs[1]),
        (inclusive[0] > 0, inclusive[1] > 0),
        (before[2] / runs[0], after[2] / runs[1]),
    )


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


def _table(comparison: Comparison, values: _Values) -> OverweightTable:
    b, t = values.inclusive
    total_b, total_t = values.totals
    known_b, known_t = values.known
    both = np.flatnonzero((b > 0) & known_t & known_b)
    seen = comparison.first_seen if comparison.first_seen is not None else np.arange(len(comparison.symbols))
    change = total_t - total_b
    delta = t - b
    # d/b is correctly rounded, so equal ratios tie exactly; every other order of operations loses ties
    ratio = delta[both] / b[both]
    if change != 0.0:
        overweight = ratio * (total_b / change)
        responsibility = delta[both] / change
        order = np.lexsort((seen[both], -delta[both], -np.sign(change) * ratio))
    else:
        overweight = np.full(len(both), np.nan)
        responsibility = overweight.copy()
        own_b, own_t = values.exclusive
        order = np.lexsort((seen[both], -np.abs(own_t - own_b)[both]))
    symbol = both[order]
    only_b = _heaviest_first(np.flatnonzero((b > 0) & ~known_t), b)
    only_t = _heaviest_first(np.flatnonzero((t > 0) & ~(known_b & (b > 0))), t)
    return OverweightTable(
        symbol=symbol,
        baseline=b[symbol],
        target=t[symbol],
        delta=delta[symbol],
        responsibility=responsibility[order],
        overweight=overweight[order],
        interest=_interest(overweight[order], responsibility[order], t[symbol], total_t),
        exclusive_baseline=values.exclusive[0][symbol],
        exclusive_target=values.exclusive[1][symbol],
        only_baseline=only_b,
        only_baseline_value=b[only_b],
        only_target=only_t,
        only_target_value=t[only_t],
        baseline_total=total_b,
        target_total=total_t,
    )


def overweight_table(comparison: Comparison, *, dropped: Sequence[int] = ()) -> OverweightTable:
    """The table of one comparison without the stacks that contain a dropped symbol.

    Dropping needs ``comparison.tree``; without one (formats that have no stacks) `ValueError`.
    """
    if not dropped:
        return _table(comparison, _whole(comparison))
    if comparison.tree is None:
        raise ValueError("stacks are needed to drop the stacks of a symbol")
    return _table(comparison, _without(comparison, _StackValues.of(comparison.tree), dropped))


def _candidates(table: OverweightTable, options: Mapping[str, Any]) -> BoolArray:
    heavy = at_least(np.abs(table.responsibility), options["responsibility"])
    same = np.sign(table.delta) == np.sign(table.total_delta)
    opposed = np.sign(table.delta) == -np.sign(table.total_delta)
    result: BoolArray = heavy & ((same & above(table.overweight, options["overweight"])) | opposed)
    return result


def _is_small(table: OverweightTable, options: Mapping[str, Any], bar: float | None) -> bool:
    """Whether the total moved so little that both ratios explode: less than the option says, or than its noise."""
    if abs(table.total_delta) < options["min_total_change"] * table.baseline_total:
        return True
    return (
        bar is not None and table.target_total > 0.0 and abs(math.log(table.target_total / table.baseline_total)) < bar
    )


def overweight_kinds(
    table: OverweightTable, options: Mapping[str, Any], sign_of_worse: int, bar: float | None = None
) -> IntArray:
    """int64[row] of the table's kinds, not capped by the word on the total; ``bar`` is its noise as ln ratio."""
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
) -> tuple[PivotLevel, ...]:
    """The recursion: drop the stacks of the first candidate in order of interest, and look again.

    The first level is without the stacks of the symbols that are ``dropped`` already.

    One level without pivot where the comparison has no stacks, no candidate or an unchanged total.
    """
    chosen = resolved(Overweight(), options or {})
    tree = comparison.tree
    levels: list[PivotLevel] = []
    stacks: _StackValues | None = None
    while True:
        if tree is None or not dropped:
            table = overweight_table(comparison, dropped=dropped)
        else:
            stacks = stacks or _StackValues.of(tree)
            table = _table(comparison, _without(comparison, stacks, dropped))
        pivot = None
        if tree is not None and len(levels) < chosen["max_pivots"]:
            pivot = _next_pivot(table, chosen, bar)
        levels.append(PivotLevel(dropped, table, pivot))
        if pivot is None:
            return tuple(levels)
        dropped = (*dropped, pivot)


def _next_pivot(table: OverweightTable, options: Mapping[str, Any], bar: float | None) -> int | None:
    if table.total_delta == 0.0 or _is_small(table, options, bar):
        return None
    order = table.by_interest()
    chosen = order[_candidates(table, options)[order]]
    return int(table.symbol[chosen[0]]) if len(chosen) else None


def _level_columns(levels: Sequence[PivotLevel], symbol: IntArray, symbols: int) -> dict[str, FloatArray]:
    """float64[row] by name: the place of a pivot among the pivots, and the ratios of each level below the first."""
    pivots = [level.pivot for level in levels if level.pivot is not None]
    if not pivots:
        return {}
    place = np.full(symbols, np.nan)
    place[pivots] = np.arange(1, len(pivots) + 1)
    columns = {"pivot": place[symbol]}
    for number, level in enumerate(levels[1:], start=2):
        for name, values in (("responsibility", level.table.responsibility), ("overweight", level.table.overweight)):
            column = np.full(symbols, np.nan)
            column[level.table.symbol] = values
            columns[f"{name}_{number}"] = column[symbol]
    return columns


class Overweight:
    """Finds the symbols that carry the total's change: responsibility for it, divided by their share of the baseline.

    Works on any profile with inclusive costs; 1.0 means that a symbol changed as the whole did. Where there are stacks
    it drops those of the most interesting symbol and looks again, so that a second cause shows. It states no
    confidence: it explains a change of the total and does not establish one, so its words stay weak until the test
    of totals calls the total changed. It fails where the total moved less than its noise, because both ratios explode
    there, and it points at the callers of a cause too. Symbols of one side have no overweight and stand apart.
    """

    name = "overweight"
    short = "ow"
    family = "S"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("responsibility", 0.05, "smallest share of the total's change for a candidate", 0.0),
        OptionSpec("overweight", 1.10, "overweight above which a candidate stands out", 0.0),
        OptionSpec("plain", 0.20, "responsibility from which a candidate is more than a maybe", 0.0),
        OptionSpec("severe", 0.50, "responsibility from which an overweight of 2 is severe", 0.0),
        OptionSpec("min_total_change", 0.01, "change of the total below which nothing is called changed", 0.0),
        OptionSpec("max_pivots", 5, "levels of the pivot recursion", 0, 100),
    )

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:
        """One row for each symbol by overweight, then symbols of one side; statistics as fractions.

        ``pivot`` numbers the symbols whose stacks were dropped; ``overweight_2`` is what is left at the second level,
        without the stacks of the first pivot, and so on.
        """
        chosen = resolved(self, options)
        if apart := counts_apart(comparison):
            return cannot_tell(self, chosen, (apart,))
        bar = noise_bar(comparison, context)
        levels = pivot_levels(comparison, chosen, bar)
        table = levels[0].table
        if table.baseline_total <= 0.0:
            return cannot_tell(self, chosen, ("the baseline's total is zero",))
        gone, new = table.only_baseline, table.only_target
        symbol = np.concatenate([table.symbol, gone, new])
        from_value = np.concatenate([table.baseline, table.only_baseline_value, np.zeros(len(new))])
        to_value = np.concatenate([table.target, np.zeros(len(gone)), table.only_target_value])
        unknown = np.full(len(gone) + len(new), np.nan)
        change = table.total_delta or np.nan
        facts: dict[str, Any] = {}
        if table.total_delta == 0.0:
            facts["reason"] = "total unchanged"
        elif _is_small(table, chosen, bar):
            facts["flags"] = ["total_small"]
        return Detection(
            strategy=self.name,
            family=self.family,
            subtype="overweight",
            options=chosen,
            symbol=symbol,
            kind=np.concatenate(
                [
                    overweight_kinds(table, chosen, worse_sign(comparison.metric), bar),
                    np.full(len(gone), int(Kind.NOT_IN_TARGET), dtype=np.int64),
                    np.full(len(new), int(Kind.NOT_IN_BASELINE), dtype=np.int64),
                ]
            ),
            from_value=from_value,
            to_value=to_value,
            confidence_types=["none"] * len(symbol),
            confidence=np.full(len(symbol), np.nan),
            statistics={
                "responsibility": (to_value - from_value) / change,
                "overweight": np.concatenate([table.overweight, unknown]),
                "interest": np.concatenate([table.interest.astype(np.float64), unknown]),
                **_level_columns(levels, symbol, len(comparison.symbols)),
            },
            facts=facts,
        )
