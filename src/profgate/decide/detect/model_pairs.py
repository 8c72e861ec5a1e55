"""Pairs of cost models of one location, and the result rows of all strategies that compare such pairs."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from profgate.decide.detect.strategy import Strategy, directed, not_tested, one_sided, resolved, worse_sign
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.change import Columns, Context, Detection, Kind, ModelPair, OptionSpec
from profgate.model.comparison import Comparison, Observations
from profgate.model.cost_models import MODEL_NAMES, REGRESSOGRAM, SHAPES, WITHOUT_SUBTYPE, CostModels
from profgate.model.reason import Parameter, Reason, ReasonCode
from profgate.statistics.model_fits import (
    SMALLEST_X,
    TIE,
    criterion,
    curve_at,
    growth_exponents,
    rebinned,
    steps_at,
    values,
)
from profgate.statistics.thresholds import at_least, at_most

NONE = -1
SUBTYPE_BITS = 32
KINDS = {
    "best-model": range(len(MODEL_NAMES)),
    "best-param": range(len(SHAPES)),
    "best-nonparam": range(len(SHAPES), len(MODEL_NAMES)),
}
MIN_OVERLAP = OptionSpec(
    "min_overlap", 0.5, "smallest overlap of the two size ranges at which a change is more than possible", 0.0, 1.0
)


class Pairs(NamedTuple):
    """Pairs of models to compare. ``baseline`` and ``target`` are row numbers in `CostModels`, or -1 if missing."""

    symbol: IntArray
    subtype: IntArray
    baseline: IntArray
    target: IntArray


def location_keys(symbol: IntArray, subtype: IntArray) -> IntArray:
    """Return one int64 key per pair of symbol and subtype. Sorting the keys sorts the pairs."""
    return (symbol << SUBTYPE_BITS) + subtype + 1


def _places(comparison: Comparison, models: CostModels) -> IntArray:
    modelled = location_keys(models.symbol, models.subtype)
    columns, records = [modelled], comparison.attached(Observations)
    if records is not None:
        subtype = records.subtype if len(records.subtypes) > 1 else np.full(len(records.symbol), WITHOUT_SUBTYPE)
        columns.append(location_keys(records.symbol, subtype))
    keys = np.unique(np.concatenate(columns))
    symbol, general = keys >> SUBTYPE_BITS, keys % (1 << SUBTYPE_BITS) == 0
    # a model without a subtype covers all records of its symbol, except the records of subtypes with separate models
    stay: BoolArray = general | ~np.isin(symbol, symbol[general]) | np.isin(keys, modelled)
    return keys[stay]


def _scores(models: CostModels) -> FloatArray:
    """Return the score of each model, or NaN for models that cannot be selected. Higher scores are better.

    The score is R² for models in the profile, and the negative AICc for models fitted by profgate.
    """
    by_r_square = np.where(models.r_square > 0, models.r_square, np.nan)
    by_criterion = -criterion(np.minimum(models.kind, len(SHAPES) - 1), models.error, models.points)
    # perfect fits get equal scores, so that the model with the lowest order is selected
    by_criterion = np.where(models.error == 0.0, np.inf, by_criterion)
    score = np.where(models.fitted, by_criterion, by_r_square)
    owner = 2 * models.symbol + models.side
    return np.where(models.fitted & np.isin(owner, owner[~models.fitted]), np.nan, score)


def best_pairs(comparison: Comparison, models: CostModels, which: str) -> Pairs:
    """Pair the best models of both sides of each location. Of models with equal scores, the lowest order is chosen.

    ``which`` selects models with a formula, without one, or all, as the option ``models``.
    """
    places, score = _places(comparison, models), _scores(models)
    keys = location_keys(models.symbol, models.subtype)
    best = np.full((2, len(places)), NONE, np.int64)
    usable = np.isin(models.kind, KINDS[which]) & ~np.isnan(score) & np.isin(keys, places)
    for side in (0, 1):
        rows = np.flatnonzero(usable & (models.side == side))
        at = np.searchsorted(places, keys[rows])
        highest = np.full(len(places), -np.inf)
        np.maximum.at(highest, at, score[rows])
        tied = score[rows] >= highest[at] - TIE
        rows, at = rows[tied], at[tied]
        order = np.lexsort((models.kind[rows], at))
        place, first = np.unique(at[order], return_index=True)
        best[side, place] = rows[order[first]]
    return Pairs(places >> SUBTYPE_BITS, places % (1 << SUBTYPE_BITS) - 1, best[0], best[1])


class ModelRows:
    """Result rows for pairs of models, filled in by a strategy.

    In ``kinds``, rows with two models are NoChange until a strategy judges them. All other rows are new, gone, or
    Unknown with a reason. ``start`` and ``end`` limit the common range of sizes, and ``overlap`` is the fraction of the
    union of both ranges that this range covers, or NaN if there is no common range. ``confidence`` is the lower R² of
    the two models, and ``relative`` is the relative change.
    """

    def __init__(self, comparison: Comparison, models: CostModels, pairs: Pairs, min_overlap: float) -> None:
        """Find the comparable rows. An overlap below ``min_overlap`` limits a result to a possible change."""
        before, after = pairs.baseline, pairs.target
        self.comparison, self.models, self.pairs = comparison, models, pairs
        self.sign = worse_sign(comparison.metric)
        self.complete: BoolArray = np.asarray((before != NONE) & (after != NONE))
        self.start = np.maximum(models.start[before], models.start[after])
        self.end = np.minimum(models.end[before], models.end[after])
        lowest = np.minimum(models.start[before], models.start[after])
        union = np.maximum(models.end[before], models.end[after]) - lowest
        with np.errstate(all="ignore"):
            self.overlap = np.where(self.end > self.start, (self.end - self.start) / union, np.nan)
        self.confidence = np.where(self.complete, np.minimum(models.r_square[before], models.r_square[after]), np.nan)
        self.partial_overlap = ~at_least(np.nan_to_num(self.overlap), min_overlap)
        kinds = np.where(self.complete, np.int64(Kind.NO_CHANGE), np.int64(Kind.UNKNOWN))
        self.kinds = one_sided(comparison, pairs.symbol, kinds)
        lacking = (self.kinds == Kind.UNKNOWN) & ~self.complete
        self.reasons: list[Reason | str | None] = [
            Reason(ReasonCode.NO_MODEL, self._lacks(row)) if lacks else None
            for row, lacks in enumerate(lacking.tolist())
        ]
        self.relative: FloatArray | None = None
        self.details: dict[str, Any] = {
            "of": "models",
            "baseline": self._names(before),
            "target": self._names(after),
            "records": self._records(),
        }
        self.subtypes = ["model"] * len(self.kinds)
        self.flags = [""] * len(self.kinds)

    def __len__(self) -> int:
        return len(self.kinds)

    def comparable(self) -> IntArray:
        """Return the indices of the rows that have not been refused."""
        return np.flatnonzero(self.kinds == Kind.NO_CHANGE)

    def refuse(self, rows: IntArray, reason: Reason) -> None:
        """Set the kind of these rows to Unknown, and store the reason."""
        self.kinds[rows] = Kind.UNKNOWN
        for row in rows.tolist():
            self.reasons[row] = reason

    def refuse_apart(self) -> IntArray:
        """Refuse pairs of models without common sizes. Return the indices of the remaining rows."""
        rows = self.comparable()
        self.refuse(rows[np.isnan(self.overlap[rows])], Reason(ReasonCode.NO_RESULT, {"case": "sizes_apart"}))
        return self.comparable()

    def change(self, rows: IntArray, kinds: IntArray, relative: FloatArray, case: str) -> None:
        """Set the kinds and relative changes of these rows.

        A row with a small overlap is at most a possible change. A row whose relative change is NaN is Unknown
        because of ``case``.
        """
        partial = self.partial_overlap[rows]
        certain = (np.abs(kinds) >= Kind.OPTIMIZATION) & (np.abs(kinds) <= Kind.TOTAL_OPTIMIZATION)
        self.kinds[rows] = np.where(partial & certain, np.sign(kinds) * Kind.MAYBE_OPTIMIZATION, kinds)
        self.relative = np.full(len(self), np.nan)
        self.relative[rows] = relative
        self.refuse(rows[np.isnan(relative)], Reason(ReasonCode.NO_RESULT, {"case": case}))
        for row in rows[partial].tolist():
            self.flags[row] = "partial_overlap"

    def change_by_size(self, rows: IntArray, relative: FloatArray, options: dict[str, Any], case: str) -> None:
        """Set the kinds of these rows from their relative changes and the thresholds ``no_change`` and ``certain``."""
        size, worse = np.abs(relative), self.sign * relative > 0
        kinds = np.where(
            at_most(size, options["certain"]),
            directed(Kind.MAYBE_DEGRADATION, worse),
            directed(Kind.DEGRADATION, worse),
        )
        kinds = np.where(at_most(size, options["no_change"]), np.int64(Kind.NO_CHANGE), kinds)
        self.change(rows, kinds, relative, case)

    def add_largest_size(self) -> None:
        """Add values and growth exponents at the largest common size, or NaN if the size or a formula is missing."""
        x = np.where(self.complete & ~np.isnan(self.overlap), np.maximum(self.end, SMALLEST_X), np.nan)
        rows_of = self.pairs.baseline, self.pairs.target
        sides = [(self.models.kind[rows], self.models.coefficients[rows]) for rows in rows_of]
        value_from, value_to = (values(kind, coefficients, x[:, None])[:, 0] for kind, coefficients in sides)
        growth_from, growth_to = (growth_exponents(kind, coefficients, x) for kind, coefficients in sides)
        self.details |= {
            "largest_common_size": x,
            "value_from": value_from,
            "value_to": value_to,
            "growth_from": growth_from,
            "growth_to": growth_to,
        }

    def detection(self, strategy: Strategy) -> Detection:
        """Return the detection, with unknown values and with R² as the confidence."""
        unknown = np.full(len(self), np.nan)
        return Detection(
            strategy=strategy.name,
            family=strategy.family,
            subtype="model",
            symbol=self.pairs.symbol,
            kind=self.kinds,
            from_value=unknown,
            to_value=unknown,
            confidence_types=["r_square"] * len(self),
            confidence=self.confidence,
            details=Columns(ModelPair, self.details),
            shares=False,
            labels=self.subtypes,
            relative=self.relative,
            reasons=self.reasons,
            flags=self.flags,
        )

    def _names(self, rows: IntArray) -> list[str]:
        return [MODEL_NAMES[self.models.kind[row]] if row != NONE else "" for row in rows.tolist()]

    def _records(self) -> list[str] | Literal[""]:
        """Return the subtypes of the records, or "" if there are none."""
        records = self.comparison.attached(Observations)
        names = [] if records is None else records.subtypes
        subtypes = [names[number] if number != WITHOUT_SUBTYPE else "" for number in self.pairs.subtype.tolist()]
        return subtypes if any(subtypes) else ""

    def _lacks(self, row: int) -> dict[str, Parameter]:
        """Return, for each side without a model, the reason and the number of records whose size is known."""
        lacks: dict[str, Parameter] = {}
        records, models, symbol = self.comparison.attached(Observations), self.models, self.pairs.symbol[row]
        for side, name in enumerate(("baseline", "target")):
            if getattr(self.pairs, name)[row] != NONE:
                continue
            sizes = np.empty(0) if records is None else _sizes(records, side, symbol, self.pairs.subtype[row])
            reason = "no_model"
            if ((models.symbol == symbol) & (models.side == side)).any():
                reason = "unfit"
            elif records is not None and len(sizes) < 3:  # as every model needs
                reason = "few_sizes" if len(sizes) else "no_size"
            elif records is not None and sizes.min() == sizes.max():
                reason = "equal_sizes"
            lacks |= {name: reason, f"{name}_records": len(sizes)}
        return lacks


def _sizes(records: Observations, side: int, symbol: int, subtype: int) -> FloatArray:
    """Return the known sizes in the records of a location on one side."""
    here = (records.symbol == symbol) & (records.side == side)
    here &= np.isfinite(records.amount) & np.isfinite(records.size)
    return np.asarray(records.size[here & ((records.subtype == subtype) | (subtype == WITHOUT_SUBTYPE))])


class ModelStrategy(Strategy, ABC):
    """Base class of the strategies that compare pairs of models."""

    family = "M"

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:  # noqa: ARG002
        """Return one row per pair of models, including locations that cannot be compared."""
        chosen = resolved(self, options)
        models = comparison.attached(CostModels)
        if models is None:
            return not_tested(self, Reason(ReasonCode.CANNOT_TEST, {"case": "no_models"}), unsuited=True)
        pairs = best_pairs(comparison, models, chosen.get("models", "best-param"))
        rows = ModelRows(comparison, models, pairs, chosen.get("min_overlap", 0.0))
        self.judge(rows, chosen)
        return rows.detection(self)

    @abstractmethod
    def judge(self, rows: ModelRows, options: dict[str, Any]) -> None:
        """Set the kinds, reasons and details of the rows."""


def pair_values(models: CostModels, before: int, after: int, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the values of both models at x. Two regressograms are compared in the buckets of the baseline."""
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
