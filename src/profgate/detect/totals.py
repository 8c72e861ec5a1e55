"""The calibrated test of run totals: did the whole workload move?"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from profgate.detect.base import WHOLE, cannot_tell, resolved, side_means, worse_sign
from profgate.detect.location_test import FAR, POWER_QUANTILE
from profgate.detect.noise import PRIORS
from profgate.detect.sampling import counts_apart, too_few_samples
from profgate.model.arrays import FloatArray
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.kinds import Kind
from profgate.model.levels import TOTAL_ALPHA, TOTAL_ALPHA_GATE, TOTAL_FLOOR
from profgate.model.units import MetricKind
from profgate.statistics.ranks import cliffs_delta, hodges_lehmann, mann_whitney, shift_interval
from profgate.statistics.t_tests import ShiftTest, critical_t, pooled, prediction, welch

RANK_RUNS = 5
HISTORY_RUNS = 8
PREDICTION_RUNS = 10
EXACT_SCATTER = PRIORS[MetricKind.COUNTED]  # ln, of exact counts where no second run shows it


@dataclass(frozen=True, slots=True)
class TotalTest:
    """Shift of ln total with the test that gave it; ``advisory`` tests never gate. p is not adjusted."""

    test: str
    shift: float
    p: float
    interval_95: tuple[float, float]
    interval_99: tuple[float, float]
    cliff: float
    error: float
    critical: float
    advisory: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Readings:
    """ln totals of both sides and of further base runs, one for each job."""

    baseline: FloatArray
    target: FloatArray
    history: FloatArray


def _by_job(logs: FloatArray, jobs: tuple[int, ...] | None) -> FloatArray:
    """The mean of each job's runs: they share its machine, so they are one reading."""
    if jobs is None:
        return logs
    numbers = np.array(jobs, np.int64)
    return np.asarray(np.bincount(numbers, logs) / np.bincount(numbers))


def _readings(comparison: Comparison) -> _Readings:
    runs = comparison.runs
    logs = np.log(comparison.run_totals)
    usable = comparison.noise_totals > 0
    jobs = runs.noise_jobs or tuple(range(runs.noise))
    kept = np.unique(np.array(jobs, np.int64)[usable], return_inverse=True)[1]
    return _Readings(
        _by_job(logs[: runs.baseline], runs.baseline_jobs),
        _by_job(logs[runs.baseline :], runs.target_jobs),
        _by_job(np.log(comparison.noise_totals[usable]), tuple(kept.tolist())),
    )


def _rank_test(readings: _Readings, alpha_gate: float) -> TotalTest:
    b, t = readings.baseline, readings.target
    spread = welch(b, t)
    return TotalTest(
        "mann_whitney",
        hodges_lehmann(b, t),
        mann_whitney(b, t)[1],
        shift_interval(b, t, 0.05),
        shift_interval(b, t, alpha_gate),
        cliffs_delta(b, t),
        spread.error,
        critical_t(alpha_gate, spread.degrees),
        advisory=False,
    )


def _t_test(name: str, test: ShiftTest, cliff: float, alpha_gate: float, *, advisory: bool) -> TotalTest:
    return TotalTest(
        name,
        test.shift,
        test.p,
        test.interval(0.05),
        test.interval(alpha_gate),
        cliff,
        test.error,
        critical_t(alpha_gate, test.degrees),
        advisory,
    )


def _predicted(many: FloatArray, one: FloatArray, alpha_gate: float, *, swapped: bool) -> TotalTest:
    test = prediction(many, float(one[0]))
    cliff = cliffs_delta(many, one)
    if swapped:
        test, cliff = ShiftTest(-test.shift, test.error, test.degrees), -cliff
    return _t_test("prediction", test, cliff, alpha_gate, advisory=len(many) < PREDICTION_RUNS)


def choose_test(readings: _Readings, pairs: int, alpha_gate: float, *, exact: bool = False) -> TotalTest | None:
    """The test that these runs can carry; None for one reading against one, unless they are ``exact`` counts."""
    b, t, history = readings.baseline, readings.target, readings.history
    n_b, n_t = len(b), len(t)
    if min(n_b, n_t) >= RANK_RUNS and 2.0 / math.comb(n_b + n_t, n_b) <= alpha_gate / pairs:
        return _rank_test(readings, alpha_gate)
    regime = np.concatenate([b, history])
    if n_t == 1 and len(regime) >= 2:
        return _predicted(regime, t, alpha_gate, swapped=False)
    if n_t == 1:
        return _of_exact_counts(b, t, alpha_gate) if exact else None
    if len(history) >= HISTORY_RUNS:
        test = pooled(b, t, history)
        return _t_test("pooled_t", test, cliffs_delta(b, t), alpha_gate, advisory=False)
    if n_b > 1:
        return _t_test("welch", welch(b, t), cliffs_delta(b, t), alpha_gate, advisory=False)
    return _predicted(t, b, alpha_gate, swapped=True)


def _of_exact_counts(one: FloatArray, other: FloatArray, alpha_gate: float) -> TotalTest:
    """One run of exact counts against one: they scatter as such counts usually do, which nobody saw here."""
    test = ShiftTest(float(other[0] - one[0]), EXACT_SCATTER * math.sqrt(2.0), FAR)
    return _t_test("usual_scatter", test, cliffs_delta(one, other), alpha_gate, advisory=True)


def noise_bar(comparison: Comparison, pairs: int) -> float | None:
    """Half the 95 % interval of the shift of ln total: what is smaller may be noise.

    None where no test that could carry a verdict fits these runs.
    """
    if (comparison.run_totals <= 0).any():
        return None
    found = choose_test(_readings(comparison), pairs, TOTAL_ALPHA_GATE)
    return None if found is None or found.advisory else (found.interval_95[1] - found.interval_95[0]) / 2.0


def relative(logarithm: float) -> float:
    """exp(x) - 1; infinite where a float cannot hold it."""
    return math.expm1(logarithm) if logarithm < 700.0 else math.inf


class Totals:
    """Tests the total of a run: did the whole workload get slower, or better, beyond its noise?

    Works on run totals of any profile. With five and more runs a side it is an exact rank test, with fewer a t
    test, with one target run a prediction from base runs; the name of the test used is in its evidence. Its
    confidence is a p value, corrected for the number of totals tested. It cannot tell from one run against one,
    except for exact counts (instructions, allocations), of which it takes the usual scatter. There, and with fewer
    than ten base runs against one, it stays advisory, and another machine under one side moves totals like a real
    change.
    """

    name = "totals"
    short = "tot"
    family = "T"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("alpha", TOTAL_ALPHA, "p from which a change is reported", 1e-9, 0.5),
        OptionSpec("alpha_gate", TOTAL_ALPHA_GATE, "p from which a change may gate", 1e-9, 0.5),
        OptionSpec("floor", TOTAL_FLOOR, "smallest relative change of the total", 0.0),
        OptionSpec("cliff", 0.33, "smallest Cliff's delta", 0.0, 1.0),
        OptionSpec("min_total", 1000, "samples a side needs for any word at all", 1),
    )

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:
        """One row for the whole workload; p in the evidence is raw, the judge corrects for the number of totals."""
        chosen = resolved(self, options)
        obstacle = self._obstacle(comparison, chosen)
        if obstacle:
            return cannot_tell(self, chosen, (obstacle,))
        exact = comparison.metric.kind is MetricKind.COUNTED
        found = choose_test(_readings(comparison), context.pairs, chosen["alpha_gate"], exact=exact)
        if found is None:
            shared = max(comparison.runs.baseline, comparison.runs.target) > 1
            what = "what one job repeats" if shared else "one run against one"
            return cannot_tell(self, chosen, (f"{what} says nothing about the total's noise",))
        return self._detection(comparison, chosen, found)

    def _obstacle(self, comparison: Comparison, options: dict[str, Any]) -> str:
        if (comparison.run_totals <= 0).any():
            return "a run's total is zero"
        if apart := counts_apart(comparison):
            return apart
        return too_few_samples(comparison, options["min_total"])

    def _kind(self, found: TotalTest, options: dict[str, Any], sign: int) -> Kind:
        floor = math.log1p(options["floor"])
        reported = found.p <= options["alpha"] and abs(found.shift) >= floor - 1e-12
        if not reported or abs(found.cliff) < options["cliff"]:
            return Kind.NO_CHANGE
        near = found.interval_99[0] if found.shift > 0 else -found.interval_99[1]
        gating = not found.advisory and found.p <= options["alpha_gate"] and near > floor
        worse = sign * found.shift > 0
        if gating:
            return Kind.TOTAL_DEGRADATION if worse else Kind.TOTAL_OPTIMIZATION
        return Kind.MAYBE_DEGRADATION if worse else Kind.MAYBE_OPTIMIZATION

    def _detection(self, comparison: Comparison, options: dict[str, Any], found: TotalTest) -> Detection:
        kind = self._kind(found, options, worse_sign(comparison.metric))
        from_value, to_value = side_means(comparison, comparison.run_totals)
        floor = math.log1p(options["floor"])
        half = (found.interval_99[1] - found.interval_99[0]) / 2.0
        detectable = relative(floor + (found.critical + POWER_QUANTILE) * found.error)
        statistics = {
            "p": found.p,
            "shift": relative(found.shift),
            "low_95": relative(found.interval_95[0]),
            "high_95": relative(found.interval_95[1]),
            "low_99": relative(found.interval_99[0]),
            "high_99": relative(found.interval_99[1]),
            "cliff": found.cliff,
            "distance": min(FAR, abs(found.shift) / max(floor, half)),
            "detectable": detectable,
        }
        return Detection(
            strategy=self.name,
            family=self.family,
            subtype="total",
            options=options,
            symbol=np.array([WHOLE]),
            kind=np.array([int(kind)]),
            from_value=np.array([float(from_value)]),
            to_value=np.array([float(to_value)]),
            confidence_types=["p_value"],
            confidence=np.array([found.p]),
            statistics={name: np.array([value]) for name, value in statistics.items()},
            facts={"test": found.test, "advisory": found.advisory, "total_p": found.p, "detectable": detectable},
        )
