"""Costs that a comparison tests without the common factor of each run, and the suspects among them."""

import re
from functools import cached_property

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray, IntArray, means
from profgate.model.change import Location
from profgate.model.comparison import WHOLE, Comparison
from profgate.model.levels import MACHINE, NEARLY_ALL, SMALLEST_SHARE, SUSPECT_SHARE
from profgate.model.measurement import Look, Suspect
from profgate.model.record import Record
from profgate.model.units import MetricKind

SELF, SUBTREE, TOTAL = 0, 1, 2  # the kinds of locations
FEWEST_STEADY = 5  # minimum number of locations needed to compute a common factor; with fewer, the factor is 1
SYMBOLS_AT_ONCE = 256  # number of symbols without which common factors are computed at once
DISPERSION = 2.0  # variance of sample counts divided by their mean
MOST_SUSPECTS = 20  # number of functions that are suspects without having been listed, by self and by inclusive cost


class Costs(Record):
    """Locations of one comparison and their cost in each run.

    ``values`` is a float64 array in stored units with one row per location and one column per run. All costs except the
    total are divided by the common factor of the other locations. ``factors`` contains the common factor of all
    locations for each run. ``kind`` is `SELF`, `SUBTREE` or `TOTAL`; ``symbol`` is `WHOLE` for the total. ``whole`` is
    the mean over runs of the total divided by the factor of the run. ``sampling`` contains the minimum variance of one
    run for each location. This variance is computed from ``per_sample``, the value of one sample, and ``spread``, the
    relative standard deviation between runs.
    """

    values: FloatArray
    kind: IntArray
    symbol: IntArray
    factors: FloatArray
    whole: float
    sampling: FloatArray
    per_sample: float
    spread: float

    def variance_at(self, mean: FloatArray) -> FloatArray:
        """Return the variance of one run for these mean costs."""
        return _sampling_variance(mean, self.per_sample, self.spread)


def costs_of(comparison: Comparison, *, base_jobs: bool = False, interleaved: bool = False) -> Costs:
    """Return the costs of both sides. ``base_jobs`` prepends the base runs of other commits.

    Locations that account for nearly the whole run are omitted, because the total covers them. If the runs are
    ``interleaved``, both sides use the same machine, so `within_sides` limits the common factor between the sides.
    """
    own = comparison.self_value.astype(np.float64)
    active = comparison.active_total
    subtree: FloatArray | None = active.astype(np.float64)
    totals = comparison.run_totals.astype(np.float64)
    sample = comparison.sampling.values
    if base_jobs:
        own = np.concatenate([comparison.noise.self_value, own])
        totals = np.concatenate([comparison.noise.run_totals, totals])
        noise = comparison.noise.active_total
        subtree = None if noise is None else np.concatenate([noise, active])
    counted = comparison.metric.kind is MetricKind.COUNTED
    runs, between = comparison.runs, 1.0
    ratios = None if counted else Ratios(own)
    factors = np.ones(len(own)) if ratios is None else ratios.factors[-1]
    if interleaved:
        factors, between = within_sides(factors, runs.target, totals)
    whole = float(means(totals / factors))
    chosen = _active(comparison, _of_weight(own / factors[:, None], whole))
    locations, inner = own[:, chosen].T, chosen[:0]
    if subtree is not None:
        inner = _active(comparison, _of_weight(subtree / factors[:, None], whole))
        inner = inner[(np.abs(subtree[:, inner] - own[:, inner]) > 1e-12 * own[:, inner]).any(axis=0)]
        locations = np.concatenate([locations, subtree[:, inner].T])
    symbols = np.concatenate([chosen, inner])
    if ratios is not None:
        locations = locations / ratios.factors_of_others(symbols)
        locations[:, -runs.target :] *= between
    values = np.concatenate([locations, totals[None]])
    per_sample = float(means(sample)) if sample is not None else 0.0
    # relative standard deviation between runs
    spread = 0.002 if counted else 0.03
    return Costs(
        values,
        np.repeat([SELF, SUBTREE, TOTAL], [len(chosen), len(inner), 1]),
        np.append(symbols, WHOLE),
        factors,
        whole,
        _sampling_variance(means(values), per_sample, spread),
        per_sample,
        spread,
    )


def broad_costs(comparison: Comparison, costs: Costs, *, base_jobs: bool = False) -> dict[int, FloatArray]:
    """Return the total costs of the functions that `costs_of` omits because they account for nearly the whole run.

    The costs of each run are divided by its common factor. ``base_jobs`` prepends the base runs of other commits.
    """
    subtree, noise = comparison.active_total.astype(np.float64), comparison.noise.active_total
    if base_jobs and noise is None:
        return {}
    if base_jobs and noise is not None:
        subtree = np.concatenate([noise, subtree])
    subtree = subtree / costs.factors[:, None]
    symbols = _active(comparison, subtree.mean(axis=0) >= NEARLY_ALL * costs.whole)
    return {int(symbol): subtree[:, symbol] for symbol in symbols}


def between_sides(values: FloatArray, target: int) -> float:
    """Return the mean over the runs of the target divided by the mean over the runs of the baseline."""
    return float(means(values[-target:]) / means(values[: len(values) - target]))


def within_sides(factors: FloatArray, target: int, totals: FloatArray) -> tuple[FloatArray, float]:
    """Return the factors of interleaved runs with a limited ratio between the sides, and the part beyond the limit.

    The total changed at least as much as the limited ratio: a few samples of small functions prove no common factor.
    A ratio that no machine may explain is a change in the program, so its limit is 1. A machine may explain the ratios
    between the runs of a side.
    """
    sides = factors[:-target].tolist(), factors[-target:].tolist()
    machine = max(MACHINE, *(max(side) / min(side) for side in sides))
    between, whole = between_sides(factors, target), between_sides(totals, target)
    limited = min(max(between, min(whole, 1.0)), max(whole, 1.0))
    beyond = between if max(between, 1.0 / between) > machine else between / limited
    last = np.arange(len(factors)) >= len(factors) - target
    return np.where(last, factors / beyond, factors), beyond


def _of_weight(values: FloatArray, whole: float) -> BoolArray:
    mean = means(values, 0)
    return np.asarray((mean >= SMALLEST_SHARE * whole) & (mean < NEARLY_ALL * whole))


def _active(comparison: Comparison, heavy: BoolArray) -> IntArray:
    """Return the symbols that ``heavy`` marks, except functions that only wait."""
    return np.flatnonzero(heavy & ~comparison.waiting)


def _sampling_variance(mean: FloatArray, per_sample: float, spread: float) -> FloatArray:
    """Return the variance of one run at mean costs: sampling noise, and a relative ``spread`` between runs."""
    return np.asarray(DISPERSION * per_sample * np.maximum(mean, per_sample) + (spread * mean) ** 2)


class Ratios:
    """Log ratios of each run to the mean run, for the locations with enough cost.

    ``own`` contains the self costs, with one row per run and one column per symbol. The common factor of a run, which
    states how much slower the run is than the mean run, is the weighted median of the ratios of all locations that have
    a cost in every run. The weight of a location is its cost, limited to 5 %.
    """

    def __init__(self, own: FloatArray) -> None:
        mean = means(own, 0)
        share = mean / max(float(mean.sum()), 1e-300)
        # smaller locations are too noisy for the common factor
        self.steady = np.flatnonzero((own > 0).all(axis=0) & (share >= 0.002))
        self.ratios = np.log(own[:, self.steady] / mean[self.steady])
        # weights are limited, so that a large function does not dominate the median
        self.weights = np.minimum(share[self.steady], 0.05)
        self.order = np.argsort(self.ratios, axis=1)

    def common_factors(self) -> FloatArray:
        """Return the common factor of each run."""
        return np.asarray(self._medians(self.weights[None])[0])

    def factors_of_others(self, symbols: IntArray) -> FloatArray:
        """Return for each symbol the common factor of all other locations, with one value per run."""
        place = np.searchsorted(self.steady, symbols)
        return self.factors[np.where(np.append(self.steady, -1)[place] == symbols, place, -1)]

    @cached_property
    def factors(self) -> FloatArray:
        """The common factors without each location that has enough cost, and in the last row those of all locations."""
        others = np.where(np.eye(len(self.weights), dtype=np.bool_), 0.0, self.weights)
        weights = np.append(others, self.weights[None], axis=0)
        starts = range(0, len(weights), SYMBOLS_AT_ONCE)
        return np.concatenate([self._medians(weights[start : start + SYMBOLS_AT_ONCE]) for start in starts])

    def _medians(self, weights: FloatArray) -> FloatArray:
        """Return the exponential of each run's weighted median per row of weights; 1 for too few positive weights."""
        medians = np.ones((len(weights), len(self.ratios)))
        enough = (weights > 0).sum(axis=1) >= FEWEST_STEADY
        if not enough.any():
            return medians
        half = weights.sum(axis=1, keepdims=True) / 2.0
        middle = (weights[:, self.order].cumsum(axis=2) >= half[:, None]).argmax(axis=2)
        runs = np.arange(len(self.ratios))
        medians[enough] = np.exp(self.ratios[runs, self.order[runs, middle]])[enough]
        return medians


def largest_locations(comparison: Comparison) -> list[Suspect]:
    """Return the total and the largest functions of a comparison as suspects, by self and by inclusive cost."""
    costs = costs_of(comparison, interleaved=True)
    runs = comparison.runs.baseline
    values = costs.values
    size = np.maximum(values[:, :runs].mean(axis=1), values[:, runs:].mean(axis=1))
    chosen = dict.fromkeys([WHOLE])
    for kind in np.unique(costs.kind[:-1]):
        rows = np.flatnonzero((costs.kind == kind) & (size >= SUSPECT_SHARE * costs.whole) & (costs.symbol != WHOLE))
        rows = rows[np.argsort(-size[rows], kind="stable")][:MOST_SUSPECTS]
        chosen |= dict.fromkeys(costs.symbol[rows].tolist())
    names, files = comparison.symbols.names, comparison.symbols.files
    places = [None if symbol == WHOLE else Location(names[symbol], files[symbol]) for symbol in chosen]
    return [Suspect(comparison.workload, comparison.metric.name, location) for location in places]


def suspects_of(look: Look | None, comparison: Comparison, costs: Costs) -> BoolArray:
    """Return a mask of the locations that are suspects at a look, or of all locations without a list of suspects."""
    if look is None or look.suspects is None:
        return np.ones(len(costs.symbol), np.bool_)
    chosen = np.zeros(len(costs.symbol), np.bool_)
    for suspect in look.suspects:
        if (suspect.workload, suspect.metric) == (comparison.workload, comparison.metric.name):
            chosen[rows_of(suspect, comparison, costs)] = True
    return chosen


def rows_of(suspect: Suspect, comparison: Comparison, costs: Costs) -> IntArray:
    """Return a suspect's rows of self and inclusive cost, or of the total. Files match by the end of their paths."""
    if suspect.location is None:
        return np.flatnonzero(costs.symbol == WHOLE)
    names, files, location = comparison.symbols.names, comparison.symbols.files, suspect.location
    same = [
        symbol != WHOLE and names[symbol] == location.name and same_file(files[symbol], location.file)
        for symbol in costs.symbol.tolist()
    ]
    return np.flatnonzero(np.array(same, np.bool_))


def same_file(here: str | None, there: str | None) -> bool:
    """Return whether the last two components of two paths are equal, or the only one of the shorter path."""
    if here is None or there is None:
        return here == there
    parts, others = (re.findall(r"[^/\\]+", path) for path in (here, there))
    common = min(len(parts), len(others), 2)
    return parts[-common:] == others[-common:]
