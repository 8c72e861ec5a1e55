"""Finds the costs of calls between functions, and the symbol that causes the change of each symbol.

The search for a cause starts at a symbol and follows calls as long as a callee explains the change of its caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from profgate.model.comparison import Causes, Comparison, RunCosts

if TYPE_CHECKING:
    from profgate.model.arrays import FloatArray, IntArray
    from profgate.model.attribution import SourceStates
    from profgate.model.change import Detection

EXPLAINS = 0.8  # fraction of a symbol's change that a callee must explain to be its cause
DEEPEST = 64  # maximum number of steps; only recursion would exceed this number


class CallLinks(NamedTuple):
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
        none = np.zeros(0, np.int64)
        caller, callee, before, after = none, none, none, none
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
    """For both directions, find the symbol that causes each symbol's change and the number of steps to this cause.

    First, the costs of the target are divided by the common ``factor``. Each step then goes to the callee with the
    largest change in this direction, if this callee explains at least 80 % of the change of the caller. A walk does not
    go from a function whose source changed to one whose source did not. Finally, `explained` starts some walks at the
    changed function that explains a tested change.
    """
    from profgate.attribution.change_sources import explained, sources_of, tested_changes

    links = links_of(comparison)
    before, after = comparison.runs.means(comparison.total_value)
    change = after / factor - before
    moved = links.target / factor - links.baseline
    walks = [_walked(_next(links, sign * moved, sign * change)) for sign in (1, -1)]
    sources, changed = sources_of(comparison, states)
    growths, wide = tested_changes(detections, lower_is_better=comparison.metric.better == "lower")
    near = explained(comparison, growths, wide, sources, changed, factor)
    for rises, (end, steps) in zip((True, False), walks, strict=True):
        for source in sources:
            if int(end[source]) not in sources:
                end[source], steps[source] = source, 0
        for (symbol, up), start in near.items():
            if up == rises:
                end[symbol], steps[symbol] = end[start], steps[start] + 1
    return Causes(walks[0], walks[1], frozenset(changed))


def _next(links: CallLinks, moved: FloatArray, change: FloatArray) -> IntArray:
    """Return the callee that explains each symbol's ``change`` by the change ``moved`` of its link, or the symbol."""
    following = np.arange(len(change), dtype=np.int64)
    rows = np.flatnonzero((moved > 0) & (links.caller != links.callee))
    order = rows[np.lexsort((links.callee[rows], -moved[rows], links.caller[rows]))]
    first = order[np.flatnonzero(np.diff(links.caller[order], prepend=-1))]
    explaining = first[(change[links.caller[first]] > 0) & (moved[first] >= EXPLAINS * change[links.caller[first]])]
    following[links.caller[explaining]] = links.callee[explaining]
    return following


def _walked(following: IntArray) -> tuple[IntArray, IntArray]:
    """Return the end of the walk from each symbol, in a cycle its lowest symbol, and the number of steps."""
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
