"""Comparisons with thresholds. A value within 1e-9 * max(1, |t|) of a threshold t counts as equal to t."""

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray


def tolerance(threshold: float) -> float:
    """Return the largest difference from the threshold at which a value counts as equal to the threshold."""
    return 1e-9 * max(1.0, abs(threshold))


def above(values: FloatArray, threshold: float) -> BoolArray:
    """Return a mask of the values that are clearly greater than the threshold. The mask is false for NaN."""
    return np.asarray(values > threshold + tolerance(threshold))


def at_least(values: FloatArray, threshold: float) -> BoolArray:
    """Return a mask of the values that are greater than or equal to the threshold. The mask is false for NaN."""
    return np.asarray(values >= threshold - tolerance(threshold))


def below(values: FloatArray, threshold: float) -> BoolArray:
    """Return a mask of the values that are clearly less than the threshold. The mask is false for NaN."""
    return np.asarray(values < threshold - tolerance(threshold))


def at_most(values: FloatArray, threshold: float) -> BoolArray:
    """Return a mask of the values that are less than or equal to the threshold. The mask is false for NaN."""
    return np.asarray(values <= threshold + tolerance(threshold))
