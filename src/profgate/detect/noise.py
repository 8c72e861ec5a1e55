"""How much locations scatter from run to run when nothing changed, learned from runs of the base."""

from dataclasses import dataclass

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.comparison import Comparison
from profgate.model.units import MetricKind

CALIBRATED_RUNS = 8
REPEATED = 2  # runs of a job that show its own scatter
MEASURED_RUNS = 2  # base runs from which their own scatter shows a disturbed machine
STEADY_COUNTS = (100, 25)  # mean samples of a run from which a location teaches; the second where few reach the first
STEADY_SHARE = 0.001  # the same for timed values, as a share of the run
FEW_LOCATIONS = 5  # below this many, centring each run by the median removes the scatter itself
PRIOR_WEIGHT = 10.0  # runs that the common noise is worth for one location, where too few locations tell
FEW_TO_WEIGH = 20  # locations from which their spread tells how much the common noise is worth
LEAST_WEIGHT, MOST_WEIGHT = 2.0, 60.0
SURGE_RUNS = 3  # base runs from which one of them can stand out
SURGE = 3.5  # standard errors that noise of the usual kind stays within
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
    degrees: float
    surge: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """Scatter of a location's log share between independent runs; between the runs of one job where ``job`` is known.

    ``phi`` float64[symbol] for tests, ``common`` the value shared by all; ``degrees`` of phi, None = taken as known.
    ``base_runs`` counts the jobs it was learned from, ``estimate`` is None where they could not tell. ``surge`` is the
    most that one location gained in one base run beyond noise of that kind, as a share of the run: what happens to a
    run that was interrupted. ``job`` None: a job counts as one reading, whatever it holds.
    """

    phi: FloatArray
    common: float
    degrees: float | None
    base_runs: int
    estimate: float | None
    surge: float = 0.0
    job: JobNoise | None = None

    @property
    def calibrated(self) -> bool:
        """Enough base runs for a test that may gate, and samples enough in them to show their noise."""
        return self.base_runs >= CALIBRATED_RUNS and self.estimate is not None


@dataclass(frozen=True, slots=True, eq=False)
class _Base:
    """Base runs: float64[run, symbol] counts (weights of exact metrics), float64[run] totals, int64[run] jobs."""

    counts: FloatArray
    totals: FloatArray
    jobs: IntArray

    def first_of_each_job(self) -> "_Base":
        """One reading a job."""
        rows = np.sort(np.unique(self.jobs, return_index=True)[1])
        return _Base(self.counts[rows], self.totals[rows], self.jobs[rows])

    def repeated(self) -> "_Base":
        """The jobs that hold two runs or more."""
        rows = (np.bincount(self.jobs) >= REPEATED)[self.jobs]
        return _Base(self.counts[rows], self.totals[rows], np.unique(self.jobs[rows], return_inverse=True)[1])

    def by_job(self) -> "_Base":
        """The sums of each job."""
        jobs = int(self.jobs.max()) + 1
        counts, totals = np.zeros((jobs, self.counts.shape[1])), np.zeros(jobs)
        np.add.at(counts, self.jobs, self.counts)
        np.add.at(totals, self.jobs, self.totals)
        return _Base(counts, totals, np.arange(jobs))


def _base(comparison: Comparison, scales: tuple[FloatArray, FloatArray] | None) -> _Base:
    """The baseline's own runs and those of other commits."""
    split = comparison.runs.baseline
    values = np.concatenate([comparison.self_value[:split], comparison.noise_self])
    totals = np.concatenate([comparison.run_totals[:split], comparison.noise_totals])
    scale = np.ones(len(totals)) if scales is None else np.concatenate([scales[0][:split], scales[1]])
    return _Base(values * scale[:, None], totals * scale, np.array(comparison.runs.base_jobs, np.int64))


def _usable(counts: FloatArray, totals: FloatArray, *, sampled: bool) -> BoolArray:
    present = (counts > 0).all(axis=0)
    if not sampled:
        return np.asarray(present & ((counts / totals[:, None]).mean(axis=0) >= STEADY_SHARE))
    steady = [present & (counts.mean(axis=0) >= bar) for bar in STEADY_COUNTS]
    return np.asarray(next((found for found in steady if found.sum() >= FEW_LOCATIONS), steady[-1]))


def _residuals(base: _Base) -> FloatArray:
    """float64[run, location]: log shares without each location's mean, runs centred by the median residual."""
    logs = np.log(base.counts / base.totals[:, None])
    residual = logs - logs.mean(axis=0)
    return np.asarray(residual - np.median(residual, axis=1, keepdims=True))


def _median_factor(degrees: int) -> float:
    """The median of chi-square over its degrees."""
    return (1.0 - 2.0 / (9.0 * degrees)) ** 3


def noise_of(comparison: Comparison, prior: float, counts_scales: tuple[FloatArray, FloatArray] | None) -> Noise:
    """The noise model of one comparison.

    ``counts_scales`` turn stored values of each run into sample counts (None = the metric is exact), ``prior`` is the
    phi that holds while history is short; timed values of which nothing tells the scatter take at least `ALONE`. Runs
    of one job count once, until eight jobs of two runs and more tell what jobs add to the scatter of their runs.
    """
    sampled = counts_scales is not None
    every = _base(comparison, counts_scales)
    base = every.first_of_each_job()
    jobs = len(base.jobs)
    if comparison.metric.kind is MetricKind.TIMED and jobs < MEASURED_RUNS:
        prior = max(prior, ALONE)
    flat = np.full(base.counts.shape[1], prior)
    if not (every.totals > 0).all():
        return Noise(flat, prior, None, int((base.totals > 0).sum()), None)
    if jobs < MEASURED_RUNS:
        return Noise(flat, prior, None, jobs, None)
    if comparison.metric.kind is MetricKind.COUNTED and (every.counts == every.counts[0]).all():
        return Noise(np.zeros_like(flat), 0.0, None, jobs, 0.0)
    repeated = every.repeated()
    if len(np.unique(repeated.jobs)) >= CALIBRATED_RUNS:
        usable = _usable(repeated.counts, repeated.totals, sampled=sampled)
        if usable.sum() >= FEW_LOCATIONS:
            return _of_two_levels(repeated, usable, sampled=sampled)
    return _learned(base, flat, sampled=sampled)


def _learned(base: _Base, flat: FloatArray, *, sampled: bool) -> Noise:
    """Noise from two and more independent base runs; ``flat`` float64[symbol] holds while they are few."""
    runs, prior = len(base.jobs), float(flat[0]) if len(flat) else 0.0
    usable = _usable(base.counts, base.totals, sampled=sampled)
    if not usable.any():
        return Noise(flat, prior, None, runs, None, _surge(base, prior, sampled=sampled))
    variances = _residuals(_of(base, usable)).var(axis=0, ddof=1)
    sampling = _sampling(base, usable, sampled=sampled)
    square = max(0.0, float(np.median(variances / _median_factor(runs - 1) - sampling)))
    estimate = float(np.sqrt(square))
    if runs < CALIBRATED_RUNS or usable.sum() < FEW_LOCATIONS:
        common = max(estimate, prior)
        surge = _surge(base, common, sampled=sampled)
        return Noise(np.full_like(flat, common), common, None, runs, estimate, surge)
    phi = np.full_like(flat, estimate)
    squares, degrees = _shrunk(variances, sampling, square, runs - 1)
    phi[usable] = np.sqrt(squares)
    surge = _surge(base, estimate, sampled=sampled)
    return Noise(phi, estimate, degrees, runs, estimate, surge)


def _of_two_levels(base: _Base, usable: BoolArray, *, sampled: bool) -> Noise:
    """One-way random effects: the scatter of the runs of one job, and what jobs add to it.

    With jobs of unequal size n0 runs stand for their number (Searle, Casella, McCulloch 1992, variance components).
    """
    sizes = np.bincount(base.jobs)
    jobs, runs = len(sizes), len(base.jobs)
    residual = _residuals(_of(base, usable))
    means = np.zeros((jobs, residual.shape[1]))
    np.add.at(means, base.jobs, residual)
    means /= sizes[:, None]
    of_runs = ((residual - means[base.jobs]) ** 2).sum(axis=0) / (runs - jobs)
    of_jobs = (sizes[:, None] * (means - residual.mean(axis=0)) ** 2).sum(axis=0) / (jobs - 1)
    size = (runs - float((sizes**2).sum()) / runs) / (jobs - 1)
    sampling = _sampling(base, usable, sampled=sampled)
    within = max(0.0, float(np.median(of_runs / _median_factor(runs - jobs) - sampling)))
    both = max(0.0, float(np.median(of_jobs / _median_factor(jobs - 1) - sampling)))
    between = max(0.0, (both - within) / size)
    squares, degrees = _shrunk(of_runs, sampling, within, runs - jobs)
    jobs_squares, job_degrees = _shrunk(of_jobs, sampling + squares, size * between, jobs - 1)
    phi, psi = np.full(len(usable), np.sqrt(within)), np.full(len(usable), np.sqrt(between))
    phi[usable], psi[usable] = np.sqrt(squares), np.sqrt(jobs_squares / size)
    common = float(np.sqrt(within))
    surge = _surge(base, common, sampled=sampled)
    job_surge = _surge(base.by_job(), float(np.sqrt(between + within / size)), sampled=sampled)
    job = JobNoise(psi, float(np.sqrt(between)), job_degrees, job_surge)
    return Noise(phi, common, degrees, jobs, float(np.sqrt(within + between)), surge, job)


def _of(base: _Base, usable: BoolArray) -> _Base:
    return _Base(base.counts[:, usable], base.totals, base.jobs)


def _sampling(base: _Base, usable: BoolArray, *, sampled: bool) -> FloatArray:
    """The variance that counting alone gives the log of one run's count."""
    return 1.0 / base.counts[:, usable].mean(axis=0) if sampled else np.zeros(int(usable.sum()))


def _shrunk(variances: FloatArray, known: FloatArray, square: float, degrees: int) -> tuple[FloatArray, float]:
    """Each location's own variance beyond the ``known`` part, drawn to the common ``square``, and its degrees."""
    weight = _prior_weight(variances, square + known, degrees)
    own = np.maximum(0.0, variances - known)
    return (weight * square + degrees * own) / (weight + degrees), weight + degrees


def _prior_weight(variances: FloatArray, expected: FloatArray, degrees: int) -> float:
    """How many runs the common noise is worth for one location: many where all scatter alike, few where they do not.

    The logarithms of variances of equal noise have the variance trigamma(degrees / 2); what they have beyond it is
    trigamma(weight / 2) (Smyth 2004, linear models and empirical Bayes methods).
    """
    known = (variances > 0) & (expected > 0)
    if known.sum() < FEW_TO_WEIGH:
        return PRIOR_WEIGHT
    from scipy.special import polygamma

    spread = float(np.log(variances[known] / expected[known]).var(ddof=1)) - float(polygamma(1, degrees / 2.0))
    low, high = LEAST_WEIGHT, MOST_WEIGHT
    for _ in range(40):
        middle = (low + high) / 2.0
        low, high = (middle, high) if float(polygamma(1, middle / 2.0)) > spread else (low, middle)
    return low


def _surge(base: _Base, phi: float, *, sampled: bool) -> float:
    """The most that one location gained in one run beyond its usual noise, as a share of the run."""
    if len(base.totals) < SURGE_RUNS or not base.counts.shape[1]:
        return 0.0
    shares = base.counts / base.totals[:, None]
    usual = np.median(shares, axis=0)
    bound = usual * np.exp(SURGE * phi)
    if sampled:
        fewest = base.totals.min()
        bound = bound + SURGE * np.sqrt(np.maximum(usual, 1.0 / fewest) / fewest)
    return max(0.0, float((shares - bound).max()))
