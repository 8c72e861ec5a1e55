"""Robust and plain measures of spread."""

import numpy as np

from profgate.model.arrays import FloatArray


def quartiles(values: FloatArray) -> tuple[float, float]:
    """First and third quartile, linear between order statistics; values must not be empty."""
    low, high = np.quantile(values, [0.25, 0.75])
    return float(low), float(high)


def median_deviation(values: FloatArray) -> float:
    """Median of the absolute deviations from the median; values must not be empty."""
    return float(np.median(np.abs(values - np.median(values))))


def sample_deviation(values: FloatArray) -> float:
    """Standard deviation with n - 1; 0 for fewer than two values."""
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0
