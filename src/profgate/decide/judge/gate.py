"""Decide whether a finding fails the gate, and set its colour and the reasons for it."""

from dataclasses import dataclass, field, replace
from functools import partial

from profgate.model.attribution import Reach
from profgate.model.kinds import BY_WORD, MAYBE, Kind
from profgate.model.levels import FEWEST_JOBS, LIKE_RUNS
from profgate.model.policy import FailOn, Policy
from profgate.model.reason import Parameter, Reason, ReasonCode
from profgate.model.report import Colour, Direction, Finding, MetricReport, Severity

UNREACHABLE: Reach = "not reachable"
ENOUGH: dict[FailOn, frozenset[Severity]] = {
    "never": frozenset(),
    "severe": frozenset({"severe"}),
    "degradation": frozenset({"severe", "degraded"}),
    "maybe": frozenset({"severe", "degraded", "maybe"}),
}
SIGNED: dict[tuple[Severity, Direction], Kind] = {
    ("maybe", "worse"): Kind.MAYBE_DEGRADATION,
    ("degraded", "worse"): Kind.DEGRADATION,
    ("severe", "worse"): Kind.SEVERE_DEGRADATION,
    ("maybe", "better"): Kind.MAYBE_OPTIMIZATION,
    ("degraded", "better"): Kind.OPTIMIZATION,
    ("severe", "better"): Kind.SEVERE_OPTIMIZATION,
}


@dataclass(frozen=True, slots=True)
class GateContext:
    """The facts that apply to all findings of one metric.

    ``red`` is the significance level that a red finding must reach. ``advisory`` lists the reasons why no finding of
    the metric can be red. ``calls`` maps (name, file) to the exact numbers of calls per run, as (baseline, target), if
    these numbers are known. ``decided`` is True if any metric of the workload has enough data for a decision. ``cpu``
    is the note that the sides are from different CPU models, if they are.
    """

    policy: Policy
    red: float
    advisory: tuple[Reason, ...] = ()
    calls: dict[tuple[str, str | None], tuple[float, float]] = field(default_factory=dict)
    decided: bool = False
    cpu: Reason | None = None


def noted(finding: Finding, metric: MetricReport) -> Finding:
    """Set the colour and the reasons of a finding that the gate's test did not report."""
    if metric.calibration.state == "tested":
        votes = 1 if metric.calibration.inconclusive == "too_few_runs" else 2
        agreeing = [BY_WORD[change.kind] for change in finding.agreeing if change.family == "M"]
        if finding.direction == "worse" and len(agreeing) >= votes and not MAYBE.issuperset(agreeing):
            return replace(finding, colour="yellow", reasons=(Reason(ReasonCode.MODELS),))
        return replace(finding, reasons=(Reason(ReasonCode.WITHIN_NOISE),))
    if not finding.from_value and not finding.to_value:
        return replace(finding, reasons=(Reason(ReasonCode.NO_SELF_COST),))
    if {(change.strategy, BY_WORD[change.kind] in MAYBE) for change in finding.results} == {("call_context", True)}:
        return replace(finding, reasons=(Reason(ReasonCode.SHARE_SHIFTED),))
    colour: Colour = "yellow" if finding.direction == "worse" else "neutral"
    return replace(finding, colour=colour, reasons=(Reason(ReasonCode.NOT_TESTED),))


def gated(finding: Finding, metric: MetricReport, context: GateContext, *, offset: bool = False) -> Finding:
    """Set the colour and the reasons of a finding that the gate's test reported.

    ``offset`` is True if changes of other costs in the run offset the change of the function.
    """
    if finding.direction != "worse":
        return replace(finding, colour="green" if finding.direction == "better" else "neutral")
    proof = None if offset else _calls_rose(finding, metric, context)
    if proof is None:
        doubts = _doubts_of_total if finding.is_total else partial(_doubts, offset=offset)
        return _coloured(finding, metric, context, None, doubts(finding, metric, context))
    level = certain_severity(finding.weight)
    kind = Kind.TOTAL_DEGRADATION if finding.is_total else SIGNED[level, "worse"]
    return _coloured(replace(finding, severity=level, kind=kind.word), metric, context, proof, [])


def certain_severity(weight: float | None) -> Severity:
    """Return the severity of a certain change. ``weight`` is the change as a fraction of the run."""
    # smallest change of a severe finding, as a fraction of the run
    return "severe" if abs(weight or 0.0) >= 0.05 else "degraded"


def _coloured(
    finding: Finding, metric: MetricReport, context: GateContext, proof: Reason | None, obstacles: list[Reason]
) -> Finding:
    """Make the finding red unless a doubt, the policy, the attribution or a missing confirmation prevents this."""
    policy = context.policy
    fail_on = policy.fail_on
    if not obstacles and finding.severity not in ENOUGH[fail_on]:
        parameters: dict[str, Parameter] = {"severity": finding.severity, "value": fail_on}
        obstacles = [Reason(ReasonCode.SEVERITY, parameters)]
    # if ``fail_on`` is "maybe", uncertain changes also fail, so these doubts do not prevent red
    allowed = frozenset({ReasonCode.FEW_SPLITS, ReasonCode.NEAR_JOBS}) if fail_on == "maybe" else frozenset()
    possible = tuple(reason for reason in obstacles if reason.code in allowed)
    against = [reason for reason in obstacles if reason.code not in allowed]
    against += [*_against(finding, metric, context), *context.advisory]
    if not against:
        return replace(finding, colour="red", reasons=possible or (proof or _why_red(finding, metric),))
    undecided = context.decided and against[0].code is ReasonCode.UNCONFIRMED
    return replace(finding, colour="neutral" if undecided else "yellow", reasons=(*possible, *against))


def _why_red(finding: Finding, metric: MetricReport) -> Reason:
    """Return the reason why the finding is red, including numbers that a reader can verify."""
    runs = metric.runs["baseline"] + metric.runs["target"]
    if finding.result.p == 0.0:
        return Reason(ReasonCode.EXACT)
    if metric.calibration.measured:
        return Reason(ReasonCode.MEASURED, _measured(finding, metric))
    if metric.calibration.mode == "jobs":
        return Reason(ReasonCode.BEYOND_JOBS, _jobs(finding, metric))
    return Reason(ReasonCode.NO_SPLIT, {"splits": metric.calibration.splits, "runs": runs})


def _jobs(finding: Finding, metric: MetricReport) -> dict[str, Parameter]:
    return {
        "jobs": metric.calibration.base_jobs,
        "bound": finding.result.bound,
        "change": finding.result.ratio,
    }


def _measured(finding: Finding, metric: MetricReport) -> dict[str, Parameter]:
    result = finding.result
    return {**metric.runs, "low": result.low, "high": result.high, "p": result.p, "splits": metric.calibration.splits}


def _few_jobs(metric: MetricReport, context: GateContext) -> Reason:
    jobs, confirm = metric.calibration.base_jobs, context.policy.confirm
    return Reason(ReasonCode.FEW_JOBS, {"jobs": jobs, "needed": FEWEST_JOBS, "confirm": confirm})


def _doubts(finding: Finding, metric: MetricReport, context: GateContext, *, offset: bool) -> list[Reason]:
    """Return the reasons why the test does not make the finding red, or an empty list if the finding is red."""
    facts = metric.calibration
    if facts.inconclusive == "too_few_runs":
        return [Reason(ReasonCode.UNCONFIRMED, {side: metric.runs[side] for side in ("baseline", "target")})]
    if offset:
        return [Reason(ReasonCode.OFFSET)]
    if metric.counts_calls:
        return [Reason(ReasonCode.CALLS)]
    doubts = []
    p, certain = finding.result.p, BY_WORD[finding.kind] not in MAYBE
    if facts.mode == "jobs" and not certain:
        doubts.append(Reason(ReasonCode.NEAR_JOBS, _jobs(finding, metric)))
    elif facts.measured and p is not None and p > (finding.result.level or 0.0):
        doubts.append(Reason(ReasonCode.STILL_POSSIBLE, _measured(finding, metric)))
    elif p is not None and p > context.red and not facts.measured:
        doubts.append(Reason(ReasonCode.FEW_SPLITS, {"p": p, "splits": facts.splits}))
    elif not certain:
        doubts.append(Reason(ReasonCode.BELOW_MINIMUM))
    factor = facts.common_factor or 1.0
    if not facts.interleaved and max(factor, 1.0 / factor) > LIKE_RUNS:
        doubts.append(Reason(ReasonCode.UNLIKE_RUNS, {"factor": factor}))
    if facts.different_jobs and facts.mode == "runs":
        doubts.append(_few_jobs(metric, context))
    return doubts


def _calls_rose(finding: Finding, metric: MetricReport, context: GateContext) -> Reason | None:
    """Return the reason CALLS_ROSE if the exact number of calls grew at least half as much as the time."""
    counts, costs = context.calls.get((finding.location.name, finding.location.file)), finding.costs
    if costs.calls_range == 0.0 and costs.calls_from is not None and costs.calls_to is not None:
        counts = costs.calls_from, costs.calls_to
    if counts is None or metric.unit != "nanoseconds" or finding.is_total or finding.result.judged:
        return None
    if metric.calibration.inconclusive == "too_few_runs":
        return None
    before, after = counts
    growth, relative = (after - before) / before if before > 0 else float("inf"), finding.relative
    # minimum growth in calls that explains a growth in time, as a fraction of the growth in time
    if after <= before or (relative is not None and growth < 0.5 * relative):
        return None
    return Reason(ReasonCode.CALLS_ROSE, {"before": before, "after": after})


def _against(finding: Finding, metric: MetricReport, context: GateContext) -> list[Reason]:
    """Return the reasons, based on attribution and confirmation, why the finding cannot be red."""
    confirm = context.policy.confirm
    reasons = []
    if finding.attribution.reach == UNREACHABLE:
        reasons.append(Reason(ReasonCode.NOT_REACHABLE))
    if finding.is_total and context.cpu is not None and metric.calibration.mode == "jobs":
        reasons.append(context.cpu)
    if not metric.calibration.measured and confirm != "off":
        reasons.append(Reason(ReasonCode.WAITS, {"confirm": confirm}))
    return reasons


def _doubts_of_total(finding: Finding, metric: MetricReport, context: GateContext) -> list[Reason]:
    """Return a list with the most important reason why the total is not red, or an empty list if it is red."""
    facts, p = metric.calibration, finding.result.p
    sure, factor = BY_WORD[finding.kind] not in MAYBE, finding.result.everything
    reason = None
    if metric.counts_calls:
        reason = Reason(ReasonCode.CALLS)
    elif p == 0.0:
        reason = None
    elif factor is not None and not facts.interleaved:
        reason = Reason(ReasonCode.EVERYTHING, {"factor": factor})
    elif facts.mode == "jobs":
        reason = None if sure else Reason(ReasonCode.NEAR_JOBS, _jobs(finding, metric))
    elif facts.measured:
        reason = None if sure else Reason(ReasonCode.STILL_POSSIBLE, _measured(finding, metric))
    elif p is not None and p > context.red:
        reason = Reason(ReasonCode.FEW_SPLITS, {"p": p, "splits": facts.splits})
    elif facts.different_jobs:
        reason = _few_jobs(metric, context)
    elif not sure:
        reason = Reason(ReasonCode.ORDER_UNKNOWN)
    return [] if reason is None else [reason]
