"""Describe the locations in a comparison by their names, call paths and causes."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from profgate.model.arrays import FloatArray
from profgate.model.call_tree import added_at
from profgate.model.change import COLLECTORS, Detection, Location
from profgate.model.comparison import WHOLE, Causes, Comparison
from profgate.model.report import TOTAL, Cause, Direction, Part


def location_in(comparison: Comparison, detection: Detection, row: int) -> Location:
    """Return the location of a row: a symbol, a calling context, a module or the whole workload."""
    symbol = int(detection.symbol[row])
    if symbol == WHOLE:
        return TOTAL
    if symbol < 0:
        module = detection.labels[row]
        return Location(module or "(no module)", module=module or None)
    location = location_of(comparison, symbol)
    if detection.node is None:
        return location
    return replace(location, context=comparison.path_to(int(detection.node[row])))


def causes_of(comparison: Comparison, causes: Causes | None, symbols: Iterable[int]) -> tuple[Cause, ...]:
    """Return what caused the changes of these symbols. Symbols that are their own cause are omitted."""
    if causes is None:
        return ()
    dearer: Direction = "worse" if comparison.metric.better == "lower" else "better"
    cheaper: Direction = "better" if dearer == "worse" else "worse"
    ways = ((dearer, *causes.grown), (cheaper, *causes.fallen))
    places = [
        (symbol, way, int(end[symbol]), int(steps[symbol])) for symbol in sorted(symbols) for way, end, steps in ways
    ]
    return tuple(
        Cause(location_of(comparison, symbol), way, location_of(comparison, end), steps, changed=end in causes.changed)
        for symbol, way, end, steps in places
        if end != symbol
    )


def changed_parts(comparison: Comparison, growths: Mapping[int, float]) -> tuple[Part, ...]:
    """Return the direct callees with the largest part in the growth of each symbol's total cost, largest first.

    For a garbage collector, these are the functions that it interrupted.

    ``growths`` maps symbols to changes in stored units per run; negative numbers are for costs that fall.
    """
    explaining = []
    for symbol, growth in sorted(growths.items()):
        before, after = (_callees, _interrupted)[comparison.symbols.names[symbol] in COLLECTORS](comparison, symbol)
        parts = (after - before) * np.sign(growth)
        # maximum number of callees that explain a change
        for callee in np.argsort(-parts, kind="stable")[:2].tolist():
            # smallest fraction of a change that such a callee explains
            if parts[callee] > 0 and parts[callee] >= 0.25 * abs(growth):
                first, second = (float(side[callee]) * comparison.metric.scale for side in (before, after))
                places = location_of(comparison, symbol), location_of(comparison, callee)
                explaining.append(Part(*places, first, second, new=not comparison.present[0, callee]))
    return tuple(explaining)


def _callees(comparison: Comparison, symbol: int) -> tuple[FloatArray, FloatArray]:
    """Return the cost of each symbol when it is called directly by this symbol, as means per run of both sides."""
    tree, edges, runs = comparison.tree, comparison.edges, comparison.runs
    callee, sides = np.zeros(0, np.int64), (np.zeros(0, np.int64), np.zeros(0, np.int64))
    if tree is not None:
        rows = 1 + np.flatnonzero(tree.symbol[tree.parent[1:]] == symbol)
        rows = tree.topmost(rows)  # a call below another call of the same callee is part of its cost
        callee, sides = tree.symbol[rows].astype(np.int64), (tree.baseline_total[rows], tree.target_total[rows])
    elif edges is not None:
        rows = np.flatnonzero(edges.caller == symbol)
        callee, sides = edges.callee[rows], (edges.baseline_total[rows], edges.target_total[rows])
    before, after = (added_at(len(comparison.symbols), callee, np.where(callee == symbol, 0, side)) for side in sides)
    return before / runs.baseline, after / runs.target


def _interrupted(comparison: Comparison, symbol: int) -> tuple[FloatArray, FloatArray]:
    """Return the cost of a garbage collector by the symbol that it interrupted, as means per run of both sides."""
    tree, runs, symbols = comparison.tree, comparison.runs, len(comparison.symbols)
    if tree is None:
        return np.zeros(symbols), np.zeros(symbols)
    rows = np.flatnonzero((tree.symbol == symbol) & (tree.parent > 0))
    callers = tree.symbol[tree.parent[rows]].astype(np.int64)
    before, after = (added_at(symbols, callers, side[rows]) for side in (tree.baseline_total, tree.target_total))
    return before / runs.baseline, after / runs.target


def location_of(comparison: Comparison, symbol: int) -> Location:
    """Return the name, file, line and module of a symbol."""
    table = comparison.symbols
    name, file, module = table.names[symbol], table.files[symbol], table.modules[symbol]
    if (name, file, module) == ("total", None, None):
        module = ""  # distinguishes a function named "total" from the whole workload
    return Location(name, file, table.lines[symbol], module, lines=table.several.get(symbol))
