"""Finds the costs of calls between functions, and the symbol that causes the change of each symbol.

The search for a cause starts at a symbol and follows calls as long as a callee explains the change of its caller.
"""

from dataclasses import dataclass

import numpy as np

from profgate.model.arrays import FloatArray, IntArray
from profgate.model.comparison import Causes, Comparison

EXPLAINS = 0.8  # fraction of a symbol's change that a callee must explain to be its cause
DEEPEST = 64  # maximum number of steps; only recursion would exceed this number
HEAVY = 0.001  # minimum share of the run for a symbol to be used in computing the common factor


@dataclass(frozen=True, slots=True, eq=False)
class CallLinks:
    """Calls between pairs of functions, as columns with one element per pair.

    ``caller`` and ``callee`` contain int64 symbols. ``baseline`` and ``target`` contain the inclusive cost of the calls
    on each side, averaged over the runs.
    """

    caller: IntArray
    callee: IntArray
    baseline: FloatArray
    target: FloatArray


def links_of(comparison: Comparison) -> CallLinks:
    """Return the links of the call tree, or of the call graph if there is no tree.

    If there is neither a tree nor a graph, the result is empty.
    """
    tree, edges, runs = comparison.tree, comparison.edges, comparison.runs
    if tree is not None:
        rows = np.flatnonzero(tree.parent > 0)
        caller = tree.symbol[tree.parent[rows]].astype(np.int64)
        callee = tree.symbol[rows].astype(np.int64)
        before, after = tree.baseline_total[rows], tree.target_total[rows]
    elif edges is not None:
        caller, callee, before, after = edges.caller, edges.callee, edges.baseline_total, edges.target_total
    else:
        none = np.zeros(0, np.int64)
        caller, callee, before, after = none, none, none, none
    count = max(1, len(comparison.symbols))
    keys, place = np.unique(caller * count + callee, return_inverse=True)
    sums = [np.bincount(place, weights=side, minlength=len(keys)) for side in (before, after)]
    return CallLinks(keys // count, keys % count, sums[0] / runs.baseline, sums[1] / runs.target)


def shares(comparison: Comparison, values: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the share of each symbol in the total of a run, averaged over the runs, as one float64 array per side.

    ``values`` are int64 costs by run and symbol.
    """
    totals = np.maximum(comparison.run_totals, 1)[:, None]
    return comparison.runs.means(values / totals)


def causes_of(comparison: Comparison) -> Causes:
    """For both directions, find the symbol that causes each symbol's change and the number of steps to this cause.

    First, the costs are divided by the factor by which all costs changed. Each step then goes to the callee with the
    largest change in this direction, if this callee explains at least 80 % of the change of the caller.
    """
    common, links = _common_factor(comparison), links_of(comparison)
    before, after = comparison.runs.means(comparison.total_value)
    change = after / common - before
    moved = links.target / common - links.baseline
    ends = [_walked(_next(links, sign * moved, sign * change)) for sign in (1, -1)]
    return Causes(ends[0][0], ends[1][0], ends[0][1], ends[1][1])


def _common_factor(comparison: Comparison) -> float:
    before, after = comparison.runs.means(comparison.self_value)
    heavy = (before >= HEAVY * before.sum()) & (after >= HEAVY * after.sum()) & (before > 0) & (after > 0)
    return float(np.exp(np.median(np.log(after[heavy] / before[heavy])))) if heavy.any() else 1.0


def _next(links: CallLinks, moved: FloatArray, change: FloatArray) -> IntArray:
    """Return for each symbol the callee that explains its change, or the symbol itself if no callee does.

    ``moved`` contains the change of each link, and ``change`` contains the change of each symbol.
    """
    following = np.arange(len(change), dtype=np.int64)
    rows = np.flatnonzero((moved > 0) & (links.caller != links.callee))
    order = rows[np.lexsort((links.callee[rows], -moved[rows], links.caller[rows]))]
    first = order[np.flatnonzero(np.diff(links.caller[order], prepend=-1))]
    explaining = first[(change[links.caller[first]] > 0) & (moved[first] >= EXPLAINS * change[links.caller[first]])]
    following[links.caller[explaining]] = links.callee[explaining]
    return following


def _walked(following: IntArray) -> tuple[IntArray, IntArray]:
    """Return the last symbol of the walk from each symbol, and the number of steps of the walk.

    A walk that enters a cycle ends at the symbol with the lowest number in the cycle.
    """
    end, steps = np.arange(len(following), dtype=np.int64), np.zeros(len(following), np.int64)
    for _ in range(DEEPEST):
        after = following[end]
        steps += after != end
        if (after == end).all():
            return end, steps
        end = after
    lowest = end.copy()
    for _ in range(DEEPEST):
        end = following[end]
        lowest = np.minimum(lowest, end)
    return lowest, steps
