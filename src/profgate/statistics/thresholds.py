"""Comparisons with thresholds: a value within 1e-9 * max(1, |t|) of a threshold t counts as equal to it."""

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray


def tolerance(threshold: float) -> float:
    """Half-width of the band that counts as equal to the threshold."""
    return 1e-9 * max(1.0, abs(threshold))


def above(values: FloatArray, threshold: float) -> BoolArray:
    """bool[n]: clearly greater than the threshold; NaN is not."""
    return np.asarray(values > threshold + tolerance(threshold))


def at_least(values: FloatArray, threshold: float) -> BoolArray:
    """bool[n]: greater than the threshold or equal to it; NaN is not."""
    return np.asarray(values >= threshold - tolerance(threshold))


def below(values: FloatArray, threshold: float) -> BoolArray:
    """bool[n]: clearly less than the threshold; NaN is not."""
    return np.asarray(values < threshold - tolerance(threshold))


def at_most(values: FloatArray, threshold: float) -> BoolArray:
    """bool[n]: less than the threshold or equal to it; NaN is not."""
    return np.asarray(values <= threshold + tolerance(threshold))
