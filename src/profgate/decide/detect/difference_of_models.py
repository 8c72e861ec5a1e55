"""Strategies that compare the best models of both sides: fast_check, linear_regression and polynomial_regression."""

from abc import abstractmethod
from typing import Any

import numpy as np

from profgate.decide.detect.model_pairs import CHOICE, MIN_OVERLAP, ModelRows, ModelStrategy, location_keys
from profgate.decide.detect.strategy import directed
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.change import OptionSpec
from profgate.model.cost_models import LINEAR, QUADRATIC, SHAPES
from profgate.model.kinds import Kind
from profgate.model.reason import Reason, ReasonCode
from profgate.statistics.model_fits import TIE, fitted, grid, values
from profgate.statistics.thresholds import above, at_most

FLAT = 0.05  # largest relative slope or scatter of a difference that counts as constant
DEGREES = ("constant", "linear", "quadratic")
PAIRS_AT_ONCE = 1000  # number of pairs per block, which limits the memory used by their grids


class DifferenceOfModels(ModelStrategy):
    """Finds functions whose modelled cost differs between the sides, and names the form of the difference: {form}.

    The strategy works on the best models of both sides over their common range of sizes. Both sides also need a linear
    model, which is fitted if the records are sufficient. A change is measured by the mean relative difference, and a
    change of up to 25 % is a possible change. The confidence is the lower R² of the two models, which measures how well
    the models fit the records, not how large the noise is. The strategy therefore also reports functions in unchanged
    code. The strategy is inconclusive if a model is missing or the ranges of sizes do not overlap. The strategy reports
    at most a possible change if the overlap is less than half of the union of both ranges. fast_check,
    linear_regression and polynomial_regression share one vote, because they differ only in how they name the form.
    """

    options: tuple[OptionSpec, ...] = (
        OptionSpec(
            "coefficients", 0.05, "largest relative change of the model and of each coefficient that is no change", 0.0
        ),
        OptionSpec("certain", 0.25, "mean relative change above which a change is no longer a maybe", 0.0),
        MIN_OVERLAP,
        CHOICE,
    )

    @abstractmethod
    def shapes(self, z: FloatArray, difference: FloatArray) -> list[str]:
        """Return the form of each row of ``difference``, whose columns are at the elements of ``z`` from 0 to 1."""

    def judge(self, rows: ModelRows, options: dict[str, Any]) -> None:
        """Compare the models by the mean relative difference over their common range of sizes."""
        _refuse_without_line(rows)
        able = rows.refuse_apart()
        relative, area, names = self._differences(rows, able)
        alike = _alike(rows, able, relative, options["coefficients"])
        more = area > 0
        certain = np.where(more, above(relative, options["certain"]), above(-relative, options["certain"]))
        worse = np.equal(rows.sign > 0, more)
        # the area determines the sign, and the mean determines the size; if their signs differ, the change is only
        # a possible change
        kinds = np.where(certain, directed(Kind.DEGRADATION, worse), directed(Kind.MAYBE_DEGRADATION, worse))
        kinds = np.where(alike | (area == 0), np.int64(Kind.NO_CHANGE), kinds)
        rows.change(able, kinds, relative, "no_difference")
        rows.subtypes = [""] * len(rows)
        for row, name in zip(able.tolist(), names, strict=True):
            if rows.kinds[row] not in (Kind.NO_CHANGE, Kind.UNKNOWN):
                rows.subtypes[row] = name
        rows.add_interval()

    def _differences(self, rows: ModelRows, able: IntArray) -> tuple[FloatArray, FloatArray, list[str]]:
        """Return the relative mean, the sum and the form of the differences of the pairs in ``able``, or NaN and ""."""
        relative, area, names = np.full(len(able), np.nan), np.full(len(able), np.nan), list[str]()
        models = rows.models
        for first in range(0, len(able), PAIRS_AT_ONCE):
            chunk = able[first : first + PAIRS_AT_ONCE]
            x = grid(rows.start[chunk], rows.end[chunk])
            before, after = (
                values(models.kind[side[chunk]], models.coefficients[side[chunk]], x)
                for side in (rows.pairs.baseline, rows.pairs.target)
            )
            with np.errstate(all="ignore"):
                difference = after - before
                formed = before != 0
                mean = np.where(formed, difference / before, 0.0).sum(axis=1) / formed.sum(axis=1)
            usable = np.isfinite(difference).all(axis=1) & (2 * formed.sum(axis=1) >= x.shape[1]) & np.isfinite(mean)
            here = slice(first, first + len(chunk))
            relative[here] = np.where(usable, mean, np.nan)
            area[here] = np.where(usable, difference.sum(axis=1), np.nan)
            named = iter(self.shapes(np.linspace(0.0, 1.0, x.shape[1]), difference[usable]))
            names += [next(named) if good else "" for good in usable.tolist()]
        return relative, area, names


def _refuse_without_line(rows: ModelRows) -> None:
    """Refuse pairs in which a side has neither a linear model nor records to fit one."""
    models, places = rows.models, location_keys(rows.pairs.symbol, rows.pairs.subtype)
    keys, lacking_side = location_keys(models.symbol, models.subtype), []
    for side in (0, 1):
        straight = (models.side == side) & ((models.kind == LINEAR) | models.fitted)
        lacking_side.append(~np.isin(places, keys[straight]))
    able = rows.comparable()
    before, after = lacking_side
    sides = (("baseline", before), ("target", after), ("both", before & after))
    for name, lacking in sides:
        rows.refuse(able[lacking[able]], Reason(ReasonCode.NO_RESULT, {"case": "no_line", "side": name}))


def _alike(rows: ModelRows, able: IntArray, relative: FloatArray, bound: float) -> BoolArray:
    """Return a mask of the pairs whose models have the same type, similar coefficients and a small difference."""
    sides = (rows.pairs.baseline[able], rows.pairs.target[able])
    before, after = (rows.models.coefficients[side] for side in sides)
    near = np.abs(after - before) <= bound * np.abs(before) + 1e-9 * np.maximum(1.0, bound) * np.abs(before)
    same = rows.models.kind[sides[0]] == rows.models.kind[sides[1]]
    return np.asarray(near.all(axis=1) & same & at_most(np.abs(relative), bound))


def best_shape(z: FloatArray, difference: FloatArray) -> list[str]:
    """Return the lowest-order model of the largest R² for each difference, or "unknown" if no model fits."""
    rows, count = difference.shape
    fits = fitted(np.repeat(np.arange(rows), count), np.tile(z, rows), difference.ravel(), rows)
    highest = np.zeros(rows)
    np.maximum.at(highest, fits.group, fits.r_square)
    near = (fits.r_square > 0) & (fits.r_square >= highest[fits.group] - TIE)
    lowest = np.full(rows, len(SHAPES))
    np.minimum.at(lowest, fits.group[near], fits.kind[near])
    return [(*SHAPES, "unknown")[kind] for kind in lowest.tolist()]


def linear_shape(z: FloatArray, difference: FloatArray) -> list[str]:
    """Return "constant" for a small slope and scatter, or else the curve or line that fits well, or the best model."""
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
    # a parabola needs an R² above 0.90 that exceeds the R² of a line by more than 0.01
    curved = above(scores[QUADRATIC], 0.90) & above(scores[QUADRATIC] - scores[LINEAR], 0.01)
    # a line needs an R² above 0.95
    straight = ~at_most(scores[LINEAR], 0.95) & ~np.isnan(scores[LINEAR])
    chosen = np.select([flat, curved, straight], [0, QUADRATIC, LINEAR], -1)
    rest = iter(best_shape(z, difference[chosen < 0]))
    return [SHAPES[kind] if kind >= 0 else next(rest) for kind in chosen.tolist()]


def polynomial_shape(z: FloatArray, difference: FloatArray) -> list[str]:
    """Return the lowest polynomial degree that fits each difference, or "unknown" if no degree fits."""
    squares = (difference**2).sum(axis=1)
    degrees = np.full(len(difference), len(DEGREES))
    for degree in reversed(range(len(DEGREES))):
        basis = np.linalg.qr(z[:, None] ** np.arange(degree + 1))[0]
        rest = difference - (difference @ basis) @ basis.T
        # a polynomial fits if it leaves at most a hundredth of the squares
        degrees = np.where((rest**2).sum(axis=1) <= 0.01 * squares, degree, degrees)
    return [(*DEGREES, "unknown")[degree] for degree in degrees.tolist()]


def _described(form: str) -> str:
    return (DifferenceOfModels.__doc__ or "").replace("{form}", form)


class FastCheck(DifferenceOfModels):  # noqa: D101 - the docstring is set below
    __doc__ = _described("the model that describes it best")
    name, short, shapes = "fast_check", "fast", staticmethod(best_shape)


class LinearRegression(DifferenceOfModels):  # noqa: D101
    __doc__ = _described("constant, a line or a curve")
    name, short, shapes = "linear_regression", "lreg", staticmethod(linear_shape)


class PolynomialRegression(DifferenceOfModels):  # noqa: D101
    __doc__ = _described("a constant, linear or quadratic amount")
    name, short, shapes = "polynomial_regression", "preg", staticmethod(polynomial_shape)
