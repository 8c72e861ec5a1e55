"""Reduction of the changes in tested locations to net changes, so that each change is reported for one function only.

A change is a net change if it remains when the other costs of the callers are included.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from profgate.decide.detect.evidence import Evidence
from profgate.decide.detect.location_costs import SELF, SUBTREE, Ratios
from profgate.decide.detect.permutation import Rows, blocks_of, p_of_one, splits_of, tested_with_jobs
from profgate.model.arrays import BoolArray, FloatArray, IntArray, means
from profgate.model.comparison import WHOLE, Comparison, DiffTree
from profgate.model.levels import LISTED, NEARLY_ALL, job_margin
from profgate.model.record import Record, replace
from profgate.model.units import MetricKind

# stubs of calls into libraries, and interrupts, which hit any function: their costs belong to no function
PASSING = re.compile(r".*@plt|(?:asm_|__)?(?:sysvec_\w+|common_interrupt|irq_exit_rcu|do_softirq|handle_softirqs)")
OFFSET = 0.5  # minimum fraction of a change that the rest of a subtree must offset


class Enclosing(Record):
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


class NetChange(Record):
    """A change in the self cost of a function, or in the cost of its ``subtree``, in the direction of ``sign``.

    ``place`` is the tested location that proves the change, and ``shown`` the one whose costs are ``before`` and
    ``after``. ``net`` is "" for a net change, "offset" if the other costs of the run changed in the opposite direction,
    and "moved" if the other costs of a caller changed in the opposite direction. ``new`` contains the new functions
    whose caller is this function.
    """

    place: int
    shown: int
    symbol: int
    subtree: bool
    sign: int
    listed: bool
    certain: bool
    before: float
    after: float
    net: str = ""
    new: tuple[int, ...] = ()

    @property
    def change(self) -> float:
        """Target minus baseline, in stored units per run."""
        return self.after - self.before


def net_changes(comparison: Comparison, evidence: Evidence) -> list[NetChange]:
    """Return the net changes of the functions in one comparison, largest first."""
    possible = evidence.listed & evidence.suspect
    candidates = np.flatnonzero(possible & (evidence.costs.symbol != WHOLE) & (evidence.difference != 0.0))
    return _resolved(comparison, evidence, candidates.tolist())


def unconfirmed_changes(comparison: Comparison, evidence: Evidence, most: int, bar: float) -> list[NetChange]:
    """Return at most ``most`` changes that noise is unlikely to explain, largest first, if runs are too few to test."""
    size = np.abs(evidence.t)
    likely = np.flatnonzero((size >= bar) & (evidence.costs.symbol != WHOLE))
    order = likely[np.argsort(-size[likely], kind="stable")][: 4 * most]
    rows = _resolved(comparison, evidence, order.tolist())
    return [replace(row, listed=True, certain=False) for row in rows if not row.net][:most]


def tested_change(comparison: Comparison, evidence: Evidence, place: int) -> NetChange:
    """Return the change in the cost of one tested location, without considering its callers."""
    before, after = sides_of(comparison, evidence, np.array([place]))
    return NetChange(
        place=place,
        shown=place,
        symbol=int(evidence.costs.symbol[place]),
        subtree=bool(evidence.costs.kind[place] == SUBTREE),
        sign=1 if evidence.difference[place] > 0 else -1,
        listed=bool(evidence.listed[place]),
        certain=bool(evidence.certain[place]),
        before=float(before[0]),
        after=float(after[0]),
    )


def sides_of(comparison: Comparison, evidence: Evidence, places: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the baseline costs and target costs of tested locations."""
    split = comparison.runs.baseline
    values = evidence.costs.values[places, -len(comparison.run_totals) :]
    after = means(values[:, split:])
    if evidence.mode == "jobs":
        return np.maximum(0.0, after - evidence.difference[places]), after
    return means(values[:, :split]), after


def _resolved(comparison: Comparison, evidence: Evidence, places: list[int]) -> list[NetChange]:
    names = comparison.symbols.names
    places = [place for place in places if not PASSING.fullmatch(names[evidence.costs.symbol[place]])]
    if not places:
        return []
    search = _Search(comparison, evidence)
    own = [place for place in places if evidence.costs.kind[place] == SELF]
    outer = [place for place in places if evidence.costs.kind[place] == SUBTREE]
    rows = [search.net_change(place) for place in own]
    for place in sorted(outer, key=lambda place: abs(evidence.difference[place])):
        row = search.net_change(place)
        if not search.explained(row, rows):
            rows.append(row)
    return sorted(
        _merged([search.under_caller(row) for row in rows], evidence.distance), key=lambda row: -abs(row.change)
    )


def _merged(rows: list[NetChange], distance: FloatArray) -> list[NetChange]:
    by_place: dict[tuple[int, int], list[NetChange]] = {}
    for row in rows:
        by_place.setdefault((row.symbol, row.sign), []).append(row)
    merged = []
    for same in by_place.values():
        first = min(same, key=lambda row: (bool(row.net), not row.certain, not row.listed, -distance[row.place]))
        wide = next((row for row in same if row.subtree and not row.net), first) if not first.net else first
        new = tuple(dict.fromkeys(symbol for row in same for symbol in row.new))
        shown = {name: getattr(wide, name) for name in ("shown", "subtree", "before", "after")}
        merged.append(replace(first, **shown, new=new))
    return merged


def _factors_of_rest(comparison: Comparison, evidence: Evidence) -> FloatArray:
    """Return the factors of functions without a listed change, or 1 for interleaved runs, by run."""
    if evidence.calibration.interleaved:
        return np.ones(len(evidence.costs.factors))
    if comparison.metric.kind is MetricKind.COUNTED:
        return evidence.costs.factors
    own = comparison.self_value.astype(np.float64)
    if evidence.mode == "jobs":
        own = np.concatenate([comparison.noise.self_value, own])
    own[:, evidence.costs.symbol[evidence.listed & (evidence.costs.kind == SELF)]] = 0.0
    return Ratios(own).common_factors()


class _Search:
    """Search for net changes in the call paths and test results of one comparison."""

    def __init__(self, comparison: Comparison, evidence: Evidence) -> None:
        self.comparison, self.evidence = comparison, evidence
        self.factors = _factors_of_rest(comparison, evidence)
        self.sides = self.factors[-(comparison.runs.baseline + comparison.runs.target) :]
        self.paths = call_paths(comparison, self.sides)
        # the functions whose self cost has a listed change
        self.moving: list[int] = evidence.costs.symbol[evidence.listed & (evidence.costs.kind == SELF)].tolist()
        locations = zip(evidence.costs.symbol.tolist(), evidence.costs.kind.tolist(), strict=True)
        self.place = {location: place for place, location in enumerate(locations)}

    def net_change(self, place: int) -> NetChange:
        """Return the change in the cost of a location, or of the caller in which other costs offset this change."""
        row, seen = tested_change(self.comparison, self.evidence, place), set[tuple[int, bool]]()
        while (row.symbol, row.subtree) not in seen:
            seen.add((row.symbol, row.subtree))
            if row.sign * self._change(row) <= 0.0:
                return replace(row, net="offset", certain=False)
            offset = self._offset(row)
            if offset is None:
                return replace(row, net="offset", certain=False) if self._caller_fell(row) else row
            caller, near = offset
            nearly_all = caller.cost.mean() >= NEARLY_ALL * self.evidence.costs.whole
            if caller.symbol == WHOLE or (nearly_all and not near):
                return replace(row, net="offset", certain=False)
            outer = self.place.get((caller.symbol, SUBTREE))
            judged = row if outer is None else tested_change(self.comparison, self.evidence, outer)
            if outer is None or not judged.listed or judged.sign != row.sign:
                return replace(row, net="moved", certain=False, listed=False)
            row = judged
        return row

    def _caller_fell(self, row: NetChange) -> bool:
        """Return whether the subtree of the function or of its direct caller did not change in the same direction.

        A caller that is nearly the whole run is omitted, because its noise is larger than most changes. So are jobs,
        because the baseline is only one of them.
        """
        if self.evidence.mode == "jobs":
            return False
        callers = islice(self.paths.enclosing(row.symbol, row.sign, subtree=row.subtree), 1 if row.subtree else 2)
        return any(
            row.sign * self._moved(caller.cost) <= 0.0 and caller.cost.mean() < NEARLY_ALL * self.evidence.costs.whole
            for caller in callers
            if caller.symbol != WHOLE
        )

    def _offset(self, row: NetChange) -> tuple[Enclosing, bool] | None:
        """Return the nearest subtree whose other costs offset half or more of a change, and whether it is near.

        A subtree is near if it belongs to the function or to its direct caller. The other costs offset the change if
        they certainly changed, or if the self costs of the ``moving`` functions below the caller offset at least half
        of the change. Counts of other machines offset nothing.
        """
        if self.evidence.calibration.unlike:
            return None
        least, near = OFFSET * abs(self._change(row)), 0 if row.subtree else 1
        moving = [(other, False) for other in self.moving if other != row.symbol]
        for steps, caller in enumerate(self.paths.enclosing(row.symbol, row.sign, subtree=row.subtree)):
            offset = self._moved(self.paths.explained(caller.symbol, moving)) if moving else 0.0
            if -row.sign * offset >= least:
                return caller, steps <= near
            if -row.sign * self._moved(caller.rest) >= least and self._rest_changed(row, caller):
                return caller, steps <= near
        return None

    def _change(self, row: NetChange) -> float:
        """Return the tested change, or the recorded change of interleaved runs."""
        if not self.evidence.calibration.interleaved:
            return row.change
        values = self.comparison.active_total if row.subtree else self.comparison.self_value
        return self._moved(values[:, row.symbol])

    def _moved(self, values: NDArray[Any]) -> float:
        before, after = self.comparison.runs.means(values)
        return float(after - before)

    def explained(self, row: NetChange, rows: list[NetChange]) -> bool:
        """Return whether changes inside a subtree, which are as certain, explain at least half of its change."""
        inside = [
            (other.symbol, other.subtree)
            for other in rows
            if other.sign == row.sign and other.net in {"", row.net} and (other.certain or not row.certain)
        ]
        if not row.subtree or not inside:
            return False
        if (row.symbol, True) in inside:
            return True
        change = self._moved(self.paths.explained(row.symbol, inside))
        # the changes inside a subtree must explain half of its change
        return row.sign * change >= 0.5 * abs(row.change)

    def under_caller(self, row: NetChange) -> NetChange:
        """Attribute the change caused by a new function to its nearest caller that exists in the baseline.

        If the caller grew by less than half of the cost of the new function, most of this cost already existed before.
        In this case, the change is not listed. A caller that is nearly the whole run names no cause, and its noise may
        hide the change. In this case, the row is the outermost new function, which is uncertain if the caller did not
        grow, and listed if no other function fell by as much.
        """
        present = self.comparison.present
        if row.sign < 0 or row.net or present[0, row.symbol]:
            return row
        caller, outermost = known_caller(self.paths, row.symbol, present[0])
        before, after = self._sides(self.comparison.active_total)
        broad = caller == WHOLE or after[caller] >= NEARLY_ALL * self.evidence.costs.whole
        added = caller == WHOLE or bool(after[caller] - before[caller] >= OFFSET * row.change)
        own_before, own_after = self._sides(self.comparison.self_value)
        fell = (own_before - own_after >= OFFSET * row.change).any()
        if not added and (fell or not broad):
            return replace(row, net="moved", certain=False, listed=False)
        row = replace(row, certain=row.certain and added, new=(row.symbol,))
        shown = outermost if broad else caller
        if shown == row.symbol or caller == WHOLE:
            return row
        return replace(row, symbol=shown, subtree=True, before=float(before[shown]), after=float(after[shown]))

    def _sides(self, values: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
        """Return the mean costs of both sides after dividing by the common factor, with one element per symbol."""
        before, after = self.comparison.runs.means(values / self.sides[:, None])
        return before, after

    def _rest_changed(self, row: NetChange, caller: Enclosing) -> bool:
        """Return whether the other costs of a caller certainly changed in the direction opposite to ``row``."""
        costs, runs = self.evidence.costs, self.comparison.runs
        if self.evidence.mode == "runs":
            sampling = costs.variance_at(np.array([caller.rest.mean()]))
            interleaved = bool(self.evidence.calibration.interleaved)
            blocks = blocks_of(runs.baseline, runs.target, interleaved=interleaved)
            splits = splits_of(runs.baseline, runs.target, blocks=blocks)
            return p_of_one(caller.rest, float(sampling[0]), splits, -row.sign) <= LISTED
        return self.evidence.mode == "exact" or self._moved_beyond_jobs(row, caller.symbol, -row.sign)

    def _moved_beyond_jobs(self, row: NetChange, caller: int, sign: int) -> bool:
        comparison, noise, active = self.comparison, self.comparison.noise.active_total, self.comparison.active_total
        cost = totals = np.concatenate([comparison.noise.run_totals, comparison.run_totals]).astype(np.float64)
        inside = np.concatenate([comparison.noise.self_value, comparison.self_value])[:, row.symbol]
        if noise is not None:
            subtrees = np.concatenate([noise, active])
            cost = cost if caller == WHOLE else subtrees[:, caller]
            inside = subtrees[:, row.symbol] if row.subtree else inside
        elif row.subtree or caller != WHOLE:
            return False  # a history contains only self costs and totals
        costs = self.evidence.costs
        rest = ((cost - inside) / self.factors)[None]
        rows = Rows(rest, costs.variance_at(rest.mean(axis=1)), np.zeros(1), np.zeros(1))
        sampled = comparison.metric.kind is MetricKind.SAMPLED
        test = tested_with_jobs(rest, rows, comparison.runs, totals, sampled=sampled)
        return bool(sign * test.difference[0] > job_margin(test.jobs) * test.bound[0])
