"""Tests of one location against noise: a permutation test of the runs, and a comparison with base jobs.

The max-T permutation test compares the observed difference with those of other splits of the runs. Westfall and Young
(Resampling-based multiple testing, 1993) describe the test, and Tusher, Tibshirani and Chu (2001) the moderated
statistic. If the code is unchanged, all runs are exchangeable, so every split into two groups is as likely as the
observed split. Runs that were recorded in turns are exchangeable only within a block, because the machine may become
faster or slower. Their splits exchange runs within blocks only, and the mean of its block is subtracted from each run.

Base jobs are CI jobs that measured the base branch. If the code is unchanged, jobs are exchangeable but runs are not,
because the runs of a job share its machine, build and memory layout. The largest difference between one base job and
the others is used as an upper bound on the noise.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, starmap
from math import ceil, comb
from typing import NamedTuple

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray, IntArray, quantile, splitmix64
from profgate.model.comparison import ELSEWHERE, Runs
from profgate.model.levels import FEWEST_JOBS, LIKE_RUNS, MOST_SPLITS

PRIOR_WEIGHT = 6.0  # weight of the prior variance, as a number of runs
CHUNK = 1 << 16  # number of elements in one block of the matrix of locations and splits, which fits in the cache
AT_ONCE = 16  # number of comparisons that are tested at once; for 10,000, the statistics would take 800 MB
FEWEST_BLOCKS = 4  # fewer blocks have too few splits
POWER = 0.84  # normal quantile for a power of 80 %
PRIOR_JOBS = 4.0  # weight of the prior variance, as a number of jobs


class Splits(NamedTuple):
    """Splits of the runs into two groups. Row 0 is the observed split.

    ``sides`` is a float64 array with one row per split and one column per run. An element is 1 if the run belongs to
    the second group. ``blocks`` is the number of blocks, and ``block`` contains the block of each run.
    """

    sides: FloatArray
    blocks: int
    block: IntArray


def blocks_of(baseline: int, target: int, *, interleaved: bool) -> int:
    """Return the number of blocks, which have two runs of each side. All other runs are one block."""
    in_turns = interleaved and baseline == target and baseline >= 2 * FEWEST_BLOCKS
    return baseline // 2 if in_turns else 1


@lru_cache(maxsize=8)
def splits_of(baseline: int, target: int, most: int = MOST_SPLITS, blocks: int = 1) -> Splits:
    """Return the splits of the runs, within ``blocks`` blocks of consecutive runs of each side.

    If there are more than ``most`` splits, a random selection of this size is returned. The result depends only on the
    arguments.
    """
    runs = baseline + target
    in_side = np.concatenate([np.arange(baseline), np.arange(target)])
    block = np.minimum(in_side // 2, blocks - 1)
    if blocks == 1 and comb(runs, target) <= most:
        rows = [np.isin(np.arange(runs), chosen) for chosen in combinations(range(runs - 1, -1, -1), target)]
        return Splits(np.array(rows, dtype=np.float64), 1, block)  # this order puts the observed split first
    observed = np.arange(runs) >= baseline
    numbers = splitmix64((most - 1) * runs).reshape(-1, runs)
    # runs change places with runs of the same block
    places = np.argsort(block, kind="stable")
    order = np.lexsort((numbers, np.broadcast_to(block, numbers.shape)), axis=1)
    sides = np.zeros((most, runs))
    sides[0] = observed
    np.put_along_axis(sides[1:], order, np.broadcast_to(observed[places], order.shape).astype(np.float64), axis=1)
    return Splits(sides, blocks, block)


class Rows(NamedTuple):
    """Input to one test, with one row per location.

    ``values`` is a float64 array with one column per run, and ``sampling`` contains the prior variances. Differences
    are ignored if they are below ``floor``, or below the fraction ``own`` of the value of the smaller side.
    """

    values: FloatArray
    sampling: FloatArray
    floor: FloatArray
    own: FloatArray

    def only(self, chosen: BoolArray | slice) -> "Rows":
        """Return the rows of the chosen locations."""
        return Rows(*(column[chosen] for column in self))


class Observed(NamedTuple):
    """Results of the observed split per location: statistic (0 below the floors), difference and standard error."""

    t: FloatArray
    difference: FloatArray
    error: FloatArray


def observed(rows: Rows, splits: Splits) -> Observed:
    """Return the results of the observed split."""
    recorded = splits._replace(sides=splits.sides[:1])
    return Observed(*(column[:, 0] for column in _statistics(rows, recorded)))


def largest(rows: Rows, splits: Splits) -> FloatArray:
    """Return the largest float64 statistics of increases and of decreases, or 0, with one column per split."""
    best = np.zeros((2, len(splits.sides)))
    rows = rows.only(_reachable(rows, splits))
    step = max(1, CHUNK // len(splits.sides))
    for start in range(0, len(rows.values), step):
        t = _statistics(rows.only(slice(start, start + step)), splits)[0]
        np.maximum(best, [t.max(axis=0), -t.min(axis=0)], out=best)
    return best


def _reachable(rows: Rows, splits: Splits) -> BoolArray:
    """Return a mask of the locations whose difference can reach the floor in a split; those left out have t = 0.

    By the Cauchy-Schwarz inequality, no split makes the difference larger than if the runs had two values only.
    """
    runs = rows.values.shape[1]
    target = float(splits.sides[0].sum())
    most = np.sqrt(rows.values.var(axis=1) * runs**2 / (target * (runs - target)))
    return np.asarray((1.0 + 1e-9) * most >= rows.floor)


def p_of_one(values: FloatArray, sampling: float, splits: Splits, sign: int) -> float:
    """Return the unadjusted p value of one location from its value per run. ``sign`` is 1 for increases, else -1."""
    nothing = np.zeros(1)
    t = sign * _statistics(Rows(values[None], np.array([sampling]), nothing, nothing), splits)[0][0]
    return float((t >= t[0] - 1e-9 * abs(t[0])).mean())


def _statistics(rows: Rows, splits: Splits) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the statistic (0 below the floors), difference and standard error of each location and split."""
    runs = rows.values.shape[1]
    target = float(splits.sides[0].sum())
    baseline = runs - target
    middle = rows.values.mean(axis=1, keepdims=True)
    values = rows.values - middle  # values are centred to avoid cancellation
    if splits.blocks > 1:
        of_block = (splits.block[:, None] == np.arange(splits.blocks)).astype(np.float64)
        values = values - (values @ of_block / of_block.sum(axis=0))[:, splits.block]
    after = values @ splits.sides.T / target
    before = -after * target / baseline
    squares = (values**2).sum(axis=1, keepdims=True)
    spread = np.maximum(squares - target * after**2 - baseline * before**2, 0.0)
    variance = (spread + PRIOR_WEIGHT * rows.sampling[:, None]) / (runs - splits.blocks + PRIOR_WEIGHT - 1.0)
    error = np.sqrt(variance * (1.0 / baseline + 1.0 / target))
    difference = after - before
    size = np.abs(difference)
    smaller = middle + np.minimum(before, after)
    counts = (size >= rows.floor[:, None]) & (size >= rows.own[:, None] * smaller) & (size > 1e-12 * np.abs(middle))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(counts, difference / error, 0.0)
    return np.nan_to_num(t, nan=0.0, posinf=1e6, neginf=-1e6), difference, error


class Family(NamedTuple):
    """Test results of all comparisons with the same numbers of runs.

    ``p`` contains an array of one-sided p values per comparison, in the direction of the observed differences, and
    ``seen`` contains the results of the observed split. ``last`` is the result of `largest` after the step-down removes
    the significant locations.
    """

    p: list[FloatArray]
    seen: list[Observed]
    last: FloatArray


def jointly_tested(
    members: list[Rows],
    runs: tuple[int, int],
    found_at: float,
    within: Sequence[BoolArray],
    blocks: int = 1,
) -> Family:
    """Compute the adjusted p values of all locations with a step-down procedure. ``runs`` are those of each side.

    The procedure excludes locations with a p value of at most ``found_at`` from the maxima and repeats the test until
    no further location is found. ``within`` marks the locations of each member that belong to the family. The p values
    of the other locations are computed from the last maxima.
    """
    # a result at the level of the test contains ten splits, so that p values are fine enough
    splits = splits_of(*runs, max(MOST_SPLITS, ceil(10 / found_at)), blocks)
    parts = [slice(start, start + AT_ONCE) for start in range(0, len(members), AT_ONCE)]
    seen = [observed(_joined(members[part]), splits) for part in parts]
    p = [np.ones(len(own.t)) for own in seen]
    inside = [np.concatenate(within[part]) for part in parts]
    left = list(inside)
    maxima = [largest(_joined(members[part]).only(still), splits) for part, still in zip(parts, left, strict=True)]
    last = np.max(maxima, axis=0)
    while True:
        p = [np.where(still, np.minimum(q, p_of(own.t, last)), q) for still, q, own in zip(left, p, seen, strict=True)]
        significant = [still & (q <= found_at) for still, q in zip(left, p, strict=True)]
        if not any(here.any() for here in significant):
            break
        for number, here in enumerate(significant):
            if here.any():
                left[number] = left[number] & ~here
                maxima[number] = largest(_joined(members[parts[number]]).only(left[number]), splits)
        last = np.max(maxima, axis=0)
    p = [np.where(own, q, p_of(one.t, last)) for own, q, one in zip(inside, p, seen, strict=True)]
    columns = (p, *zip(*seen, strict=True))
    ends = np.cumsum([len(rows.values) for rows in members])[:-1]
    of_p, *of_seen = (np.split(np.concatenate(column), ends) for column in columns)
    return Family(of_p, list(starmap(Observed, zip(*of_seen, strict=True))), last)


def _joined(members: list[Rows]) -> Rows:
    """Return the rows of several comparisons with the same numbers of runs."""
    return Rows(*map(np.concatenate, zip(*members, strict=True)))


def p_of(t: FloatArray, maxima: FloatArray) -> FloatArray:
    """Return for each location the fraction of splits whose maximum in its direction reaches its statistic."""
    p, size = np.ones(len(t)), np.abs(t)
    for largest_in, chosen in ((maxima[0], t > 0), (maxima[1], t < 0)):
        reached = len(largest_in) - np.searchsorted(np.sort(largest_in), size - 1e-9 * size, side="left")
        p = np.where(chosen, reached / len(largest_in), p)
    return p


def visible_factor(worse: FloatArray, level: float) -> float:
    """Return the smallest change found with 80 % power, in standard errors; infinite if there are too few splits."""
    if 1.0 / max(len(worse), 1) > level:
        return float("inf")
    return float(quantile(worse, 1.0 - level)) + POWER


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
    alike = np.abs(np.log(totals / quantile(totals[:-1], 0.5))) <= np.log(LIKE_RUNS)
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
