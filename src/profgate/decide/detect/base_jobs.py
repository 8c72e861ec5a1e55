"""Comparison of a target with base jobs, which are CI jobs that measured the base branch.

The largest difference between one base job and the others is used as an upper bound on the noise.

If the code is unchanged, jobs are exchangeable but runs are not, because the runs of a job share its machine, build and
memory layout.
"""

from typing import NamedTuple

import numpy as np

from profgate.decide.detect.permutation import Rows
from profgate.model.arrays import BoolArray, FloatArray
from profgate.model.comparison import ELSEWHERE, Runs
from profgate.model.levels import FEWEST_JOBS, LIKE_RUNS

PRIOR_JOBS = 4.0  # weight of the prior variance, as a number of jobs


class JobTest(NamedTuple):
    """Results of comparing a target with base jobs.

    The arrays are float64 with one element per location. ``t`` is the test statistic (0 if the change is below the
    floors or there are too few jobs), ``difference`` is the target minus the mean of the jobs, and ``error`` is the
    standard error of the difference. ``bound`` is the largest difference between one base job and the other base jobs.
    ``largest`` is the largest test statistic of any base job at any location. ``before`` and ``after`` are the costs of
    the baseline and the target.
    """

    t: FloatArray
    difference: FloatArray
    error: FloatArray
    bound: FloatArray
    largest: float
    jobs: int
    before: FloatArray
    after: FloatArray


def tested_with_jobs(values: FloatArray, rows: Rows, runs: Runs, totals: FloatArray, *, sampled: bool) -> JobTest:
    """Test the target runs against base runs. ``values`` are by location and run; ``rows`` has floors and variances."""
    numbers = np.array(runs.base_jobs, np.int64)
    labels = np.unique(numbers[numbers != ELSEWHERE])[::-1]  # from the oldest to the newest
    runs_of = [np.flatnonzero(numbers == job) for job in labels]
    readings = np.stack([_reading(values[:, some], sampled=sampled) for some in runs_of], axis=1)
    # each base job is also tested in place of the target; it then uses at most as many runs as the target has
    short = np.stack([_reading(values[:, some[: runs.target]], sampled=sampled) for some in runs_of], axis=1)
    target = _reading(values[:, len(numbers) :], sampled=sampled)
    sides = [*(totals[None, some] for some in runs_of), totals[None, len(numbers) :]]
    current = _since_last_shift(readings) & _alike(np.array([_reading(side, sampled=sampled)[0] for side in sides]))
    prior = rows.sampling / max(1, runs.target)
    t, difference, error = _against(readings, current, target, prior, rows)
    bound, largest, nothing = np.zeros(len(target)), 0.0, np.zeros(len(target))
    unfloored = rows._replace(floor=nothing, own=nothing)  # floors would hide small differences between jobs
    for place in range(len(labels)):
        others = current.copy()
        others[:, place] = False
        statistic, change, _ = _against(readings, others, short[:, place], prior, unfloored)
        inside = current[:, place]
        bound = np.maximum(bound, np.where(inside, np.abs(change), 0.0))
        largest = max(largest, float(np.abs(np.where(inside, statistic, 0.0)).max(initial=0.0)))
    enough = current.sum(axis=1) >= FEWEST_JOBS
    before = target - difference
    return JobTest(np.where(enough, t, 0.0), difference, error, bound, largest, len(labels), before, target)


def _alike(totals: FloatArray) -> BoolArray:
    """Return a mask of the base jobs of alike totals, or of all if the target's total, the last one, is unlike."""
    alike = np.abs(np.log(totals / np.median(totals[:-1]))) <= np.log(LIKE_RUNS)
    return np.asarray(alike[:-1] | ~alike[-1])


def _reading(values: FloatArray, *, sampled: bool) -> FloatArray:
    """Return one value per location for all runs of a job: their median, or a trimmed mean for sample counts."""
    if not sampled:
        return np.asarray(np.median(values, axis=1))
    # with fewer runs, a trimmed mean would drop too much of the job
    if values.shape[1] < 5:
        return np.asarray(values.mean(axis=1))
    return np.asarray(np.sort(values, axis=1)[:, 1:-1].mean(axis=1))


def _against(
    readings: FloatArray, chosen: BoolArray, single: FloatArray, prior: FloatArray, rows: Rows
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compare one job with the chosen jobs. Return the statistic, difference and standard error of each location."""
    count = np.maximum(chosen.sum(axis=1), 1)
    mean = np.where(chosen, readings, 0.0).sum(axis=1) / count
    squares = np.where(chosen, (readings - mean[:, None]) ** 2, 0.0).sum(axis=1)
    variance = (squares + PRIOR_JOBS * prior) / (count + PRIOR_JOBS - 1.0)
    error = np.sqrt(variance * (1.0 + 1.0 / count))
    difference = single - mean
    size = np.abs(difference)
    counts = (size >= rows.floor) & (size >= rows.own * np.minimum(mean, single)) & (chosen.sum(axis=1) > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(counts, difference / error, 0.0)
    return np.nan_to_num(t, nan=0.0, posinf=1e6, neginf=-1e6), difference, error


def _since_last_shift(readings: FloatArray) -> BoolArray:
    """Return a mask of the jobs that come after the last persistent change of each location.

    The bool array has one row per location and one column per job; the newest job is last. A persistent change is a gap
    between all older and all newer jobs that is wider than the range of either group.
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
