"""The difference of two models, its shape named by the lowest polynomial that fits."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from profgate.detect.difference_of_models import FRAME_OPTIONS, word
from profgate.model.arrays import FloatArray
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison

LEFT_OVER = 0.01  # part of the squares that a polynomial may leave
DEGREES = ("constant", "linear", "quadratic")


class PolynomialRegression:
    """Finds functions whose modelled cost differs, and says whether by a constant, a linear or a quadratic amount.

    Works on the best models of both sides over their common range of sizes; both need a linear model too, which is
    fitted where the records allow. Size is the mean relative difference: up to 25 % is a maybe. Its confidence is the
    lower r_square of the two models, which says how well they follow the records and nothing about noise, so it names
    functions on unchanged code too. It cannot tell where a model is missing or the ranges of sizes do not meet, and
    says no more than maybe where less than half of them is common. With fast_check and linear_regression it has one
    vote: the three differ in the name of the shape alone.
    """

    name = "polynomial_regression"
    short = "preg"
    family = "M"
    options: tuple[OptionSpec, ...] = FRAME_OPTIONS

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:  # noqa: ARG002
        """One row for each location with records or models."""
        return word(self, comparison, options, polynomial_shape)


def polynomial_shape(z: FloatArray, difference: FloatArray) -> list[str]:
    """The lowest degree whose least squares polynomial leaves at most a hundredth of the squares, else "unknown"."""
    squares = (difference**2).sum(axis=1)
    found = np.full(len(difference), len(DEGREES))
    for degree in reversed(range(len(DEGREES))):
        basis = np.linalg.qr(z[:, None] ** np.arange(degree + 1))[0]
        rest = difference - (difference @ basis) @ basis.T
        found = np.where((rest**2).sum(axis=1) <= LEFT_OVER * squares, degree, found)
    return [(*DEGREES, "unknown")[degree] for degree in found.tolist()]
