"""Finds a target with less than half of the cost and nothing that shows the same work."""

import numpy as np

from profgate.model.arrays import FloatArray
from profgate.model.calibration import FewerCalls
from profgate.model.call_tree import added_at
from profgate.model.comparison import Comparison
from profgate.model.levels import MACHINE, NEARLY_ALL


def cost_left(comparison: Comparison) -> tuple[float | None, FewerCalls | None]:
    """Return the part of the cost that is left if it is less than half and nothing shows the same work, or None.

    Also return the most costly function with less than half of its calls, or None.

    The mean over the runs of a side counts, because single runs of unchanged code differ by more than half. A change
    of the code may make one function much faster. Then the others cost as much as before, and the function is called
    as often, if calls are counted. If the function was nearly the whole run, the others show nothing.
    """
    # of a rate, the side that did less work has the higher one
    order = -1 if comparison.metric.better == "higher" else 1
    before, after = map(float, comparison.runs.means(comparison.run_totals)[::order])
    if MACHINE * after >= before:
        return None, None
    calls, (own, left) = _calls(comparison), comparison.runs.means(comparison.self_value)[::order]
    called_less = MACHINE * calls[1] < calls[0]
    faster = int(np.argmax(own - left))
    others, others_left = before - own[faster], after - left[faster]
    same_others = others > (1.0 - NEARLY_ALL) * before and others_left >= NEARLY_ALL * others
    if same_others and not called_less[faster]:
        return None, None
    cost = np.where(called_less, comparison.runs.means(comparison.total_value)[0], 0.0)
    fewest = int(np.argmax(cost))
    function = (comparison.symbols.names[fewest], *calls[:, fewest].tolist())
    return after / before, function if cost[fewest] else None


def _calls(comparison: Comparison) -> FloatArray:
    """Return the mean number of calls per run by side and symbol; 0 if the profiles do not count calls."""
    tree, edges, symbols = comparison.tree, comparison.edges, len(comparison.symbols)
    counts = np.zeros((2, symbols))
    if edges is not None:
        counts[:] = edges.baseline_symbol_calls, edges.target_symbol_calls
    elif tree is not None and tree.baseline_calls is not None and tree.target_calls is not None:
        for side, calls in enumerate((tree.baseline_calls, tree.target_calls)):
            counts[side] = added_at(symbols, tree.symbol[1:], calls[1:])  # row 0 is the root, which is no function
    return counts / [[comparison.runs.baseline], [comparison.runs.target]]
