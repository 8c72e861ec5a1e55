"""Strategies that compare two cost models over the input size by their orders, areas or windows."""

from typing import Any

import numpy as np

from profgate.decide.detect.model_pairs import CHOICE, MIN_OVERLAP, ModelRows, ModelStrategy, pair_values
from profgate.decide.detect.strategy import directed
from profgate.model.arrays import FloatArray, IntArray
from profgate.model.change import OptionSpec
from profgate.model.cost_models import SHAPES, CostModels
from profgate.model.details import Partial
from profgate.model.kinds import Kind
from profgate.model.reason import Reason, ReasonCode
from profgate.statistics.model_fits import GRID, areas, grid
from profgate.statistics.thresholds import at_least, at_most

CHOICE_OPTIONS: tuple[OptionSpec, ...] = (
    OptionSpec(
        "models",
        "best-model",
        "compared models: the best model, the best with (param) or without (nonparam) a formula, or all models",
        choices=(
            *("best-model", "best-param", "best-nonparam"),
            *("all-param", "all-nonparam", "all-models", "best-both"),
        ),
    ),
    OptionSpec("min_confidence", 0.15, "smallest r_square of both models, rounded to hundredths", 0.0, 1.0),
    OptionSpec("no_change", 0.10, "largest relative change that is no change", 0.0),
    OptionSpec("certain", 0.25, "largest relative change that is only a possible change", 0.0),
    MIN_OVERLAP,
    CHOICE,
)


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
        CHOICE,
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
    options: tuple[OptionSpec, ...] = CHOICE_OPTIONS

    def judge(self, rows: ModelRows, options: dict[str, Any]) -> None:
        """Compare the areas under the models."""
        able = _refuse_poor_fits(rows, options["min_confidence"])
        before, after = _areas(rows, able)
        with np.errstate(all="ignore"):
            relative = np.where((before == 0) & (after == 0), 0.0, (after - before) / before)
        unusable = ~np.isfinite(relative) | (before < 0) | (after < 0)
        relative = np.where(unusable, np.nan, relative)
        rows.change_by_size(able, relative, options, "no_area")
        area_from, area_to = columns = np.full((2, len(rows)), np.nan)
        columns[:, able] = before, after
        rows.details |= {"area_from": area_from, "area_to": area_to}
        rows.add_interval()
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
        *CHOICE_OPTIONS,
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
        rows.add_interval()


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
        from scipy.integrate import simpson  # scipy.integrate is slow to import and rarely needed

        area = simpson(y, x=x)
    low, middle, high = np.quantile(y, [0.25, 0.5, 0.75], axis=1)
    columns = (area, y.mean(axis=1), middle, y.max(axis=1), y.min(axis=1), y.sum(axis=1), low, high)
    return np.stack(columns, axis=1)
