"""Comparison with base jobs: the largest difference that any of them shows against the others bounds unchanged code.

Jobs, not runs, are alike when nothing changed: the runs of a job share its machine, build and layout.
"""

from dataclasses import dataclass, replace

import numpy as np

from profgate.detect.permutation import Rows
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.comparison import Runs
from profgate.model.levels import FEWEST_JOBS

PRIOR_WEIGHT = 4.0  # jobs that the variance known beforehand counts for
TRIMMED_RUNS = 5  # runs of a job from which its smallest and largest count are left out


@dataclass(frozen=True, slots=True, eq=False)
class JobTest:
    """The target against base jobs, float64[location] each.

    ``t`` statistic (0 below the floors or with too few jobs), ``difference`` of the target to the mean of the jobs,
    ``error`` of that difference, ``bound``: the largest difference of a base job to the others. ``largest`` is the
    largest statistic of a base job at any location. ``before`` and ``after`` are the readings.
    """

    t: FloatArray
    difference: FloatArray
    error: FloatArray
    bound: FloatArray
    largest: float
    jobs: int
    before: FloatArray
    after: FloatArray


def jobs_of(runs: Runs) -> IntArray:
    """int64[base run], the runs of other commits first: the number of each run's job; 0 is the baseline's own.

    Runs whose profiles do not state a job count as one job where they belong to the baseline, else as one each.
    """
    own = np.zeros(runs.baseline, np.int64) if runs.baseline_jobs is None else np.array(runs.baseline_jobs, np.int64)
    others = np.array(runs.noise_jobs or range(runs.noise), np.int64)
    return np.concatenate([others + own.max(initial=-1) + 1, own])


def tested_with_jobs(values: FloatArray, rows: Rows, runs: Runs, *, sampled: bool) -> JobTest:
    """Test float64[location, run] values of base runs of other commits and both sides; ``rows`` holds the floors."""
    numbers = jobs_of(runs)
    labels = np.unique(numbers)[::-1]  # the oldest first
    runs_of = [np.flatnonzero(numbers == job) for job in labels]
    readings = np.stack([_reading(values[:, some], sampled=sampled) for some in runs_of], axis=1)
    # a left-out job stands in for the target, so it has no more runs than the target
    short = np.stack([_reading(values[:, some[: runs.target]], sampled=sampled) for some in runs_of], axis=1)
    target = _reading(values[:, len(numbers) :], sampled=sampled)
    current = _since_last_shift(readings)
    prior = rows.sampling / max(1, runs.target)
    t, difference, error = _against(readings, current, target, prior, rows)
    bound, largest, nothing = np.zeros(len(target)), 0.0, np.zeros(len(target))
    unfloored = replace(rows, floor=nothing, own=nothing)  # else jobs that stay below the floors would show no noise
    for place in range(len(labels)):
        others = current.copy()
        others[:, place] = False
        statistic, apart, _ = _against(readings, others, short[:, place], prior, unfloored)
        inside = current[:, place]
        bound = np.maximum(bound, np.where(inside, np.abs(apart), 0.0))
        largest = max(largest, float(np.abs(np.where(inside, statistic, 0.0)).max(initial=0.0)))
    enough = current.sum(axis=1) >= FEWEST_JOBS
    before = target - difference
    return JobTest(np.where(enough, t, 0.0), difference, error, bound, largest, len(labels), before, target)


def _reading(values: FloatArray, *, sampled: bool) -> FloatArray:
    """float64[location]: the middle of the runs of a job; of counts, a mean without the smallest and largest."""
    if not sampled:
        return np.asarray(np.median(values, axis=1))
    if values.shape[1] < TRIMMED_RUNS:
        return np.asarray(values.mean(axis=1))
    return np.asarray(np.sort(values, axis=1)[:, 1:-1].mean(axis=1))


def _against(
    readings: FloatArray, chosen: BoolArray, single: FloatArray, prior: FloatArray, rows: Rows
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """One reading against the chosen ones: statistic, difference and error, float64[location]."""
    count = np.maximum(chosen.sum(axis=1), 1)
    mean = np.where(chosen, readings, 0.0).sum(axis=1) / count
    squares = np.where(chosen, (readings - mean[:, None]) ** 2, 0.0).sum(axis=1)
    variance = (squares + PRIOR_WEIGHT * prior) / (count + PRIOR_WEIGHT - 1.0)
    error = np.sqrt(variance * (1.0 + 1.0 / count))
    difference = single - mean
    size = np.abs(difference)
    counts = (size >= rows.floor) & (size >= rows.own * np.minimum(mean, single)) & (chosen.sum(axis=1) > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(counts, difference / error, 0.0)
    return np.nan_to_num(t, nan=0.0, posinf=1e6, neginf=-1e6), difference, error


def _since_last_shift(readings: FloatArray) -> BoolArray:
    """bool[location, job], the newest job last: the jobs since a location's last lasting change.

    A shift is a gap between all older and all newer jobs that is wider than either group.
    """
    jobs = readings.shape[1]
    current = np.ones(readings.shape, np.bool_)
    for start in range(1, jobs):
        older, newer = readings[:, :start], readings[:, start:]
        gap = np.maximum(newer.min(axis=1) - older.max(axis=1), older.min(axis=1) - newer.max(axis=1))
        width = np.maximum(np.ptp(older, axis=1), np.ptp(newer, axis=1))
        shifted = (gap > width) & (gap > 0.05 * np.abs(readings).max(axis=1)) & (min(start, jobs - start) >= 2)
        current[shifted, :start] = False
    return current
