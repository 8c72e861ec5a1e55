"""How much locations scatter from run to run when nothing changed, learned from runs of the base."""

from dataclasses import dataclass

import numpy as np

from profgate.detect.base import independent
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.comparison import Comparison
from profgate.model.units import MetricKind

CALIBRATED_RUNS = 8
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
class Noise:
    """Scatter of a location's log share between independent runs.

    ``phi`` float64[symbol] for tests, ``common`` the value shared by all; ``degrees`` of phi, None = taken as known.
    ``base_runs`` counts the runs it was learned from, ``estimate`` is None where they could not tell. ``surge`` is the
    most that one location gained in one base run beyond noise of that kind, as a share of the run: what happens to a
    run that was interrupted.
    """

    phi: FloatArray
    common: float
    degrees: float | None
    base_runs: int
    estimate: float | None
    surge: float = 0.0

    @property
    def calibrated(self) -> bool:
        """Enough base runs for a test that may gate, and samples enough in them to show their noise."""
        return self.base_runs >= CALIBRATED_RUNS and self.estimate is not None


def base_rows(comparison: Comparison) -> tuple[IntArray, IntArray]:
    """Independent base runs: int64[run, symbol] of exclusive values and int64[run] of totals.

    The baseline's own runs belong to them only where each comes from a job of its own.
    """
    runs = comparison.runs
    if independent(runs.baseline, runs.baseline_jobs) < runs.baseline:
        return comparison.noise_self, comparison.noise_totals
    values = np.concatenate([comparison.self_value[: runs.baseline], comparison.noise_self])
    totals = np.concatenate([comparison.run_totals[: runs.baseline], comparison.noise_totals])
    return values, totals


def _usable(counts: FloatArray, totals: FloatArray, *, sampled: bool) -> BoolArray:
    present = (counts > 0).all(axis=0)
    if not sampled:
        return np.asarray(present & ((counts / totals[:, None]).mean(axis=0) >= STEADY_SHARE))
    steady = [present & (counts.mean(axis=0) >= bar) for bar in STEADY_COUNTS]
    return np.asarray(next((found for found in steady if found.sum() >= FEW_LOCATIONS), steady[-1]))


def _own_variances(counts: FloatArray, totals: FloatArray) -> FloatArray:
    """Variance over the runs of each location's log share, runs centred by the median residual."""
    logs = np.log(counts / totals[:, None])
    residual = logs - logs.mean(axis=0)
    residual -= np.median(residual, axis=1, keepdims=True)
    return np.asarray(residual.var(axis=0, ddof=1))


def noise_of(comparison: Comparison, prior: float, counts_scale: float | None) -> Noise:
    """The noise model of one comparison.

    ``counts_scale`` turns stored values into sample counts (None = the metric is exact), ``prior`` is the phi that
    holds while history is short; timed values of which nothing tells the scatter take at least `ALONE`.
    """
    values, totals = base_rows(comparison)
    runs = len(values)
    if comparison.metric.kind is MetricKind.TIMED and runs < MEASURED_RUNS:
        prior = max(prior, ALONE)
    flat = np.full(values.shape[1], prior)
    positive = totals > 0
    if runs < 2 or not positive.all():
        return Noise(flat, prior, None, runs if positive.all() else int(positive.sum()), None)
    if comparison.metric.kind is MetricKind.COUNTED and (values == values[0]).all():
        return Noise(np.zeros_like(flat), 0.0, None, runs, 0.0)
    return _learned(values, totals, flat, counts_scale)


def _learned(values: IntArray, totals: IntArray, flat: FloatArray, counts_scale: float | None) -> Noise:
    """Noise from two and more base runs; ``flat`` float64[symbol] holds while they are few."""
    runs, prior = len(values), float(flat[0]) if len(flat) else 0.0
    sampled = counts_scale is not None
    scale = np.float64(1.0 if counts_scale is None else counts_scale)
    counts, sums = values.astype(np.float64) * scale, totals.astype(np.float64) * scale
    usable = _usable(counts, sums, sampled=sampled)
    if not usable.any():
        return Noise(flat, prior, None, runs, None, _surge(counts, sums, prior, sampled=sampled))
    variances = _own_variances(counts[:, usable], sums)
    sampling = 1.0 / counts[:, usable].mean(axis=0) if sampled else np.zeros(int(usable.sum()))
    median_factor = (1.0 - 2.0 / (9.0 * (runs - 1))) ** 3
    square = max(0.0, float(np.median(variances / median_factor - sampling)))
    estimate = float(np.sqrt(square))
    if runs < CALIBRATED_RUNS or usable.sum() < FEW_LOCATIONS:
        common = max(estimate, prior)
        surge = _surge(counts, sums, common, sampled=sampled)
        return Noise(np.full_like(flat, common), common, None, runs, estimate, surge)
    own = np.maximum(0.0, variances - sampling)
    weight = _prior_weight(variances, square + sampling, runs - 1)
    phi = np.full_like(flat, estimate)
    phi[usable] = np.sqrt((weight * square + (runs - 1) * own) / (weight + runs - 1))
    surge = _surge(counts, sums, estimate, sampled=sampled)
    return Noise(phi, estimate, weight + runs - 1, runs, estimate, surge)


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


def _surge(counts: FloatArray, totals: FloatArray, phi: float, *, sampled: bool) -> float:
    """The most that one location gained in one run beyond its usual noise, as a share of the run."""
    if len(counts) < SURGE_RUNS or not counts.shape[1]:
        return 0.0
    shares = counts / totals[:, None]
    usual = np.median(shares, axis=0)
    bound = usual * np.exp(SURGE * phi)
    if sampled:
        bound = bound + SURGE * np.sqrt(np.maximum(usual, 1.0 / totals.min()) / totals.min())
    return max(0.0, float((shares - bound).max()))
