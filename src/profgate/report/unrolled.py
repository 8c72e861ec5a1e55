"""A call graph unrolled into an estimated tree, for formats that know callers and callees and no stacks.

A function's costs are split over its callers by what each call edge cost. What the bounds leave out stands below one
row of its own, so that every function keeps exactly its self value.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray, IntArray, RowArray
from profgate.model.comparison import CallEdges

NOT_UNROLLED = "(calls not unrolled)"
MAX_ROWS = 20_000
MAX_DEPTH = 200
SMALLEST_SHARE = 1e-5  # of either side's total
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Unrolled:
    """The estimated tree as columns over its rows; the symbol behind the last one is `NOT_UNROLLED`."""

    parent: RowArray
    symbol: RowArray
    baseline_self: IntArray
    target_self: IntArray
    baseline_calls: IntArray
    target_calls: IntArray


def unroll(edges: CallEdges, own: IntArray, total: IntArray, keep: Collection[int] = ()) -> Unrolled:
    """The tree of all calls from the outside; int64[2, symbol] own and total values, baseline first.

    A call of a function that is on the path already is not followed: its cost is in the first one's value. Symbols in
    ``keep`` are shown however small they are.
    """
    graph = _Graph(edges, own, total, keep)
    level = graph.entries()
    parts = [level]
    rows, start, depth = len(level.symbol), 1, 1
    while len(level.symbol) and rows < MAX_ROWS and depth < MAX_DEPTH:
        level = graph.below(level, start, parts).largest(MAX_ROWS - rows)
        start = 1 + rows
        rows += len(level.symbol)
        parts.append(level)
        depth += 1
    return _columns(parts, own)


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """Call paths of one length: their parents' rows, float64[2, path] parts of the function's activity, and calls."""

    parent: IntArray
    symbol: IntArray
    part: FloatArray
    calls: FloatArray
    weight: FloatArray

    def taken(self, places: IntArray | BoolArray) -> "_Level":
        return _Level(
            self.parent[places], self.symbol[places], self.part[:, places], self.calls[:, places], self.weight[places]
        )

    def largest(self, count: int) -> "_Level":
        if len(self.symbol) <= count:
            return self
        return self.taken(np.sort(np.argsort(-self.weight, kind="stable")[:count]))


class _Graph:
    def __init__(self, edges: CallEdges, own: IntArray, total: IntArray, keep: Collection[int]) -> None:
        forward = edges.caller != edges.callee
        self.caller, self.callee = edges.caller[forward], edges.callee[forward]
        self.cost = np.stack([edges.baseline_total, edges.target_total])[:, forward].astype(np.float64)
        self.calls = np.stack([edges.baseline_calls, edges.target_calls])[:, forward].astype(np.float64)
        self.symbol_calls = np.stack([edges.baseline_symbol_calls, edges.target_symbol_calls]).astype(np.float64)
        self.own, self.total = own.astype(np.float64), total.astype(np.float64)
        self.whole = np.maximum(own.sum(axis=1, dtype=np.float64), 1.0)
        self.symbols = own.shape[1]
        self.kept = np.isin(np.arange(self.symbols), np.fromiter(keep, np.int64, len(keep)))
        self.first = np.searchsorted(self.caller, np.arange(self.symbols + 1))

    def entries(self) -> _Level:
        """Functions that were called from outside of the recording, with what no caller explains."""
        incoming = np.stack([np.bincount(self.callee, line, self.symbols) for line in self.cost])
        called = np.stack([np.bincount(self.callee, line, self.symbols) for line in self.calls])
        nobody = np.bincount(self.callee, minlength=self.symbols) == 0
        outside = np.maximum(self.total - incoming, 0.0)
        calls = np.maximum(self.symbol_calls - called, 0.0)
        part = np.where(nobody, 1.0, np.where(calls > 0, self._share(outside, calls, np.arange(self.symbols)), 0.0))
        part[(self.total == 0) & (self.own == 0)] = 0.0
        entries = self._level(np.zeros(self.symbols, np.int64), np.arange(self.symbols), part, calls)
        return entries if len(entries.symbol) else self._largest_cycle()

    def _largest_cycle(self) -> _Level:
        """Where every function has a caller, the one with the largest total is taken for the entry."""
        entry = np.array([int(np.argmax((self.total / self.whole[:, None]).max(axis=0)))] if self.symbols else [])
        places = entry.astype(np.int64)
        return self._level(
            np.zeros(len(places), np.int64), places, np.ones((2, len(places))), np.ones((2, len(places)))
        )

    def below(self, level: _Level, start: int, parts: list[_Level]) -> _Level:
        """The calls that the paths of one level make, without recursion; its first row is ``start``."""
        counts = self.first[level.symbol + 1] - self.first[level.symbol]
        caller = np.repeat(np.arange(len(level.symbol)), counts)
        edge = np.arange(len(caller)) - np.repeat(np.cumsum(counts) - counts, counts)
        edge += np.repeat(self.first[level.symbol], counts)
        fresh = ~_on_path(self.callee[edge], level, caller, parts)
        caller, edge = caller[fresh], edge[fresh]
        cost, calls = level.part[:, caller] * self.cost[:, edge], level.part[:, caller] * self.calls[:, edge]
        part = self._share(cost, calls, self.callee[edge])
        return self._level(start + caller, self.callee[edge], part, calls)

    def _share(self, cost: FloatArray, calls: FloatArray, symbol: IntArray) -> FloatArray:
        """Which part of a function's activity this cost is; by calls where no time was measured."""
        total, counted = self.total[:, symbol], self.symbol_calls[:, symbol]
        by_calls = np.divide(calls, counted, out=np.zeros_like(calls), where=counted > 0)
        share = np.divide(cost, total, out=by_calls, where=total > 0)
        return np.minimum(share, 1.0)

    def _level(self, parent: IntArray, symbol: IntArray, part: FloatArray, calls: FloatArray) -> _Level:
        weight = (part * self.total[:, symbol] / self.whole[:, None]).max(axis=0, initial=0.0)
        shown = (weight >= SMALLEST_SHARE) | (self.kept[symbol] & (part > 0).any(axis=0))
        return _Level(parent, symbol, part, calls, weight).taken(shown)


def _on_path(callee: IntArray, level: _Level, caller: IntArray, parts: list[_Level]) -> BoolArray:
    """Whether the callee is among the callers already; walks all paths towards the root at once."""
    found: BoolArray = callee == level.symbol[caller]
    above = level.parent[caller]
    start = 1 + sum(len(part.symbol) for part in parts) - len(level.symbol)
    for part in reversed(parts[:-1]):
        start -= len(part.symbol)
        place = above - start
        found |= callee == part.symbol[place]
        above = part.parent[place]
    return found


def _columns(parts: list[_Level], own: IntArray) -> Unrolled:
    parent = np.concatenate([[-1], *(part.parent for part in parts)])
    symbol = np.concatenate([[-1], *(part.symbol for part in parts)])
    part = np.concatenate([np.zeros((2, 1)), *(one.part for one in parts)], axis=1)
    calls = np.concatenate([np.zeros((2, 1)), *(one.calls for one in parts)], axis=1)
    values = np.zeros(part.shape, np.int64)
    left = np.zeros_like(own)
    for side in range(2):
        values[side], left[side] = _split(symbol, part[side], own[side])
    rest = np.flatnonzero(left.any(axis=0))
    if len(rest):
        rows = len(parent)
        parent = np.concatenate([parent, [0], np.full(len(rest), rows)])
        symbol = np.concatenate([symbol, [own.shape[1]], rest])
        values = np.concatenate([values, np.zeros((2, 1), np.int64), left[:, rest]], axis=1)
        calls = np.concatenate([calls, np.zeros((2, 1 + len(rest)))], axis=1)
    counted = np.rint(calls).astype(np.int64)
    return Unrolled(parent.astype(np.int32), symbol.astype(np.int32), values[0], values[1], counted[0], counted[1])


def _split(symbol: IntArray, part: FloatArray, own: IntArray) -> tuple[IntArray, IntArray]:
    """A function's self value over its rows by their parts, and int64[symbol] what remains; nothing is lost."""
    rows = np.arange(1, len(symbol))
    of = symbol[1:]
    parts = np.bincount(of, part[1:], len(own))
    shares = part[1:] / np.maximum(parts, 1.0)[of]
    values = np.zeros(len(symbol), np.int64)
    values[1:] = np.floor(shares * own[of]).astype(np.int64)
    left = own.copy()
    np.subtract.at(left, of, values[1:])
    order = rows[np.lexsort((-part[1:], of))]
    first = order[np.flatnonzero(np.r_[True, symbol[order][1:] != symbol[order][:-1]])] if len(order) else order
    largest = first[part[first] > 0]
    of_largest = symbol[largest]
    small = left[of_largest] <= np.bincount(of, minlength=len(own))[of_largest] + own[of_largest] * _ROUNDING
    values[largest[small]] += left[of_largest[small]]
    left[of_largest[small]] = 0
    return values, left
