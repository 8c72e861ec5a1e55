"""The difference of two models, its shape named by the model that fits it best."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from profgate.detect.difference_of_models import FRAME_OPTIONS, word
from profgate.model.arrays import FloatArray
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.cost_models import SHAPES
from profgate.statistics.regression import TIE, fitted


class FastCheck:
    """Finds functions whose modelled cost differs, and names the model that describes the difference best.

    Works on the best models of both sides over their common range of sizes; both need a linear model too, which is
    fitted where the records allow. Size is the mean relative difference: up to 25 % is a maybe. Its confidence is the
    lower r_square of the two models, which says how well they follow the records and nothing about noise, so it names
    functions on unchanged code too. It cannot tell where a model is missing or the ranges of sizes do not meet, and
    says no more than maybe where less than half of them is common. With linear_regression and polynomial_regression it
    has one vote: the three differ in the name of the shape alone.
    """

    name = "fast_check"
    short = "fast"
    family = "M"
    options: tuple[OptionSpec, ...] = FRAME_OPTIONS

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:  # noqa: ARG002
        """One row for each location with records or models."""
        return word(self, comparison, options, best_shape)


def best_shape(z: FloatArray, difference: FloatArray) -> list[str]:
    """The model with the largest r_square over z, ties to the lower order; "unknown" where none fits."""
    rows, count = difference.shape
    fits = fitted(np.repeat(np.arange(rows), count), np.tile(z, rows), difference.ravel(), rows)
    highest = np.zeros(rows)
    np.maximum.at(highest, fits.group, fits.r_square)
    near = (fits.r_square > 0) & (fits.r_square >= highest[fits.group] - TIE)
    lowest = np.full(rows, len(SHAPES))
    np.minimum.at(lowest, fits.group[near], fits.kind[near])
    return [(*SHAPES, "unknown")[kind] for kind in lowest.tolist()]
