"""Strategies that compare amounts without a test: ratios of means, and outliers among changes of exclusive costs."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from profgate.decide.detect.strategy import (
    MODULE,
    counts_apart,
    directed,
    new_or_gone,
    not_tested,
    resolved,
    worse_sign,
)
from profgate.model.arrays import BoolArray, FloatArray, IntArray, quantile
from profgate.model.change import Columns, Context, Detection, Kind, MeanRatio, OptionSpec, OutlierScores
from profgate.model.comparison import Comparison, Observations
from profgate.model.reason import Reason, ReasonCode
from profgate.model.units import Metric, base_unit
from profgate.statistics.thresholds import above, at_least, at_most, below


def _groups(comparison: Comparison, records: Observations | None) -> tuple[IntArray, IntArray, FloatArray, BoolArray]:
    """Return the symbols and subtypes of groups, and by side their means, in stored units, and whether they exist."""
    if records is None or not len(records.symbol):
        present = comparison.present
        rows = np.flatnonzero((comparison.self_value != 0).any(axis=0) | (present[0] != present[1]))
        means = np.stack(comparison.runs.means(comparison.self_value))
        return rows, np.zeros(len(rows), np.int64), means[:, rows], present[:, rows]
    width = max(1, len(records.subtypes))
    keys, group = np.unique(records.symbol * width + records.subtype, return_inverse=True)
    cell, count = records.side * len(keys) + group, 2 * len(keys)
    amount = records.amount / comparison.metric.scale
    stated = ~np.isnan(amount)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.bincount(cell[stated], amount[stated], count) / np.bincount(cell[stated], minlength=count)
    known = np.bincount(cell, minlength=count) > 0
    return keys // width, keys % width, means.reshape(2, -1), known.reshape(2, -1)


class AverageAmountThreshold:
    """Compares the mean amounts of each location: twice the amount is a degradation, and half is an optimization.

    The strategy works on repeated records (durations of calls, benchmark rounds) if there are any, otherwise on the
    sums of exclusive costs per run. The strategy has no confidence value because it ignores noise. Locations with few
    records may reach the thresholds by chance, and changes of less than a factor of two are not found. Locations whose
    mean is negative or not finite are not tested.
    """

    name = "average_amount_threshold"
    short = "aat"
    family = "A"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("degradation", 2.0, "smallest ratio of the means that is a degradation", 1.0),
        OptionSpec("optimization", 0.5, "largest ratio of the means that is an optimization", 0.0, 1.0),
        OptionSpec("zero_floor", 0.0, "largest mean in the target that is no change from a baseline of zero", 0.0),
    )

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:  # noqa: ARG002
        """Return one row per location and subtype. If there are several subtypes, the labels are their names."""
        chosen = resolved(self, options)
        if apart := counts_apart(comparison):
            return not_tested(self, apart)
        records = comparison.attached(Observations)
        symbol, subtype, means, known = _groups(comparison, records)
        if not len(symbol):
            return not_tested(self, Reason(ReasonCode.CANNOT_TEST, {"case": "no_amounts"}))
        subtypes = [] if records is None else records.subtypes
        before, after = means
        usable = known.all(axis=0) & np.isfinite(means).all(axis=0) & (before > 0) & (after >= 0)
        with np.errstate(all="ignore"):
            ratio = np.where(usable, after / before, np.nan)
        return Detection(
            strategy=self.name,
            family=self.family,
            subtype="amount",
            symbol=symbol,
            kind=new_or_gone(known, _kinds_of_means(means, ratio, chosen, comparison.metric)),
            from_value=np.where(known[0], before, np.nan),
            to_value=np.where(known[1], after, np.nan),
            details=Columns(MeanRatio, {"of": "amounts", "ratio": ratio}),
            shares=records is None,
            labels=[subtypes[number] for number in subtype.tolist()] if len(subtypes) > 1 else [],
        )


def _kinds_of_means(means: FloatArray, ratio: FloatArray, options: dict[str, Any], metric: Metric) -> IntArray:
    (before, after), sign = means, worse_sign(metric)
    more = at_least(ratio, options["degradation"]) | ((before == 0) & (after * metric.scale > options["zero_floor"]))
    kinds = np.where(more, np.int64(sign * Kind.DEGRADATION), np.int64(Kind.NO_CHANGE))
    kinds = np.where(at_most(ratio, options["optimization"]), np.int64(sign * Kind.OPTIMIZATION), kinds)
    unusable = ~np.isfinite(means).all(axis=0) | (before < 0) | (after < 0)
    return np.where(unusable, np.int64(Kind.UNKNOWN), kinds)


def _outliers(delta: FloatArray, floor: float, options: Mapping[str, Any]) -> tuple[list[BoolArray], list[FloatArray]]:
    """Return masks and scores of the outliers by z-score, fences and deviations. A spread of zero becomes ``floor``."""
    unknown = np.full(len(delta), np.nan)
    distance = np.abs(delta - quantile(delta, 0.5))
    deviation = float(quantile(distance, 0.5))
    # 0.6745 is the median absolute deviation of the standard normal distribution
    z = distance * 0.6745 / (deviation or floor) if deviation or floor else unknown
    low, high = float(quantile(delta, 0.25)), float(quantile(delta, 0.75))
    width = (high - low) or 2.0 * floor
    by_z, by_fence, fences = above(z, options["mzs"]), np.zeros(len(delta), np.bool_), unknown
    if width:
        by_fence = below(delta, low - options["iqr"] * width) | above(delta, high + options["iqr"] * width)
        fences = np.where(delta > high, delta - high, low - delta) / width
    rest = delta[~by_z & ~by_fence]
    deviations = unknown
    if len(rest) > 1 and (spread := max(float(rest.std(ddof=1)), 0.0 if deviation else floor)):
        deviations = delta / spread
    return [by_z, by_fence, above(np.abs(deviations), options["stddev"])], [z, fences, deviations]


class ExclusiveTimeOutliers:
    """Finds locations whose exclusive cost changed far more than that of other locations.

    The strategy works on the exclusive costs in any profile with symbols, averaged over runs, and on their sums per
    module. Modules whose names differ only in version digits are treated as one. The confidence is a distance in
    quartile ranges, standard deviations or modified z-scores, not a probability. The strategy also reports locations in
    unchanged code, because some change is always the largest. The result is a note and does not decide the verdict.
    """

    name = "exclusive_time_outliers"
    short = "eto"
    family = "A"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("mzs", 3.5, "modified z-score above which a change is severe", 0.0),
        OptionSpec("iqr", 1.5, "distance of a change from the quartiles, in quartile ranges", 0.0),
        OptionSpec("stddev", 2.0, "distance of a possible change from the mean, in standard deviations", 0.0),
        OptionSpec("spread_floor", 1e-4, "spread to use if there is none, as a fraction of the target's total", 0.0),
        OptionSpec("cutoff", 0.0, "smallest reported row, in percent of the target's total", 0.0, 100.0),
        OptionSpec("location_filter", "*", "regular expression that the module must contain; * matches all"),
    )

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:  # noqa: ARG002
        """Return one row per symbol above the cutoff, then one per module, separately for each record subtype."""
        chosen = resolved(self, options)
        if apart := counts_apart(comparison):
            return not_tested(self, apart)
        parts = _parts(comparison, chosen["location_filter"])
        if not parts:
            return not_tested(self, Reason(ReasonCode.CANNOT_TEST, {"case": "nothing_passes"}))
        blocks = [_block(comparison, part, chosen) for part in parts]
        columns: dict[str, Any] = {}
        for name in blocks[0]:
            columns[name] = np.concatenate([block[name] for block in blocks])
        symbol, subtypes = columns.pop("symbol"), columns.pop("subtype").tolist()
        hidden = sum(len(part.symbol) for part in parts) - int((symbol != MODULE).sum())
        timed = base_unit(comparison.metric.unit)[0] == "nanoseconds"
        return Detection(
            strategy=self.name,
            family=self.family,
            subtype="time" if timed else "amount",
            symbol=symbol,
            kind=columns.pop("kind"),
            from_value=columns.pop("baseline"),
            to_value=columns.pop("target"),
            confidence_types=columns.pop("rule").tolist(),
            confidence=columns.pop("confidence"),
            labels=columns.pop("label").tolist(),
            counts={"hidden_by_cutoff": hidden} if hidden else {},
            details=Columns(OutlierScores, {"of": "outliers", **columns, "records": subtypes if any(subtypes) else ""}),
        )


class _Part(NamedTuple):
    """Locations that are compared, with means over runs in stored units, and by side whether they exist."""

    symbol: IntArray
    baseline: FloatArray
    target: FloatArray
    known: BoolArray
    subtype: str = ""


def _block(comparison: Comparison, part: _Part, options: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """Return the columns of the result rows of one part: symbols above the cutoff, followed by modules."""
    delta, whole, sign = part.target - part.baseline, float(part.target.sum()), worse_sign(comparison.metric)
    masks, (z, fences, deviations) = _outliers(delta, options["spread_floor"] * abs(whole), options)
    share = delta / whole if whole else np.full(len(delta), np.nan)
    shown = np.flatnonzero(~below(100.0 * np.abs(share), options["cutoff"]))
    rule = np.where(masks[1], 1, np.where(masks[0], 0, 2))
    modules, place = np.unique([comparison.symbols.modules[row] or "" for row in part.symbol], return_inverse=True)
    sums = [np.bincount(place, weights=side, minlength=len(modules)) for side in (part.baseline, part.target)]
    unknown = np.full(len(modules), np.nan)
    change = sums[1] - sums[0]
    module_kinds = np.where(change == 0.0, 0, directed(Kind.TOTAL_DEGRADATION, sign * change > 0))
    columns: dict[str, tuple[NDArray[Any], NDArray[Any]]] = {
        "symbol": (part.symbol, np.full(len(modules), MODULE)),
        "kind": (_kinds_of_outliers(delta, masks, part.known, sign), module_kinds),
        "rule": (np.array(["modified_z", "iqr_multiple", "stddev_multiple"])[rule], np.full(len(modules), "none")),
        "label": (np.full(len(delta), part.subtype), modules),
        "subtype": (np.full(len(delta), part.subtype), np.full(len(modules), part.subtype)),
        "baseline": (part.baseline, sums[0]),
        "target": (part.target, sums[1]),
        "confidence": (np.choose(rule, [z, fences, deviations]), unknown),
        "target_share": (share, change / whole if whole else unknown),
        "z": (z, unknown),
        "iqr_multiple": (fences, unknown),
        "stddev_multiple": (deviations, unknown),
    }
    return {name: np.concatenate([rows[shown], of_modules]) for name, (rows, of_modules) in columns.items()}


def _kinds_of_outliers(delta: FloatArray, masks: list[BoolArray], known: BoolArray, sign: int) -> IntArray:
    reported = (Kind.NO_CHANGE, Kind.SEVERE_DEGRADATION, Kind.DEGRADATION, Kind.MAYBE_DEGRADATION)
    kinds = np.select([delta == 0.0, *masks], [directed(kind, sign * delta > 0) for kind in reported])
    return new_or_gone(known, kinds)


def _parts(comparison: Comparison, location_filter: str) -> list[_Part]:
    """Split the comparison into one part per subtype of records (real, user, sys). Empty parts are omitted."""
    records = comparison.attached(Observations)
    allowed = np.ones(len(comparison.symbols), np.bool_)
    if location_filter != "*":
        pattern = re.compile(location_filter)
        allowed = np.array(
            [pattern.search(module or "") is not None for module in comparison.symbols.modules], np.bool_
        )
    if comparison.tree is not None or records is None or len(records.subtypes) < 2:
        included = (comparison.self_value != 0).any(axis=0)
        if records is not None:
            # in records, a zero is a measurement; in stacks, it may mean that the location is only a caller
            included[records.symbol] |= comparison.tree is None
        rows = np.flatnonzero(included & allowed)
        baseline, target = (side[rows] for side in comparison.runs.means(comparison.self_value))
        return [_Part(rows, baseline, target, comparison.present[:, rows])] if len(rows) else []
    parts = (_of_subtype(comparison, records, number, allowed) for number in range(len(records.subtypes)))
    return [part for part in parts if len(part.symbol)]


def _of_subtype(comparison: Comparison, records: Observations, place: int, allowed: BoolArray) -> _Part:
    runs, symbols = len(comparison.self_value), len(comparison.symbols)
    here = (records.subtype == place) & allowed[records.symbol]
    cell = records.run[here] * symbols + records.symbol[here]
    amounts = np.nan_to_num(records.exclusive[here]) / comparison.metric.scale
    sums = np.bincount(cell, weights=amounts, minlength=runs * symbols).reshape(runs, symbols)
    present = np.zeros((2, symbols), np.bool_)
    present[records.side[here], records.symbol[here]] = True
    rows = np.flatnonzero(present.any(axis=0))
    return _Part(rows, *comparison.runs.means(sums[:, rows]), present[:, rows], records.subtypes[place])
