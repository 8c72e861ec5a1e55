"""Strategies that compare two cost models over the input size: by order, area, windows or form."""

from abc import abstractmethod
from typing import Any

import numpy as np

from profgate.decide.detect.model_pairs import KINDS, MIN_OVERLAP, ModelRows, ModelStrategy, location_keys, pair_values
from profgate.decide.detect.strategy import directed
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.change import Kind, OptionSpec, Partial
from profgate.model.cost_models import LINEAR, QUADRATIC, SHAPES, CostModels
from profgate.model.reason import Reason, ReasonCode
from profgate.statistics.model_fits import GRID, TIE, areas, fitted, grid, values
from profgate.statistics.thresholds import above, at_least, at_most

MODEL_OPTIONS: tuple[OptionSpec, ...] = (
    OptionSpec(
        "models",
        "best-model",
        "compared models: the best model, or the best with (param) or without (nonparam) a formula",
        choices=tuple(KINDS),
    ),
    OptionSpec("min_confidence", 0.15, "smallest r_square of both models, rounded to hundredths", 0.0, 1.0),
    OptionSpec("no_change", 0.10, "largest relative change that is no change", 0.0),
    OptionSpec("certain", 0.25, "largest relative change that is only a possible change", 0.0),
    MIN_OVERLAP,
)
FLAT = 0.05  # largest relative slope or scatter of a difference that counts as constant
DEGREES = ("constant", "linear", "quadratic")
PAIRS_AT_ONCE = 1000  # number of pairs per block, which limits the memory used by their grids


class BestModelOrderEquality(ModelStrategy):
    """Finds functions whose order of growth changed, for example from linear to quadratic.

    The strategy works on cost models over the input size, which come from a Perun profile or are fitted to records that
    state a size. The orders are constant < logarithmic < linear < quadratic < power < exponential. The confidence is
    the lower R² of the two best models. If the confidence is below the minimum in the options, the strategy reports no
    change. The strategy ignores coefficients, so a line that is ten times steeper is not a change. A power function
    ranks above a quadratic function, whatever its exponent. The strategy therefore also reports the exponent of growth
    and both values at the largest common size. The strategy is inconclusive if a side has no usable model, for example
    because there are fewer than three sizes.
    """

    name = "best_model_order_equality"
    short = "bmoe"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("min_confidence", 0.9, "smallest r_square of both models for a change", 0.0, 1.0),
    )

    def judge(self, rows: ModelRows, options: dict[str, Any]) -> None:
        """Compare the orders of the models."""
        kind = rows.models.kind
        steps = np.where(rows.complete, kind[rows.pairs.target] - kind[rows.pairs.baseline], 0)
        steps = np.where(at_least(rows.confidence, options["min_confidence"]), steps, 0)
        changed = (rows.kinds == Kind.NO_CHANGE) & (steps != 0)
        rows.kinds = np.where(changed, directed(Kind.DEGRADATION, rows.sign * steps > 0), rows.kinds)
        rows.details["order_steps"] = np.where(rows.complete, steps.astype(np.float64), np.nan)
        rows.add_largest_size()


def _refuse_poor_fits(rows: ModelRows, least: float) -> IntArray:
    """Refuse poor fits and pairs of models without common sizes. Return the indices of the remaining rows."""
    able = rows.comparable()
    rounded = np.round(np.nan_to_num(rows.confidence[able]), 2)  # as in the published method, 0.145 is rounded to 0.14
    for row in able[~at_least(rounded, least)].tolist():
        fit = rows.confidence[row]
        known = {"r_square": float(fit) if np.isfinite(fit) else None}
        rows.refuse(np.array([row]), Reason(ReasonCode.NO_RESULT, {"case": "poor_fit", **known}))
    return rows.refuse_apart()


class IntegralComparison(ModelStrategy):
    """Finds functions whose modelled cost, integrated over all input sizes, increased or decreased.

    The strategy works on cost models over the input size and compares the areas under them over the common range of
    sizes. A difference of up to 10 % is no change, and a difference of up to 25 % is a possible change. The confidence
    is the lower R² of the two models, which measures how well the models fit the records, not how large the noise is.
    Large sizes dominate the area, so a change at small sizes may not be found. The strategy is inconclusive if an R² is
    below 0.15, an area is not positive, or the ranges of sizes do not overlap. The strategy reports at most a possible
    change if the overlap is less than half of the union of both ranges.
    """

    name = "integral_comparison"
    short = "int"
    options: tuple[OptionSpec, ...] = MODEL_OPTIONS

    def judge(self, rows: ModelRows, options: dict[str, Any]) -> None:
        """Compare the areas under the models."""
        able = _refuse_poor_fits(rows, options["min_confidence"])
        before, after = _areas(rows, able)
        with np.errstate(all="ignore"):
            relative = np.where((before == 0) & (after == 0), 0.0, (after - before) / before)
        unusable = ~np.isfinite(relative) | (before < 0) | (after < 0)
        relative = np.where(unusable, np.nan, relative)
        rows.change_by_size(able, relative, options, "no_area")
        rows.add_largest_size()


def _areas(rows: ModelRows, able: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the areas under the models of both sides over the common range of sizes, for the rows in ``able``."""
    models, start, end = rows.models, rows.start[able], rows.end[able]
    sides = rows.pairs.baseline[able], rows.pairs.target[able]
    before, after = (areas(models.kind[side], models.coefficients[side], start, end) for side in sides)
    # a model of another kind has no closed form
    for pair_row in np.flatnonzero(np.maximum(*(models.kind[side] for side in sides)) >= len(SHAPES)).tolist():
        x = grid(start[pair_row], end[pair_row])
        pair = pair_values(models, int(sides[0][pair_row]), int(sides[1][pair_row]), x)
        before[pair_row], after[pair_row] = _areas_of_curves(x, *pair)
    return before, after


def _areas_of_curves(x: FloatArray, before: FloatArray, after: FloatArray) -> tuple[float, float]:
    """Integrate both curves by trapezoids where both have values, or return NaN for less than half the range."""
    defined = np.isfinite(before) & np.isfinite(after)
    cells = defined[:-1] & defined[1:]
    if 2 * cells.sum() < len(cells):
        return np.nan, np.nan
    width = np.diff(x)[cells]
    first, second = (float(((y[:-1] + y[1:])[cells] / 2.0 * width).sum()) for y in (before, after))
    return first, second


class LocalStatistics(ModelStrategy):
    """Finds input sizes at which a function's modelled cost changed, even if its overall cost hardly changed.

    The strategy works on cost models over the input size. It divides the common range of sizes into windows of 5 % each
    and compares eight statistics in each window: area, mean, median, largest and smallest value, sum and both
    quartiles. The error of a window is the mean relative change of its statistics, and the total error is the mean over
    the windows. An error of up to 10 % is no change, and an error of up to 25 % is a possible change. The JSON report
    always contains the windows. The confidence is the lower R² of the two models, which measures how well the models
    fit the records, not how large the noise is. The strategy is inconclusive if an R² is below 0.15 or no value is
    positive. The strategy reports at most a possible change if the overlap is less than half of the union of both
    ranges.
    """

    name = "local_statistics"
    short = "loc"
    options: tuple[OptionSpec, ...] = (
        *MODEL_OPTIONS,
        OptionSpec("density", 0.05, "width of a window, as a fraction of the range of sizes", 0.0, 1.0),
    )

    def judge(self, rows: ModelRows, options: dict[str, Any]) -> None:
        """Compare each pair window by window, and report the windows."""
        able = _refuse_poor_fits(rows, options["min_confidence"])
        relative, windows = np.full(len(able), np.nan), [tuple[Partial, ...]()] * len(rows)
        for number, row in enumerate(able.tolist()):
            kind, error, first, last = _windows(rows, row, options)
            if len(error):
                relative[number] = error.mean()
            columns = (kind.tolist(), error.tolist(), first.tolist(), last.tolist())
            windows[row] = tuple(
                Partial(Kind(code).word, change, start, end) for code, change, start, end in zip(*columns, strict=True)
            )
        rows.details["windows"] = windows
        rows.change_by_size(able, relative, options, "no_window")


def _windows(rows: ModelRows, row: int, options: dict[str, Any]) -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
    """Return the kind, error, first size and last size of each comparable window of one pair."""
    x = grid(rows.start[row], rows.end[row])
    width = int(options["density"] * GRID + 1e-9)
    width = width if width >= 2 else GRID
    sides = int(rows.pairs.baseline[row]), int(rows.pairs.target[row])
    curves = pair_values(rows.models, *sides, x)
    windows = []
    whole = GRID - GRID % width
    for part in (slice(0, whole), slice(whole, GRID)):
        size = min(width, part.stop - part.start)
        if size >= 2:
            x_of = x[part].reshape(-1, size)
            with np.errstate(all="ignore"):
                before, after = (
                    _statistics(rows.models, side, x_of, y[part].reshape(-1, size))
                    for side, y in zip(sides, curves, strict=True)
                )
                error = (after - before) / before
            error = np.where((before < 0) | (after < 0) | ~np.isfinite(error), np.nan, error)
            windows.append((np.where((before == 0) & (after == 0), 0.0, error), x_of[:, 0], x_of[:, -1]))
    error, first, last = (np.concatenate(columns) for columns in zip(*windows, strict=True))
    defined = ~np.isnan(error)
    some = defined.any(axis=1)
    error, defined, count = error[some], defined[some], defined[some].sum(axis=1)
    votes = np.where(at_most(np.abs(error), options["certain"]), 0.5, 1.0)
    votes = np.where(at_most(np.abs(error), options["no_change"]), 0.0, votes) * np.sign(error)
    score = np.where(defined, votes, 0.0).sum(axis=1)
    mean = np.where(defined, error, 0.0).sum(axis=1) / count
    # the net fraction of statistics that got worse: up to 0.2 is no change, and up to 0.5 is a possible change
    part = rows.sign * score / count
    worse, size = part > 0, np.abs(part)
    kinds = np.where(at_most(size, 0.5), directed(Kind.MAYBE_DEGRADATION, worse), directed(Kind.DEGRADATION, worse))
    kinds = np.where(at_most(size, 0.2), np.int64(Kind.NO_CHANGE), kinds)
    return kinds, mean, first[some], last[some]


def _statistics(models: CostModels, row: int, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return area, mean, median, maximum, minimum, sum and quartiles by window, or NaN if a value is missing."""
    count = len(x)
    if models.kind[row] < len(SHAPES):  # the model has a closed form
        kind, coefficients = np.repeat(models.kind[row], count), np.repeat(models.coefficients[[row]], count, axis=0)
        area = areas(kind, coefficients, x[:, 0], x[:, -1])
    else:
        area = areas_of_windows(y, x)
    low, middle, high = np.quantile(y, [0.25, 0.5, 0.75], axis=1)
    columns = (area, y.mean(axis=1), middle, y.max(axis=1), y.min(axis=1), y.sum(axis=1), low, high)
    return np.stack(columns, axis=1)


def areas_of_windows(y: FloatArray, x: FloatArray) -> FloatArray:
    """Return the integral of each row of ``y`` over equidistant sizes, of which there are at least two.

    Simpson's rule is used, for an even number of sizes with Cartwright's correction of the last interval.
    """
    count = y.shape[1]
    odd = count - 1 + count % 2
    weights = np.zeros(count)
    weights[1:odd:2] = 4.0 / 3.0
    weights[2 : odd - 1 : 2] = 2.0 / 3.0
    weights[[0, odd - 1]] = 1.0 / 3.0
    if count == 2:
        weights[:] = 0.5
    elif odd < count:  # the parabola through the last three values, between the last two
        weights[-3:] += (-1.0 / 12.0, 2.0 / 3.0, 5.0 / 12.0)
    return np.asarray((y * weights).sum(axis=1) * (x[:, -1] - x[:, 0]) / (count - 1))


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
