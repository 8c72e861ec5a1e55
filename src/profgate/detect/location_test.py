"""The test of one location's share: its variance, its q values, and whether a change lasts over the runs."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from profgate.detect.base import independent
from profgate.detect.noise import FEW_LOCATIONS, Noise
from profgate.detect.scatter import FEW_TO_WEIGH
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.comparison import Comparison
from profgate.model.units import MetricKind
from profgate.statistics.corrections import benjamini_hochberg
from profgate.statistics.normal import upper_quantile, upper_tail
from profgate.statistics.t_tests import upper_tail_t
from profgate.statistics.thresholds import at_least

POWER_QUANTILE = 0.8416  # 80 % power
TYPICAL = 0.5  # part of a change that the medians of the runs must show
SINGLE_RUN = 3.0  # margin over the largest interruption of the base runs where a side has one run
AGREEING = 0.75  # part of the runs of each side that must lie beyond the other side's median
FAR = 1e6  # distances without noise are infinite; JSON has no infinity
ROUNDING = 1e-12
MEDIAN_SQUARE = 0.454936  # of a normal variate
# of 432 comparisons of unchanged recordings 2 were beyond it, both by a clock that counts waiting; of upgrades that
# changed most functions of a library 4 of 8 were, by 5 to 15
MOST_INFLATED = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Counts (weights where ``exact``) and shares by location with their totals.

    ``runs`` of a side, and how many ``jobs`` recorded them: as many where the profiles do not say.
    Locations are the symbols, then the comparison's groups: ``symbols`` says how many stand alone.
    ``counted``: no machine changes these values. ``heavy`` is the share a location of timed values needs: the clock's
    own noise is larger below.
    """

    counts: tuple[FloatArray, FloatArray]
    shares: tuple[FloatArray, FloatArray]
    totals: tuple[float, float]
    runs: tuple[int, int]
    jobs: tuple[int, int]
    exact: bool
    symbols: int
    run_shares: tuple[FloatArray, FloatArray]
    heavy: float = 0.0
    counted: bool = False

    def sampled(self, min_samples: float) -> tuple[BoolArray, BoolArray]:
        """bool[symbol] for each side: enough stands behind the value to test it."""
        if not self.exact:
            return at_least(self.counts[0], min_samples), at_least(self.counts[1], min_samples)
        (c_b, c_t), (s_b, s_t) = self.counts, self.shares
        return at_least(c_b, 1.0) & at_least(s_b, self.heavy), at_least(c_t, 1.0) & at_least(s_t, self.heavy)


@dataclass(frozen=True, slots=True, eq=False)
class LocationTest:
    """The test's columns over locations; NaN where a location was not tested.

    ``inflation`` is in every ``error`` already. ``gate_worse`` and ``gate_better`` are q values among those that
    hold enough of the run to gate at all (``heavy``): the mean of the sides' shares says nothing of their
    difference, so it may choose whom to test (Bourgon, Gentleman, Huber 2010, independent filtering).
    """

    inflation: float
    log_ratio: FloatArray
    centre: float
    d: FloatArray
    error: FloatArray
    z: FloatArray
    p_worse: FloatArray
    q_worse: FloatArray
    q_better: FloatArray
    tested: BoolArray
    gate_worse: FloatArray
    gate_better: FloatArray
    heavy: BoolArray


def location_values(comparison: Comparison) -> IntArray:
    """int64[run, location]: exclusive values of symbols, then the groups that are tested as one location each."""
    groups = [group.values[:, None] for group in comparison.groups]
    return np.concatenate([comparison.self_value, *groups], axis=1)


def sides_of(comparison: Comparison, scale: FloatArray, heavy: float) -> Sides:
    """Counts and shares of both sides; float64[run] ``scale`` turns stored values into counts."""
    runs = comparison.runs
    split = runs.baseline
    counts = location_values(comparison) * scale[:, None]
    totals = comparison.run_totals * scale
    shares = counts / totals[:, None]
    return Sides(
        (counts[:split].sum(axis=0), counts[split:].sum(axis=0)),
        (shares[:split].mean(axis=0), shares[split:].mean(axis=0)),
        (float(totals[:split].sum()), float(totals[split:].sum())),
        (runs.baseline, runs.target),
        (independent(runs.baseline, runs.baseline_jobs), independent(runs.target, runs.target_jobs)),
        comparison.metric.kind is not MetricKind.SAMPLED,
        len(comparison.symbols),
        (shares[:split], shares[split:]),
        heavy if comparison.metric.kind is MetricKind.TIMED else 0.0,
        comparison.metric.kind is MetricKind.COUNTED,
    )


def _directed_q(p: FloatArray, tested: BoolArray) -> FloatArray:
    q = np.full(len(p), np.nan)
    q[tested] = benjamini_hochberg(p[tested])
    return q


def _for_all(sides: Sides, of_symbols: FloatArray, of_groups: float) -> FloatArray:
    """float64[location]: symbols have their own value, groups a common one."""
    return np.append(of_symbols[: sides.symbols], np.full(len(sides.counts[0]) - sides.symbols, of_groups))


def variances_of(sides: Sides, noise: Noise) -> tuple[FloatArray, FloatArray]:
    """float64[location] variances of d: of counting and of runs, and of jobs where they were told apart."""
    clump, phi = _for_all(sides, noise.clump, noise.law.clump), _for_all(sides, noise.phi, noise.law.phi)
    heaps = sum(clump / np.maximum(counts, 1.0) for counts in sides.counts)
    runs, jobs = (sum(1.0 / count for count in counts) for counts in (sides.runs, sides.jobs))
    if noise.job is None:
        return heaps + phi**2 * jobs, np.zeros_like(phi)
    return heaps + phi**2 * runs, _for_all(sides, noise.job.psi, noise.job.common) ** 2 * jobs


def error_at(sides: Sides, noise: Noise, share: float) -> FloatArray:
    """float64[1]: the error of d of an ordinary location that holds this share of the run."""
    counts = np.array([sides.totals[0] * share]), np.array([sides.totals[1] * share])
    runs, jobs = variances_of(replace(sides, counts=counts, symbols=0), noise)
    return np.asarray(np.sqrt(runs + jobs))


def _degrees(sides: Sides, variances: tuple[FloatArray, FloatArray], noise: Noise) -> FloatArray | None:
    """float64[location] by Satterthwaite, None where nothing was learned."""
    if noise.degrees is None:
        return None
    doubt = variances[0] ** 2 / _for_all(sides, noise.degrees, noise.degrees.min(initial=FAR))
    if noise.job is not None:
        doubt = doubt + variances[1] ** 2 / _for_all(sides, noise.job.degrees, noise.job.degrees.min(initial=FAR))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(doubt > 0, np.minimum((variances[0] + variances[1]) ** 2 / doubt, FAR), FAR)


def _tails(z: FloatArray, degrees: FloatArray | None) -> FloatArray:
    return upper_tail(z) if degrees is None else upper_tail_t(z, degrees)


def above_all(sides: Sides, test: LocationTest, noise_shares: FloatArray) -> BoolArray:
    """bool[location]: most of the target's runs lie beyond every reading of the base, its noise runs among them."""
    factor, after = math.exp(test.centre), sides.run_shares[1]
    unknown = np.full((len(noise_shares), after.shape[1] - sides.symbols), np.nan)  # groups have no noise runs
    base = factor * np.concatenate([sides.run_shares[0], np.hstack([noise_shares, unknown])])
    sign = np.sign(test.d)
    highest = np.nanmax(sign * base, axis=0)
    return at_least((sign * after > highest).mean(axis=0), AGREEING)


def interruption(sides: Sides, noise: Noise) -> float:
    """The share of the run that an interruption of one run, or a disturbed job, may have added to a side's mean.

    A single one may have met worse than all base runs did: with eight of those one run in nine does.
    """

    def added(surge: float, readings: int) -> float:
        return surge * SINGLE_RUN if readings == 1 else surge / readings

    if noise.job is None:
        return added(noise.surge, min(sides.jobs))
    return max(added(noise.surge, min(sides.runs)), added(noise.job.surge, min(sides.jobs)))


def lasting_changes(sides: Sides, test: "LocationTest") -> tuple[FloatArray, BoolArray]:
    """The smaller part of a side's runs that lie beyond the other side's median, and whether most runs show a change.

    Both float64[location]. One interrupted run moves a mean; it does not move most runs, nor their median.
    """
    before, after = (runs * factor for runs, factor in zip(sides.run_shares, (math.exp(test.centre), 1.0), strict=True))
    sign, middle_b, middle_t = np.sign(test.d), np.median(before, axis=0), np.median(after, axis=0)
    beyond = (sign * (after - middle_b) > 0).mean(axis=0)
    below = (sign * (middle_t - before) > 0).mean(axis=0)
    agreement = np.asarray(np.minimum(beyond, below))
    half = 0.5 / min(sides.totals)
    typical = sign * np.log((middle_t + half) / (middle_b + half))
    return agreement, at_least(agreement, AGREEING) & (typical >= TYPICAL * np.abs(test.d))


def _inflation(z: FloatArray) -> float:
    """By how much most locations scatter more between these very sides than base runs let expect; at least 1.

    Most functions did not change, so the median of their z squared says what happened to all (genomic control: Devlin
    and Roeder 1999): another machine or layout, a job that was disturbed from end to end. Beyond `MOST_INFLATED` most
    functions did change, as in a rewritten library, and their changes are no noise.
    """
    if len(z) < FEW_TO_WEIGH:
        return 1.0
    found = math.sqrt(max(1.0, float(np.median(z**2)) / MEDIAN_SQUARE))
    return found if found <= MOST_INFLATED else 1.0


def tested_locations(
    sides: Sides, noise: Noise, options: Mapping[str, Any], sign: int, whole: float | None
) -> LocationTest:
    """The test of every location; ``sign`` is that of a change for the worse.

    Fewer locations of weight than `FEW_LOCATIONS` cannot tell what they have in common from a change of one of them:
    then amounts are compared as they are, and ``whole``, the scatter of ln totals, counts; None = amounts tell nothing.
    """
    (c_b, c_t), (s_b, s_t), (total_b, total_t) = sides.counts, sides.shares, sides.totals
    # exact values need no half count, and with unequal runs it would move values that did not change
    half = np.where((c_b > 0) & (c_t > 0), 0.0, 0.5) if sides.exact else np.full(len(c_b), 0.5)
    with np.errstate(divide="ignore"):
        log_ratio = np.log(s_t + half / total_t) - np.log(s_b + half / total_b)
    sampled_b, sampled_t = sides.sampled(options["min_samples"])
    well = sampled_b & sampled_t
    well[sides.symbols :] = False  # a group repeats what its members say
    few = whole is not None and well.sum() < FEW_LOCATIONS
    if few:
        centre = math.log(total_b / sides.runs[0]) - math.log(total_t / sides.runs[1])
    else:
        centre = float(np.median(log_ratio[well])) if well.any() else 0.0
    d = log_ratio - centre
    d[np.abs(d) <= ROUNDING] = 0.0
    variances = variances_of(sides, noise)
    if few and whole:
        variances = variances[0] + whole**2 * sum(1.0 / jobs for jobs in sides.jobs), variances[1]
    error = np.sqrt(variances[0] + variances[1])
    degrees = _degrees(sides, variances, noise)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(d == 0.0, 0.0, d / error)
    inflation = _inflation(z[well]) if not sides.counted else 1.0
    error, z = error * inflation, z / inflation
    tested = sampled_b | sampled_t
    p_worse = _tails(sign * z, degrees)
    p_better = _tails(-sign * z, degrees)
    # who gains or loses the gate's share of the run holds half of it on average
    heavy = tested & at_least((s_b + s_t * math.exp(-centre)) / 2.0, options["gate_share"] / 2.0)
    listed, gate = ([_directed_q(p, of) for p in (p_worse, p_better)] for of in (tested, heavy))
    return LocationTest(
        inflation, log_ratio, centre, d, error, z, p_worse, listed[0], listed[1], tested, gate[0], gate[1], heavy
    )


def noise_bar(q: float, tested: int) -> float:
    """The z of a single test at q / tested."""
    return upper_quantile(q / max(1, tested))


def smallest_detectable(error: FloatArray, q: float, tested: int) -> FloatArray:
    """Relative change that 80 % of comparisons would reveal, for float64[n] standard errors."""
    with np.errstate(over="ignore"):
        return np.asarray(np.expm1((noise_bar(q, tested) + POWER_QUANTILE) * error))
