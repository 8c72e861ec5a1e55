"""Judge the changes of each location: direction, severity and values of its finding, and whether it fails the gate."""

from collections.abc import Iterable, Sequence
from operator import attrgetter

from profgate.model.attribution import Reach
from profgate.model.change import BY_WORD, MAYBE, RANKS, Change, ContextShift, GateResult, Kind, Location
from profgate.model.levels import FEWEST_JOBS, LIKE_RUNS
from profgate.model.policy import FailOn, Policy
from profgate.model.reason import Parameter, Reason, ReasonCode
from profgate.model.record import Record, replace
from profgate.model.report import TOTAL, Colour, Direction, Finding, MetricReport, Severity, direction_of, draft_of

# ways in which no change can affect a function, with the case of the reason
UNAFFECTED: dict[Reach | None, str] = {"not reachable": "no_effect", "same machine code": "same_code"}
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
GATE_TEST = "calibrated_log_ratio"
TOTAL_TEST = "totals"
_UNKNOWN = draft_of(TOTAL)
OF_TOTAL = {Kind.TOTAL_DEGRADATION.word, Kind.TOTAL_OPTIMIZATION.word}


class GateContext(Record):
    """The facts that apply to all findings of one metric.

    ``red`` is the significance level that a red finding must reach. ``advisory`` lists the reasons why no finding of
    the metric can be red. ``decided`` is True if any metric of the workload has enough data for a decision. ``cpu``
    is the note that the sides are from different CPU models, if they are.
    """

    policy: Policy
    red: float
    advisory: tuple[Reason, ...] = ()
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
    if finding.direction == "better" and metric.calibration.undirected:
        # whether the change is good is unknown, so it is shown like one for the worse
        finding = replace(finding, direction="worse", kind=SIGNED[finding.severity, "worse"].word)
    if finding.direction == "better" and finding.only_share:  # others became slower, so its own cost is no improvement
        return replace(finding, reasons=(Reason(ReasonCode.SHARE_SHIFTED),))
    if finding.direction != "worse":
        return replace(finding, colour="green" if finding.direction == "better" else "neutral")
    proof = None if offset else _calls_rose(finding, metric)
    if proof is None:
        return _coloured(finding, metric, context, None, _doubts(finding, metric, context, offset=offset))
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
    known: dict[str, Parameter] = {**metric.runs, "low": result.low, "high": result.high, "p": result.p}
    if result.other is not None:
        known |= {"other_low": result.other.low, "other_high": result.other.high, "other_p": result.other.p}
    elif result.least and abs(result.ratio or 0.0) < result.least:
        known["least"] = result.least
    if result.least is None:
        known["new"] = True
    return {**known, "splits": metric.calibration.splits}


def _only_doubt(finding: Finding, metric: MetricReport, *, offset: bool) -> Reason | None:
    """Return the reason that makes all other reasons against red needless, or None."""
    facts, everything = metric.calibration, finding.result.everything
    if facts.inconclusive == "too_few_runs" and not finding.is_total:
        return Reason(ReasonCode.UNCONFIRMED, {side: metric.runs[side] for side in ("baseline", "target")})
    if offset:
        return Reason(ReasonCode.OFFSET)
    if metric.counts_calls:
        return Reason(ReasonCode.CALLS)
    if everything is not None and not facts.interleaved:
        return Reason(ReasonCode.EVERYTHING, {"factor": everything})
    return None


def _doubts(finding: Finding, metric: MetricReport, context: GateContext, *, offset: bool) -> list[Reason]:
    """Return the reasons why the test does not make the finding red, or an empty list if the finding is red.

    For a total, this is only the most important reason.
    """
    if (only := _only_doubt(finding, metric, offset=offset)) is not None:
        return [only]
    facts, result, total = metric.calibration, finding.result, finding.is_total
    p, certain = result.p, BY_WORD[finding.kind] not in MAYBE
    if total and p == 0.0 and not facts.measured:
        return []
    doubts = []
    factor, different_jobs = facts.common_factor or 1.0, facts.different_jobs and facts.mode == "runs"
    if facts.mode == "jobs" and not certain:
        doubts.append(Reason(ReasonCode.NEAR_JOBS, _jobs(finding, metric)))
    elif facts.measured and (_is_open(result) or (not certain and (total or result.other is not None))):
        doubts.append(Reason(ReasonCode.STILL_POSSIBLE, _measured(finding, metric)))
    elif p is not None and p > context.red and not facts.measured:
        doubts.append(Reason(ReasonCode.FEW_SPLITS, {"p": p, "splits": facts.splits}))
    elif not certain and not (total and different_jobs):
        doubts.append(Reason(ReasonCode.ORDER_UNKNOWN if total else ReasonCode.BELOW_MINIMUM))
    if not total and not facts.interleaved and max(factor, 1.0 / factor) > LIKE_RUNS:
        doubts.append(Reason(ReasonCode.UNLIKE_RUNS, {"factor": factor}))
    if different_jobs:
        jobs = facts.base_jobs, FEWEST_JOBS, context.policy.confirm
        doubts.append(Reason(ReasonCode.FEW_JOBS, dict(zip(("jobs", "needed", "confirm"), jobs, strict=True))))
    return doubts[:1] if total else doubts


def _is_open(result: GateResult) -> bool:
    """Return whether chance or another placement of the code could explain a change that was measured in turns."""
    by_chance = result.p is not None and result.p > (result.level or 0.0)
    return by_chance or (result.ratio is not None and abs(result.ratio) < (result.least or 0.0))


def _calls_rose(finding: Finding, metric: MetricReport) -> Reason | None:
    """Return the reason CALLS_ROSE if the exact number of calls grew at least half as much as the time."""
    costs, before, after = finding.costs, finding.costs.calls_from, finding.costs.calls_to
    if costs.calls_range != 0.0 or before is None or after is None:
        return None
    if metric.unit != "nanoseconds" or finding.is_total or finding.result.judged:
        return None
    # times that were measured in turns are decided by their test alone: a machine may favour one build
    if metric.calibration.inconclusive == "too_few_runs" or metric.calibration.measured:
        return None
    growth, relative = (after - before) / before if before > 0 else float("inf"), finding.relative
    # minimum growth in calls that explains a growth in time, as a fraction of the growth in time
    if after <= before or (relative is not None and growth < 0.5 * relative):
        return None
    return Reason(ReasonCode.CALLS_ROSE, {"before": before, "after": after})


def _against(finding: Finding, metric: MetricReport, context: GateContext) -> list[Reason]:
    """Return the reasons, based on attribution and confirmation, why the finding cannot be red."""
    confirm = context.policy.confirm
    reasons = []
    case, costs = UNAFFECTED.get(finding.attribution.reach), finding.costs
    # more calls in the same program show that its input differs
    more_calls = (costs.calls_to or 0.0) > (costs.calls_from or 0.0)
    if case and not (more_calls and case == "same_code"):
        reasons.append(Reason(ReasonCode.NOT_REACHABLE, {"case": case}))
    if finding.is_total and context.cpu is not None and metric.calibration.mode == "jobs":
        reasons.append(context.cpu)
    if not metric.calibration.measured and confirm != "off":
        reasons.append(Reason(ReasonCode.WAITS, {"confirm": confirm}))
    return reasons


def drafts_of(changes: Iterable[Change], earlier: Iterable[Finding] = ()) -> tuple[Finding, ...]:
    """Return a draft with all changes of each location. ``earlier`` are drafts with the costs of some locations."""
    by_location: dict[tuple[Location, bool], list[Change]] = {}
    for change in changes:
        of_total, location = change.strategy == TOTAL_TEST or change.kind in OF_TOTAL, change.location
        location = TOTAL if of_total else location if location.context is None else replace(location, context=None)
        by_location.setdefault((location, of_total), []).append(change)
    drafts = {draft.location: draft for draft in earlier}
    merged = ((location, drafts.get(location, _UNKNOWN), own) for (location, _), own in by_location.items())
    return tuple(draft_of(location, draft.costs, draft.attribution, tuple(own)) for location, draft, own in merged)


def judged_findings(metric: MetricReport, context: GateContext) -> MetricReport:
    """Return the metric with its findings, most important first. Locations without a finding are unjudged."""
    findings, unjudged = [], []
    for earlier in (*metric.findings, *metric.unjudged):
        draft = draft_of(earlier.location, earlier.costs, earlier.attribution, earlier.changes)
        finding = _finding(draft, metric, context)
        findings += [] if finding is None else [finding]
        unjudged += [draft] if finding is None else []
    judged = tuple(sorted(_none_red_where(findings), key=attrgetter("importance")))
    return replace(metric, findings=judged, unjudged=tuple(unjudged))


def _finding(draft: Finding, metric: MetricReport, context: GateContext) -> Finding | None:
    """Return the finding of a location, or None if calling contexts were only added or removed."""
    results = draft.results
    tests = (change for change in results if change.strategy == TOTAL_TEST)
    total = min(tests, key=lambda change: RANKS[BY_WORD[change.kind]], default=None)
    if total is not None:
        return _total(total, metric, context, draft)
    # the sum of a module is not tested
    return None if all(change.kind in OF_TOTAL for change in results) else _located(results, metric, context, draft)


def _none_red_where(findings: list[Finding]) -> list[Finding]:
    """Turn red findings yellow if the total improved."""
    total = next((finding for finding in findings if finding.is_total and finding.severity != "none"), None)
    if total is None or total.direction != "better":
        return findings
    reason = Reason(ReasonCode.OFFSET, {"relative": total.relative})
    return [replace(one, colour="yellow", reasons=(reason,)) if one.colour == "red" else one for one in findings]


def _with_values(draft: Finding, test: Change | None, change: Change, metric: MetricReport) -> Finding:
    """Set the values that the gate's test compared, or the self costs if the location was not tested."""
    before, after = draft.costs.exclusive_from, draft.costs.exclusive_to
    if test is not None or before is None or after is None:
        before, after = (test or change).from_value, (test or change).to_value
    base, target = metric.total.baseline, metric.total.target
    delta = None if before is None or after is None else after - before
    return replace(
        draft,
        from_value=before,
        to_value=after,
        delta=delta,
        relative=None if delta is None or not before else delta / before,
        share_from=before / base if base and before is not None else change.share_from,
        share_to=after / target if target and after is not None else change.share_to,
    )


def _located(changes: Sequence[Change], metric: MetricReport, context: GateContext, draft: Finding) -> Finding:
    tests = (change for change in changes if change.strategy == GATE_TEST)
    test = next((change for change in tests if direction_of(BY_WORD[change.kind]) != "none"), None)
    agreed = {direction_of(BY_WORD[change.kind]) for change in ([test] if test else changes)} - {"none"}
    direction: Direction = agreed.pop() if len(agreed) == 1 else "none"
    finding = _with_values(_with_calls(draft, changes), test, changes[0], metric)
    result = (test and test.result) or GateResult()
    shift = (finding.share_to or 0.0) - (finding.share_from or 0.0)
    weight = shift if result.delta_share is None else result.delta_share
    level: Severity = "maybe"
    alone = next(
        (kind for change in changes if (kind := BY_WORD[change.kind]) in {Kind.NOT_IN_BASELINE, Kind.NOT_IN_TARGET}),
        None,
    )
    if test is not None:
        if BY_WORD[test.kind] not in MAYBE:
            level = certain_severity(weight)
        kind = SIGNED[level, direction]
    elif alone is not None:
        dearer = alone is Kind.NOT_IN_BASELINE
        kind, level, direction = alone, "none", "worse" if dearer == (metric.better == "lower") else "better"
    else:
        kind = Kind.UNKNOWN if direction == "none" else SIGNED["maybe", direction]
    finding = replace(
        finding,
        severity=level,
        kind=kind.word,
        direction=direction,
        weight=weight,
    )
    if test is None:
        return noted(finding, metric) if alone is None else finding
    return gated(finding, metric, context, offset=bool(result.net))


def _with_calls(draft: Finding, changes: Sequence[Change]) -> Finding:
    """Set the numbers of calls to those of a changed call path if they are unknown."""
    paths = [change.details for change in changes if isinstance(change.details, ContextShift)]
    path = next((path for path in paths if path.calls_to is not None), None)
    if path is None or draft.costs.calls_to is not None:
        return draft
    return replace(draft, costs=replace(draft.costs, calls_from=path.calls_from, calls_to=path.calls_to))


def _total(change: Change, metric: MetricReport, context: GateContext, draft: Finding) -> Finding:
    """Return the finding about the total."""
    kind, result = BY_WORD[change.kind], change.result or GateResult()
    direction = direction_of(kind)
    shift = result.ratio or 0.0
    finding = replace(
        draft,
        severity="maybe" if kind in MAYBE else certain_severity(shift),
        kind=kind.word,
        direction=direction,
        from_value=change.from_value,
        to_value=change.to_value,
        delta=change.delta,
        relative=change.relative,
        weight=shift,
    )
    return gated(finding, metric, context)
