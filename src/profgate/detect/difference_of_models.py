"""Strategies on the difference of the two best models: fast_check, linear_regression, polynomial_regression."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from profgate.detect.base import UNSUITED, Strategy, cannot_tell, directed, resolved, worse_sign
from profgate.detect.model_pairs import (
    CHOICE,
    FORMULAS,
    NO_MODELS,
    Pairs,
    Words,
    best_pairs,
    capped,
    common_interval,
    detection,
    least_r_square,
    one_sided_or_unknown,
)
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.cost_models import LINEAR, QUADRATIC, SHAPES, CostModels
from profgate.model.kinds import Kind
from profgate.statistics.cost_values import grid, values
from profgate.statistics.regression import TIE, fitted
from profgate.statistics.thresholds import above, at_least, at_most

FRAME_OPTIONS: tuple[OptionSpec, ...] = (
    OptionSpec("coefficients", 0.05, "relative change of every coefficient and of the whole up to which none is", 0.0),
    OptionSpec("certain", 0.25, "mean relative change above which a change is no longer a maybe", 0.0),
    OptionSpec("min_overlap", 0.5, "part of both ranges of sizes that must be common for more than a maybe", 0.0, 1.0),
    CHOICE,
)
FLAT = 0.05  # slope, as a part of the largest difference, and scatter, as a part of the squares, that count as none
CURVED = 0.90  # r_square from which a parabola is believed,
BETTER = 0.01  # if it is so much better than the line
STRAIGHT = 0.95
LEFT_OVER = 0.01  # part of the squares that a polynomial may leave
DEGREES = ("constant", "linear", "quadratic")
CHUNK = 1000  # pairs at a time: their grids stay in memory
Shape = Callable[[FloatArray, FloatArray], list[str]]


@dataclass(frozen=True, slots=True, eq=False)
class _Difference:
    """float64[pair]: mean relative difference (NaN = cannot be formed), the difference's sum, and its shape."""

    relative: FloatArray
    area: FloatArray
    shapes: list[str]


def word(strategy: Strategy, comparison: Comparison, options: Mapping[str, Any], shape: Shape) -> Detection:
    """Size and direction of the difference of the best models on their common interval.

    ``shape`` names the form of float64[pair, n] differences over z in 0..1, float64[n].
    """
    chosen = resolved(strategy, options)
    models = comparison.models
    if models is None:
        return cannot_tell(strategy, chosen, (NO_MODELS,), UNSUITED)
    pairs = best_pairs(comparison, FORMULAS, chosen["choice"])
    lines = np.stack([_has_line(models, side, pairs) for side in (0, 1)])
    kinds, reasons = one_sided_or_unknown(comparison, pairs, np.full(len(pairs), np.int64(Kind.NO_CHANGE)))
    both = np.flatnonzero((kinds == Kind.NO_CHANGE) & lines.all(axis=0))
    for row in np.flatnonzero((kinds == Kind.NO_CHANGE) & ~lines.all(axis=0)).tolist():
        kinds[row] = Kind.UNKNOWN
        lacking = [f"the {side}" for side, has in zip(("baseline", "target"), lines[:, row], strict=True) if not has]
        reasons[row] = f"there is no linear model in {' and '.join(lacking)}"
    interval = common_interval(models, pairs)
    apart = np.isnan(interval.overlap)
    reasons |= dict.fromkeys(both[apart[both]].tolist(), "the ranges of sizes have nothing in common")
    kinds[both[apart[both]]] = Kind.UNKNOWN
    usable = both[~apart[both]]
    found = _differences(models, pairs, interval.start, interval.end, usable, shape)
    relative, area = np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
    relative[usable], area[usable] = found.relative, found.area
    alike = _alike(models, pairs, usable, relative, chosen["coefficients"])
    partial = ~at_least(np.nan_to_num(interval.overlap), chosen["min_overlap"])
    said = _kinds(area[usable], relative[usable], alike, chosen["certain"], worse_sign(comparison.metric))
    kinds[usable] = capped(said, partial[usable])
    unknown = usable[np.isnan(relative[usable])]
    reasons |= dict.fromkeys(unknown.tolist(), "the models give no number to compare over most of the range")
    subtypes = [""] * len(pairs)
    for row, name in zip(usable.tolist(), found.shapes, strict=True):
        subtypes[row] = name if kinds[row] not in (Kind.NO_CHANGE, Kind.UNKNOWN) else ""
    words = Words(
        kinds=kinds,
        subtypes=subtypes,
        confidence=least_r_square(models, pairs),
        reasons=reasons,
        relative=relative,
        flags=dict.fromkeys(usable[partial[usable]].tolist(), ("partial_overlap",)),
        statistics={"x_from": interval.start, "x_to": interval.end, "overlap": interval.overlap},
    )
    return detection(strategy, chosen, comparison, pairs, words)


def _has_line(models: CostModels, side: int, pairs: Pairs) -> BoolArray:
    """bool[pair]: a line was brought, or there are records to fit one to, be it a flat one that is no model beside."""
    here = (models.side == side) & ((models.kind == LINEAR) | models.fitted)
    found = set(zip(models.symbol[here].tolist(), models.subtype[here].tolist(), strict=True))
    asked = zip(pairs.symbol.tolist(), pairs.subtype.tolist(), strict=True)
    return np.array([place in found for place in asked], np.bool_)


def _differences(
    models: CostModels, pairs: Pairs, start: FloatArray, end: FloatArray, rows: IntArray, shape: Shape
) -> _Difference:
    relative, area, shapes = np.full(len(rows), np.nan), np.full(len(rows), np.nan), []
    for first in range(0, len(rows), CHUNK):
        chunk = rows[first : first + CHUNK]
        x = grid(start[chunk], end[chunk])
        before, after = (
            values(models.kind[side[chunk]], models.coefficients[side[chunk]], x)
            for side in (pairs.baseline, pairs.target)
        )
        with np.errstate(all="ignore"):
            difference = after - before
            ratio = difference / before
            formed = before != 0
            mean = np.where(formed, ratio, 0.0).sum(axis=1) / formed.sum(axis=1)
        usable = np.isfinite(difference).all(axis=1) & (2 * formed.sum(axis=1) >= x.shape[1]) & np.isfinite(mean)
        here = slice(first, first + len(chunk))
        relative[here] = np.where(usable, mean, np.nan)
        area[here] = np.where(usable, difference.sum(axis=1), np.nan)
        named = iter(shape(np.linspace(0.0, 1.0, x.shape[1]), difference[usable]))
        shapes += [next(named) if good else "" for good in usable.tolist()]
    return _Difference(relative, area, shapes)


def _alike(models: CostModels, pairs: Pairs, rows: IntArray, relative: FloatArray, bound: float) -> BoolArray:
    """bool[row]: models of one type, each coefficient near the baseline's, and so is the whole."""
    before, after = (models.coefficients[side[rows]] for side in (pairs.baseline, pairs.target))
    near = np.abs(after - before) <= bound * np.abs(before) + 1e-9 * np.maximum(1.0, bound) * np.abs(before)
    same = models.kind[pairs.baseline[rows]] == models.kind[pairs.target[rows]]
    return np.asarray(near.all(axis=1) & same & at_most(np.abs(relative[rows]), bound))


def _kinds(area: FloatArray, relative: FloatArray, alike: BoolArray, certain: float, sign: int) -> IntArray:
    """The sign is that of the area, the size that of the mean; where they disagree it is a maybe."""
    more = area > 0
    sure = np.where(more, above(relative, certain), above(-relative, certain))
    worse = np.equal(sign > 0, more)
    kinds = np.where(sure, directed(Kind.DEGRADATION, worse), directed(Kind.MAYBE_DEGRADATION, worse))
    kinds = np.where(alike | (area == 0), np.int64(Kind.NO_CHANGE), kinds)
    return np.where(np.isnan(relative), np.int64(Kind.UNKNOWN), kinds)


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


def linear_shape(z: FloatArray, difference: FloatArray) -> list[str]:
    """Constant where neither slope nor scatter counts, else quadratic or linear where they fit, else the best model."""
    rows, count = difference.shape
    fits = fitted(np.repeat(np.arange(rows), count), np.tile(z, rows), difference.ravel(), rows)
    scores = {kind: np.full(rows, np.nan) for kind in (LINEAR, QUADRATIC)}
    for kind, score in scores.items():
        here = fits.kind == kind
        score[fits.group[here]] = fits.r_square[here]
    middle = z - z.mean()
    slope = difference @ middle / (middle @ middle)
    scatter = ((difference - difference.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    flat = np.abs(slope) <= FLAT * np.abs(difference).max(axis=1, initial=0.0)
    flat &= scatter <= FLAT * (difference**2).sum(axis=1)
    curved = above(scores[QUADRATIC], CURVED) & above(scores[QUADRATIC] - scores[LINEAR], BETTER)
    straight = ~at_most(scores[LINEAR], STRAIGHT) & ~np.isnan(scores[LINEAR])
    chosen = np.select([flat, curved, straight], [0, QUADRATIC, LINEAR], -1)
    rest = iter(best_shape(z, difference[chosen < 0]))
    return [SHAPES[kind] if kind >= 0 else next(rest) for kind in chosen.tolist()]


def polynomial_shape(z: FloatArray, difference: FloatArray) -> list[str]:
    """The lowest degree whose least squares polynomial leaves at most a hundredth of the squares, else "unknown"."""
    squares = (difference**2).sum(axis=1)
    found = np.full(len(difference), len(DEGREES))
    for degree in reversed(range(len(DEGREES))):
        basis = np.linalg.qr(z[:, None] ** np.arange(degree + 1))[0]
        rest = difference - (difference @ basis) @ basis.T
        found = np.where((rest**2).sum(axis=1) <= LEFT_OVER * squares, degree, found)
    return [(*DEGREES, "unknown")[degree] for degree in found.tolist()]


class DifferenceOfModels:
    """Finds functions whose modelled cost differs, and names the form of the difference: {form}.

    Works on the best models of both sides over their common range of sizes; both need a linear model too, which is
    fitted where the records allow. Size is the mean relative difference: up to 25 % is a maybe. Its confidence is the
    lower r_square of the two models, which shows how well they follow the records and nothing about noise, so it names
    functions on unchanged code too. It cannot tell where a model is missing or the ranges of sizes do not meet, and
    reports no more than a maybe where less than half of them is common. fast_check, linear_regression and
    polynomial_regression have one vote together: they differ in the name of the form alone.
    """

    name: str
    short: str
    family = "M"
    options: tuple[OptionSpec, ...] = FRAME_OPTIONS
    shape: Shape

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:  # noqa: ARG002
        """One row for each location with records or models."""
        return word(self, comparison, options, type(self).shape)


def _described(form: str) -> str:
    return (DifferenceOfModels.__doc__ or "").replace("{form}", form)


class FastCheck(DifferenceOfModels):  # noqa: D101 - described below
    __doc__ = _described("the model that describes it best")
    name, short, shape = "fast_check", "fast", staticmethod(best_shape)


class LinearRegression(DifferenceOfModels):  # noqa: D101
    __doc__ = _described("constant, a line or a curve")
    name, short, shape = "linear_regression", "lreg", staticmethod(linear_shape)


class PolynomialRegression(DifferenceOfModels):  # noqa: D101
    __doc__ = _described("a constant, linear or quadratic amount")
    name, short, shape = "polynomial_regression", "preg", staticmethod(polynomial_shape)
