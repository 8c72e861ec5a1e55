"""Values and areas of cost models, a row for each model; curves without a formula are read off their points."""

import numpy as np

from profgate.model.arrays import FloatArray, IntArray
from profgate.model.cost_models import CONSTANT, EXPONENTIAL, LINEAR, LOGARITHMIC, POWER, QUADRATIC

SMALLEST_X = 1e-6  # where a logarithm or a power would leave the numbers
GRID = 1000


def grid(start: FloatArray, end: FloatArray, points: int = GRID) -> FloatArray:
    """float64[row, points]: equidistant x from start to end, ends included; what is next to 0 becomes 1e-6."""
    x = np.linspace(start, end, points, axis=-1)
    return np.where(np.abs(x) < SMALLEST_X, SMALLEST_X, x)


def values(kind: IntArray, coefficients: FloatArray, x: FloatArray) -> FloatArray:
    """float64[row, n]: each model at its own float64[row, n] of x; NaN or infinite where it has no value."""
    b0, b1, b2 = (coefficients[:, place, None] for place in range(3))
    result = np.full(x.shape, np.nan)
    with np.errstate(all="ignore"):
        for shape in np.unique(kind).tolist():
            rows = kind == shape
            result[rows] = _shape(shape, b0[rows], b1[rows], b2[rows], x[rows])
    return result


def _shape(shape: int, b0: FloatArray, b1: FloatArray, b2: FloatArray, x: FloatArray) -> FloatArray:
    positive = np.maximum(x, SMALLEST_X)
    if shape == CONSTANT:
        return np.broadcast_to(b0, x.shape)
    if shape == LOGARITHMIC:
        return np.asarray(b0 + b1 * np.log(positive))
    if shape == LINEAR:
        return b0 + b1 * x
    if shape == QUADRATIC:
        return b0 + b1 * x + b2 * x * x
    if shape == POWER:
        return np.asarray(b0 * positive**b1)
    return np.asarray(b0 * b1**x) if shape == EXPONENTIAL else np.full(x.shape, np.nan)


def areas(kind: IntArray, coefficients: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """float64[row]: the integral of each model from start to end, in closed form; NaN for curves."""
    b0, b1, b2 = coefficients.T
    low, high = np.maximum(start, SMALLEST_X), np.maximum(end, SMALLEST_X)
    width = end - start
    with np.errstate(all="ignore"):
        logarithm = b0 * width + b1 * (high * np.log(high) - high - (low * np.log(low) - low))
        rise = b1 + 1.0
        # expm1 preserves the digits that two nearly equal powers would lose
        steps = np.log(high / low)
        power = b0 * low**rise * np.where(rise == 0.0, steps, np.expm1(rise * steps) / rise)
        rate = np.log(b1)
        exponential = b0 * np.exp(start * rate) * np.where(rate == 0.0, width, np.expm1(width * rate) / rate)
        linear = b0 * width + b1 * (end**2 - start**2) / 2.0
        quadratic = linear + b2 * (end**3 - start**3) / 3.0
    closed = {
        CONSTANT: b0 * width,
        LOGARITHMIC: logarithm,
        LINEAR: linear,
        QUADRATIC: quadratic,
        POWER: power,
        EXPONENTIAL: exponential,
    }
    return np.select([kind == shape for shape in closed], list(closed.values()), np.nan)


def growth(kind: IntArray, coefficients: FloatArray, x: FloatArray) -> FloatArray:
    """float64[row]: the exponent with which each model grows at x, x*y'/y: 1 for a line far from its start."""
    _, b1, b2 = coefficients.T
    with np.errstate(all="ignore"):
        y = values(kind, coefficients, x[:, None])[:, 0]
        slope = {
            CONSTANT: np.zeros(len(x)),
            LOGARITHMIC: b1,
            LINEAR: b1 * x,
            QUADRATIC: b1 * x + 2.0 * b2 * x * x,
            POWER: b1 * y,
            EXPONENTIAL: x * np.log(b1) * y,
        }
        return np.asarray(np.select([kind == shape for shape in slope], list(slope.values()), np.nan) / y)


def steps_at(curve: tuple[FloatArray, FloatArray], start: float, end: float, x: FloatArray) -> FloatArray:
    """A regressogram at x: the value of the bucket that x falls into, all are equally wide; NaN where there is none."""
    _, y = curve
    place = np.floor((x - start) / (end - start) * len(y)).astype(np.int64)
    place = np.where(x == end, len(y) - 1, place)
    return np.where((place >= 0) & (place < len(y)), y[np.clip(place, 0, len(y) - 1)], np.nan)


def curve_at(curve: tuple[FloatArray, FloatArray], x: FloatArray) -> FloatArray:
    """A curve at x, straight between its points; NaN outside."""
    return np.asarray(np.interp(x, *curve, left=np.nan, right=np.nan))


def rebinned(y: FloatArray, edges: FloatArray, wanted: FloatArray) -> FloatArray:
    """float64[len(wanted) - 1]: means of a step function over other buckets; parts without a value do not count."""
    lower, upper = np.maximum(edges[:-1], wanted[:-1, None]), np.minimum(edges[1:], wanted[1:, None])
    weight = np.maximum(upper - lower, 0.0) * ~np.isnan(y)
    with np.errstate(all="ignore"):
        return np.asarray((weight * np.nan_to_num(y)).sum(axis=1) / weight.sum(axis=1))
