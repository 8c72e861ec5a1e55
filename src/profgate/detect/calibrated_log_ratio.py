"""The calibrated test of locations: log ratio of shares against sampling and machine noise."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from profgate.detect.base import UNSUITED, cannot_tell, directed, one_sided, resolved, side_means, worse_sign
from profgate.detect.location_test import (
    FAR,
    LocationTest,
    Sides,
    above_all,
    error_at,
    interruption,
    lasting_changes,
    location_values,
    noise_bar,
    sides_of,
    smallest_detectable,
    tested_locations,
)
from profgate.detect.noise import PRIORS, Noise, noise_of
from profgate.detect.pace import disturbance, scatter_of_totals
from profgate.detect.sampling import count_scales, counts_apart, too_few_samples
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.kinds import Kind
from profgate.model.levels import GATE_Q, GATE_SHARE, LIST_Q, OWN_FLOOR
from profgate.model.units import MetricKind
from profgate.statistics.thresholds import at_least, at_most

SMALLEST_CHANGE = {"nanoseconds": 1e6, "bytes": 65536.0, "samples": 10.0, "count": 100.0}
NINETY_FIVE = 1.959963984540054
BAR_LEVEL = 0.05  # of the single test in whose bars a distance is told
ONE_LOCATION = "a benchmark has one location, which is the whole run: the test of totals speaks"


class CalibratedLogRatio:
    """Tests each location: did its share of the run move further than sampling and machine noise explain?

    Works on exclusive counts and times of stacks or call graphs; the shift common to all locations is removed
    first. Its confidence is a q value: of the rows it reports, that fraction is expected to be false. Noise between
    runs, and the heaps of samples that a waiting program leaves in one place, are learned from at least 8 base
    runs; before that a cautious prior is used and the gate stays advisory, except for exact counts (instructions,
    calls, allocations), which hardly scatter. It cannot tell where the number of samples behind a value is unknown
    or too small, it fails where the runs of a side share a disturbance that no base run showed, and it cannot see a
    slowdown of everything at once, which is the test of totals' part. Fewer than five locations of weight cannot
    tell what they have in common from a change of one: their amounts are compared, where base runs show the noise
    of the total; else half of a change may be laid at the door of the others.
    """

    name = "calibrated_log_ratio"
    short = "clr"
    family = "T"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("q", LIST_Q, "false discovery rate of the list", 1e-9, 0.5),
        OptionSpec("gate_q", GATE_Q, "the same for what may gate, divided by the comparisons of the report", 1e-9, 0.5),
        OptionSpec("min_samples", 25, "samples from which a location is tested", 1),
        OptionSpec("min_total", 1000, "samples a side needs for any word at all", 1),
        OptionSpec("phi_prior", 0.0, "noise between runs without history; 0 = by kind of metric", 0.0, 1.0),
        OptionSpec("own", OWN_FLOOR, "smallest change of a location against itself", 0.0),
        OptionSpec("listed_share", 0.001, "smallest change as a share of the run that is listed", 0.0, 1.0),
        OptionSpec("gate_share", GATE_SHARE, "smallest change as a share of the run that may gate", 0.0, 1.0),
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
        sides = sides_of(comparison, ones if scales is None else scales[0], chosen["listed_share"])
        test = tested_locations(sides, noise, chosen, worse_sign(comparison.metric), _noise_of_amounts(comparison))
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
        parts: tuple[Sides, Noise, LocationTest],
    ) -> Detection:
        sides, noise, test = parts
        values = location_values(comparison)
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
        agreement, lasting = lasting_changes(sides, test)
        lasting &= np.abs(delta_share) > interruption(sides, noise)
        noise_shares = comparison.noise_self / np.maximum(comparison.noise_totals, 1)[:, None]
        gateable = lasting & above_all(sides, test, noise_shares)
        found = (q, gate_q, test, delta_share, worse)
        kinds = self._kinds(comparison, options, context, found, (from_value, to_value), (lasting, gateable))
        tested = int(test.tested.sum())
        bars = [noise_bar(BAR_LEVEL, int(of.sum())) for of in (test.tested, test.heavy)]
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
        found: tuple[FloatArray, FloatArray, LocationTest, FloatArray, BoolArray],
        means: tuple[FloatArray, FloatArray],
        lasting: tuple[BoolArray, BoolArray],
    ) -> IntArray:
        q, gate_q, test, delta_share, worse = found
        from_value, to_value = means
        size = np.abs(delta_share)
        certain = test.heavy & (gate_q <= options["gate_q"] / context.pairs)
        listed = test.tested & (at_most(q, options["q"]) | certain & lasting[1]) & (test.d != 0.0) & lasting[0]
        listed &= at_least(np.abs(test.d), math.log1p(options["own"])) & at_least(size, options["listed_share"])
        total_b, total_t = (float(value) for value in side_means(comparison, comparison.run_totals))
        gating = listed & lasting[1] & certain
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


def _noise_of_amounts(comparison: Comparison) -> float | None:
    """The scatter of ln totals; None where amounts cannot be compared. Exact counts depend on no machine."""
    if counts_apart(comparison):
        return None
    return scatter_of_totals(comparison) or (0.0 if comparison.metric.kind is MetricKind.COUNTED else None)


def _facts(sides: Sides, noise: Noise, test: LocationTest, options: dict[str, Any], context: Context) -> dict[str, Any]:
    tested = int(test.tested.sum())
    error = test.inflation * error_at(sides, noise, 0.01)
    return {
        "state": "calibrated" if noise.calibrated else "uncalibrated",
        "base_runs": noise.base_runs,
        "centre": test.centre,
        "common_factor": math.exp(test.centre),
        "phi": noise.law.phi,
        "phi_estimate": noise.estimate,
        "clump": None if sides.exact else noise.law.clump,
        "psi": None if noise.job is None else noise.job.common,
        "surge": noise.surge,
        "inflation": test.inflation,
        "tested": tested,
        "gate_tested": int(test.heavy.sum()),
        "pairs": context.pairs,
        "q": options["q"],
        "gate_q": options["gate_q"],
        "noise_bar": noise_bar(options["q"], tested),
        "detectable": float(smallest_detectable(error, options["q"], tested)[0]),
        "detectable_where": "a location that holds 1 % of the run",
    }
