"""Outliers among the changes of exclusive cost: modified z score, quartile fences and standard deviations."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from profgate.detect.base import MODULE, cannot_tell, directed, resolved, side_means, worse_sign
from profgate.detect.sampling import counts_apart
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison, Observations
from profgate.model.kinds import Kind
from profgate.model.units import base_unit
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

    Works on exclusive sums of any profile with symbols, as means over runs, and adds the sum of each module; modules
    that differ in nothing but the digits of a version are one. Its confidence is a distance in quartile ranges,
    deviations or modified z, not a probability. Because something is always the largest change, it names locations on
    unchanged code too: it points and does not decide.
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
        """Rows of symbols above the cutoff, then one row for each module; each subtype of records by itself."""
        chosen = resolved(self, options)
        if apart := counts_apart(comparison):
            return cannot_tell(self, chosen, (apart,))
        blocks = [self._block(comparison, part, chosen) for part in _parts(comparison, chosen["location_filter"])]
        if not blocks:
            return cannot_tell(self, chosen, ("no location with exclusive cost passes the filter",))
        labels: dict[int, str] = {}
        start = 0
        for block in blocks:
            labels |= {
                start + row: text for row, text in enumerate(block.labels) if text or block.symbol[row] == MODULE
            }
            start += len(block.symbol)
        subtypes = [block.subtype for block in blocks for _ in block.labels]
        timed = base_unit(comparison.metric.unit)[0] == "nanoseconds"
        return Detection(
            strategy=self.name,
            family=self.family,
            subtype="time" if timed else "amount",
            options=chosen,
            symbol=np.concatenate([block.symbol for block in blocks]),
            kind=np.concatenate([block.kind for block in blocks]),
            from_value=np.concatenate([block.baseline for block in blocks]),
            to_value=np.concatenate([block.target for block in blocks]),
            confidence_types=[word for block in blocks for word in block.confidence_types],
            confidence=np.concatenate([block.confidence for block in blocks]),
            statistics={
                name: np.concatenate([block.statistics[name] for block in blocks]) for name in blocks[0].statistics
            },
            facts={"hidden_by_cutoff": sum(block.hidden for block in blocks)},
            labels=labels,
            words={"records": subtypes} if any(subtypes) else {},
        )

    def _block(self, comparison: Comparison, part: "_Part", options: dict[str, Any]) -> "_Block":
        delta, whole = part.target - part.baseline, float(part.target.sum())
        found = outliers(delta, options["spread_floor"] * abs(whole), options)
        share = delta / whole if whole else np.full(len(delta), np.nan)
        sign = worse_sign(comparison.metric)
        kinds = self._kinds(delta, found, sign)
        kinds = np.where(part.known[1] & ~part.known[0], np.int64(Kind.NOT_IN_BASELINE), kinds)
        kinds = np.where(part.known[0] & ~part.known[1], np.int64(Kind.NOT_IN_TARGET), kinds)
        hidden = below(100.0 * np.abs(share), options["cutoff"])
        shown = np.flatnonzero(~hidden)
        types, confidence = self._confidence(found)
        modules = _modules(comparison, part)
        empty = np.full(len(modules.labels), np.nan)
        module_delta = modules.target - modules.baseline
        return _Block(
            symbol=np.concatenate([part.symbol[shown], np.full(len(modules.labels), MODULE)]),
            kind=np.concatenate([kinds[shown], _module_kinds(module_delta, sign)]),
            baseline=np.concatenate([part.baseline[shown], modules.baseline]),
            target=np.concatenate([part.target[shown], modules.target]),
            confidence_types=[types[row] for row in shown.tolist()] + ["none"] * len(modules.labels),
            confidence=np.concatenate([confidence[shown], empty]),
            statistics={
                "target_share": np.concatenate([share[shown], module_delta / whole if whole else empty]),
                "z": np.concatenate([found.z[shown], empty]),
                "iqr_multiple": np.concatenate([found.fences[shown], empty]),
                "stddev_multiple": np.concatenate([found.deviations[shown], empty]),
            },
            labels=[part.subtype] * len(shown) + modules.labels,
            subtype=part.subtype,
            hidden=int(hidden.sum()),
        )

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
class _Part:
    """Locations that are compared with each other: int64[row] symbols with means over runs in stored units.

    ``known`` bool[2, row] tells which side has the location; ``subtype`` is that of the records, "" = one or none.
    """

    symbol: IntArray
    baseline: FloatArray
    target: FloatArray
    known: BoolArray
    subtype: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """The rows of one part, as in `Detection`."""

    symbol: IntArray
    kind: IntArray
    baseline: FloatArray
    target: FloatArray
    confidence_types: list[str]
    confidence: FloatArray
    statistics: dict[str, FloatArray]
    labels: list[str]
    subtype: str
    hidden: int


def _parts(comparison: Comparison, wanted: str) -> list[_Part]:
    """One part; of records with several subtypes (real, user, sys) a part each. Empty parts are left out."""
    records = comparison.observations
    allowed = _allowed(comparison, wanted)
    if comparison.tree is not None or records is None or len(records.subtypes) < 2:
        keep = (comparison.self_value != 0).any(axis=0)
        if records is not None:
            # whoever has records was measured, be it as nothing; in stacks it is a mere caller
            keep[records.symbol] |= comparison.tree is None
        rows = np.flatnonzero(keep & allowed)
        baseline, target = (side[rows] for side in side_means(comparison, comparison.self_value))
        known = np.asarray(comparison.present, dtype=np.bool_)[:, rows]
        return [_Part(rows, baseline, target, known)] if len(rows) else []
    found = (_of_subtype(comparison, records, place, allowed) for place in range(len(records.subtypes)))
    return [part for part in found if len(part.symbol)]


def _allowed(comparison: Comparison, wanted: str) -> BoolArray:
    """bool[symbol]: the module passes the filter."""
    if wanted == "*":
        return np.ones(len(comparison.symbols), np.bool_)
    pattern = re.compile(wanted)
    return np.array([pattern.search(module or "") is not None for module in comparison.symbols.modules], np.bool_)


def _of_subtype(comparison: Comparison, records: Observations, place: int, allowed: BoolArray) -> _Part:
    runs, symbols = len(comparison.self_value), len(comparison.symbols)
    here = (records.subtype == place) & allowed[records.symbol]
    cell = records.run[here] * symbols + records.symbol[here]
    amounts = np.nan_to_num(records.exclusive[here]) / comparison.metric.scale
    sums = np.bincount(cell, weights=amounts, minlength=runs * symbols).reshape(runs, symbols)
    known = np.zeros((2, symbols), np.bool_)
    known[records.side[here], records.symbol[here]] = True
    rows = np.flatnonzero(known.any(axis=0))
    split = comparison.runs.baseline
    return _Part(
        rows,
        sums[:split, rows].mean(axis=0),
        sums[split:, rows].mean(axis=0),
        known[:, rows],
        records.subtypes[place],
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Modules:
    """Modules by name with the sums of their rows, float64[module]."""

    labels: list[str]
    baseline: FloatArray
    target: FloatArray


def _modules(comparison: Comparison, part: _Part) -> _Modules:
    names = [comparison.symbols.modules[row] or "" for row in part.symbol.tolist()]
    labels, place = np.unique(np.array(names, dtype=np.str_), return_inverse=True)
    sums = [
        np.asarray(np.bincount(place, weights=side, minlength=len(labels)), dtype=np.float64)
        for side in (part.baseline, part.target)
    ]
    return _Modules([str(label) for label in labels], sums[0], sums[1])


def _module_kinds(delta: FloatArray, sign: int) -> IntArray:
    kinds = directed(Kind.TOTAL_DEGRADATION, sign * delta > 0)
    return np.where(delta == 0.0, np.int64(Kind.NO_CHANGE), kinds)
