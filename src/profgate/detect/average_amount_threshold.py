"""Ratio of mean amounts against fixed thresholds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from profgate.detect.base import cannot_tell, resolved, worse_sign
from profgate.detect.sampling import counts_apart
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.kinds import Kind
from profgate.statistics.thresholds import at_least, at_most


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """A row for each (symbol, subtype): means of both sides in stored units (NaN = none usable), and who knows it."""

    symbol: IntArray
    subtype: IntArray
    subtypes: list[str]
    baseline: FloatArray
    target: FloatArray
    in_baseline: BoolArray
    in_target: BoolArray


def _mean_by_group(group: IntArray, amount: FloatArray, groups: int) -> tuple[FloatArray, BoolArray]:
    known = ~np.isnan(amount)
    counts = np.bincount(group[known], minlength=groups)
    sums = np.bincount(group[known], weights=amount[known], minlength=groups)
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums / counts, np.bincount(group, minlength=groups) > 0


def _groups(comparison: Comparison) -> _Groups:
    records = comparison.observations
    if records is not None and len(records.symbol):
        width = max(1, len(records.subtypes))
        keys, group = np.unique(records.symbol * width + records.subtype, return_inverse=True)
        amount = records.amount / comparison.metric.scale
        sides = [
            _mean_by_group(group[records.side == side], amount[records.side == side], len(keys)) for side in (0, 1)
        ]
        return _Groups(
            keys // width, keys % width, records.subtypes, sides[0][0], sides[1][0], sides[0][1], sides[1][1]
        )
    split = comparison.runs.baseline
    present = np.asarray(comparison.present, dtype=np.bool_)
    known = np.flatnonzero((comparison.self_value != 0).any(axis=0) | (present[0] != present[1]))
    return _Groups(
        known,
        np.zeros(len(known), dtype=np.int64),
        [],
        comparison.self_value[:split].mean(axis=0)[known],
        comparison.self_value[split:].mean(axis=0)[known],
        present[0][known],
        present[1][known],
    )


class AverageAmountThreshold:
    """Compares the mean amounts of a location: twice as much is a degradation, half is an optimization.

    Works on repeated records (durations of calls, benchmark rounds), else on exclusive sums for each run. It states
    no confidence, since it looks at no noise: rare locations cross its bounds by chance, and it overlooks everything
    below a factor of two. It cannot tell where a mean is negative or not finite.
    """

    name = "average_amount_threshold"
    short = "aat"
    family = "A"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("degradation", 2.0, "ratio of means from which it is a degradation", 1.0),
        OptionSpec("optimization", 0.5, "ratio of means up to which it is an optimization", 0.0, 1.0),
        OptionSpec("zero_floor", 0.0, "mean in the target that counts as more than a baseline of zero", 0.0),
    )

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:  # noqa: ARG002
        """One row for each (location, subtype); subtypes are in the labels where there are several."""
        chosen = resolved(self, options)
        if apart := counts_apart(comparison):
            return cannot_tell(self, chosen, (apart,))
        groups = _groups(comparison)
        if not len(groups.symbol):
            return cannot_tell(self, chosen, ("no location has an amount",))
        several = len(groups.subtypes) > 1
        b = np.where(groups.in_baseline, groups.baseline, np.nan)
        t = np.where(groups.in_target, groups.target, np.nan)
        ratio = self._ratio(groups)
        names = [groups.subtypes[place] for place in groups.subtype.tolist()] if several else []
        return Detection(
            strategy=self.name,
            family=self.family,
            subtype="amount",
            options=chosen,
            symbol=groups.symbol,
            kind=self._kinds(groups, ratio, chosen, comparison.metric.scale, worse_sign(comparison.metric)),
            from_value=b,
            to_value=t,
            confidence_types=["none"] * len(b),
            confidence=np.full(len(b), np.nan),
            statistics={"ratio": ratio},
            facts={"shares": comparison.observations is None},
            labels=dict(enumerate(names)),
        )

    def _ratio(self, groups: _Groups) -> FloatArray:
        usable = np.isfinite(groups.baseline) & np.isfinite(groups.target)
        usable &= (groups.baseline > 0) & (groups.target >= 0) & groups.in_baseline & groups.in_target
        result = np.full(len(usable), np.nan)
        result[usable] = groups.target[usable] / groups.baseline[usable]
        return result

    def _kinds(self, groups: _Groups, ratio: FloatArray, options: dict[str, Any], scale: float, sign: int) -> IntArray:
        b, t = groups.baseline, groups.target
        more = at_least(ratio, options["degradation"])
        more |= (b == 0) & (t * scale > options["zero_floor"])
        less = at_most(ratio, options["optimization"])
        kinds = np.where(more, np.int64(sign * Kind.DEGRADATION), np.int64(Kind.NO_CHANGE))
        kinds = np.where(less, np.int64(sign * Kind.OPTIMIZATION), kinds)
        unusable = ~(np.isfinite(b) & np.isfinite(t)) | (b < 0) | (t < 0)
        kinds = np.where(unusable, np.int64(Kind.UNKNOWN), kinds)
        kinds = np.where(groups.in_target & ~groups.in_baseline, np.int64(Kind.NOT_IN_BASELINE), kinds)
        return np.where(groups.in_baseline & ~groups.in_target, np.int64(Kind.NOT_IN_TARGET), kinds)
