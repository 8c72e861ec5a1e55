"""How much locations scatter from run to run when nothing changed, learned from runs of the base."""

from dataclasses import dataclass, replace

import numpy as np

from profgate.detect.base_runs import BaseRuns, base_runs_of
from profgate.detect.scatter import Law, law_of, median_factor, own_factors
from profgate.model.arrays import BoolArray, FloatArray
from profgate.model.comparison import Comparison
from profgate.model.units import MetricKind
from profgate.statistics.normal import upper_quantile

PRIORS = {MetricKind.COUNTED: 0.002, MetricKind.TIMED: 0.05, MetricKind.SAMPLED: 0.05}  # phi without history
CALIBRATED_RUNS = 8
MEASURED_RUNS = 2  # base runs from which their own scatter shows a disturbed machine
FEW_LOCATIONS = 5  # below this many, centring each run by the median removes the scatter itself
SURGE_RUNS = 3  # base runs from which one of them can stand out
CHANCE = 0.05  # of base runs to show a surge where there was none
# ln: cProfile recordings of one unchanged program on a busy machine of two cores scattered by 0.06 (median of its
# functions) to 0.17 (the worst); of 91 pairs the one in twenty with the largest difference showed 0.58 somewhere
ALONE = 0.15


@dataclass(frozen=True, slots=True, eq=False)
class JobNoise:
    """What the runs of one job have in common and other jobs do not: machine, build, layout.

    ``psi`` float64[symbol] scatter of log shares between jobs beyond that of their runs, ``common`` the value shared by
    all, ``degrees`` of psi; ``surge`` the most that one location gained in all runs of one job, as in `Noise`.
    """

    psi: FloatArray
    common: float
    degrees: FloatArray
    surge: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """Scatter of a location's log share between independent runs; between the runs of one job where ``job`` is known.

    ``law`` holds for all. ``phi`` and ``clump`` float64[symbol] are those of each location, ``degrees`` float64[symbol]
    how well they are known, None = taken as known. ``base_runs`` counts the jobs it was learned from, ``estimate`` is
    None where they could not tell. ``surge`` is the most that one location gained in one base run beyond noise of that
    kind, as a share of the run: what happens to a run that was interrupted. ``job`` None: a job counts as one reading,
    whatever it holds.
    """

    law: Law
    phi: FloatArray
    clump: FloatArray
    degrees: FloatArray | None
    base_runs: int
    estimate: float | None
    surge: float = 0.0
    job: JobNoise | None = None

    @property
    def calibrated(self) -> bool:
        """Enough base runs for a test that may gate, and samples enough in them to show their noise."""
        return self.base_runs >= CALIBRATED_RUNS and self.estimate is not None


def _flat(law: Law, symbols: int, base_runs: int, estimate: float | None = None, surge: float = 0.0) -> Noise:
    """The law alone, taken as known."""
    return Noise(law, np.full(symbols, law.phi), np.full(symbols, law.clump), None, base_runs, estimate, surge)


def noise_of(comparison: Comparison, prior: float, counts_scales: tuple[FloatArray, FloatArray] | None) -> Noise:
    """The noise model of one comparison.

    ``counts_scales`` turn stored values of each run into sample counts (None = the metric is exact), ``prior`` is the
    phi that holds while history is short; timed values of which nothing tells the scatter take at least `ALONE`. Runs
    of one job count once, until eight jobs of two runs and more tell what jobs add to the scatter of their runs.
    """
    sampled = counts_scales is not None
    least = 1.0 if sampled else 0.0
    every = base_runs_of(comparison, counts_scales)
    base = every.first_of_each_job()
    jobs, symbols = len(base.jobs), base.counts.shape[1]
    if comparison.metric.kind is MetricKind.TIMED and jobs < MEASURED_RUNS:
        prior = max(prior, ALONE)
    if not (every.totals > 0).all():
        return _flat(Law(least, prior), symbols, int((base.totals > 0).sum()))
    if jobs < MEASURED_RUNS:
        return _flat(Law(least, prior), symbols, jobs)
    if comparison.metric.kind is MetricKind.COUNTED and (every.counts == every.counts[0]).all():
        return _flat(Law(0.0, 0.0), symbols, jobs, 0.0)
    repeated = every.repeated()
    if len(np.unique(repeated.jobs)) >= CALIBRATED_RUNS:
        usable = repeated.telling(sampled=sampled)
        if usable.sum() >= FEW_LOCATIONS:
            return _of_two_levels(repeated, usable, least)
    return _learned(base, prior, least, sampled=sampled)


def _learned(base: BaseRuns, prior: float, least: float, *, sampled: bool) -> Noise:
    """Noise from two and more independent base runs; ``prior`` holds while they are few."""
    runs, symbols = len(base.jobs), base.counts.shape[1]
    usable, alike = base.telling(sampled=sampled), np.ones(symbols)
    if not usable.any():
        law = Law(least, prior)
        return _flat(law, symbols, runs, surge=_surge(base, law, alike))
    expected = base.only(usable).expected()
    variances = ((base.counts[:, usable] / expected - 1.0) ** 2).sum(axis=0) / (runs - 1)
    values = 1.0 / (1.0 / expected).mean(axis=0)
    law = law_of(variances, values, runs - 1, least_clump=least)
    if runs < CALIBRATED_RUNS or usable.sum() < FEW_LOCATIONS:
        cautious = replace(law, phi=max(law.phi, prior))
        return _flat(cautious, symbols, runs, law.phi, _surge(base, cautious, alike))
    factors, weight = own_factors(variances, law.at(values), runs - 1)
    factor, degrees = alike, np.full(symbols, weight)
    factor[usable], degrees[usable] = factors, weight + runs - 1
    return _of_each(law, least, factor, degrees, runs, law.phi, _surge(base, law, factor))


def _of_each(
    law: Law, least: float, factor: FloatArray, degrees: FloatArray, base_runs: int, estimate: float, surge: float
) -> Noise:
    """The law with each location's own ``factor``; counting scatters by ``least`` at least."""
    clump = np.maximum(least, law.clump * factor)
    return Noise(law, law.phi * np.sqrt(factor), clump, degrees, base_runs, estimate, surge)


def _of_two_levels(base: BaseRuns, usable: BoolArray, least: float) -> Noise:
    """One-way random effects: the scatter of the runs of one job, and what jobs add to it.

    With jobs of unequal size n0 runs stand for their number (Searle, Casella, McCulloch 1992, variance components).
    """
    sizes = np.bincount(base.jobs)
    jobs, runs, symbols = len(sizes), len(base.jobs), base.counts.shape[1]
    expected = base.only(usable).expected()
    residual = base.counts[:, usable] / expected - 1.0
    values = 1.0 / (1.0 / expected).mean(axis=0)
    means = np.zeros((jobs, residual.shape[1]))
    np.add.at(means, base.jobs, residual)
    means /= sizes[:, None]
    of_runs = ((residual - means[base.jobs]) ** 2).sum(axis=0) / (runs - jobs)
    of_jobs = (sizes[:, None] * (means - residual.mean(axis=0)) ** 2).sum(axis=0) / (jobs - 1)
    size = (runs - float((sizes**2).sum()) / runs) / (jobs - 1)
    law = law_of(of_runs, values, runs - jobs, least_clump=least)
    within = law.at(values)
    between = max(0.0, float(np.median(of_jobs / median_factor(jobs - 1) - within))) / size
    factors, weight = own_factors(of_runs, within, runs - jobs)
    own = within * factors
    both = own + size * between
    job_factors, job_weight = own_factors(of_jobs, both, jobs - 1)
    factor, degrees = np.ones(symbols), np.full(symbols, weight)
    factor[usable], degrees[usable] = factors, weight + runs - jobs
    psi, job_degrees = np.full(symbols, np.sqrt(between)), np.full(symbols, job_weight)
    psi[usable] = np.sqrt(np.maximum(0.0, both * job_factors - own) / size)
    job_degrees[usable] = job_weight + jobs - 1
    of_job = Law(law.clump, float(np.sqrt(between + law.phi**2 / size)))
    estimate = float(np.sqrt(law.phi**2 + between))
    noise = _of_each(law, least, factor, degrees, jobs, estimate, _surge(base, law, factor))
    job_surge = _surge(base.by_job(), of_job, np.ones(symbols))
    return replace(noise, job=JobNoise(psi, float(np.sqrt(between)), job_degrees, job_surge))


def _surge(base: BaseRuns, law: Law, factor: FloatArray) -> float:
    """The most that one location gained in one run where noise of the usual kind explains no such gain: a share."""
    if len(base.totals) < SURGE_RUNS or not base.counts.shape[1]:
        return 0.0
    shares = base.shares()
    usual = np.median(shares, axis=0)
    values = np.maximum(usual * base.totals.min(), 1.0)
    bar = upper_quantile(CHANCE / max(1, int((shares > 0).sum())))
    bound = usual + bar * np.maximum(usual, 1.0 / base.totals.min()) * np.sqrt(law.at(values) * factor)
    return max(0.0, float(np.where(shares > bound, shares - usual, 0.0).max()))
