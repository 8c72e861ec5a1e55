"""Strategy that compares ratios of mean amounts with fixed thresholds."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from profgate.decide.detect.strategy import counts_apart, new_or_gone, not_tested, resolved, worse_sign
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison, Observations
from profgate.model.details import Columns, MeanRatio
from profgate.model.kinds import Kind
from profgate.model.reason import Reason, ReasonCode
from profgate.model.units import Metric
from profgate.statistics.thresholds import at_least, at_most


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
            kind=new_or_gone(known, _kinds(means, ratio, chosen, comparison.metric)),
            from_value=np.where(known[0], before, np.nan),
            to_value=np.where(known[1], after, np.nan),
            details=Columns(MeanRatio, {"of": "amounts", "ratio": ratio}),
            shares=records is None,
            labels=[subtypes[number] for number in subtype.tolist()] if len(subtypes) > 1 else [],
        )


def _kinds(means: FloatArray, ratio: FloatArray, options: dict[str, Any], metric: Metric) -> IntArray:
    (before, after), sign = means, worse_sign(metric)
    more = at_least(ratio, options["degradation"]) | ((before == 0) & (after * metric.scale > options["zero_floor"]))
    kinds = np.where(more, np.int64(sign * Kind.DEGRADATION), np.int64(Kind.NO_CHANGE))
    kinds = np.where(at_most(ratio, options["optimization"]), np.int64(sign * Kind.OPTIMIZATION), kinds)
    unusable = ~np.isfinite(means).all(axis=0) | (before < 0) | (after < 0)
    return np.where(unusable, np.int64(Kind.UNKNOWN), kinds)
