"""Corrections for testing many hypotheses at once."""

import numpy as np

from profgate.model.arrays import FloatArray


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Adjusted p (q values) of float64[n], in the order given; the largest is its own p."""
    count = len(p)
    order = np.argsort(p, kind="stable")
    stepped = p[order] * count / np.arange(1, count + 1)
    adjusted = np.minimum(np.minimum.accumulate(stepped[::-1])[::-1], 1.0)
    result = np.empty(count, dtype=np.float64)
    result[order] = adjusted
    return result


def holm(p: FloatArray) -> FloatArray:
    """Holm's adjusted p of float64[n], in the order given."""
    count = len(p)
    order = np.argsort(p, kind="stable")
    stepped = p[order] * (count - np.arange(count))
    adjusted = np.minimum(np.maximum.accumulate(stepped), 1.0)
    result = np.empty(count, dtype=np.float64)
    result[order] = adjusted
    return result
