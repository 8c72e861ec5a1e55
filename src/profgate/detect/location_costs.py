"""What is tested in a comparison: self costs, subtrees and the total of each run, without what a run has in common."""

from dataclasses import dataclass

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.comparison import Comparison
from profgate.model.levels import MACHINE, NEARLY_ALL, SMALLEST_SHARE
from profgate.model.units import MetricKind

WHOLE = -1
SELF, SUBTREE, TOTAL = 0, 1, 2  # kinds of locations

STEADY_SHARE = 0.002  # of the run, from which a location has a part in the common factor
MOST_WEIGHT = 0.05  # of one location in it: without this cap a function of 40 % is the median itself
FEWEST_STEADY = 5  # locations; with fewer, amounts are compared as they are
DISPERSION = 2.0  # variance of sample counts over their mean
BETWEEN_RUNS = {MetricKind.COUNTED: 0.002, MetricKind.TIMED: 0.03, MetricKind.SAMPLED: 0.03}  # relative


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """Locations of one comparison and what each run spent in them.

    ``values`` float64[location, run] in stored units, divided by what all other locations of the run have in common,
    except for the total; ``factors`` float64[run] is the common factor of all;
    ``kind`` int64[location] (`SELF`, `SUBTREE`, `TOTAL`), ``symbol`` int64[location] (`WHOLE` for the total).
    ``whole`` is the mean of a run's total after that division. ``sampling`` float64[location] is the variance that one
    run has at least: a sample stands for ``per_sample``, and runs differ by ``spread``.
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
        """`sampling_variance` around these means."""
        return sampling_variance(mean, self.per_sample, self.spread)


def costs_of(comparison: Comparison, *, base_jobs: bool = False, interleaved: bool = False) -> Costs:
    """Costs of the runs of both sides; ``base_jobs`` puts the base runs of other commits in front of them.

    A location of nearly the whole run is left out: it is the total. ``interleaved`` runs share the machine, so that a
    large common factor between the sides is a change of the program and stays.
    """
    own = comparison.self_value.astype(np.float64)
    active = active_totals(comparison)
    subtree: FloatArray | None = active.astype(np.float64)
    totals = comparison.run_totals.astype(np.float64)
    sample = comparison.sample_values
    if base_jobs:
        own = np.concatenate([comparison.noise_self, own])
        totals = np.concatenate([comparison.noise_totals, totals])
        noise = comparison.noise_active
        subtree = None if noise is None else np.concatenate([noise, active])
    counted = comparison.metric.kind is MetricKind.COUNTED
    runs, between = comparison.runs, 1.0
    factors = np.ones(len(own)) if counted else common_factors(own)
    if interleaved:
        factors, between = within_sides(factors, runs.target)
    whole = float((totals / factors).mean())
    chosen = _active(comparison, _of_weight(own / factors[:, None], whole))
    values, kinds, symbols = [own[:, chosen].T], [SELF], [chosen]
    if subtree is not None:
        inner = _active(comparison, _of_weight(subtree / factors[:, None], whole))
        inner = inner[~np.isclose(subtree[:, inner], own[:, inner], rtol=1e-12).all(axis=0)]
        values, kinds, symbols = [*values, subtree[:, inner].T], [*kinds, SUBTREE], [*symbols, inner]
    if not counted:
        values = [part / factors_of_others(own, rows) for part, rows in zip(values, symbols, strict=True)]
        for part in values:
            part[:, -runs.target :] *= between
    kind = np.repeat(np.array(kinds, np.int64), [len(rows) for rows in symbols])
    mean = np.concatenate([part.mean(axis=1) for part in values])
    values.append(totals[None])
    mean = np.append(mean, totals.mean())
    per_sample = float(sample.mean()) if sample is not None else 0.0
    spread = BETWEEN_RUNS[comparison.metric.kind]
    return Costs(
        np.concatenate(values),
        np.append(kind, TOTAL),
        np.append(np.concatenate(symbols), WHOLE),
        factors,
        whole,
        sampling_variance(mean, per_sample, spread),
        per_sample,
        spread,
    )


def between_sides(factors: FloatArray, target: int) -> float:
    """How much slower the target's runs are in what all functions have in common."""
    return float(factors[-target:].mean() / factors[: len(factors) - target].mean())


def within_sides(factors: FloatArray, target: int) -> tuple[FloatArray, float]:
    """Factors of interleaved runs, and what was taken out of the target's: a common factor that no machine explains."""
    between = between_sides(factors, target)
    if max(between, 1.0 / between) <= MACHINE:
        return factors, 1.0
    last = np.arange(len(factors)) >= len(factors) - target
    return np.where(last, factors / between, factors), between


def _of_weight(values: FloatArray, whole: float) -> BoolArray:
    mean = values.mean(axis=0)
    return np.asarray((mean >= SMALLEST_SHARE * whole) & (mean < NEARLY_ALL * whole))


def active_totals(comparison: Comparison) -> IntArray:
    """int64[run, symbol]: inclusive costs without what waiting functions took."""
    return comparison.total_value if comparison.active_total is None else comparison.active_total


def _active(comparison: Comparison, heavy: BoolArray) -> IntArray:
    """The heavy symbols that do not only wait."""
    waiting = comparison.waiting
    return np.flatnonzero(heavy if waiting is None else heavy & ~waiting)


def sampling_variance(mean: FloatArray, per_sample: float, spread: float) -> FloatArray:
    """Variance of one run around this mean: counting of samples, and ``spread`` between runs."""
    return np.asarray(DISPERSION * per_sample * np.maximum(mean, per_sample) + (spread * mean) ** 2)


def common_factors(own: FloatArray) -> FloatArray:
    """float64[run]: how much slower each run is than the mean of all, of float64[run, symbol] self costs.

    The median of the ratios of locations that every run has, weighted by their cost up to `MOST_WEIGHT`.
    """
    return _Ratios(own).median(None)


def factors_of_others(own: FloatArray, symbols: IntArray) -> FloatArray:
    """float64[symbol, run]: the common factor of all other locations; a location's own change is no part of it."""
    ratios = _Ratios(own)
    common = ratios.median(None)
    places = {symbol: place for place, symbol in enumerate(ratios.steady.tolist())}
    return np.array(
        [common if (place := places.get(symbol)) is None else ratios.median(place) for symbol in symbols.tolist()]
    ).reshape(len(symbols), len(own))


class _Ratios:
    """Logarithms of the ratios of each run to the mean of all, float64[run, location], for locations of weight."""

    def __init__(self, own: FloatArray) -> None:
        mean = own.mean(axis=0)
        share = mean / max(float(mean.sum()), 1e-300)
        self.runs = len(own)
        self.steady = np.flatnonzero((own > 0).all(axis=0) & (share >= STEADY_SHARE))
        self.ratios = np.log(own[:, self.steady] / mean[self.steady])
        self.weights = np.minimum(share[self.steady], MOST_WEIGHT)
        self.order = np.argsort(self.ratios, axis=1)

    def median(self, without: int | None) -> FloatArray:
        """float64[run]: exp of the weighted median, without one location; 1 where too few are left."""
        weights = self.weights
        if without is not None:
            weights = weights.copy()
            weights[without] = 0.0
        if int((weights > 0).sum()) < FEWEST_STEADY:
            return np.ones(self.runs)
        reached = np.cumsum(weights[self.order], axis=1) >= weights.sum() / 2.0
        middle, rows = np.argmax(reached, axis=1), np.arange(self.runs)
        return np.asarray(np.exp(self.ratios[rows, self.order[rows, middle]]))
