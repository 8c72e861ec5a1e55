"""The test of run totals: did the whole workload move?"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from profgate.detect.calibrated_log_ratio import evidence_for, unused
from profgate.detect.sampling import counts_apart
from profgate.detect.strategy import WHOLE, not_tested, resolved, side_means, worse_sign
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.kinds import Kind
from profgate.model.levels import MACHINE, TOTAL_FLOOR, TOTAL_MARGIN
from profgate.model.reason import Reason
from profgate.model.tests import Calibration

NINETY_FIVE = 1.96
REPEATED = 2  # runs of a side that show its scatter
EVERYTHING = 0.5  # part of a change of the total (ln) that all functions have in common


class Totals:
    """Tests the total of a run by the same tests as functions, undivided: did the whole workload get slower, or better?

    Works on run totals of any profile. It gates where the runs of both sides are known to be recorded in turns, for
    exact counts, and against base jobs where it is one and a half times beyond the bar for functions, unless all
    functions share a factor of up to 2: another machine under one side moves totals like a real change. Its confidence
    is the p value of the permutation test, adjusted for all tests of the report. It cannot tell with fewer than four
    runs a side.
    """

    name = "totals"
    short = "tot"
    family = "T"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("floor", TOTAL_FLOOR, "smallest relative change of the total; may only be raised", TOTAL_FLOOR),
        unused("alpha", 0.025, 0.5),
        unused("alpha_gate", 0.01, 0.5),
        unused("cliff", 0.33, 1.0),
        unused("min_total", 1000),
    )

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:
        """One row for the whole workload."""
        chosen = resolved(self, options)
        evidence = evidence_for(comparison, context)
        if isinstance(evidence, Reason):
            return not_tested(self, chosen, evidence)
        if reason := counts_apart(comparison):
            return not_tested(self, chosen, reason)
        from_value, to_value = (float(value) for value in side_means(comparison, comparison.run_totals))
        relative = (to_value - from_value) / from_value
        common = float(evidence.calibration.common_factor or 1.0)
        ratio = abs(np.log(to_value / from_value))
        everything = ratio > 0 and np.log(common) * np.sign(relative) >= EVERYTHING * ratio
        machine = everything and max(common, 1.0 / common) <= MACHINE  # a change of the program may be larger
        distance, exact = float(evidence.distance[-1]), evidence.mode == "exact" and bool(evidence.certain[-1])
        gates = exact or (
            distance >= TOTAL_MARGIN and not machine
            if evidence.mode == "jobs"
            else bool(evidence.calibration.interleaved)
        )
        listed = bool(evidence.listed[-1]) and abs(relative) >= chosen["floor"]
        kind = Kind.NO_CHANGE
        if listed:
            worse = worse_sign(comparison.metric) * relative > 0
            sure = bool(evidence.certain[-1]) and gates
            code = int(Kind.TOTAL_DEGRADATION if sure else Kind.MAYBE_DEGRADATION)
            kind = Kind(code if worse else -code)
        p = float(evidence.p[-1])
        statistics = {
            "p": p,
            "t": float(evidence.t[-1]),
            "distance": distance,
            "bound": float(evidence.bound[-1]),
            "shift": relative,
            "ratio": relative,
            "certain": float(evidence.certain[-1]),
            "everything": common if everything and not gates else np.nan,
        }
        return Detection(
            strategy=self.name,
            family=self.family,
            subtype="total",
            options=chosen,
            symbol=np.array([WHOLE]),
            kind=np.array([int(kind)]),
            from_value=np.array([from_value]),
            to_value=np.array([to_value]),
            confidence_types=["p_value"],
            confidence=np.array([p]),
            statistics={name: np.array([value]) for name, value in statistics.items()},
            calibration=Calibration(total_tested=True),
        )


def noise_bar(comparison: Comparison, context: Context) -> float | None:
    """Half the 95 % interval of the total's relative change; None where no second run shows its noise."""
    evidence = evidence_for(comparison, context)
    if isinstance(evidence, Reason) or min(comparison.runs.baseline, comparison.runs.target) < REPEATED:
        return None
    return NINETY_FIVE * float(evidence.error[-1] / evidence.costs.values[-1].mean())
