"""Whether a found change is a change of the program: what its callers cost when everything below them is added up."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from profgate.detect.location_costs import WHOLE
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.comparison import Comparison

OFFSET = 0.5  # part of a change by which the rest of a subtree has to move against it
MOST_STEPS = 200  # callers on the way to the run


@dataclass(frozen=True, slots=True, eq=False)
class Enclosing:
    """A caller: its symbol (`WHOLE` for the run), float64[run] cost of the subtree and of the location inside it."""

    symbol: int
    cost: FloatArray
    inside: FloatArray

    @property
    def rest(self) -> FloatArray:
        """float64[run]: the subtree without the location."""
        return self.cost - self.inside


class CallPaths:
    """The callers of locations with the cost of their subtrees in every run of both sides."""

    def __init__(self, comparison: Comparison, factors: FloatArray) -> None:
        self._comparison = comparison
        self._factors = factors
        self._split = comparison.runs.baseline
        tree = comparison.tree
        if tree is not None and tree.run_self is not None:
            waiting = comparison.waiting
            waits = np.zeros(len(tree.pre), np.bool_) if waiting is None else np.append(waiting, False)[tree.symbol]
            self._own: IntArray = np.where(waits, 0, tree.run_self) if waits.any() else tree.run_self
            order = np.argsort(tree.pre)
            self._sums = np.zeros((len(self._own), len(order) + 1))
            np.cumsum(self._own[:, order], axis=1, out=self._sums[:, 1:])

    def enclosing(self, symbol: int, sign: int, *, subtree: bool) -> Iterator[Enclosing]:
        """Callers from the nearest to the run, along the path on which the location changed most.

        ``subtree``: the location is the function with everything below it; else it is the function's self cost, and
        the first subtree is the function's own.
        """
        tree = self._comparison.tree
        if tree is None or tree.run_self is None:
            yield from self._of_graph(symbol, sign, subtree=subtree)
            return
        rows = self._rows_of(symbol, subtree=subtree)
        inside = self._below(rows) if subtree else self._own[:, rows] / self._factors[:, None]
        change = sign * (inside[self._split :].mean(axis=0) - inside[: self._split].mean(axis=0))
        row = int(rows[np.argmax(change)])
        if not subtree:
            outermost = self._rows_of(symbol, subtree=True)
            yield Enclosing(symbol, self._below(outermost).sum(axis=1), inside.sum(axis=1))
        for _ in range(MOST_STEPS):
            row = int(tree.parent[row])
            if row < 0:
                return
            caller = int(tree.symbol[row]) if row else WHOLE
            if caller == symbol:
                continue
            first, last = int(tree.pre[row]), int(tree.pre[row] + tree.size[row])
            within = (tree.pre[rows] >= first) & (tree.pre[rows] < last)
            yield Enclosing(caller, self._below(np.array([row]))[:, 0], inside[:, within].sum(axis=1))
            if not row:
                return

    def explained(self, outer: int, parts: list[tuple[int, bool]]) -> FloatArray:
        """float64[run]: what these locations (symbol, whether with its subtree) cost below a function, or `WHOLE`."""
        tree = self._comparison.tree
        if tree is None or tree.run_self is None:
            return self._explained_by_graph(parts)
        covered = np.zeros(len(tree.pre) + 1, np.bool_)
        for symbol, subtree in parts:
            rows = self._rows_of(symbol, subtree=subtree)
            if subtree:
                marks = np.zeros(len(tree.pre) + 1, np.int64)
                np.add.at(marks, tree.pre[rows], 1)
                np.add.at(marks, tree.pre[rows] + tree.size[rows], -1)
                covered |= np.cumsum(marks) > 0
            else:
                covered[tree.pre[rows]] = True
        if outer != WHOLE:
            marks = np.zeros(len(tree.pre) + 1, np.int64)
            rows = self._rows_of(outer, subtree=True)
            np.add.at(marks, tree.pre[rows], 1)
            np.add.at(marks, tree.pre[rows] + tree.size[rows], -1)
            covered &= np.cumsum(marks) > 0
        chosen = covered[tree.pre]
        return np.asarray(self._own[:, chosen].sum(axis=1) / self._factors)

    def known_caller(self, symbol: int, known: BoolArray) -> int:
        """The nearest caller that both sides know, on the path where most of a new function's cost is; or `WHOLE`."""
        for enclosing in self.enclosing(symbol, 1, subtree=True):
            if enclosing.symbol == WHOLE or known[enclosing.symbol]:
                return enclosing.symbol
        return WHOLE

    def _rows_of(self, symbol: int, *, subtree: bool) -> IntArray:
        tree = self._comparison.tree
        assert tree is not None  # noqa: S101 - callers looked
        rows = np.flatnonzero(tree.symbol == symbol)
        if not subtree:
            return rows
        rows = rows[np.argsort(tree.pre[rows])]
        ends = np.maximum.accumulate((tree.pre + tree.size)[rows])
        return rows[np.concatenate([[True], tree.pre[rows][1:] >= ends[:-1]])] if len(rows) else rows

    def _below(self, rows: IntArray) -> FloatArray:
        tree = self._comparison.tree
        assert tree is not None  # noqa: S101 - callers looked
        first = tree.pre[rows]
        sums = self._sums[:, first + tree.size[rows]] - self._sums[:, first]
        return np.asarray(sums / self._factors[:, None])

    def _of_graph(self, symbol: int, sign: int, *, subtree: bool) -> Iterator[Enclosing]:
        """The caller with the largest change on behalf of which the location ran, and the run."""
        comparison, edges = self._comparison, self._comparison.edges
        values = comparison.total_value if subtree else comparison.self_value
        inside = values[:, symbol] / self._factors
        if edges is not None and len(edges.caller):
            calls = np.flatnonzero((edges.callee == symbol) & (edges.caller != symbol))
            if len(calls):
                before, after = edges.baseline_total[calls], edges.target_total[calls]
                change = sign * (after / comparison.runs.target - before / comparison.runs.baseline)
                caller = int(edges.caller[calls[np.argmax(change)]])
                yield Enclosing(caller, comparison.total_value[:, caller] / self._factors, inside)
        yield Enclosing(WHOLE, comparison.run_totals / self._factors, inside)

    def _explained_by_graph(self, parts: list[tuple[int, bool]]) -> FloatArray:
        comparison = self._comparison
        found = np.zeros(len(comparison.run_totals))
        for symbol, subtree in parts:
            values = comparison.total_value if subtree else comparison.self_value
            found += values[:, symbol] / self._factors
        return found


def offsetting(
    paths: CallPaths,
    symbol: int,
    sign: int,
    change: float,
    split: int,
    moving: list[int],
    certain: Callable[[Enclosing, int], bool],
    *,
    subtree: bool,
) -> tuple[Enclosing, bool] | None:
    """The nearest subtree in which the rest moved against the change by half of it, and whether it is a near one.

    Near are the function's own subtree and that of its direct caller.

    The rest is everything in the caller by ``certain(caller, sign)``, whether it moved in that direction by more than
    chance, or the functions that were seen ``moving`` by their self cost, added up.
    """
    near = 0 if subtree else 1
    for steps, caller in enumerate(paths.enclosing(symbol, sign, subtree=subtree)):
        found = [(other, False) for other in moving if other != symbol]
        known = _moved(paths.explained(caller.symbol, found), split) if found else 0.0
        if -sign * known >= OFFSET * abs(change):
            return caller, steps <= near
        if -sign * _moved(caller.rest, split) >= OFFSET * abs(change) and certain(caller, -sign):
            return caller, steps <= near
    return None


def _moved(values: FloatArray, split: int) -> float:
    return float(values[split:].mean() - values[:split].mean())
