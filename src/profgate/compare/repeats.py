"""What repeated runs say of each call path: how much its value scatters from run to run."""

from collections.abc import Sequence

import numpy as np

from profgate.model.arrays import FloatArray, IntArray, read_only
from profgate.model.call_tree import TreeShape, with_children
from profgate.model.comparison import Repeats

ENOUGH_RUNS = 3  # of each side: two runs say next to nothing of their spread


def repeats_of(shape: TreeShape, rows: Sequence[IntArray], baselines: int) -> Repeats | None:
    """The spread over the runs of both sides, ``rows`` being int64[row] self values of each, baseline runs first.

    None where a side has too few runs, or a run without any value.
    """
    if min(baselines, len(rows) - baselines) < ENOUGH_RUNS:
        return None
    sides = [_Moments(len(shape)), _Moments(len(shape))]
    for run, own in enumerate(rows):
        total = with_children(shape, own)
        if not total[0]:
            return None
        sides[int(run >= baselines)].add(np.stack([total, own]).astype(np.float64))
    return Repeats(value_error=read_only(np.sqrt(sides[0].error() + sides[1].error())))


class _Moments:
    """Sum and sum of squared distances from the first run, which keeps the digits of values that hardly differ."""

    def __init__(self, rows: int) -> None:
        self.count = 0
        self.first = np.zeros((2, rows))
        self.sum = np.zeros((2, rows))
        self.squares = np.zeros((2, rows))

    def add(self, values: FloatArray) -> None:
        if not self.count:
            self.first = values
        self.count += 1
        away = values - self.first
        self.sum += away
        self.squares += away * away

    def error(self) -> FloatArray:
        """The squared standard error of the mean."""
        spread = np.maximum(self.squares - self.sum * self.sum / self.count, 0.0)
        return spread / (self.count - 1) / self.count
