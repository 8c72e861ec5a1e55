"""Models of the cost as a function of the input size.

The models are fitted to many locations at once by least squares. The models and their scores follow the published
description of performance change detection, with three corrections: the score of the constant model, invalid inputs of
logarithms, and values without spread. Curves without a formula are interpolated between their points.
"""

from typing import Any, NamedTuple

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.cost_models import CONSTANT, EXPONENTIAL, LINEAR, LOGARITHMIC, POWER, QUADRATIC, SHAPES
from profgate.model.record import Record

SMALLEST_X = 1e-6  # smaller x are raised to this value, because logarithms and powers may be undefined or infinite at 0
GRID = 1000
FEWEST = {kind: 4 if kind == QUADRATIC else 3 for kind in range(len(SHAPES))}
NO_SPREAD = 1e-12  # tolerance for the relative rounding error of a sum of squared deviations
TIE = 1e-9


class Fits(NamedTuple):
    """Fitted models as parallel columns (see `CostModels`). ``group`` is the number of the group of points."""

    group: IntArray
    kind: IntArray
    coefficients: FloatArray
    r_square: FloatArray
    start: FloatArray
    end: FloatArray
    error: FloatArray
    points: IntArray


class _Points(Record, eq=False):
    """Points of all groups (``group``, ``x``, ``y``), and statistics for all fits with one element per group."""

    group: IntArray
    x: FloatArray
    y: FloatArray
    count: FloatArray
    distinct: IntArray
    spread: FloatArray
    flat: BoolArray

    def sums(self, column: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(self.group, weights=column, minlength=len(self.count)), dtype=np.float64)


class _Fit(Record):
    """Fitted models of one kind for all groups. ``r_square`` is NaN for groups without such a model."""

    coefficients: FloatArray
    r_square: FloatArray
    used: BoolArray


def fitted(group: IntArray, x: FloatArray, y: FloatArray, groups: int) -> Fits:
    """Fit all models that the finite points of each group allow.

    A model needs at least three points and must be able to use 90 % of the points of its group. A quadratic needs four
    points with three different sizes. Groups in which all sizes are equal have no model, and groups in which all
    amounts are equal have only the constant model. ``error`` includes all points of the group, even points that a
    logarithm excludes, so that errors within a group are comparable.
    """
    known = np.isfinite(x) & np.isfinite(y)
    points = _points(group[known], x[known], y[known], groups)
    with np.errstate(all="ignore"):
        parts = [_columns(points, kind, fit) for kind, fit in enumerate(_fits(points))]
    columns = {}
    for key in parts[0]:
        columns[key] = np.concatenate([part[key] for part in parts])
    order = np.lexsort((columns["kind"], columns["group"]))
    return Fits(**{key: column[order] for key, column in columns.items()})


def criterion(kind: IntArray, error: FloatArray, points: IntArray) -> FloatArray:
    """Return Akaike's information criterion with the correction for small samples (AICc).

    The formula is n*ln(SSE/n) + 2k + 2k(k+1)/(n-k-1), in which n is the number of points, and k is one more than the
    number of coefficients because the variance is also estimated. The result is NaN if n - k < 2.
    """
    coefficients = np.select([kind == CONSTANT, kind == QUADRATIC], [1.0, 3.0], 2.0)
    k, n = coefficients + 1.0, points.astype(np.float64)
    with np.errstate(all="ignore"):
        value = n * np.log(error / n) + 2.0 * k + 2.0 * k * (k + 1.0) / (n - k - 1.0)
    return np.where(n - k >= 2.0, value, np.nan)


def _points(group: IntArray, x: FloatArray, y: FloatArray, groups: int) -> _Points:
    count = np.bincount(group, minlength=groups).astype(np.float64)
    pairs = np.unique(np.stack([group.astype(np.float64), x]), axis=1)[0].astype(np.int64)
    with np.errstate(all="ignore"):
        mean = np.bincount(group, weights=y, minlength=groups) / count
        spread = np.bincount(group, weights=(y - mean[group]) ** 2, minlength=groups)
    squares = np.bincount(group, weights=y * y, minlength=groups)
    distinct = np.bincount(pairs, minlength=groups).astype(np.int64)
    return _Points(group, x, y, count, distinct, np.asarray(spread, np.float64), spread <= NO_SPREAD * squares)


def _straight(points: _Points, u: FloatArray, v: FloatArray, used: BoolArray) -> _Fit:
    """Fit v = b0 + b1*u to the used points. Sums are centred to avoid cancellation."""
    weight = used.astype(np.float64)
    u, v = np.where(used, u, 0.0), np.where(used, v, 0.0)
    count = points.sums(weight)
    mean_u, mean_v = points.sums(u) / count, points.sums(v) / count
    du, dv = weight * (u - mean_u[points.group]), weight * (v - mean_v[points.group])
    suu, svv, suv = points.sums(du * du), points.sums(dv * dv), points.sums(du * dv)
    slope = suv / suu
    coefficients = np.stack([mean_v - slope * mean_u, slope, np.zeros(len(slope))], axis=1)
    return _Fit(coefficients, np.clip(suv * suv / (suu * svv), 0.0, 1.0), used)


def _quadratic(points: _Points) -> _Fit:
    """Fit a quadratic by normal equations. To avoid cancellation, x is centred and scaled."""
    scale = np.sqrt(points.sums((points.x - (points.sums(points.x) / points.count)[points.group]) ** 2) / points.count)
    middle = points.sums(points.x) / points.count
    scale = np.where(scale > 0, scale, 1.0)
    z = (points.x - middle[points.group]) / scale[points.group]
    usable = (points.count >= FEWEST[QUADRATIC]) & (points.distinct >= 3)
    moments = [points.sums(z**power) for power in range(5)]
    matrix = np.stack([np.stack(moments[row : row + 3], axis=1) for row in range(3)], axis=1)
    right = np.stack([points.sums(points.y * z**power) for power in range(3)], axis=1)
    solved = np.full((len(points.count), 3), np.nan)
    if usable.any():
        solved[usable] = np.linalg.solve(matrix[usable], right[usable][:, :, None])[:, :, 0]
    c0, c1, c2 = solved.T
    b1, b2 = c1 / scale - 2.0 * c2 * middle / scale**2, c2 / scale**2
    b0 = c0 - c1 * middle / scale + c2 * middle**2 / scale**2
    residual = points.y - (solved[points.group] * np.stack([np.ones(len(z)), z, z * z], axis=1)).sum(axis=1)
    r_square = np.clip(1.0 - points.sums(residual**2) / points.spread, 0.0, 1.0)
    return _Fit(np.stack([b0, b1, b2], axis=1), r_square, np.ones(len(z), np.bool_))


def _fits(points: _Points) -> tuple[_Fit, ...]:
    """Return the fits of each kind, in the order of `SHAPES`."""
    every, positive_x, positive_y = np.ones(len(points.x), np.bool_), points.x > 0, points.y > 0
    log_x, log_y = np.log(np.where(positive_x, points.x, 1.0)), np.log10(np.where(positive_y, points.y, 1.0))
    mean = points.sums(points.y) / points.count
    line = _straight(points, points.x, points.y, every)
    power = _straight(points, log_x / np.log(10.0), log_y, positive_x & positive_y)
    power.coefficients[:, 0] = 10.0 ** power.coefficients[:, 0]
    exponential = _straight(points, points.x, log_y, positive_y)
    exponential.coefficients[:, :2] = 10.0 ** exponential.coefficients[:, :2]
    return (
        _Fit(mean[:, None] * [1.0, 0.0, 0.0], np.where(points.flat, 1.0, 1.0 - line.r_square), every),
        _straight(points, log_x, points.y, positive_x),
        line,
        _quadratic(points),
        power,
        exponential,
    )


def _columns(points: _Points, kind: int, fit: _Fit) -> dict[str, Any]:
    used = points.sums(fit.used.astype(np.float64))
    # a model that cannot use a tenth of the points describes other data
    allowed = (points.distinct >= 2) & (used >= FEWEST[kind]) & (used >= 0.9 * points.count)
    allowed &= (~points.flat) | (kind == CONSTANT)
    allowed &= np.isfinite(fit.r_square) & np.isfinite(fit.coefficients).all(axis=1)
    group = np.flatnonzero(allowed)
    modelled = values(np.full(len(points.x), kind), fit.coefficients[points.group], points.x[:, None])[:, 0]
    error = points.sums((points.y - modelled) ** 2)
    error = np.where(error <= NO_SPREAD * points.sums(points.y**2), 0.0, error)
    start, end = np.full(len(points.count), np.inf), np.full(len(points.count), -np.inf)
    np.minimum.at(start, points.group[fit.used], points.x[fit.used])
    np.maximum.at(end, points.group[fit.used], points.x[fit.used])
    return {
        "group": group,
        "kind": np.full(len(group), kind),
        "coefficients": fit.coefficients[group],
        "r_square": fit.r_square[group],
        "start": start[group],
        "end": end[group],
        "error": error[group],
        "points": points.count[group].astype(np.int64),
    }


def grid(start: FloatArray, end: FloatArray) -> FloatArray:
    """Return equidistant sizes from start to end, inclusive, with one row per range. The smallest size is 1e-6."""
    x = np.linspace(start, end, GRID, axis=-1)
    return np.where(np.abs(x) < SMALLEST_X, SMALLEST_X, x)


def values(kind: IntArray, coefficients: FloatArray, x: FloatArray) -> FloatArray:
    """Return the values of each model at the sizes in its row of ``x``. Undefined values are NaN or infinity."""
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
    """Return the integral of each model from start to end in closed form, or NaN for curves without a formula."""
    b0, b1, b2 = coefficients.T
    low, high = np.maximum(start, SMALLEST_X), np.maximum(end, SMALLEST_X)
    width = end - start
    with np.errstate(all="ignore"):
        logarithm = b0 * width + b1 * (high * np.log(high) - high - (low * np.log(low) - low))
        rise = b1 + 1.0
        # expm1 avoids cancellation between two nearly equal powers
        steps = np.log(high / low)
        power = b0 * low**rise * np.where(rise == 0.0, steps, np.expm1(rise * steps) / rise)
        rate = np.log(b1)
        exponential = b0 * np.exp(start * rate) * np.where(rate == 0.0, width, np.expm1(width * rate) / rate)
        linear = b0 * width + b1 * (end**2 - start**2) / 2.0
        quadratic = linear + b2 * (end**3 - start**3) / 3.0
    return _by_kind(kind, b0 * width, logarithm, linear, quadratic, power, exponential)


def _by_kind(kind: IntArray, *results: FloatArray) -> FloatArray:
    """Select the result for the kind of each model, or NaN for curves. ``results`` are in the order of `SHAPES`."""
    return np.select([kind == shape for shape in range(len(SHAPES))], results, np.nan)


def growth_exponents(kind: IntArray, coefficients: FloatArray, x: FloatArray) -> FloatArray:
    """Return the growth exponent x*y'/y of each model at x. For a line, the exponent approaches 1 as x increases."""
    _, b1, b2 = coefficients.T
    with np.errstate(all="ignore"):
        y = values(kind, coefficients, x[:, None])[:, 0]
        line = b1 * x
        slope = _by_kind(kind, np.zeros(len(x)), b1, line, line + 2.0 * b2 * x * x, b1 * y, x * np.log(b1) * y)
        return slope / y


def steps_at(curve: tuple[FloatArray, FloatArray], start: float, end: float, x: FloatArray) -> FloatArray:
    """Evaluate, at x, a regressogram with buckets of equal width. Values outside the buckets are NaN."""
    _, y = curve
    place = np.floor((x - start) / (end - start) * len(y)).astype(np.int64)
    place = np.where(x == end, len(y) - 1, place)
    return np.where((place >= 0) & (place < len(y)), y[np.clip(place, 0, len(y) - 1)], np.nan)


def curve_at(curve: tuple[FloatArray, FloatArray], x: FloatArray) -> FloatArray:
    """Evaluate a curve at x by linear interpolation between its points. Values outside the curve are NaN."""
    return np.asarray(np.interp(x, *curve, left=np.nan, right=np.nan))


def rebinned(y: FloatArray, edges: FloatArray, wanted: FloatArray) -> FloatArray:
    """Return the means of a step function over the ``wanted`` buckets. NaN values are ignored."""
    lower, upper = np.maximum(edges[:-1], wanted[:-1, None]), np.minimum(edges[1:], wanted[1:, None])
    weight = np.maximum(upper - lower, 0.0) * ~np.isnan(y)
    with np.errstate(all="ignore"):
        return np.asarray((weight * np.nan_to_num(y)).sum(axis=1) / weight.sum(axis=1))
