"""Which models of a location stand against each other, and what all strategies that compare models share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from profgate.detect.base import Strategy
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.change import Detection, OptionSpec, Partial
from profgate.model.comparison import Comparison
from profgate.model.cost_models import MODEL_NAMES, SHAPES, WITHOUT_SUBTYPE, CostModels
from profgate.model.kinds import BETTER, WORSE, Kind
from profgate.statistics.cost_values import SMALLEST_X, growth, values
from profgate.statistics.regression import TIE, criterion

NONE = -1
FORMULAS = tuple(range(len(SHAPES)))
ALL_KINDS = tuple(range(len(MODEL_NAMES)))
CURVE_KINDS = ALL_KINDS[len(SHAPES) :]
NO_MODELS = "no location brings a model, and no record tells the size of its input"
CHOICE = OptionSpec(
    "choice",
    "auto",
    "how the best model is found: auto = r_square for models a profile brings, aicc for those fitted here",
    choices=("auto", "r_square", "aicc"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """A row for each two models to compare; ``baseline`` and ``target`` int64[pair] are rows of the models, -1 = none.

    int64[pair] ``symbol`` and ``subtype`` say where.
    """

    symbol: IntArray
    subtype: IntArray
    baseline: IntArray
    target: IntArray

    def __len__(self) -> int:
        return len(self.symbol)

    @property
    def complete(self) -> BoolArray:
        """bool[pair]: there is a model on both sides."""
        return np.asarray((self.baseline != NONE) & (self.target != NONE))


def places(comparison: Comparison) -> tuple[IntArray, IntArray]:
    """Symbol and subtype, int64[place], of everything that has a model or records, on either side."""
    columns = [np.zeros((2, 0), np.int64)]
    if comparison.models is not None:
        columns.append(np.stack([comparison.models.symbol, comparison.models.subtype]))
    records = comparison.observations
    if records is not None:
        subtype = records.subtype if len(records.subtypes) > 1 else np.full(len(records.symbol), WITHOUT_SUBTYPE)
        columns.append(np.stack([records.symbol, subtype]))
    found = np.unique(np.concatenate(columns, axis=1), axis=1)
    symbol, subtype = found
    # a model that names no subtype speaks for all records of its symbol, unless those have models of their own
    modelled = set(symbol[subtype == WITHOUT_SUBTYPE].tolist())
    own = _own_models(comparison)
    keep = [
        sub == WITHOUT_SUBTYPE or sym not in modelled or (sym, sub) in own
        for sym, sub in zip(symbol.tolist(), subtype.tolist(), strict=True)
    ]
    return symbol[keep], subtype[keep]


def _own_models(comparison: Comparison) -> set[tuple[int, int]]:
    models = comparison.models
    return set() if models is None else set(zip(models.symbol.tolist(), models.subtype.tolist(), strict=True))


def scores(models: CostModels, choice: str) -> FloatArray:
    """float64[model]: the larger the better; NaN for what cannot be the best."""
    by_r_square = np.where(models.r_square > 0, models.r_square, np.nan)
    by_criterion = -criterion(np.minimum(models.kind, len(SHAPES) - 1), models.error, models.points)
    # a perfect fit needs no comparison, and the lowest order among several wins
    by_criterion = np.where(models.error == 0.0, np.inf, by_criterion)
    if choice == "r_square":
        return by_r_square
    if choice == "aicc":
        return by_criterion
    return np.where(models.fitted, by_criterion, by_r_square)


def best(
    models: CostModels, side: int, symbol: IntArray, subtype: IntArray, kinds: tuple[int, ...], choice: str
) -> IntArray:
    """int64[place]: the row of the best model of these kinds, -1 = none; ties go to the lower order."""
    brought = set(zip(models.side[~models.fitted].tolist(), models.symbol[~models.fitted].tolist(), strict=True))
    companion = [
        fitted and place in brought
        for fitted, place in zip(
            models.fitted.tolist(), zip(models.side.tolist(), models.symbol.tolist(), strict=True), strict=True
        )
    ]
    score = np.where(companion, np.nan, scores(models, choice))
    able = np.flatnonzero((models.side == side) & np.isin(models.kind, kinds) & ~np.isnan(score))
    number = {place: row for row, place in enumerate(zip(symbol.tolist(), subtype.tolist(), strict=True))}
    at = np.array(
        [
            number.get(place, NONE)
            for place in zip(models.symbol[able].tolist(), models.subtype[able].tolist(), strict=True)
        ],
        np.int64,
    )
    able, at = able[at != NONE], at[at != NONE]
    highest = np.full(len(symbol), -np.inf)
    np.maximum.at(highest, at, score[able])
    tied = score[able] >= highest[at] - TIE
    found = np.full(len(symbol), NONE, np.int64)
    for row, place in zip(able[tied].tolist(), at[tied].tolist(), strict=True):
        if found[place] == NONE or models.kind[row] < models.kind[found[place]]:
            found[place] = row
    return found


def best_pairs(comparison: Comparison, kinds: tuple[int, ...], choice: str) -> Pairs:
    """The best model of each side for every place."""
    symbol, subtype = places(comparison)
    models = comparison.models
    if models is None:
        nothing = np.full(len(symbol), NONE, np.int64)
        return Pairs(symbol, subtype, nothing, nothing)
    before, after = (best(models, side, symbol, subtype, kinds, choice) for side in (0, 1))
    return Pairs(symbol, subtype, before, after)


def same_name_pairs(comparison: Comparison, kinds: tuple[int, ...]) -> Pairs:
    """Every model of these kinds against that of the same name; one without a counterpart stands alone."""
    models = comparison.models
    if models is None:
        return best_pairs(comparison, kinds, "r_square")
    rows: dict[tuple[int, int, int], list[int]] = {}
    places_of = (models.symbol.tolist(), models.subtype.tolist(), models.kind.tolist(), models.side.tolist())
    for row, (symbol, subtype, kind, side) in enumerate(zip(*places_of, strict=True)):
        if kind in kinds:
            rows.setdefault((symbol, subtype, kind), [NONE, NONE])[side] = row
    keys, found = sorted(rows), [rows[key] for key in sorted(rows)]
    columns = np.array(keys, np.int64).reshape(-1, 3).T
    sides = np.array(found, np.int64).reshape(-1, 2).T
    return Pairs(columns[0], columns[1], sides[0], sides[1])


def together(*parts: Pairs) -> Pairs:
    """All pairs, one part after the other."""
    return Pairs(
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("symbol", "subtype", "baseline", "target")
        )
    )


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """Where two models can be compared, float64[pair]; ``overlap`` is its part of the union, NaN = none."""

    start: FloatArray
    end: FloatArray
    overlap: FloatArray


def common_interval(models: CostModels, pairs: Pairs) -> Interval:
    """From the later start to the earlier end; the pairs must be complete."""
    start = np.maximum(models.start[pairs.baseline], models.start[pairs.target])
    end = np.minimum(models.end[pairs.baseline], models.end[pairs.target])
    union = np.maximum(models.end[pairs.baseline], models.end[pairs.target])
    union = union - np.minimum(models.start[pairs.baseline], models.start[pairs.target])
    with np.errstate(all="ignore"):
        overlap = np.where(end > start, (end - start) / union, np.nan)
    return Interval(start, end, overlap)


def least_r_square(models: CostModels, pairs: Pairs) -> FloatArray:
    """float64[pair]: the lower r_square of the two, NaN where one is missing."""
    known = pairs.complete
    value = np.minimum(models.r_square[pairs.baseline], models.r_square[pairs.target])
    return np.where(known, value, np.nan)


def at_largest_size(models: CostModels, pairs: Pairs) -> dict[str, FloatArray]:
    """Values and exponents of growth at the largest size both models share; NaN without one, or without a formula."""
    interval = common_interval(models, pairs)
    x = np.where(pairs.complete & ~np.isnan(interval.overlap), np.maximum(interval.end, SMALLEST_X), np.nan)
    found = {"largest_common_size": x}
    for word, rows in (("from", pairs.baseline), ("to", pairs.target)):
        kind, coefficients = models.kind[rows], models.coefficients[rows]
        found[f"value_{word}"] = values(kind, coefficients, x[:, None])[:, 0]
        found[f"growth_{word}"] = growth(kind, coefficients, x)
    return found


def names(models: CostModels | None, rows: IntArray) -> list[str]:
    """The models' names by row, "" where there is none."""
    if models is None:
        return [""] * len(rows)
    return [MODEL_NAMES[int(models.kind[row])] if row != NONE else "" for row in rows.tolist()]


def capped(kinds: IntArray, weak: BoolArray) -> IntArray:
    """Kinds with all that is weak reduced to a maybe."""
    strong = np.isin(kinds, [int(kind) for kind in WORSE | BETTER])
    return np.where(weak & strong, np.sign(kinds) * abs(int(Kind.MAYBE_DEGRADATION)), kinds)


def one_sided_or_unknown(comparison: Comparison, pairs: Pairs, kinds: IntArray) -> tuple[IntArray, dict[int, str]]:
    """Kinds of the pairs with those that lack a model named as new, gone or unknown, and the reasons of the latter."""
    known = np.asarray(comparison.present, dtype=np.bool_)[:, pairs.symbol]
    kinds = np.where(pairs.complete, kinds, np.int64(Kind.UNKNOWN))
    kinds = np.where(known[1] & ~known[0], np.int64(Kind.NOT_IN_BASELINE), kinds)
    kinds = np.where(known[0] & ~known[1], np.int64(Kind.NOT_IN_TARGET), kinds)
    reasons = {}
    for row in np.flatnonzero((kinds == Kind.UNKNOWN) & ~pairs.complete).tolist():
        lacking = [side for side, rows in enumerate((pairs.baseline, pairs.target)) if rows[row] == NONE]
        told = [_why_none(comparison, int(pairs.symbol[row]), int(pairs.subtype[row]), side) for side in lacking]
        reasons[row] = "; ".join(told)
    return kinds, reasons


def _why_none(comparison: Comparison, symbol: int, subtype: int, side: int) -> str:
    """Why a side of a place has no model to compare."""
    where = f"the {'target' if side else 'baseline'} has no model to compare"
    models = comparison.models
    if models is not None and ((models.symbol == symbol) & (models.side == side)).any():
        return f"{where}: none of its models fits better than chance or has enough points"
    records = comparison.observations
    if records is None:
        return where
    here = (records.symbol == symbol) & (records.side == side) & np.isfinite(records.amount)
    if subtype != WITHOUT_SUBTYPE:
        here &= records.subtype == subtype
    sizes = records.size[here & np.isfinite(records.size)]
    if not len(sizes):
        return f"{where}: no record tells the size of its input"
    if len(sizes) < 3:
        return f"{where}: {len(sizes)} record{'s' if len(sizes) > 1 else ''} with a size, a model needs three"
    return f"{where}: all sizes are equal" if sizes.min() == sizes.max() else where


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """What a strategy found about each pair; empty parts are those it has nothing to say in."""

    kinds: IntArray
    subtypes: list[str]
    confidence: FloatArray
    reasons: dict[int, str]
    relative: FloatArray | None = None
    flags: Mapping[int, tuple[str, ...]] | None = None
    statistics: Mapping[str, FloatArray] | None = None
    partial: Mapping[int, tuple[Partial, ...]] | None = None


def detection(
    strategy: Strategy, options: dict[str, Any], comparison: Comparison, pairs: Pairs, words: Words
) -> Detection:
    """The word of a strategy that compares models: names instead of values, r_square as its confidence."""
    unknown = np.full(len(pairs), np.nan)
    subtypes = comparison.observations.subtypes if comparison.observations is not None else []
    records = {"records": [subtypes[sub] if sub != WITHOUT_SUBTYPE else "" for sub in pairs.subtype.tolist()]}
    return Detection(
        strategy=strategy.name,
        family=strategy.family,
        subtype="model",
        options=options,
        symbol=pairs.symbol,
        kind=words.kinds,
        from_value=unknown,
        to_value=unknown,
        confidence_types=["r_square"] * len(pairs),
        confidence=words.confidence,
        statistics=dict(words.statistics or {}),
        facts={"shares": False},
        labels=dict(enumerate(words.subtypes)),
        from_names=names(comparison.models, pairs.baseline),
        to_names=names(comparison.models, pairs.target),
        relative=words.relative,
        words=records if any(records["records"]) else {},
        reasons=words.reasons,
        flags=dict(words.flags or {}),
        partial=dict(words.partial or {}),
    )
