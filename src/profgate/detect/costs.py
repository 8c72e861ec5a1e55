"""What is tested in a comparison: self costs, subtrees and the total of each run, without what a run has in common."""

from dataclasses import dataclass

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.comparison import Comparison
from profgate.model.levels import SMALLEST_SHARE
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

    ``values`` float64[location, run] in stored units, divided by ``factors`` float64[run] except for the total;
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


def costs_of(comparison: Comparison, *, base_jobs: bool = False) -> Costs:
    """Costs of the runs of both sides; ``base_jobs`` puts the base runs of other commits in front of them."""
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
    factors = common_factors(own) if comparison.metric.kind is not MetricKind.COUNTED else np.ones(len(own))
    own, whole = own / factors[:, None], float((totals / factors).mean())
    chosen = _active(comparison, own.mean(axis=0) >= SMALLEST_SHARE * whole)
    values, kinds, symbols = [own[:, chosen].T], [SELF], [chosen]
    if subtree is not None:
        subtree = subtree / factors[:, None]
        inner = _active(comparison, subtree.mean(axis=0) >= SMALLEST_SHARE * whole)
        inner = inner[~np.isclose(subtree[:, inner], own[:, inner], rtol=1e-12).all(axis=0)]
        values, kinds, symbols = [*values, subtree[:, inner].T], [*kinds, SUBTREE], [*symbols, inner]
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
    mean = own.mean(axis=0)
    share = mean / max(float(mean.sum()), 1e-300)
    steady: BoolArray = (own > 0).all(axis=0) & (share >= STEADY_SHARE)
    if int(steady.sum()) < FEWEST_STEADY:
        return np.ones(len(own))
    ratios = np.log(own[:, steady] / mean[steady])
    weights = np.minimum(share[steady], MOST_WEIGHT)
    order = np.argsort(ratios, axis=1)
    reached = np.cumsum(weights[order], axis=1) >= weights.sum() / 2.0
    middle = np.argmax(reached, axis=1)
    rows = np.arange(len(own))
    return np.asarray(np.exp(ratios[rows, order[rows, middle]]))
