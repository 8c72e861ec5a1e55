"""Finds the costs of calls between functions, and the symbol that causes the change of each symbol.

The search for a cause starts at a symbol and follows calls as long as a callee explains the change of its caller. A
changed function can also explain the changes of its callees and of libraries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

import numpy as np

from profgate.model.comparison import Causes, Comparison, DiffTree, RunCosts
from profgate.model.levels import GATE_SHARE, NEARLY_ALL
from profgate.model.record import Record, replace

if TYPE_CHECKING:
    from profgate.model.arrays import BoolArray, FloatArray, IntArray
    from profgate.model.attribution import SourceStates
    from profgate.model.change import Detection

DEEPEST = 64  # maximum number of steps; only recursion would exceed this number
CHANGED = frozenset({"changed", "added"})
MOST_SOURCES = 50  # maximum number of changed functions that can explain others; each one takes time in large trees
Explained = dict[tuple[int, bool], int]


class CallLinks(Record):
    """Calls between pairs of int64 symbols, with their inclusive costs by side, as means over the runs."""

    caller: IntArray
    callee: IntArray
    baseline: FloatArray
    target: FloatArray


def links_of(costs: RunCosts) -> CallLinks:
    """Return the links of the call tree or else of the call graph, or none if there is neither."""
    tree, edges, runs = costs.tree, costs.edges, costs.runs
    if tree is not None:
        rows = np.flatnonzero(tree.parent > 0)
        caller = tree.symbol[tree.parent[rows]].astype(np.int64)
        callee = tree.symbol[rows].astype(np.int64)
        before, after = tree.baseline_total[rows], tree.target_total[rows]
    elif edges is not None:
        caller, callee, before, after = edges.caller, edges.callee, edges.baseline_total, edges.target_total
    else:
        caller, callee, before, after = [np.zeros(0, np.int64)] * 4
    count = max(1, len(costs.symbols))
    keys, place = np.unique(caller * count + callee, return_inverse=True)
    sums = [np.bincount(place, weights=side, minlength=len(keys)) for side in (before, after)]
    return CallLinks(keys // count, keys % count, sums[0] / runs.baseline, sums[1] / runs.target)


def shares(costs: RunCosts, values: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return float64 shares of symbols in a run, as means by side, from int64 costs by run and symbol."""
    totals = np.maximum(costs.run_totals, 1)[:, None]
    return costs.runs.means(values / totals)


def walked_causes(
    comparison: Comparison,
    detections: Sequence[Detection] = (),
    states: SourceStates | None = None,
    factor: float = 1.0,
) -> Causes:
    """For both directions, find the symbol that causes each symbol's change.

    First, the costs of the target are divided by the common ``factor``. Each step then goes to the callee with the
    largest change in this direction, if this callee explains at least 80 % of the change of the caller. From a function
    of a library, it goes to the caller that explains at least half of the change, unless this is nearly the whole run.
    So a walk ends at the function of the project that is nearest to the change. A walk from a library needs a quarter
    of the change at its end. A walk does not go from a function whose source changed to one whose source did not.
    Finally, `explained` starts some walks at the changed function that explains a tested change.
    """
    links, library = links_of(comparison), libraries_of(comparison, states)
    before, after = comparison.runs.means(comparison.total_value)
    change = after / factor - before
    moved = links.target / factor - links.baseline
    callers = replace(links, caller=links.callee, callee=links.caller)
    whole = np.minimum(*shares(comparison, comparison.total_value)) >= NEARLY_ALL
    growths, wide = tested_changes(detections, lower_is_better=comparison.metric.better == "lower")
    tested, numbers, walks = change.copy(), np.arange(len(library)), []
    tested[list(growths)] = list(growths.values())
    for sign in (1, -1):
        down = _next(links, sign * moved, sign * change, 0.8)
        caller = _next(callers, sign * moved, sign * change, 0.5)
        stays = np.where(library, whole[caller], library[down])
        end = _walked(np.where(stays, numbers, np.where(library, caller, down)))
        # smallest fraction of the caller's change that the tested change of a library's function must explain
        small = library & (sign * tested < 0.25 * sign * change[end])
        walks.append(np.where(small, numbers, end))
    sources, changed = sources_of(comparison, states)
    near = explained(comparison, growths, wide, sources, changed, factor)
    for rises, end in zip((True, False), walks, strict=True):
        for source in sources:
            if int(end[source]) not in sources:
                end[source] = source
        for (symbol, up), start in near.items():
            if up == rises:
                end[symbol] = end[start]
    return Causes(walks[0], walks[1], frozenset(changed), frozenset(np.flatnonzero(library).tolist()))


def libraries_of(comparison: Comparison, states: SourceStates | None) -> BoolArray:
    """Return a mask of the functions of other projects, except those of a dependency whose version changed."""
    if states is not None and states.library:
        changed = np.array([reach == "dependency changed" for reach in states.reach], np.bool_)
        return np.array(states.library, np.bool_) & ~changed
    return np.array(comparison.symbols.libraries(), np.bool_)


def _next(links: CallLinks, moved: FloatArray, change: FloatArray, least: float) -> IntArray:
    """Return the callee that explains each symbol's ``change`` by the change ``moved`` of its link, or the symbol.

    A callee must explain at least the fraction ``least`` of the change.
    """
    following = np.arange(len(change), dtype=np.int64)
    rows = np.flatnonzero((moved > 0) & (links.caller != links.callee))
    order = rows[np.lexsort((links.callee[rows], -moved[rows], links.caller[rows]))]
    first = order[np.flatnonzero(np.diff(links.caller[order], prepend=-1))]
    explaining = first[(change[links.caller[first]] > 0) & (moved[first] >= least * change[links.caller[first]])]
    following[links.caller[explaining]] = links.callee[explaining]
    return following


def _walked(following: IntArray) -> IntArray:
    """Return the end of the walk from each symbol, in a cycle its lowest symbol."""
    end = np.arange(len(following), dtype=np.int64)
    for _ in range(DEEPEST):
        after = following[end]
        if (after == end).all():
            return end
        end = after
    # walks that have not ended are in cycles, so each further round visits the other symbols of the cycle
    lowest = end.copy()
    for _ in range(DEEPEST):
        end = following[end]
        lowest = np.minimum(lowest, end)
    return lowest


def tested_changes(detections: Iterable[Detection], *, lower_is_better: bool) -> tuple[dict[int, float], set[int]]:
    """Return the tested changes by symbol in stored units per run, and the symbols whose total costs were tested."""
    from profgate.model.change import BETTER, WORSE  # commands that draw import this module, but not the kinds

    growths, wide = dict[int, float](), set[int]()
    for detection in detections:
        judged = detection.result.fields.get("judged", ()) if detection.result else ()
        for row in np.flatnonzero(np.isin(detection.kind, list(WORSE | BETTER))).tolist() if judged else ():
            rises = (detection.kind[row] in WORSE) == lower_is_better
            moved = abs(float(detection.to_value[row] - detection.from_value[row]))
            growths[int(detection.symbol[row])] = moved if rises else -moved
            wide |= {int(detection.symbol[row])} if judged[row] == "subtree" else set()
    return growths, wide


def sources_of(comparison: Comparison, states: SourceStates | None) -> tuple[set[int], set[int]]:
    """Return the functions that can explain changes of other functions, and those of them whose source changed.

    They changed by at least 0.5 % of the run and do not hold nearly all of it. Their source changed, or they exist on
    one side only and not in a library.
    """
    before, after = comparison.runs.means(comparison.total_value)
    totals = [float(total) for total in comparison.runs.means(comparison.run_totals)]
    moved, whole = np.abs(after - before), max(totals)
    order = np.argsort(-moved, kind="stable")
    part = (before < NEARLY_ALL * totals[0]) | (after < NEARLY_ALL * totals[1])
    large = order[(moved[order] >= GATE_SHARE * whole) & part[order]].tolist()
    one_side = comparison.present.sum(axis=0) == 1
    changed = [symbol for symbol in large if states is not None and states.states[symbol] in CHANGED][:MOST_SOURCES]
    alone = [symbol for symbol in large if one_side[symbol] and not _may_lack_callers(comparison, symbol)]
    return {*changed, *alone[:MOST_SOURCES]}, set(changed)


def explained(
    comparison: Comparison,
    growths: Mapping[int, float],
    wide: AbstractSet[int],
    sources: AbstractSet[int],
    changed: AbstractSet[int],
    factor: float,
) -> Explained:
    """Map functions with tested changes, and whether they rise, to another function that explains the change.

    The change of an unchanged function is explained by the innermost of the ``sources`` within which it occurs. If its
    total cost was tested, it is also explained by a source that holds most of it, together with libraries. A function
    whose stacks may lack its callers is explained by the changed function with the largest change. Without stacks, the
    result is empty. ``growths`` and ``wide`` are the `tested_changes`, ``sources`` and ``changed`` the `sources_of` the
    comparison, and the costs of the target are divided by ``factor``.
    """
    if comparison.tree is None or not growths:
        return {}
    within = _Within(comparison, comparison.tree, factor)
    found = _inside_sources(within, (growths.keys() | sources) - changed, sources)
    for outer in wide - changed:
        source, rises = within.holding(outer, growths[outer], sources - {outer}), growths[outer] > 0
        if source is not None:
            found[outer, rises] = found.get((source, rises), source)
    whole = within.moved(-1)  # the root
    for symbol in growths.keys() - changed:
        leads = [lead for lead in changed if whole[lead] * growths[symbol] > 0.0]
        if leads and _may_lack_callers(comparison, symbol):
            lead = max(leads, key=lambda lead: (abs(whole[lead]), -lead))
            found.setdefault((symbol, growths[symbol] > 0), lead)
    return found


def _inside_sources(within: _Within, symbols: AbstractSet[int], sources: AbstractSet[int]) -> Explained:
    """Map the symbols to the innermost source within which their change occurs, or to what explains this source."""
    found, whole = Explained(), within.moved(-1)  # the root
    for outer in sorted(sources, key=lambda source: (-abs(whole[source]), source)):
        inside, rises = within.moved(outer), bool(whole[outer] > 0)
        for symbol in symbols - {outer}:
            # smallest fraction of a function's change that must occur within another function's change
            if (whole[symbol] > 0) == rises and inside[symbol] / (whole[symbol] or np.inf) >= 0.8:
                found[symbol, rises] = found.get((outer, rises), outer)
    return found


def _may_lack_callers(comparison: Comparison, symbol: int) -> bool:
    """Return whether a function is in a shared library, which often has no frame pointers, or has no name."""
    table = comparison.symbols
    # perf names stubs of library calls after the last symbol, _init
    return table.files[symbol] is None and (
        ".so" in (table.modules[symbol] or "") or table.names[symbol] in {"[unknown]", "_init"}
    )


class _Within:
    """The changes of functions within the subtrees of a function, after the target is divided by the common factor."""

    def __init__(self, comparison: Comparison, tree: DiffTree, factor: float) -> None:
        self._tree, self._symbols = tree, len(comparison.symbols)
        self._rows = tree.topmost()
        before, after = tree.baseline_total[self._rows], tree.target_total[self._rows]
        self._moved = after / comparison.runs.target / factor - before / comparison.runs.baseline
        names = range(self._symbols)
        lacking = np.array([*(_may_lack_callers(comparison, symbol) for symbol in names), False])  # the root is -1
        own = tree.target_self / comparison.runs.target / factor - tree.baseline_self / comparison.runs.baseline
        self._library = np.where(lacking[tree.symbol], own, 0.0)

    def moved(self, outer: int) -> FloatArray:
        """Return the change in the total cost of each symbol when it is called, directly or not, by ``outer``."""
        inside = self._below(outer)[self._rows]
        found = np.bincount(self._tree.symbol[self._rows[inside]], self._moved[inside], self._symbols)
        return found.astype(np.float64)

    def holding(self, outer: int, growth: float, sources: AbstractSet[int]) -> int | None:
        """Return the innermost source that, together with libraries, holds most of a function's growth, or None."""
        part, library = self.moved(outer) / (growth or np.inf), self._in_libraries(outer)
        found = []
        for source in sources:
            # smallest fractions of a change that a source must explain alone, and together with libraries
            together = part[source] + (library - self._in_libraries(source)) / (growth or np.inf)
            if part[source] >= 0.25 and together >= 0.5:
                found.append((part[source], source))
        return min(found)[1] if found else None

    def _in_libraries(self, outer: int) -> float:
        """Return the change in the cost of libraries below a function."""
        return float(self._library[self._below(outer)].sum())

    def _below(self, outer: int) -> BoolArray:
        return self._tree.below(np.flatnonzero(self._tree.symbol == outer))
