"""Array types, and functions for read-only arrays and reproducible random integers."""

import math
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
RowArray = NDArray[np.int32]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

AnyArray = TypeVar("AnyArray", bound=NDArray[Any])


def read_only(array: AnyArray) -> AnyArray:
    """Make an array read-only and return it, since a record does not protect the contents of its arrays."""
    array.setflags(write=False)
    return array


def exact_sum(values: IntArray) -> int:
    """Return the sum of int64 values, which may exceed 64 bits."""
    if values.size < 100:
        return sum(values.ravel().tolist())
    high, low = values >> 32, values & 0xFFFFFFFF  # much faster than a sum of Python integers
    return (int(high.sum()) << 32) + int(low.sum())


def means(values: NDArray[Any], axis: int = -1) -> Any:  # noqa: ANN401 - an array, or a number of one dimension
    """Return the result of `values.mean(axis)`, which is much slower if there are few values."""
    return np.add.reduce(values, axis=axis, dtype=np.float64) / values.shape[axis]


def distinct(values: IntArray) -> IntArray:
    """Return the sorted values without repetitions.

    For many different values, `numpy.unique` takes longer, and it imports numpy.ma, as do its median and quantile.
    """
    values, first = np.sort(values), np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    return values[first]


def quantile(values: NDArray[Any], share: float) -> Any:  # noqa: ANN401 - an array, or a number of one dimension
    """Return the values below which this share of the values lies along the first axis, interpolated, as numpy does.

    A column with NaN has no quantiles, so that its result is NaN.
    """
    if not len(values):
        return math.nan
    ordered, place = np.sort(values, axis=0), share * (len(values) - 1)
    low, high = ordered[math.floor(place)], ordered[math.ceil(place)]
    return np.where(np.isnan(ordered[-1]), math.nan, low + (place - math.floor(place)) * (high - low))[()]


def finite(value: float) -> float | None:
    """Return the value as a Python float, or None if the value is not finite."""
    return float(value) if math.isfinite(value) else None


def splitmix64(count: int) -> NDArray[np.uint64]:
    """Return ``count`` uint64 random integers that are the same on every machine (Steele, Lea and Flood 2014)."""
    with np.errstate(over="ignore"):
        state = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return state ^ (state >> np.uint64(31))
