"""Estimate a call tree from a call graph, for formats with callers and callees but without stacks.

The cost of a function is divided among its callers in proportion to the costs of the call edges. The costs of paths
that exceed the size limits are placed below a separate row, so that the self values of each function add up exactly.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from profgate.model.call_tree import tree_of
from profgate.model.comparison import CallEdges, DiffTree
from profgate.model.record import Record

if TYPE_CHECKING:
    from profgate.model.arrays import BoolArray, FloatArray, IntArray

NOT_UNROLLED = "(calls not unrolled)"
MAX_ROWS = 20_000
MAX_DEPTH = 200
SMALLEST_SHARE = 1e-5  # minimum share of the total of either side


def unroll(edges: CallEdges, own: IntArray, total: IntArray, keep: Collection[int] = ()) -> DiffTree:
    """Estimate the call tree from self values (``own``) and total values of both sides.

    The first unused symbol number stands for `NOT_UNROLLED`.

    Both are int64 arrays with one line for the baseline, one line for the target, and one element per symbol.
    The cost of recursive calls belongs to the first call. Symbols in ``keep`` are included regardless of their size.
    """
    graph = _Graph(edges, own, total, keep)
    paths, start = graph.entries(), 1
    for _ in range(MAX_DEPTH - 1):
        callers = np.arange(start, len(paths.parent))
        if not len(callers) or len(paths.parent) > MAX_ROWS:
            break
        start = len(paths.parent)
        paths = graph.with_calls(paths, callers)
    return _columns(paths, own)


class _Paths(Record, eq=False):
    """Call paths as columns with one element per row, root first.

    ``part`` is the fraction of the function's cost that belongs to the path, and ``calls`` is the number of calls. Both
    have one line per side.
    """

    parent: IntArray
    symbol: IntArray
    part: FloatArray
    calls: FloatArray


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

    def entries(self) -> _Paths:
        """Return the functions called from outside the recording and the cost of these calls."""
        incoming = np.stack([np.bincount(self.callee, line, self.symbols) for line in self.cost])
        called = np.stack([np.bincount(self.callee, line, self.symbols) for line in self.calls])
        uncalled = np.bincount(self.callee, minlength=self.symbols) == 0
        outside = np.maximum(self.total - incoming, 0.0)
        calls = np.maximum(self.symbol_calls - called, 0.0)
        every, below_root = np.arange(self.symbols), np.zeros(self.symbols, np.int64)
        part = np.where(uncalled, 1.0, np.where(calls > 0, self._share(outside, calls, every), 0.0))
        part[(self.total == 0) & (self.own == 0)] = 0.0
        root = _Paths(np.array([-1]), np.array([-1]), np.zeros((2, 1)), np.zeros((2, 1)))
        paths = self._with(root, below_root, every, part, calls)
        if len(paths.parent) > 1 or not self.symbols:
            return paths
        # if every function has a caller, the function with the largest total serves as the entry point
        entry = np.array([np.argmax((self.total / self.whole[:, None]).max(axis=0))])
        return self._with(root, below_root[:1], entry, np.ones((2, 1)), np.ones((2, 1)))

    def with_calls(self, paths: _Paths, callers: IntArray) -> _Paths:
        """Extend the paths by the non-recursive calls from the rows in ``callers``."""
        symbol = paths.symbol[callers]
        counts = self.first[symbol + 1] - self.first[symbol]
        caller = np.repeat(callers, counts)
        edge = np.arange(len(caller)) - np.repeat(np.cumsum(counts) - counts, counts)
        edge += np.repeat(self.first[symbol], counts)
        fresh = ~_on_path(self.callee[edge], caller, paths)
        caller, edge = caller[fresh], edge[fresh]
        cost, calls = paths.part[:, caller] * self.cost[:, edge], paths.part[:, caller] * self.calls[:, edge]
        return self._with(paths, caller, self.callee[edge], self._share(cost, calls, self.callee[edge]), calls)

    def _share(self, cost: FloatArray, calls: FloatArray, symbol: IntArray) -> FloatArray:
        """Return the fraction of the function's cost or, if that cost is zero, the fraction of its calls."""
        total, counted = self.total[:, symbol], self.symbol_calls[:, symbol]
        by_calls = np.divide(calls, counted, out=np.zeros_like(calls), where=counted > 0)
        share = np.divide(cost, total, out=by_calls, where=total > 0)
        return np.minimum(share, 1.0)

    def _with(self, paths: _Paths, parent: IntArray, symbol: IntArray, part: FloatArray, calls: FloatArray) -> _Paths:
        """Append those of the given rows that are large enough or in ``keep``, up to the maximum number of rows."""
        weight = (part * self.total[:, symbol] / self.whole[:, None]).max(axis=0, initial=0.0)
        shown = np.flatnonzero((weight >= SMALLEST_SHARE) | (self.kept[symbol] & (part > 0).any(axis=0)))
        largest = np.sort(shown[np.argsort(-weight[shown], kind="stable")[: MAX_ROWS + 1 - len(paths.parent)]])
        return _Paths(
            np.concatenate([paths.parent, parent[largest]]),
            np.concatenate([paths.symbol, symbol[largest]]),
            np.concatenate([paths.part, part[:, largest]], axis=1),
            np.concatenate([paths.calls, calls[:, largest]], axis=1),
        )


def _on_path(callee: IntArray, row: IntArray, paths: _Paths) -> BoolArray:
    """Return whether each callee is the function of its row or of an ancestor of its row."""
    found: BoolArray = callee == paths.symbol[row]
    while row.any():
        row = paths.parent[row]
        found |= callee == paths.symbol[row]
    return found


def _columns(paths: _Paths, own: IntArray) -> DiffTree:
    parent, symbol, part, calls = paths.parent, paths.symbol, paths.part, paths.calls
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
    tree, order = tree_of(parent, symbol)
    values, counted = values[:, order], np.rint(calls[:, order]).astype(np.int64)
    totals = [tree.totals(side) for side in values]
    return DiffTree(tree.parent, tree.symbol, tree.depth, tree.end, *values, *totals, *counted)


def _split(symbol: IntArray, part: FloatArray, own: IntArray) -> tuple[IntArray, IntArray]:
    """Divide the self values of functions among their rows in proportion to ``part``.

    The first array contains the values of the rows, and the second array the remaining value of each symbol.
    """
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
    # what is left by rounding goes to the largest row
    small = left[of_largest] <= np.bincount(of, minlength=len(own))[of_largest] + own[of_largest] * 1e-6
    values[largest[small]] += left[of_largest[small]]
    left[of_largest[small]] = 0
    return values, left
