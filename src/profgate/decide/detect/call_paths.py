"""Costs of callers and their subtrees, which show whether other costs offset a detected change."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.comparison import WHOLE, Comparison, DiffTree


class Enclosing(NamedTuple):
    """A caller, or the run (`WHOLE`), with the costs by run of its subtree and of the location inside of it."""

    symbol: int
    cost: FloatArray
    inside: FloatArray

    @property
    def rest(self) -> FloatArray:
        """Cost of the subtree without the location, with one value per run."""
        return self.cost - self.inside


def call_paths(comparison: Comparison, factors: FloatArray) -> "CallPaths":
    """Return the callers from the stacks or, without stacks, the call graph. Costs are divided by the run's factor."""
    tree = comparison.tree
    if tree is None or tree.run_self is None:
        return _GraphPaths(comparison, factors)
    return _TreePaths(comparison, tree, tree.run_self, factors)


class _TreePaths:
    def __init__(self, comparison: Comparison, tree: DiffTree, run_self: IntArray, factors: FloatArray) -> None:
        self._tree, self._factors, self._split = tree, factors, comparison.runs.baseline
        waits = np.append(comparison.waiting, False)[tree.symbol]
        self._own = np.where(waits, 0, run_self) if waits.any() else run_self
        self._sums = np.zeros((len(self._own), len(tree) + 1))
        np.cumsum(self._own, axis=1, out=self._sums[:, 1:])

    def enclosing(self, symbol: int, sign: int, *, subtree: bool) -> Iterator[Enclosing]:
        """Yield the callers from the nearest to the whole run, along the path on which the location changed most.

        If ``subtree`` is true, the location is the function with everything below it. Otherwise, the location is the
        self cost of the function, and the subtree of the function is yielded first.
        """
        tree, rows = self._tree, self._rows(symbol)
        outermost = tree.topmost(rows)
        rows = outermost if subtree else rows
        inside = self._below(rows) if subtree else self._own[:, rows] / self._factors[:, None]
        change = sign * (inside[self._split :].mean(axis=0) - inside[: self._split].mean(axis=0))
        row = int(rows[np.argmax(change)])
        if not subtree:
            yield Enclosing(symbol, self._below(outermost).sum(axis=1), inside.sum(axis=1))
        # callers farther away do not help to explain a change
        for _ in range(200):
            row = int(tree.parent[row])
            if row < 0:
                return
            caller = int(tree.symbol[row]) if row else WHOLE
            if caller != symbol:
                within = (rows >= row) & (rows < tree.end[row])
                yield Enclosing(caller, self._below(np.array([row]))[:, 0], inside[:, within].sum(axis=1))

    def explained(self, outer: int, parts: list[tuple[int, bool]]) -> FloatArray:
        """Return the cost by run of (symbol, whether with its subtree) pairs below a function or `WHOLE`."""
        covered = np.zeros(len(self._tree), np.bool_)
        for symbol, subtree in parts:
            covered |= self._tree.below(self._rows(symbol)) if subtree else self._tree.symbol == symbol
        if outer != WHOLE:
            covered &= self._tree.below(self._rows(outer))
        return np.asarray(self._own[:, covered].sum(axis=1) / self._factors)

    def _rows(self, symbol: int) -> IntArray:
        return np.flatnonzero(self._tree.symbol == symbol)

    def _below(self, rows: IntArray) -> FloatArray:
        """Return the costs of the subtrees of these rows in each run."""
        sums = self._sums[:, self._tree.end[rows]] - self._sums[:, rows]
        return np.asarray(sums / self._factors[:, None])


class _GraphPaths:
    def __init__(self, comparison: Comparison, factors: FloatArray) -> None:
        self._comparison, self._factors = comparison, factors

    def enclosing(self, symbol: int, sign: int, *, subtree: bool) -> Iterator[Enclosing]:
        """Yield the caller whose calls to the location changed most, followed by the whole run."""
        comparison, edges = self._comparison, self._comparison.edges
        inside = self.explained(WHOLE, [(symbol, subtree)])
        if edges is not None:
            calls = np.flatnonzero((edges.callee == symbol) & (edges.caller != symbol))
            if len(calls):
                before, after = edges.baseline_total[calls], edges.target_total[calls]
                change = sign * (after / comparison.runs.target - before / comparison.runs.baseline)
                caller = int(edges.caller[calls[np.argmax(change)]])
                yield Enclosing(caller, comparison.total_value[:, caller] / self._factors, inside)
        yield Enclosing(WHOLE, comparison.run_totals / self._factors, inside)

    def explained(self, outer: int, parts: list[tuple[int, bool]]) -> FloatArray:  # noqa: ARG002 - edges have no paths
        values = self._comparison.self_value, self._comparison.total_value
        return (
            sum((values[subtree][:, symbol] for symbol, subtree in parts), np.zeros(len(self._factors))) / self._factors
        )


CallPaths = _TreePaths | _GraphPaths


def known_caller(paths: CallPaths, symbol: int, known: BoolArray) -> tuple[int, int]:
    """Return the nearest known caller (or `WHOLE`) on the most expensive path to a new function, and its callee."""
    callee = symbol
    for enclosing in paths.enclosing(symbol, 1, subtree=True):
        if enclosing.symbol == WHOLE or known[enclosing.symbol]:
            return enclosing.symbol, callee
        callee = enclosing.symbol
    return WHOLE, callee
