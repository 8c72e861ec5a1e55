"""Merge the changes of each location into one finding with a direction, a severity and values."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from profgate.judge.gate import SIGNED, UNREACHABLE, GateContext, certain_severity, gated, noted
from profgate.model.change import Change
from profgate.model.details import ContextShift, GateResult
from profgate.model.kinds import BETTER, BY_WORD, MAYBE, RANKS, WORSE, Kind
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import TOTAL, Direction, Finding, MetricReport, Severity, Vote, direction_of, draft_of

LocationKey = tuple[str, str | None, str | None]
GATE_TEST = "calibrated_log_ratio"
TOTAL_TEST = "totals"
ONE_SIDED = {Kind.NOT_IN_BASELINE, Kind.NOT_IN_TARGET}


def findings_of(metric: MetricReport, context: GateContext) -> tuple[Finding, ...]:
    """Return all findings of one metric, most important first."""
    by_location: dict[LocationKey, list[Change]] = {}
    sums: list[Change] = []
    totals: list[Change] = []
    for change in metric.changes:
        kind, location = BY_WORD[change.kind], change.location
        if kind in {Kind.NO_CHANGE, Kind.UNKNOWN}:
            continue
        if change.strategy == TOTAL_TEST:
            totals.append(change)
        elif kind in {Kind.TOTAL_DEGRADATION, Kind.TOTAL_OPTIMIZATION}:
            sums.append(change)  # the sum of a module is not tested
        else:
            by_location.setdefault((location.name, location.file, location.module), []).append(change)
    drafts = {
        (old.location.name, old.location.file, old.location.module): old for old in metric.findings if not old.is_total
    }
    merged = [_located(changes, metric, context, drafts.get(key)) for key, changes in by_location.items()]
    findings = [finding for finding in merged if finding is not None]
    draft = next((old for old in metric.findings if old.is_total), draft_of(TOTAL))
    findings += [_total(change, sums, metric, context, draft) for change in totals]
    return tuple(sorted(_none_red_where(findings), key=importance))


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
        reason = Reason(ReasonCode.TOTAL_IMPROVED, {"relative": total.relative})
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


def _located(
    detected: list[Change], metric: MetricReport, context: GateContext, draft: Finding | None
) -> Finding | None:
    """Return the finding for one location, or None if calling contexts were only added or removed."""
    changes = _one_change_per_strategy(detected)
    if not changes:
        return None
    tests = (change for change in changes if change.strategy == GATE_TEST)
    test = next((change for change in tests if direction_of(BY_WORD[change.kind]) != "none"), None)
    agreed = {direction_of(BY_WORD[change.kind]) for change in ([test] if test else changes)} - {"none"}
    direction: Direction = agreed.pop() if len(agreed) == 1 else "none"
    finding = _with_values(_unjudged(draft or draft_of(changes[0].location), changes), test, changes[0], metric)
    result = (test and test.result) or GateResult()
    shift = (finding.share_to or 0.0) - (finding.share_from or 0.0)
    weight = shift if result.delta_share is None else result.delta_share
    level: Severity = "maybe"
    alone = next((kind for change in changes if (kind := BY_WORD[change.kind]) in ONE_SIDED), None)
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
        strategies=_votes(changes, direction),
        weight=weight,
        result=result,
    )
    if test is None:
        return noted(finding, metric) if alone is None else finding
    return gated(finding, metric, context, offset=bool(result.net))


def _one_change_per_strategy(changes: Sequence[Change]) -> list[Change]:
    """Return the changes of one location, with the calling contexts of each strategy merged into one change.

    The merged change is the largest one, but its kind is Unknown if the contexts did not all change in the same
    direction. Contexts that exist on only one side are ignored, because the function may exist on both sides.
    """
    merged = [change for change in changes if change.location.context is None]
    by_strategy: dict[str, list[Change]] = {}
    for change in changes:
        if change.location.context is not None and BY_WORD[change.kind] in WORSE | BETTER:
            by_strategy.setdefault(change.strategy, []).append(change)
    for contexts in by_strategy.values():
        heaviest = max(contexts, key=lambda change: abs((change.share_to or 0.0) - (change.share_from or 0.0)))
        kind = heaviest.kind if len({BY_WORD[change.kind] in WORSE for change in contexts}) == 1 else Kind.UNKNOWN.word
        merged.append(replace(heaviest, kind=kind, location=replace(heaviest.location, context=None)))
    return merged


def _votes(changes: Iterable[Change], direction: Direction) -> tuple[Vote, ...]:
    return tuple(
        Vote(
            change.strategy,
            change.family,
            change.kind,
            direction != "none" and direction_of(BY_WORD[change.kind]) == direction,
        )
        for change in changes
    )


def _unjudged(draft: Finding, changes: Sequence[Change] = ()) -> Finding:
    """Return the draft without an earlier judgement. Calls are those of a changed call path if they are unknown."""
    paths = [change.details for change in changes if isinstance(change.details, ContextShift)]
    costs, path = draft.costs, next((path for path in paths if path.calls_to is not None), None)
    if path is not None and costs.calls_to is None:
        costs = replace(costs, calls_from=path.calls_from, calls_to=path.calls_to)
    return draft_of(draft.location, costs, draft.attribution)


def _total(change: Change, sums: list[Change], metric: MetricReport, context: GateContext, draft: Finding) -> Finding:
    """Return the finding about the total."""
    kind, result = BY_WORD[change.kind], change.result or GateResult()
    direction = direction_of(kind)
    shift = result.ratio or 0.0
    finding = replace(
        _unjudged(draft),
        severity="maybe" if kind in MAYBE else certain_severity(shift),
        kind=kind.word,
        direction=direction,
        from_value=change.from_value,
        to_value=change.to_value,
        delta=change.delta,
        relative=change.relative,
        strategies=_votes([change, *sums], direction),
        weight=shift,
        result=result,
    )
    return gated(finding, metric, context)
