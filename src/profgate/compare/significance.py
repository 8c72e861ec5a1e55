"""Tests which costs changed by more than repeated runs differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray, IntArray, read_only

if TYPE_CHECKING:
    from profgate.model.call_tree import CallTree

ENOUGH_RUNS = 3  # minimum number of runs per side, because two runs give a poor estimate of the variance


def significant_rows(tree: CallTree, runs: Sequence[IntArray], baselines: int, period: int | None) -> BoolArray | None:
    """Return whether the change of each row is significant, or None for too few runs or an empty run.

    ``runs`` contains the self values of each run. The first row of the bool array is for inclusive values, and the
    second row is for self values.
    """
    if min(baselines, len(runs) - baselines) < ENOUGH_RUNS or not all(own.any() for own in runs):
        return None
    return read_only(significant((np.stack([tree.totals(own), own]) for own in runs), baselines, period))


def significant(runs: Iterable[IntArray], baselines: int, period: int | None) -> BoolArray:
    """Return whether the change of each element is significant. The first ``baselines`` runs are the baseline.

    If each sample has the value ``period``, the standard error is at least that of a Poisson distribution.
    """
    remaining = iter(runs)
    sides = [_moments(islice(remaining, baselines)), _moments(remaining)]
    shift = np.abs(sides[1][1] - sides[0][1])
    variance = sum(squares / count for count, _, squares in sides)
    counting = sum((period or 0) * mean / count for count, mean, _ in sides)
    # with 3 instead of 4 standard errors, a few of the thousands of rows in a tree would be significant by chance
    return np.asarray((shift > 0) & (shift >= 4.0 * np.sqrt(np.maximum(variance, counting))))


def _moments(runs: Iterable[IntArray]) -> tuple[int, FloatArray, FloatArray]:
    """Return the number of runs, and the mean and the variance of each element, without holding all runs in memory."""
    iterator = iter(runs)
    first = next(iterator).astype(np.float64)
    count, sums, squares = 1, np.zeros_like(first), np.zeros_like(first)
    for values in iterator:
        away = values - first  # the first run is subtracted to avoid cancellation
        count += 1
        sums += away
        squares += away * away
    return count, first + sums / count, np.maximum(squares - sums * sums / count, 0.0) / (count - 1)
