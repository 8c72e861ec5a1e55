"""The difference of two models, its shape named by a line where a line describes it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from profgate.detect.difference_of_models import FRAME_OPTIONS, word
from profgate.detect.fast_check import best_shape
from profgate.model.arrays import FloatArray
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.cost_models import LINEAR, QUADRATIC, SHAPES
from profgate.statistics.regression import fitted
from profgate.statistics.thresholds import above, at_most

FLAT = 0.05  # slope, as a part of the largest difference, and scatter, as a part of the squares, that count as none
CURVED = 0.90  # r_square from which a parabola is believed,
BETTER = 0.01  # if it is so much better than the line
STRAIGHT = 0.95


class LinearRegression:
    """Finds functions whose modelled cost differs, and says whether the difference is constant, a line or a curve.

    Works on the best models of both sides over their common range of sizes; both need a linear model too, which is
    fitted where the records allow. Size is the mean relative difference: up to 25 % is a maybe. Its confidence is the
    lower r_square of the two models, which says how well they follow the records and nothing about noise, so it names
    functions on unchanged code too. It cannot tell where a model is missing or the ranges of sizes do not meet, and
    says no more than maybe where less than half of them is common. With fast_check and polynomial_regression it has
    one vote: the three differ in the name of the shape alone.
    """

    name = "linear_regression"
    short = "lreg"
    family = "M"
    options: tuple[OptionSpec, ...] = FRAME_OPTIONS

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:  # noqa: ARG002
        """One row for each location with records or models."""
        return word(self, comparison, options, linear_shape)


def linear_shape(z: FloatArray, difference: FloatArray) -> list[str]:
    """Constant where neither slope nor scatter counts, else quadratic or linear where they fit, else the best model."""
    rows, count = difference.shape
    fits = fitted(np.repeat(np.arange(rows), count), np.tile(z, rows), difference.ravel(), rows)
    scores = {kind: np.full(rows, np.nan) for kind in (LINEAR, QUADRATIC)}
    for kind, score in scores.items():
        here = fits.kind == kind
        score[fits.group[here]] = fits.r_square[here]
    middle = z - z.mean()
    slope = difference @ middle / (middle @ middle)
    scatter = ((difference - difference.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    flat = np.abs(slope) <= FLAT * np.abs(difference).max(axis=1, initial=0.0)
    flat &= scatter <= FLAT * (difference**2).sum(axis=1)
    curved = above(scores[QUADRATIC], CURVED) & above(scores[QUADRATIC] - scores[LINEAR], BETTER)
    straight = ~at_most(scores[LINEAR], STRAIGHT) & ~np.isnan(scores[LINEAR])
    chosen = np.select([flat, curved, straight], [0, QUADRATIC, LINEAR], -1)
    rest = iter(best_shape(z, difference[chosen < 0]))
    return [SHAPES[kind] if kind >= 0 else next(rest) for kind in chosen.tolist()]
