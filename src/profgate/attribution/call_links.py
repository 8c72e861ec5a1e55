"""Who calls whom, by symbol and with the cost of both sides, from whatever a comparison knows of calls."""

from dataclasses import dataclass

import numpy as np

from profgate.model.arrays import FloatArray, IntArray
from profgate.model.comparison import Comparison


@dataclass(frozen=True, slots=True, eq=False)
class CallLinks:
    """Columns over links: ``caller`` and ``callee`` int64 symbols, mean inclusive cost of a run of each side."""

    caller: IntArray
    callee: IntArray
    baseline: FloatArray
    target: FloatArray


def links_of(comparison: Comparison) -> CallLinks:
    """Links of the call tree, or of the graph where there is no tree; none where the profile knows no calls."""
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
    """float64[symbol] for each side: mean over its runs of int64[run, symbol] as a part of the run's total."""
    totals = np.maximum(comparison.run_totals, 1)[:, None]
    parts, split = values / totals, comparison.runs.baseline
    return parts[:split].mean(axis=0), parts[split:].mean(axis=0)
