"""The parts of two models of cost over size, each by eight statistics."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from profgate.detect.base import UNSUITED, cannot_tell, directed, resolved, worse_sign
from profgate.detect.model_choice import (
    CHOICE_OPTIONS,
    Comparable,
    chosen_pairs,
    has_formula,
    model_subtype,
    pair_values,
)
from profgate.detect.model_pairs import NO_MODELS, Pairs, Words, detection
from profgate.model.arrays import FloatArray, IntArray
from profgate.model.change import Context, Detection, OptionSpec, Partial
from profgate.model.comparison import Comparison
from profgate.model.cost_models import CostModels
from profgate.model.kinds import Kind
from profgate.statistics.cost_values import GRID, areas, grid, simpson
from profgate.statistics.thresholds import at_most

SAME, WEAK = 0.2, 0.5  # part of the statistics that must agree for a maybe, and for more


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """The windows of one pair in which something could be compared: ``kind`` int64, the rest float64."""

    kind: IntArray
    error: FloatArray
    first: FloatArray
    last: FloatArray


class LocalStatistics:
    """Finds the range of sizes in which a function's modelled cost changed, even where the whole hardly did.

    Works on models of cost over size. It cuts their common range of sizes into windows of 5 % and compares eight
    statistics in each: area, mean, median, largest, smallest, sum and quartiles. The error of all is the mean over the
    windows: up to 10 % is no change, up to 25 % a maybe; the windows themselves are always in the JSON. Its confidence
    is the lower r_square of the two models, which says how well they follow the records and nothing about noise. It
    cannot tell where a fit is poorer than 0.15 or nothing is positive, and says no more than maybe where less than half
    of the sizes is common.
    """

    name = "local_statistics"
    short = "loc"
    family = "M"
    options: tuple[OptionSpec, ...] = (
        *CHOICE_OPTIONS,
        OptionSpec("density", 0.05, "width of a window as a part of the range of sizes", 0.0, 1.0),
    )

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:  # noqa: ARG002
        """One row for each two models that are compared, and one for each location that cannot be."""
        chosen = resolved(self, options)
        models = comparison.models
        if models is None:
            return cannot_tell(self, chosen, (NO_MODELS,), UNSUITED)
        pairs = chosen_pairs(comparison, chosen)
        asked = Comparable(comparison, models, pairs, chosen)
        sign = worse_sign(comparison.metric)
        relative = np.full(len(asked.rows), np.nan)
        partial: dict[int, tuple[Partial, ...]] = {}
        for place, row in enumerate(asked.rows.tolist()):
            found = windows(models, pairs, row, asked, chosen, sign)
            if len(found.error):
                relative[place] = found.error.mean()
            partial[row] = _told(found)
        asked.say(relative, sign, "no window holds positive values on both sides")
        interval = asked.interval
        words = Words(
            kinds=asked.kinds,
            subtypes=model_subtype(models, pairs),
            confidence=asked.confidence,
            reasons=asked.reasons,
            relative=asked.relative,
            flags=asked.flags,
            statistics={"x_from": interval.start, "x_to": interval.end, "overlap": interval.overlap},
            partial=partial,
        )
        return detection(self, chosen, comparison, pairs, words)


def windows(
    models: CostModels, pairs: Pairs, row: int, asked: Comparable, options: dict[str, Any], sign: int
) -> Windows:
    """The windows of one pair, from the smallest size to the largest."""
    x = grid(asked.interval.start[row], asked.interval.end[row])
    width = int(options["density"] * GRID + 1e-9)
    width = width if width >= 2 else GRID
    rows = int(pairs.baseline[row]), int(pairs.target[row])
    before, after = pair_values(models, *rows, x)
    found = []
    for part in (slice(0, GRID - GRID % width), slice(GRID - GRID % width, GRID)):
        size = min(width, part.stop - part.start)
        if size >= 2:
            x_of, b_of, t_of = (column[part].reshape(-1, size) for column in (x, before, after))
            with np.errstate(all="ignore"):
                error = _errors(_statistics(models, rows[0], x_of, b_of), _statistics(models, rows[1], x_of, t_of))
            found.append((error, x_of[:, 0], x_of[:, -1]))
    error, first, last = (np.concatenate(columns) for columns in zip(*found, strict=True))
    known = ~np.isnan(error)
    kept = known.any(axis=1)
    error, known, first, last = error[kept], known[kept], first[kept], last[kept]
    count = known.sum(axis=1)
    score = np.where(known, _votes(error, options), 0.0).sum(axis=1)
    mean = np.where(known, error, 0.0).sum(axis=1) / count
    return Windows(_kinds(score, count, sign), mean, first, last)


def _statistics(models: CostModels, row: int, x: FloatArray, y: FloatArray) -> FloatArray:
    """float64[window, 8] of float64[window, n]: area, mean, median, largest, smallest, sum and both quartiles.

    NaN where a value is missing.
    """
    count = len(x)
    if bool(has_formula(models, np.array([row]))[0]):
        kind, coefficients = np.repeat(models.kind[row], count), np.repeat(models.coefficients[[row]], count, axis=0)
        area = areas(kind, coefficients, x[:, 0], x[:, -1])
    else:
        area = simpson(y, (x[:, -1] - x[:, 0]) / (x.shape[1] - 1))
    low, middle, high = np.quantile(y, [0.25, 0.5, 0.75], axis=1)
    columns = (area, y.mean(axis=1), middle, y.max(axis=1), y.min(axis=1), y.sum(axis=1), low, high)
    return np.stack(columns, axis=1)


def _errors(before: FloatArray, after: FloatArray) -> FloatArray:
    """Relative errors; NaN where a ratio cannot be formed."""
    with np.errstate(all="ignore"):
        error = (after - before) / before
    error = np.where((before < 0) | (after < 0) | ~np.isfinite(error), np.nan, error)
    return np.where((before == 0) & (after == 0), 0.0, error)


def _votes(error: FloatArray, options: dict[str, Any]) -> FloatArray:
    size = np.where(at_most(np.abs(error), options["no_change"]), 0.0, 1.0)
    size = np.where((size > 0) & at_most(np.abs(error), options["certain"]), 0.5, size)
    return size * np.sign(error)


def _kinds(score: FloatArray, count: FloatArray, sign: int) -> IntArray:
    worse = sign * score > 0
    part = np.abs(score) / count
    weak = at_most(part, WEAK)
    kinds = np.where(weak, directed(Kind.MAYBE_DEGRADATION, worse), directed(Kind.DEGRADATION, worse))
    return np.where(at_most(part, SAME), np.int64(Kind.NO_CHANGE), kinds)


def _told(found: Windows) -> tuple[Partial, ...]:
    columns = (found.kind.tolist(), found.error.tolist(), found.first.tolist(), found.last.tolist())
    return tuple(
        Partial(Kind(kind).word, error, first, last) for kind, error, first, last in zip(*columns, strict=True)
    )
