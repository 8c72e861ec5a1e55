"""What integral_comparison and local_statistics share: which models they compare, and the classes of an error."""

from typing import Any

import numpy as np

from profgate.detect.base import directed
from profgate.detect.model_pairs import (
    ALL_KINDS,
    CHOICE,
    CURVE_KINDS,
    FORMULAS,
    Pairs,
    best_pairs,
    capped,
    common_interval,
    least_r_square,
    one_sided_or_unknown,
    same_name_pairs,
    together,
)
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.change import OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.cost_models import MODEL_NAMES, REGRESSOGRAM, SHAPES, CostModels
from profgate.model.kinds import Kind
from profgate.statistics.cost_values import curve_at, rebinned, steps_at, values
from profgate.statistics.thresholds import at_least, at_most

CHOICE_OPTIONS: tuple[OptionSpec, ...] = (
    OptionSpec(
        "models",
        "best-model",
        "which models are compared: the best of all, of those with (param) or without (nonparam) a formula, or all",
        choices=(
            "best-model",
            "best-param",
            "best-nonparam",
            "all-param",
            "all-nonparam",
            "all-models",
            "best-both",
        ),
    ),
    OptionSpec("min_confidence", 0.15, "r_square, rounded to hundredths, that both models must reach", 0.0, 1.0),
    OptionSpec("no_change", 0.10, "relative change up to which there is none", 0.0),
    OptionSpec("certain", 0.25, "relative change above which a change is no longer a maybe", 0.0),
    OptionSpec("min_overlap", 0.5, "part of both ranges of sizes that must be common for more than a maybe", 0.0, 1.0),
    CHOICE,
)


def chosen_pairs(comparison: Comparison, options: dict[str, Any]) -> Pairs:
    """The pairs of models that the options ask for."""
    wanted, choice = options["models"], options["choice"]
    if wanted == "best-both":
        return together(
            best_pairs(comparison, FORMULAS, choice), _present(best_pairs(comparison, CURVE_KINDS, "r_square"))
        )
    best = {"best-model": ALL_KINDS, "best-param": FORMULAS, "best-nonparam": CURVE_KINDS}
    if wanted in best:
        return best_pairs(comparison, best[wanted], choice)
    every = {"all-param": FORMULAS, "all-nonparam": CURVE_KINDS, "all-models": ALL_KINDS}
    return same_name_pairs(comparison, every[wanted])


def _present(pairs: Pairs) -> Pairs:
    """Without the rows where neither side has such a model: the other part of the pairs speaks for those."""
    some = (pairs.baseline >= 0) | (pairs.target >= 0)
    return Pairs(pairs.symbol[some], pairs.subtype[some], pairs.baseline[some], pairs.target[some])


class Comparable:
    """The pairs that can be compared, and what is said of the others."""

    def __init__(self, comparison: Comparison, models: CostModels, pairs: Pairs, options: dict[str, Any]) -> None:
        """Sort the pairs out; ``rows`` int64 are those that can be compared."""
        self.confidence = least_r_square(models, pairs)
        self.interval = common_interval(models, pairs)
        kinds, self.reasons = one_sided_or_unknown(comparison, pairs, np.full(len(pairs), np.int64(Kind.NO_CHANGE)))
        able = kinds == Kind.NO_CHANGE
        # as published: a fit of .145 counts as .14
        poor = able & ~at_least(
            np.asarray(np.round(np.nan_to_num(self.confidence), 2), np.float64), options["min_confidence"]
        )
        apart = able & ~poor & np.isnan(self.interval.overlap)
        self.reasons |= {row: _poor(self.confidence[row]) for row in np.flatnonzero(poor).tolist()}
        apart_rows = np.flatnonzero(apart).tolist()
        self.reasons |= dict.fromkeys(apart_rows, "the ranges of sizes have nothing in common")
        self.kinds = np.where(poor | apart, np.int64(Kind.UNKNOWN), kinds)
        self.rows = np.flatnonzero(able & ~poor & ~apart)
        self.partial: BoolArray = ~at_least(np.nan_to_num(self.interval.overlap), options["min_overlap"])
        self.relative = np.full(len(pairs), np.nan)
        self._options = options

    def say(self, relative: FloatArray, sign: int, reason: str) -> None:
        """The relative change of each of ``rows``; where it is NaN they are unknown for this reason."""
        self.relative[self.rows] = relative
        kinds = classes(relative, self._options["no_change"], self._options["certain"], sign)
        self.kinds[self.rows] = capped(kinds, self.partial[self.rows])
        self.reasons |= dict.fromkeys(self.rows[np.isnan(relative)].tolist(), reason)

    @property
    def flags(self) -> dict[int, tuple[str, ...]]:
        """The flags of the rows that have any."""
        return dict.fromkeys(self.rows[self.partial[self.rows]].tolist(), ("partial_overlap",))


def _poor(confidence: float) -> str:
    return f"fit too poor: r_square {confidence:.2f}" if np.isfinite(confidence) else "fit too poor"


def classes(error: FloatArray, no_change: float, certain: float, sign: int) -> IntArray:
    """int64: NoChange, a maybe or more by the size of a relative error, Unknown where it is NaN."""
    worse = sign * error > 0
    kinds = np.where(
        at_most(np.abs(error), certain), directed(Kind.MAYBE_DEGRADATION, worse), directed(Kind.DEGRADATION, worse)
    )
    kinds = np.where(at_most(np.abs(error), no_change), np.int64(Kind.NO_CHANGE), kinds)
    return np.where(np.isnan(error), np.int64(Kind.UNKNOWN), kinds)


def pair_values(models: CostModels, before: int, after: int, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """float64[n] of two models at x; of two regressograms the target's values are put into the other's buckets."""
    first, second = (_values(models, row, x) for row in (before, after))
    if models.kind[before] == models.kind[after] == REGRESSOGRAM:
        edges = [
            np.linspace(models.start[row], models.end[row], len(models.curves[row][1]) + 1) for row in (before, after)
        ]
        if len(edges[0]) != len(edges[1]):
            moved = rebinned(models.curves[after][1], edges[1], edges[0])
            second = steps_at((edges[0], moved), float(models.start[before]), float(models.end[before]), x)
    return first, second


def _values(models: CostModels, row: int, x: FloatArray) -> FloatArray:
    if models.kind[row] < len(SHAPES):
        return np.asarray(values(models.kind[[row]], models.coefficients[[row]], x[None])[0])
    curve = models.curves.get(row)
    if curve is None:
        return np.full(len(x), np.nan)
    if models.kind[row] == REGRESSOGRAM:
        return steps_at(curve, float(models.start[row]), float(models.end[row]), x)
    return curve_at(curve, x)


def has_formula(models: CostModels, rows: IntArray) -> BoolArray:
    """bool[row]: the model has a closed form."""
    return np.asarray(models.kind[rows] < len(SHAPES))


def model_subtype(models: CostModels, pairs: Pairs) -> list[str]:
    """The names of the models where one location is compared by several, else the plain word."""
    several = len(set(zip(pairs.symbol.tolist(), pairs.subtype.tolist(), strict=True))) < len(pairs)
    if not several:
        return ["model"] * len(pairs)
    kinds = [
        int(models.kind[row]) if row >= 0 else int(models.kind[other])
        for row, other in zip(pairs.baseline.tolist(), pairs.target.tolist(), strict=True)
    ]
    return [MODEL_NAMES[kind] for kind in kinds]
