"""Judge the changes of each location: the direction, severity and values of its finding."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from profgate.decide.judge.gate import SIGNED, UNREACHABLE, GateContext, certain_severity, gated, noted
from profgate.model.change import Change, Location
from profgate.model.details import ContextShift, GateResult
from profgate.model.kinds import BY_WORD, MAYBE, RANKS, Kind
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import TOTAL, Direction, Finding, MetricReport, Severity, direction_of, draft_of

GATE_TEST = "calibrated_log_ratio"
TOTAL_TEST = "totals"
OF_TOTAL = {Kind.TOTAL_DEGRADATION.word, Kind.TOTAL_OPTIMIZATION.word}


def drafts_of(changes: Iterable[Change], earlier: Iterable[Finding] = ()) -> tuple[Finding, ...]:
    """Return a draft with all changes of each location. ``earlier`` are drafts with the costs of some locations."""
    by_location: dict[tuple[Location, bool], list[Change]] = {}
    for change in changes:
        of_total, location = change.strategy == TOTAL_TEST or change.kind in OF_TOTAL, change.location
        location = TOTAL if of_total else location if location.context is None else replace(location, context=None)
        by_location.setdefault((location, of_total), []).append(change)
    drafts, unknown = {draft.location: draft for draft in earlier}, draft_of(TOTAL)
    merged = ((location, drafts.get(location, unknown), own) for (location, _), own in by_location.items())
    return tuple(draft_of(location, draft.costs, draft.attribution, tuple(own)) for location, draft, own in merged)


def judged_findings(metric: MetricReport, context: GateContext) -> MetricReport:
    """Return the metric with its findings, most important first. Locations without a finding are unjudged."""
    findings, unjudged = [], []
    for earlier in (*metric.findings, *metric.unjudged):
        draft = draft_of(earlier.location, earlier.costs, earlier.attribution, earlier.changes)
        finding = _finding(draft, metric, context)
        findings += [] if finding is None else [finding]
        unjudged += [draft] if finding is None else []
    judged = tuple(sorted(_none_red_where(findings), key=importance))
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


def importance(finding: Finding) -> tuple[int, bool, int, float, str, str]:
    """Return the sort key of a finding: colour (red first), direct causes, kind, size of the change, name and file."""
    colours = ("red", "yellow", "green", "neutral")
    return (
        colours.index(finding.colour),
        finding.is_indirect,
        RANKS[BY_WORD[finding.kind]],
        -abs(finding.weight),
        finding.location.name,
        finding.location.file or "",
    )


def _none_red_where(findings: list[Finding]) -> list[Finding]:
    """Turn red findings yellow if the total improved, or if the pull request can affect no cause of the total.

    Causes explain at least half of the total's change, because functions that change too little are not listed.
    """
    total = next((finding for finding in findings if finding.is_total and finding.severity != "none"), None)
    worse = [finding for finding in findings if finding.is_acceptable]
    explained = sum(abs(finding.delta or 0.0) for finding in worse)
    if total is not None and total.direction == "better":
        reason = Reason(ReasonCode.OFFSET, {"relative": total.relative})
    elif (
        {finding.attribution.reach for finding in worse} == {UNREACHABLE}
        and total
        and 2 * explained >= abs(total.delta or 0.0)
    ):
        reason = Reason(ReasonCode.NOT_REACHABLE)
    else:
        return findings
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
