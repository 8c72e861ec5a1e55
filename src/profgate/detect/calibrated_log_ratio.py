"""The calibrated test of locations: log ratio of shares against sampling and machine noise."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from profgate.detect.base import (
    UNSUITED,
    cannot_tell,
    directed,
    independent,
    one_sided,
    resolved,
    side_means,
    worse_sign,
)
from profgate.detect.noise import Noise, noise_of
from profgate.detect.pace import disturbance
from profgate.detect.sampling import count_scales, counts_apart, too_few_samples
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.kinds import Kind
from profgate.model.units import MetricKind
from profgate.statistics.corrections import benjamini_hochberg
from profgate.statistics.normal import upper_quantile, upper_tail
from profgate.statistics.t_tests import upper_tail_t
from profgate.statistics.thresholds import at_least, at_most

PRIORS = {MetricKind.COUNTED: 0.002, MetricKind.TIMED: 0.05, MetricKind.SAMPLED: 0.05}
SMALLEST_CHANGE = {"nanoseconds": 1e6, "bytes": 65536.0, "samples": 10.0, "count": 100.0}
POWER_QUANTILE = 0.8416  # 80 % power
NINETY_FIVE = 1.959963984540054
TYPICAL = 0.5  # part of a change that the medians of the runs must show
SINGLE_RUN = 3.0  # margin over the largest interruption of the base runs where a side has one run
AGREEING = 0.75  # part of the runs of each side that must lie beyond the other side's median
FAR = 1e6  # distances without noise are infinite; JSON has no infinity
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """Counts (weights where ``exact``) and shares by location with their totals.

    ``runs`` of a side, and how many ``jobs`` recorded them: as many where the profiles do not say.
    Locations are the symbols, then the comparison's groups: ``symbols`` says how many stand alone.
    ``heavy`` is the share a location of timed values needs: the clock's own noise is larger below.
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

    def sampled(self, min_samples: float) -> tuple[BoolArray, BoolArray]:
        """bool[symbol] for each side: enough stands behind the value to test it."""
        if not self.exact:
            return at_least(self.counts[0], min_samples), at_least(self.counts[1], min_samples)
        (c_b, c_t), (s_b, s_t) = self.counts, self.shares
        return at_least(c_b, 1.0) & at_least(s_b, self.heavy), at_least(c_t, 1.0) & at_least(s_t, self.heavy)


@dataclass(frozen=True, slots=True, eq=False)
class _Test:
    """The test's columns over locations; NaN where a location was not tested.

    ``gate_worse`` and ``gate_better`` are q values among those that hold enough of the run to gate at all (``heavy``):
    the mean of the sides' shares says nothing of their difference, so it may choose whom to test (Bourgon, Gentleman,
    Huber 2010, independent filtering).
    """

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


def _values(comparison: Comparison) -> IntArray:
    """int64[run, location]: exclusive values of symbols, then the groups that are tested as one location each."""
    groups = [group.values[:, None] for group in comparison.groups]
    return np.concatenate([comparison.self_value, *groups], axis=1)


def _sides(comparison: Comparison, scale: FloatArray, heavy: float) -> _Sides:
    runs = comparison.runs
    split = runs.baseline
    counts = _values(comparison) * scale[:, None]
    totals = comparison.run_totals * scale
    shares = counts / totals[:, None]
    return _Sides(
        (counts[:split].sum(axis=0), counts[split:].sum(axis=0)),
        (shares[:split].mean(axis=0), shares[split:].mean(axis=0)),
        (float(totals[:split].sum()), float(totals[split:].sum())),
        (runs.baseline, runs.target),
        (independent(runs.baseline, runs.baseline_jobs), independent(runs.target, runs.target_jobs)),
        comparison.metric.kind is not MetricKind.SAMPLED,
        len(comparison.symbols),
        (shares[:split], shares[split:]),
        heavy if comparison.metric.kind is MetricKind.TIMED else 0.0,
    )


def _directed_q(p: FloatArray, tested: BoolArray) -> FloatArray:
    q = np.full(len(p), np.nan)
    q[tested] = benjamini_hochberg(p[tested])
    return q


def _learned(sides: _Sides, noise: Noise, phi: FloatArray, psi: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """float64[location] variances of d that base runs taught: of runs, and of jobs where they were told apart."""
    runs, jobs = (sum(1.0 / count for count in counts) for counts in (sides.runs, sides.jobs))
    if noise.job is None or psi is None:
        return phi**2 * jobs, np.zeros_like(phi)
    return phi**2 * runs, psi**2 * jobs


def _errors(sides: _Sides, learned: tuple[FloatArray, FloatArray]) -> FloatArray:
    variance = learned[0] + learned[1]
    if not sides.exact:
        c_b, c_t = sides.counts
        variance = variance + 1.0 / np.maximum(c_b, 1.0) + 1.0 / np.maximum(c_t, 1.0)
    return np.asarray(np.sqrt(variance))


def _tails(z: FloatArray, degrees: FloatArray | None) -> FloatArray:
    return upper_tail(z) if degrees is None else upper_tail_t(z, degrees)


def _degrees(learned: tuple[FloatArray, FloatArray], error: FloatArray, noise: Noise) -> FloatArray | None:
    """float64[location] by Satterthwaite: phi and psi were estimated, the sampling part of the variance is known."""
    if noise.degrees is None:
        return None
    doubt = learned[0] ** 2 / noise.degrees
    if noise.job is not None:
        doubt = doubt + learned[1] ** 2 / noise.job.degrees
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(doubt > 0, np.minimum(error**4 / doubt, FAR), FAR)


def _above_all(sides: _Sides, test: _Test, noise_shares: FloatArray) -> BoolArray:
    """bool[location]: most of the target's runs lie beyond every reading of the base, its noise runs among them."""
    factor, after = math.exp(test.centre), sides.run_shares[1]
    unknown = np.full((len(noise_shares), after.shape[1] - sides.symbols), np.nan)  # groups have no noise runs
    base = factor * np.concatenate([sides.run_shares[0], np.hstack([noise_shares, unknown])])
    sign = np.sign(test.d)
    highest = np.nanmax(sign * base, axis=0)
    return at_least((sign * after > highest).mean(axis=0), AGREEING)


def _interruption(sides: _Sides, noise: Noise) -> float:
    """The share of the run that an interruption of one run, or a disturbed job, may have added to a side's mean.

    A single one may have met worse than all base runs did: with eight of those one run in nine does.
    """

    def added(surge: float, readings: int) -> float:
        return surge * SINGLE_RUN if readings == 1 else surge / readings

    if noise.job is None:
        return added(noise.surge, min(sides.jobs))
    return max(added(noise.surge, min(sides.runs)), added(noise.job.surge, min(sides.jobs)))


def _lasting(sides: _Sides, test: "_Test") -> tuple[FloatArray, BoolArray]:
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


def _test(sides: _Sides, noise: Noise, options: Mapping[str, Any], sign: int) -> _Test:
    (c_b, c_t), (s_b, s_t), (total_b, total_t) = sides.counts, sides.shares, sides.totals
    # exact values need no half count, and with unequal runs it would move values that did not change
    half = np.where((c_b > 0) & (c_t > 0), 0.0, 0.5) if sides.exact else np.full(len(c_b), 0.5)
    with np.errstate(divide="ignore"):
        log_ratio = np.log(s_t + half / total_t) - np.log(s_b + half / total_b)
    sampled_b, sampled_t = sides.sampled(options["min_samples"])
    well = sampled_b & sampled_t
    well[sides.symbols :] = False  # a group repeats what its members say
    centre = float(np.median(log_ratio[well])) if well.any() else 0.0
    d = log_ratio - centre
    d[np.abs(d) <= ROUNDING] = 0.0
    more = len(c_b) - sides.symbols
    phi = np.append(noise.phi, np.full(more, noise.common))
    psi = None if noise.job is None else np.append(noise.job.psi, np.full(more, noise.job.common))
    learned = _learned(sides, noise, phi, psi)
    error = _errors(sides, learned)
    degrees = _degrees(learned, error, noise)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(d == 0.0, 0.0, d / error)
    tested = sampled_b | sampled_t
    p_worse = _tails(sign * z, degrees)
    p_better = _tails(-sign * z, degrees)
    # who gains or loses the gate's share of the run holds half of it on average
    heavy = tested & at_least((s_b + s_t * math.exp(-centre)) / 2.0, options["gate_share"] / 2.0)
    listed, gate = ([_directed_q(p, of) for p in (p_worse, p_better)] for of in (tested, heavy))
    return _Test(log_ratio, centre, d, error, z, p_worse, listed[0], listed[1], tested, gate[0], gate[1], heavy)


def noise_bar(q: float, tested: int) -> float:
    """The z of a single test at q / tested."""
    return upper_quantile(q / max(1, tested))


def smallest_detectable(error: FloatArray, q: float, tested: int) -> FloatArray:
    """Relative change that 80 % of comparisons would reveal, for float64[n] standard errors."""
    with np.errstate(over="ignore"):
        return np.asarray(np.expm1((noise_bar(q, tested) + POWER_QUANTILE) * error))


ONE_LOCATION = "a benchmark has one location, which is the whole run: the test of totals speaks"


class CalibratedLogRatio:
    """Tests each location: did its share of the run move further than sampling and machine noise explain?

    Works on exclusive counts and times of stacks or call graphs; the shift common to all locations is removed first.
    Its confidence is a q value: of the rows it reports, that fraction is expected to be false. Noise between runs is
    learned from at least 8 base runs; before that a cautious prior is used and the gate stays advisory, except for
    exact counts (instructions, calls, allocations), which hardly scatter. It cannot tell where the number of samples
    behind a value is unknown or too small, it fails where the runs of a side share a disturbance that no base run
    showed, and it cannot see a slowdown of everything at once, which is the test of totals' part. With two or three
    locations of weight, what they have in common is a guess: half of a change may be laid at the door of the others.
    """

    name = "calibrated_log_ratio"
    short = "clr"
    family = "T"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("q", 0.05, "false discovery rate of the list", 1e-9, 0.5),
        OptionSpec("gate_q", 0.05, "the same for what may gate, divided by the comparisons of the report", 1e-9, 0.5),
        OptionSpec("min_samples", 25, "samples from which a location is tested", 1),
        OptionSpec("min_total", 1000, "samples a side needs for any word at all", 1),
        OptionSpec("phi_prior", 0.0, "noise between runs without history; 0 = by kind of metric", 0.0, 1.0),
        OptionSpec("own", 0.05, "smallest change of a location against itself", 0.0),
        OptionSpec("listed_share", 0.001, "smallest change as a share of the run that is listed", 0.0, 1.0),
        OptionSpec("gate_share", 0.005, "smallest change as a share of the run that may gate", 0.0, 1.0),
        OptionSpec("min_abs", 0.0, "smallest absolute change that may gate, in the unit; 0 = by unit", 0.0),
        OptionSpec("min_responsibility", 0.02, "smallest part in a changed total that may gate", 0.0, 1.0),
    )

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:
        """One row for each symbol with l, d, z, p and q; facts hold the centre, phi and what was tested."""
        chosen = resolved(self, options)
        exact = comparison.metric.kind is not MetricKind.SAMPLED
        scales = None if exact else count_scales(comparison)
        reason = self._obstacle(comparison, chosen, known=exact or scales is not None)
        prior = chosen["phi_prior"] or PRIORS[comparison.metric.kind]
        runs = len(set(comparison.runs.base_jobs))
        if reason:
            return cannot_tell(self, chosen, (reason,), {"state": "unknown", "base_runs": runs})
        if len(comparison.symbols) == 1 and comparison.observations is not None:
            return cannot_tell(self, chosen, (ONE_LOCATION,), {**UNSUITED, "base_runs": runs})
        noise = noise_of(comparison, prior, scales)
        ones = np.ones(len(comparison.run_totals))
        sides = _sides(comparison, ones if scales is None else scales[0], chosen["listed_share"])
        test = _test(sides, noise, chosen, worse_sign(comparison.metric))
        return self._detection(comparison, chosen, context, (sides, noise, test))

    def _obstacle(self, comparison: Comparison, options: dict[str, Any], *, known: bool) -> str:
        if not known:
            return "the profile does not say how many samples stand behind its values"
        if (comparison.run_totals <= 0).any():
            return "a run's total is zero"
        if (comparison.self_value < 0).any():
            return "there are negative values"
        return too_few_samples(comparison, options["min_total"])

    def _detection(
        self,
        comparison: Comparison,
        options: dict[str, Any],
        context: Context,
        parts: tuple[_Sides, Noise, _Test],
    ) -> Detection:
        sides, noise, test = parts
        values = _values(comparison)
        rows = np.flatnonzero((comparison.self_value != 0).any(axis=0))
        together = np.arange(sides.symbols, values.shape[1])
        worse = worse_sign(comparison.metric) * test.d > 0
        q = np.where(worse, test.q_worse, test.q_better)
        gate_q = np.where(worse, test.gate_worse, test.gate_better)
        with np.errstate(over="ignore"):
            ratio = np.expm1(test.d)
            low, high = np.expm1(test.d - NINETY_FIVE * test.error), np.expm1(test.d + NINETY_FIVE * test.error)
        share_b, share_t = sides.shares
        delta_share = np.where(share_b > 0, share_b * ratio, share_t * np.exp(-test.centre))
        from_value, to_value = side_means(comparison, values)
        agreement, lasting = _lasting(sides, test)
        lasting &= np.abs(delta_share) > _interruption(sides, noise)
        noise_shares = comparison.noise_self / np.maximum(comparison.noise_totals, 1)[:, None]
        gateable = lasting & _above_all(sides, test, noise_shares)
        found = (q, gate_q, test, delta_share, worse)
        kinds = self._kinds(comparison, options, context, found, (from_value, to_value), (lasting, gateable))
        tested = int(test.tested.sum())
        bars = [noise_bar(options["q"], int(of.sum())) for of in (test.tested, test.heavy)]
        with np.errstate(divide="ignore", invalid="ignore"):
            distances = [np.where(test.d == 0.0, 0.0, np.abs(test.d) / (bar * test.error)) for bar in bars]
        statistics = {
            "log_ratio": test.log_ratio,
            "d": test.d,
            "ratio": ratio,
            "ratio_low": low,
            "ratio_high": high,
            "error": test.error,
            "z": np.clip(test.z, -FAR, FAR),
            "p_worse": test.p_worse,
            "q": q,
            "gate_q": gate_q,
            "distance": np.minimum(distances[0], FAR),
            "gate_distance": np.where(test.heavy, np.minimum(distances[1], FAR), np.nan),
            "delta_share": delta_share,
            "agreement": agreement,
            "detectable": smallest_detectable(test.error, options["q"], tested),
            "count_from": sides.counts[0],
            "count_to": sides.counts[1],
        }
        return Detection(
            strategy=self.name,
            family=self.family,
            subtype="time" if comparison.metric.unit == "nanoseconds" else "amount",
            options=options,
            symbol=rows,
            kind=one_sided(comparison, rows, kinds[rows]),
            from_value=from_value[rows],
            to_value=to_value[rows],
            confidence_types=["q_value"] * len(rows),
            confidence=q[rows],
            statistics={name: column[rows] for name, column in statistics.items()},
            facts=_facts(sides, noise, test, options, context)
            | {"disturbed": disturbance(comparison, test.centre) or None},
            groups={
                "kind": kinds[together].astype(np.float64),
                "from": from_value[together],
                "to": to_value[together],
                **{name: column[together] for name, column in statistics.items()},
            },
        )

    def _kinds(
        self,
        comparison: Comparison,
        options: dict[str, Any],
        context: Context,
        found: tuple[FloatArray, FloatArray, _Test, FloatArray, BoolArray],
        means: tuple[FloatArray, FloatArray],
        lasting: tuple[BoolArray, BoolArray],
    ) -> IntArray:
        q, gate_q, test, delta_share, worse = found
        from_value, to_value = means
        size = np.abs(delta_share)
        listed = test.tested & at_most(q, options["q"]) & (test.d != 0.0) & lasting[0]
        listed &= at_least(np.abs(test.d), math.log1p(options["own"])) & at_least(size, options["listed_share"])
        total_b, total_t = (float(value) for value in side_means(comparison, comparison.run_totals))
        gating = listed & lasting[1] & (gate_q <= options["gate_q"] / context.pairs)
        gating &= at_least(size, options["gate_share"])
        smallest = options["min_abs"] or SMALLEST_CHANGE.get(comparison.metric.unit, 0.0)
        apart = counts_apart(comparison)
        change = delta_share * total_t if apart else to_value - from_value
        gating &= at_least(np.abs(change) * comparison.metric.scale, smallest)
        if abs(total_t - total_b) > options["min_responsibility"] * total_b and not apart:
            part = np.abs((to_value - from_value) / (total_t - total_b))
            gating &= at_least(part, options["min_responsibility"])
        kinds = np.where(listed, directed(Kind.MAYBE_DEGRADATION, worse), np.int64(Kind.NO_CHANGE))
        return np.where(gating, directed(Kind.DEGRADATION, worse), kinds)


def _facts(sides: _Sides, noise: Noise, test: _Test, options: dict[str, Any], context: Context) -> dict[str, Any]:
    tested = int(test.tested.sum())
    one_percent = _Sides(
        (np.array([sides.totals[0] / 100.0]), np.array([sides.totals[1] / 100.0])),
        sides.shares,
        sides.totals,
        sides.runs,
        sides.jobs,
        sides.exact,
        1,
        sides.run_shares,
    )
    psi = None if noise.job is None else np.array([noise.job.common])
    error = _errors(one_percent, _learned(one_percent, noise, np.array([noise.common]), psi))
    return {
        "state": "calibrated" if noise.calibrated else "uncalibrated",
        "base_runs": noise.base_runs,
        "centre": test.centre,
        "common_factor": math.exp(test.centre),
        "phi": noise.common,
        "phi_estimate": noise.estimate,
        "psi": None if noise.job is None else noise.job.common,
        "surge": noise.surge,
        "tested": tested,
        "gate_tested": int(test.heavy.sum()),
        "pairs": context.pairs,
        "q": options["q"],
        "gate_q": options["gate_q"],
        "noise_bar": noise_bar(options["q"], tested),
        "detectable": float(smallest_detectable(error, options["q"], tested)[0]),
        "detectable_where": "a location that holds 1 % of the run",
    }
