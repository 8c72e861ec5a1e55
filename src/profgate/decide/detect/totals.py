"""Strategy that tests the totals of runs."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from profgate.decide.detect.calibrated_log_ratio import evidence_for, gate_result
from profgate.decide.detect.evidence import Evidence
from profgate.decide.detect.strategy import counts_apart, directed, not_tested, resolved, worse_sign
from profgate.model.calibration import Calibration
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import WHOLE, Comparison
from profgate.model.kinds import Kind
from profgate.model.levels import MACHINE, TOTAL_FLOOR, TOTAL_MARGIN
from profgate.model.reason import Reason
from profgate.model.units import MetricKind


class Totals:
    """Tests the totals of runs in the same way as functions, but without dividing out the common factor.

    The strategy works on the totals of any profile. The strategy may fail the gate in three cases: the runs of both
    sides are interleaved, the metric counts events, or the change is at least 1.5 times the threshold for functions in
    a comparison with base jobs. In the last case, a total whose functions all share a factor of up to 2 does not fail
    the gate, because a different machine could have the same effect. The confidence is the p value of the permutation
    test, adjusted for all tests of the report. The strategy is inconclusive with fewer than four runs per side.
    """

    name = "totals"
    short = "tot"
    family = "T"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("floor", TOTAL_FLOOR, "smallest relative change of the total; can only be increased", TOTAL_FLOOR),
    )

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:
        """Return a detection with one row for the whole workload."""
        chosen = resolved(self, options)
        evidence = evidence_for(comparison, context)
        if isinstance(evidence, Reason):
            return not_tested(self, evidence)
        if reason := counts_apart(comparison):
            return not_tested(self, reason)
        from_value, to_value = (float(value) for value in comparison.runs.means(comparison.run_totals))
        relative = (to_value - from_value) / from_value
        shared = _shared_factor(evidence, to_value / from_value)
        beyond = _is_beyond_machines(evidence, shared, to_value)
        # the total may fail the gate only if a different machine cannot explain its change
        gates = comparison.metric.kind is MetricKind.COUNTED or bool(evidence.calibration.interleaved)
        if evidence.mode == "jobs":
            gates = shared is None and bool(evidence.distance[-1] >= TOTAL_MARGIN)
        gates = beyond or (bool(evidence.certain[-1]) and gates)
        kind = Kind.NO_CHANGE
        if (beyond or evidence.listed[-1]) and abs(relative) >= chosen["floor"]:
            kind = Kind.TOTAL_DEGRADATION if gates else Kind.MAYBE_DEGRADATION
        last = np.array([-1])
        everything = shared if shared is not None and not gates and _is_machine(shared) else np.nan
        return Detection(
            strategy=self.name,
            family=self.family,
            subtype="total",
            symbol=np.array([WHOLE]),
            kind=directed(kind, np.array([worse_sign(comparison.metric) * relative > 0])),
            from_value=np.array([from_value]),
            to_value=np.array([to_value]),
            confidence_types=["p_value"],
            confidence=evidence.p[last],
            result=gate_result(evidence, last, last, ratio=np.array([relative]), everything=np.array([everything])),
            calibration=Calibration(total_tested=True),
        )


def _shared_factor(evidence: Evidence, ratio: float) -> float | None:
    """Return the common factor of all functions if it explains at least half of the total's change, otherwise None."""
    factor = evidence.calibration.common_factor or 1.0
    size = abs(np.log(ratio))
    return factor if size > 0 and np.log(factor) * np.sign(np.log(ratio)) >= size / 2 else None


def _is_machine(factor: float) -> bool:
    """Return whether another machine could explain the factor."""
    return max(factor, 1.0 / factor) <= MACHINE


def _is_beyond_machines(evidence: Evidence, shared: float | None, after: float) -> bool:
    """Return whether all functions share a factor that is larger than any difference between machines or base jobs.

    An odd function in one base job, which raises the bound of all others, says nothing about such a factor.
    """
    if evidence.mode != "jobs" or shared is None or _is_machine(shared):
        return False
    change = float(evidence.difference[-1])
    return abs(change) > (evidence.calibration.margin or 1.0) * float(evidence.bound[-1]) * (after - change)


def noise_bar(comparison: Comparison, context: Context) -> float | None:
    """Return half the width of the total's 95 % confidence interval as a relative change, or None for single runs."""
    evidence = evidence_for(comparison, context)
    if isinstance(evidence, Reason) or min(comparison.runs.baseline, comparison.runs.target) < 2:
        return None
    return 1.96 * float(evidence.error[-1] / evidence.costs.values[-1].mean())
