"""How much locations scatter from run to run when nothing changed, learned from runs of the base."""

from dataclasses import dataclass

import numpy as np

from profgate.detect.base import independent
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.comparison import Comparison
from profgate.model.units import MetricKind

CALIBRATED_RUNS = 8
MEASURED_RUNS = 2  # base runs from which their own scatter shows a disturbed machine
STEADY_COUNT = 100  # mean samples from which a location's logarithm scatters symmetrically
FEW_LOCATIONS = 5  # below this many, centring each run by the median removes the scatter itself
PRIOR_WEIGHT = 10
# ln: cProfile recordings of one unchanged program on a busy machine of two cores scattered by 0.06 (median of its
# functions) to 0.17 (the worst); of 91 pairs the one in twenty with the largest difference showed 0.58 somewhere
ALONE = 0.15


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """Scatter of a location's log share between independent runs.

    ``phi`` float64[symbol] for tests, ``common`` the value shared by all; ``degrees`` of the t test, None = normal.
    ``base_runs`` counts the runs it was learned from, ``estimate`` is None where they could not tell.
    """

    phi: FloatArray
    common: float
    degrees: float | None
    base_runs: int
    estimate: float | None

    @property
    def calibrated(self) -> bool:
        """Enough base runs for a test that may gate."""
        return self.base_runs >= CALIBRATED_RUNS


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


def _usable(counts: FloatArray, *, sampled: bool) -> BoolArray:
    steady = counts.mean(axis=0) >= STEADY_COUNT if sampled else True
    return np.asarray((counts > 0).all(axis=0) & steady)


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
    sampled = counts_scale is not None
    scale = np.float64(1.0 if counts_scale is None else counts_scale)
    counts = values.astype(np.float64) * scale
    usable = _usable(counts, sampled=sampled)
    if not usable.any():
        return Noise(flat, prior, None, runs, None)
    variances = _own_variances(counts[:, usable], totals.astype(np.float64) * scale)
    sampling = 1.0 / counts[:, usable].mean(axis=0) if sampled else np.zeros(int(usable.sum()))
    median_factor = (1.0 - 2.0 / (9.0 * (runs - 1))) ** 3
    square = max(0.0, float(np.median(variances / median_factor - sampling)))
    estimate = float(np.sqrt(square))
    if runs < CALIBRATED_RUNS or usable.sum() < FEW_LOCATIONS:
        common = max(estimate, prior)
        return Noise(np.full_like(flat, common), common, None, runs, estimate)
    own = np.maximum(0.0, variances - sampling)
    phi = np.full_like(flat, estimate)
    phi[usable] = np.sqrt((PRIOR_WEIGHT * square + (runs - 1) * own) / (PRIOR_WEIGHT + runs - 1))
    return Noise(phi, estimate, float(PRIOR_WEIGHT + runs - 1), runs, estimate)
