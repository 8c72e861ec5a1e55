"""Explains the changes of symbols: by the symbols that cause them, and by callees."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from profgate.model.arrays import FloatArray
from profgate.model.call_tree import added_at
from profgate.model.change import COLLECTORS, Location
from profgate.model.comparison import Causes, Comparison
from profgate.model.record import replace
from profgate.model.report import Cause, Direction, Finding, Part


def location_of(comparison: Comparison, symbol: int) -> Location:
    """Return the name, file, line and module of a symbol."""
    table = comparison.symbols
    name, file, module = table.names[symbol], table.files[symbol], table.modules[symbol]
    if (name, file, module) == ("total", None, None):
        module = ""  # distinguishes a function named "total" from the whole workload
    return Location(name, file, table.lines[symbol], module, lines=table.several.get(symbol))


def causes_of(
    comparison: Comparison, causes: Causes, symbols: Iterable[int], draft: Callable[[int], Finding]
) -> tuple[Cause, ...]:
    """Return what caused the changes of these symbols. Symbols that are their own cause are omitted.

    ``draft`` returns the draft of a finding about a symbol.
    """
    dearer: Direction = "worse" if comparison.metric.better == "lower" else "better"
    cheaper: Direction = "better" if dearer == "worse" else "worse"
    ways = ((dearer, causes.grown), (cheaper, causes.fallen))
    found = []
    for symbol, way, end in [(symbol, way, int(ends[symbol])) for symbol in sorted(symbols) for way, ends in ways]:
        if end == symbol:
            continue
        cause = Cause(location_of(comparison, symbol), way, location_of(comparison, end), end in causes.changed)
        if symbol in causes.library and end not in causes.library:
            caller = draft(end)
            cause = replace(cause, costs=caller.costs, attribution=caller.attribution)
        found.append(cause)
    return tuple(found)


def changed_parts(comparison: Comparison, growths: Mapping[int, float]) -> tuple[Part, ...]:
    """Return the direct callees with the largest part in the growth of each symbol's total cost, largest first.

    For a garbage collector, these are the functions that it interrupted.

    ``growths`` maps symbols to changes in stored units per run; negative numbers are for costs that fall.
    """
    explaining = []
    for symbol, growth in sorted(growths.items()):
        before, after = _parts_of(comparison, symbol)
        parts = (after - before) * np.sign(growth)
        # maximum number of callees that explain a change
        for callee in np.argsort(-parts, kind="stable")[:2].tolist():
            # smallest fraction of a change that such a callee explains
            if parts[callee] > 0 and parts[callee] >= 0.25 * abs(growth):
                first, second = (float(side[callee]) * comparison.metric.scale for side in (before, after))
                places = location_of(comparison, symbol), location_of(comparison, callee)
                explaining.append(Part(*places, first, second, new=not comparison.present[0, callee]))
    return tuple(explaining)


def _parts_of(comparison: Comparison, symbol: int) -> tuple[FloatArray, FloatArray]:
    """Return the cost of each symbol when it is called directly by this symbol, as means per run of both sides.

    For a garbage collector, it is the cost by the symbol that was interrupted.
    """
    tree, edges, runs = comparison.tree, comparison.edges, comparison.runs
    part, sides = np.zeros(0, np.int64), (np.zeros(0, np.int64), np.zeros(0, np.int64))
    if tree is not None and comparison.symbols.names[symbol] in COLLECTORS:
        rows = np.flatnonzero((tree.symbol == symbol) & (tree.parent > 0))
        part, sides = (
            tree.symbol[tree.parent[rows]].astype(np.int64),
            (tree.baseline_total[rows], tree.target_total[rows]),
        )
    elif tree is not None:
        # a call below another call of the same callee is part of its cost
        rows = tree.topmost(1 + np.flatnonzero(tree.symbol[tree.parent[1:]] == symbol))
        part, sides = tree.symbol[rows].astype(np.int64), (tree.baseline_total[rows], tree.target_total[rows])
    elif edges is not None:
        rows = np.flatnonzero(edges.caller == symbol)
        part, sides = edges.callee[rows], (edges.baseline_total[rows], edges.target_total[rows])
    before, after = (added_at(len(comparison.symbols), part, np.where(part == symbol, 0, side)) for side in sides)
    return before / runs.baseline, after / runs.target
