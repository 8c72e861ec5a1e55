"""Which call paths pass the test of repeated runs, so that the page need not know the runs."""

import numpy as np
from numpy.typing import NDArray

from profgate.model.comparison import DiffTree, Runs

SIGMA = 4.0  # as for single samples: with 3, some of a tree's many thousand rows always pass by chance


def evidence_of(tree: DiffTree, runs: Runs, period: int | None) -> NDArray[np.bool_] | None:
    """bool[2, row] for the inclusive and the self change of the values of a run; None without repeats.

    The standard error is never smaller than that of counting samples, where the values are samples of ``period``.
    """
    if tree.repeats is None:
        return None
    before = np.stack([tree.baseline_total, tree.baseline_self]).astype(np.float64)
    after = np.stack([tree.target_total, tree.target_self]).astype(np.float64)
    shift = after / runs.target - before / runs.baseline
    counting = np.sqrt(period * (after / runs.target**2 + before / runs.baseline**2)) if period else 0.0
    passed: NDArray[np.bool_] = (shift != 0) & (np.abs(shift) >= SIGMA * np.maximum(tree.repeats.value_error, counting))
    return passed
