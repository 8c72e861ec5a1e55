"""Outliers among the changes of exclusive cost: modified z score, quartile fences and standard deviations."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from profgate.detect.base import MODULE, cannot_tell, directed, one_sided, resolved, side_means, worse_sign
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.kinds import Kind
from profgate.statistics.spread import median_deviation, quartiles, sample_deviation
from profgate.statistics.thresholds import above, below

NORMAL_CONSISTENCY = 0.6745  # median absolute deviation of a standard normal


@dataclass(frozen=True, slots=True, eq=False)
class Outliers:
    """Flags and scores of float64[n] changes; NaN where a spread is zero."""

    by_z: BoolArray
    by_fence: BoolArray
    by_deviation: BoolArray
    z: FloatArray
    fences: FloatArray
    deviations: FloatArray


def outliers(delta: FloatArray, floor: float, options: Mapping[str, Any]) -> Outliers:
    """Apply the three rules to at least one change; ``floor`` stands in for a spread of zero."""
    size = len(delta)
    unknown, nothing = np.full(size, np.nan), np.zeros(size, dtype=np.bool_)
    deviation = median_deviation(delta)
    degenerate = deviation == 0.0
    z = np.abs(delta - np.median(delta)) * NORMAL_CONSISTENCY / (deviation or floor) if deviation or floor else unknown
    low, high = quartiles(delta)
    width = (high - low) or 2.0 * floor
    by_fence = below(delta, low - options["iqr"] * width) | above(delta, high + options["iqr"] * width)
    fences = np.where(delta > high, delta - high, low - delta) / width if width else unknown
    by_z = above(z, options["mzs"])
    by_fence = by_fence if width else nothing
    rest = delta[~by_z & ~by_fence]
    spread = sample_deviation(rest)
    spread = max(spread, floor) if degenerate else spread
    measurable = spread > 0.0 and len(rest) >= 2
    deviations = delta / spread if measurable else unknown
    return Outliers(by_z, by_fence, above(np.abs(deviations), options["stddev"]), z, fences, deviations)


class ExclusiveTimeOutliers:
    """Finds locations whose exclusive cost changed far more than that of the others.

    Works on exclusive sums of any profile with symbols, as means over runs, and adds the sum of each module. Its
    confidence is a distance in quartile ranges, deviations or modified z, not a probability. Because something is
    always the largest change, it names locations on unchanged code too: it points and does not decide.
    """

    name = "exclusive_time_outliers"
    short = "eto"
    family = "A"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("mzs", 3.5, "modified z score above which a change is severe", 0.0),
        OptionSpec("iqr", 1.5, "quartile ranges beyond the quartiles that make a change", 0.0),
        OptionSpec("stddev", 2.0, "standard deviations that make a possible change", 0.0),
        OptionSpec("spread_floor", 1e-4, "spread assumed where there is none, as a part of the target's total", 0.0),
        OptionSpec("cutoff", 0.0, "percent of the target's total below which rows are not reported", 0.0, 100.0),
        OptionSpec("location_filter", "*", "regular expression searched in the module; * = all"),
    )

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:  # noqa: ARG002
        """Rows of symbols above the cutoff, then one row for each module."""
        chosen = resolved(self, options)
        rows = self._kept(comparison, chosen["location_filter"])
        if not len(rows):
            return cannot_tell(self, chosen, ("no location with exclusive cost passes the filter",))
        b, t = (side[rows] for side in side_means(comparison, comparison.self_value))
        delta, whole = t - b, float(t.sum())
        found = outliers(delta, chosen["spread_floor"] * abs(whole), chosen)
        share = delta / whole if whole else np.full(len(rows), np.nan)
        kinds = self._kinds(delta, found, worse_sign(comparison.metric))
        kinds = one_sided(comparison, rows, kinds)
        hidden = (100.0 * np.abs(share) < chosen["cutoff"]) & ~np.isnan(share)
        shown = np.flatnonzero(~hidden)
        types, confidence = self._confidence(found)
        modules = _modules(comparison, rows, b, t)
        empty = np.full(len(modules.labels), np.nan)
        module_delta = modules.target - modules.baseline
        return Detection(
            strategy=self.name,
            family=self.family,
            subtype="time" if comparison.metric.unit == "nanoseconds" else "amount",
            options=chosen,
            symbol=np.concatenate([rows[shown], np.full(len(modules.labels), MODULE)]),
            kind=np.concatenate([kinds[shown], _module_kinds(module_delta, worse_sign(comparison.metric))]),
            from_value=np.concatenate([b[shown], modules.baseline]),
            to_value=np.concatenate([t[shown], modules.target]),
            confidence_types=[types[row] for row in shown.tolist()] + ["none"] * len(modules.labels),
            confidence=np.concatenate([confidence[shown], empty]),
            statistics={
                "target_share": np.concatenate([share[shown], module_delta / whole if whole else empty]),
                "z": np.concatenate([found.z[shown], empty]),
                "iqr_multiple": np.concatenate([found.fences[shown], empty]),
                "stddev_multiple": np.concatenate([found.deviations[shown], empty]),
            },
            facts={"hidden_by_cutoff": int(hidden.sum())},
            labels={len(shown) + place: label for place, label in enumerate(modules.labels)},
        )

    def _kept(self, comparison: Comparison, wanted: str) -> IntArray:
        keep = (comparison.self_value != 0).any(axis=0)
        if wanted != "*":
            pattern = re.compile(wanted)
            keep &= np.array([pattern.search(module or "") is not None for module in comparison.symbols.modules])
        return np.flatnonzero(keep)

    def _kinds(self, delta: FloatArray, found: Outliers, sign: int) -> IntArray:
        worse = sign * delta > 0
        kinds = np.where(found.by_deviation, directed(Kind.MAYBE_DEGRADATION, worse), np.int64(Kind.NO_CHANGE))
        kinds = np.where(found.by_fence, directed(Kind.DEGRADATION, worse), kinds)
        kinds = np.where(found.by_z, directed(Kind.SEVERE_DEGRADATION, worse), kinds)
        return np.where(delta == 0.0, np.int64(Kind.NO_CHANGE), kinds)

    def _confidence(self, found: Outliers) -> tuple[list[str], FloatArray]:
        chosen = np.where(found.by_fence, 0, np.where(found.by_z, 1, 2))
        values = np.choose(chosen, [found.fences, found.z, found.deviations])
        words = ("iqr_multiple", "modified_z", "stddev_multiple")
        return [words[place] for place in chosen.tolist()], values


@dataclass(frozen=True, slots=True, eq=False)
class _Modules:
    """Modules by name with the sums of their rows, float64[module]."""

    labels: list[str]
    baseline: FloatArray
    target: FloatArray


def _modules(comparison: Comparison, rows: IntArray, b: FloatArray, t: FloatArray) -> _Modules:
    names = [comparison.symbols.modules[row] or "" for row in rows.tolist()]
    labels, place = np.unique(np.array(names, dtype=np.str_), return_inverse=True)
    sums = [np.asarray(np.bincount(place, weights=side, minlength=len(labels)), dtype=np.float64) for side in (b, t)]
    return _Modules([str(label) for label in labels], sums[0], sums[1])


def _module_kinds(delta: FloatArray, sign: int) -> IntArray:
    kinds = directed(Kind.TOTAL_DEGRADATION, sign * delta > 0)
    return np.where(delta == 0.0, np.int64(Kind.NO_CHANGE), kinds)
