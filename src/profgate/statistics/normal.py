"""Tails and quantiles of the normal distribution without a numeric library."""

import math
from statistics import NormalDist

import numpy as np

from profgate.model.arrays import FloatArray


def upper_tail(z: FloatArray) -> FloatArray:
    """P(Z > z) for float64[n] of any sign; accurate far out, NaN stays NaN."""
    return np.array([0.5 * math.erfc(value / math.sqrt(2.0)) for value in z.tolist()], dtype=np.float64)


def upper_quantile(tail: float) -> float:
    """The z with P(Z > z) = tail, for 0 < tail < 1; taken from the lower side so that small tails keep their digits."""
    return -NormalDist().inv_cdf(tail)
