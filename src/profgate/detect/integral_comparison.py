"""The areas under two models of cost over size."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from profgate.detect.base import UNSUITED, cannot_tell, resolved, worse_sign
from profgate.detect.model_choice import (
    CHOICE_OPTIONS,
    Comparable,
    chosen_pairs,
    has_formula,
    model_subtype,
    pair_values,
)
from profgate.detect.model_pairs import NO_MODELS, Pairs, Words, at_largest_size, detection
from profgate.model.arrays import FloatArray
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.cost_models import CostModels
from profgate.statistics.cost_values import areas, grid


class IntegralComparison:
    """Finds functions whose modelled cost, summed over all sizes of the input, got larger or smaller.

    Works on models of cost over size and compares their areas over the common range of sizes: up to 10 % is no
    change, up to 25 % a maybe. Its confidence is the lower r_square of the two models, which says how well they follow
    the records and nothing about noise. Large sizes dominate an area: a change of small ones is overlooked. It cannot
    tell where a fit is poorer than 0.15, where an area is not positive, or where the ranges of sizes do not meet, and
    says no more than maybe where less than half of them is common.
    """

    name = "integral_comparison"
    short = "int"
    family = "M"
    options: tuple[OptionSpec, ...] = CHOICE_OPTIONS

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:  # noqa: ARG002
        """One row for each two models that are compared, and one for each location that cannot be."""
        chosen = resolved(self, options)
        models = comparison.models
        if models is None:
            return cannot_tell(self, chosen, (NO_MODELS,), UNSUITED)
        pairs = chosen_pairs(comparison, chosen)
        asked = Comparable(comparison, models, pairs, chosen)
        before, after = _areas(models, pairs, asked)
        with np.errstate(all="ignore"):
            relative = (after - before) / before
        relative = np.where((before == 0) & (after == 0), 0.0, relative)
        unusable = ~np.isfinite(relative) | (before < 0) | (after < 0)
        asked.say(
            np.where(unusable, np.nan, relative), worse_sign(comparison.metric), "an area is zero or not positive"
        )
        columns = {"area_from": before, "area_to": after}
        statistics = {name: np.full(len(pairs), np.nan) for name in columns}
        for name, values in columns.items():
            statistics[name][asked.rows] = values
        interval = asked.interval
        words = Words(
            kinds=asked.kinds,
            subtypes=model_subtype(models, pairs),
            confidence=asked.confidence,
            reasons=asked.reasons,
            relative=asked.relative,
            flags=asked.flags,
            statistics={
                **statistics,
                "x_from": interval.start,
                "x_to": interval.end,
                "overlap": interval.overlap,
                **at_largest_size(models, pairs),
            },
        )
        return detection(self, chosen, comparison, pairs, words)


def _areas(models: CostModels, pairs: Pairs, asked: Comparable) -> tuple[FloatArray, FloatArray]:
    """float64[row] of both sides over the common interval."""
    rows = asked.rows
    start, end = asked.interval.start[rows], asked.interval.end[rows]
    sides = pairs.baseline[rows], pairs.target[rows]
    before, after = (areas(models.kind[side], models.coefficients[side], start, end) for side in sides)
    for place in np.flatnonzero(~(has_formula(models, sides[0]) & has_formula(models, sides[1]))).tolist():
        x = grid(start[place], end[place])
        pair = pair_values(models, int(sides[0][place]), int(sides[1][place]), x)
        before[place], after[place] = _areas_of_curves(x, *pair)
    return before, after


def _areas_of_curves(x: FloatArray, before: FloatArray, after: FloatArray) -> tuple[float, float]:
    """Sums of trapezoids over the parts that both know; NaN where that is less than half."""
    known = np.isfinite(before) & np.isfinite(after)
    cells = known[:-1] & known[1:]
    if 2 * cells.sum() < len(cells):
        return np.nan, np.nan
    width = np.diff(x)[cells]
    first, second = (float(((y[:-1] + y[1:])[cells] / 2.0 * width).sum()) for y in (before, after))
    return first, second
