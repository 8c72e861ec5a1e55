"""Which call paths pass the test of repeated runs, so that the page need not know the runs."""

import numpy as np
from numpy.typing import NDArray

from profgate.model.arrays import FloatArray
from profgate.model.comparison import DiffTree, Runs

SIGMA = 4.0  # as for single samples: with 3, some of a tree's many thousand rows always pass by chance


def evidence_of(tree: DiffTree, runs: Runs, normalisation: str, period: int | None) -> NDArray[np.bool_] | None:
    """bool[2, row] for the inclusive and the self change under the page's own normalisation; None without repeats.

    The standard error is never smaller than that of counting samples, where the values are samples of ``period``.
    """
    if tree.repeats is None:
        return None
    before = np.stack([tree.baseline_total, tree.baseline_self]).astype(np.float64)
    after = np.stack([tree.target_total, tree.target_self]).astype(np.float64)
    if normalisation == "total":
        shift, error = tree.repeats.share_shift, tree.repeats.share_error
        counting = _share_error(before, after, period) if period else 0.0
    else:
        shift, error = after / runs.target - before / runs.baseline, tree.repeats.value_error
        counting = np.sqrt(period * (after / runs.target**2 + before / runs.baseline**2)) if period else 0.0
    passed: NDArray[np.bool_] = (shift != 0) & (np.abs(shift) >= SIGMA * np.maximum(error, counting))
    return passed


def _share_error(before: FloatArray, after: FloatArray, period: int) -> FloatArray:
    """The standard error of the difference of two proportions of samples."""
    all_before, all_after = before[0, 0] / period, after[0, 0] / period
    part = (before + after) / period / (all_before + all_after)
    spread: FloatArray = np.sqrt(np.maximum(part * (1 - part), 0.0) * (1 / all_before + 1 / all_after))
    return spread
