"""Describe the locations in a comparison by their names, call paths, former names and causes."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

import numpy as np

from profgate.model.arrays import FloatArray
from profgate.model.attribution import SourceStates
from profgate.model.call_tree import added_at, below, topmost_rows
from profgate.model.change import Detection, Location
from profgate.model.comparison import Comparison, DiffTree
from profgate.model.levels import GATE_SHARE
from profgate.model.report import TOTAL, Cause, Direction, Part, Relation

WHOLE = -1  # symbol of a row for the whole workload
PARTS = 2  # maximum number of callees that explain a change
LEAST_PART = 0.25  # smallest fraction of a change that such a callee explains
CHANGED = frozenset({"changed", "added"})
MOST_SOURCES = 50  # maximum number of changed functions that can explain others; each one takes time in large trees
INSIDE = 0.8  # smallest fraction of a function's change that must occur within another function's change
MOST = 0.5  # smallest fraction of a change that a changed function must explain to be its cause
LONGEST_PATH = 100  # maximum number of frames; longer paths are shortened in the middle


def location_in(comparison: Comparison, detection: Detection, row: int) -> Location:
    """Return the location of a row: a symbol, a calling context, a module or the whole workload."""
    symbol = int(detection.symbol[row])
    if symbol == WHOLE:
        return TOTAL
    if symbol < 0:
        module = detection.labels.get(row, "")
        return Location(module or "(no module)", module=module or None)
    context = None if detection.node is None else path_to(comparison, int(detection.node[row]))
    return replace(location_of(comparison, symbol), context=context)


def path_to(comparison: Comparison, node: int) -> tuple[str, ...]:
    """Return the function names from the root to a node of the tree. A very long path is shortened in the middle."""
    tree, path = comparison.tree, []
    while tree is not None and node > 0:
        path.append(comparison.symbols.names[tree.symbol[node]])
        node = int(tree.parent[node])
    path.reverse()
    half = LONGEST_PATH // 2
    return (
        tuple(path) if len(path) <= LONGEST_PATH else (*path[:half], f"({len(path) - 2 * half} frames)", *path[-half:])
    )


def relations_of(comparison: Comparison) -> tuple[Relation, ...]:
    """Return the relations between renamed functions and their former locations."""
    return tuple(
        Relation("renamed", location_of(comparison, symbol), (Location(*former),))
        for symbol, former in sorted(comparison.renamed.items())
    )


def causes_of(
    comparison: Comparison,
    symbols: Iterable[int],
    near: Mapping[tuple[int, bool], int],
    sources: AbstractSet[int],
    changed: AbstractSet[int],
) -> tuple[Cause, ...]:
    """Return what caused the changes of these symbols. Symbols that are their own cause are omitted.

    ``near`` is the result of `explaining`, whose arguments include ``sources`` and ``changed``.
    """
    causes = comparison.causes
    if causes is None:
        return ()
    dearer: Direction = "worse" if comparison.metric.better == "lower" else "better"
    cheaper: Direction = "better" if dearer == "worse" else "worse"
    grown, fallen = (
        (True, dearer, causes.grown_end, causes.grown_steps),
        (False, cheaper, causes.fallen_end, causes.fallen_steps),
    )
    found = []
    for symbol in sorted(symbols):
        for rises, way, ends, steps in (grown, fallen):
            start = near.get((symbol, rises), symbol)
            end, far = int(ends[start]), int(steps[start]) + (start != symbol)
            if start in sources and end not in sources:  # its callees are slower because it changed
                end, far = start, int(start != symbol)
            if end != symbol:
                places = location_of(comparison, symbol), location_of(comparison, end)
                found.append(Cause(places[0], way, places[1], far, changed=end in changed))
    return tuple(found)


def sources_of(comparison: Comparison, states: SourceStates | None) -> tuple[set[int], set[int]]:
    """Return the functions that can explain changes of other functions, and those of them whose source changed.

    They changed by at least 0.5 % of the run, and their source changed or they exist on one side only.
    """
    before, after = comparison.runs.means(comparison.total_value)
    moved, whole = np.abs(after - before), max(map(float, comparison.runs.means(comparison.run_totals)))
    order = np.argsort(-moved, kind="stable")
    large = order[moved[order] >= GATE_SHARE * whole].tolist()
    alone = set(np.flatnonzero(comparison.present.sum(axis=0) == 1).tolist())
    changed = [symbol for symbol in large if states is not None and states.states[symbol] in CHANGED][:MOST_SOURCES]
    return {*changed, *[symbol for symbol in large if symbol in alone][:MOST_SOURCES]}, set(changed)


def explaining(
    comparison: Comparison,
    growths: Mapping[int, float],
    wide: AbstractSet[int],
    sources: AbstractSet[int],
    changed: AbstractSet[int],
    factor: float,
) -> dict[tuple[int, bool], int]:
    """Map functions with tested changes, and whether they rise, to another function that explains the change.

    The change of an unchanged function is explained by the innermost of the ``sources`` within which it occurs. If its
    total cost was tested, it is also explained by a source that holds most of it. Without stacks, the result is empty.

    Args:
        comparison: The comparison.
        growths: The tested changes in stored units per run.
        wide: The functions whose total costs were tested.
        sources: The functions whose source changed or that exist on one side only.
        changed: The functions whose source changed.
        factor: The common factor, by which the costs of the target are divided.
    """
    tree, found = comparison.tree, dict[tuple[int, bool], int]()
    if tree is None or not growths:
        return found
    within = _Within(comparison, tree, factor)
    whole = within.moved(-1)  # the root
    for outer in sorted(sources, key=lambda symbol: -abs(whole[symbol])):
        inside = within.moved(outer)
        for symbol in (growths.keys() | sources) - changed - {outer}:
            rises = bool(whole[symbol] > 0)
            if rises == (whole[outer] > 0) and inside[symbol] / (whole[symbol] or np.inf) >= INSIDE:
                found[symbol, rises] = found.get((outer, rises), outer)
    for outer in wide - changed:
        part, rises = within.moved(outer) / (growths[outer] or np.inf), growths[outer] > 0
        holding = [source for source in sources if source != outer and part[source] >= MOST]
        if holding:
            nearest = min(holding, key=lambda source: (part[source], source))
            found[outer, rises] = found.get((nearest, rises), nearest)
    return found


class _Within:
    """The changes of functions within the subtrees of a function, after the target is divided by the common factor."""

    def __init__(self, comparison: Comparison, tree: DiffTree, factor: float) -> None:
        self._tree, self._symbols = tree, len(comparison.symbols)
        self._rows = topmost_rows(tree.symbol, tree.pre, tree.size)
        before, after = tree.baseline_total[self._rows], tree.target_total[self._rows]
        self._moved = after / comparison.runs.target / factor - before / comparison.runs.baseline

    def moved(self, outer: int) -> FloatArray:
        """Return the change in the total cost of each symbol when it is called, directly or not, by ``outer``."""
        tree = self._tree
        inside = below(np.flatnonzero(tree.symbol == outer), tree.pre, tree.size)[tree.pre[self._rows]]
        found = np.bincount(tree.symbol[self._rows[inside]], self._moved[inside], self._symbols)
        return found.astype(np.float64)


def parts_of(comparison: Comparison, growths: Mapping[int, float]) -> tuple[Part, ...]:
    """Return the direct callees with the largest part in the growth of each symbol's total cost, largest first.

    ``growths`` maps symbols to changes in stored units per run; negative numbers are for costs that fall.
    """
    found = []
    for symbol, growth in sorted(growths.items()):
        before, after = _callees(comparison, symbol)
        parts = (after - before) * np.sign(growth)
        for callee in np.argsort(-parts, kind="stable")[:PARTS].tolist():
            if parts[callee] > 0 and parts[callee] >= LEAST_PART * abs(growth):
                first, second = (float(side[callee]) * comparison.metric.scale for side in (before, after))
                places = location_of(comparison, symbol), location_of(comparison, callee)
                found.append(Part(*places, first, second, new=not comparison.present[0, callee]))
    return tuple(found)


def _callees(comparison: Comparison, symbol: int) -> tuple[FloatArray, FloatArray]:
    """Return the cost of each symbol when it is called directly by this symbol, as means per run of both sides."""
    tree, edges, runs = comparison.tree, comparison.edges, comparison.runs
    callee, sides = np.zeros(0, np.int64), (np.zeros(0, np.int64), np.zeros(0, np.int64))
    if tree is not None:
        rows = 1 + np.flatnonzero(tree.symbol[tree.parent[1:]] == symbol)
        start = tree.symbol[rows].astype(np.int64) * (len(tree.pre) + 1) + tree.pre[rows]
        rows, start = rows[np.argsort(start)], np.sort(start)
        # a call below another call of the same callee is part of its cost
        rows = rows[np.append(0, np.maximum.accumulate(start + tree.size[rows]))[:-1] <= start]
        callee, sides = tree.symbol[rows].astype(np.int64), (tree.baseline_total[rows], tree.target_total[rows])
    elif edges is not None:
        rows = np.flatnonzero(edges.caller == symbol)
        callee, sides = edges.callee[rows], (edges.baseline_total[rows], edges.target_total[rows])
    before, after = (added_at(len(comparison.symbols), callee, np.where(callee == symbol, 0, side)) for side in sides)
    return before / runs.baseline, after / runs.target


def location_of(comparison: Comparison, symbol: int) -> Location:
    """Return the name, file, line and module of a symbol."""
    table = comparison.symbols
    name, file, module = table.names[symbol], table.files[symbol], table.modules[symbol]
    if (name, file, module) == ("total", None, None):
        module = ""  # distinguishes a function named "total" from the whole workload
    return Location(name, file, table.lines[symbol], module)
