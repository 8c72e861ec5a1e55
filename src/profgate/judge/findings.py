"""Merge the changes of each location into one finding with a direction, a severity and values."""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from profgate.judge.gate import SIGNED, UNREACHABLE, GateContext, certain_severity, gated, noted
from profgate.model.change import Change, Evidence, Statistics
from profgate.model.kinds import BETTER, BY_WORD, MAYBE, RANKS, WORSE, Kind
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import TOTAL, Direction, Finding, MetricReport, Severity, Vote, direction_of

Place = tuple[str, str | None, str | None]
GATE_TEST = "calibrated_log_ratio"
TOTAL_TEST = "totals"
ONE_SIDED = {Kind.NOT_IN_BASELINE, Kind.NOT_IN_TARGET}
Record = TypeVar("Record", Evidence, Statistics)


def findings_of(metric: MetricReport, context: GateContext) -> tuple[Finding, ...]:
    """Return all findings of one metric, most important first."""
    by_location: dict[Place, list[Change]] = {}
    sums: list[Change] = []
    totals: list[Change] = []
    for change in metric.changes:
        kind, place = BY_WORD[change.kind], change.location
        if kind in {Kind.NO_CHANGE, Kind.UNKNOWN}:
            continue
        if change.strategy == TOTAL_TEST:
            totals.append(change)
        elif kind in {Kind.TOTAL_DEGRADATION, Kind.TOTAL_OPTIMIZATION}:
            sums.append(change)  # the sum of a module is not tested
        else:
            by_location.setdefault((place.name, place.file, place.module), []).append(change)
    known = {
        (old.location.name, old.location.file, old.location.module): old for old in metric.findings if not old.is_total
    }
    merged = [_located(changes, metric, context, known.get(key)) for key, changes in by_location.items()]
    found = [finding for finding in merged if finding is not None]
    total = next((old for old in metric.findings if old.is_total), None)
    found += [_total(change, sums, metric, context, total) for change in totals]
    return tuple(sorted(_none_red_where(found), key=importance))


def importance(finding: Finding) -> tuple[int, bool, int, float, str, str]:
    """Return the sort key of a finding: colour (red first), direct causes, kind, size of the change, name and file."""
    colours = ("red", "yellow", "green", "neutral")
    weight = finding.statistics.weight
    return (
        colours.index(finding.colour),
        finding.is_indirect,
        RANKS[BY_WORD[finding.kind]],
        -abs(weight or 0.0),
        finding.location.name,
        finding.location.file or "",
    )


def _none_red_where(findings: list[Finding]) -> list[Finding]:
    """Turn red findings yellow if the total improved, or if the pull request can affect no cause of the total.

    Causes explain at least half of the total's change, because functions that change too little are not listed.
    """
    total = next((found for found in findings if found.is_total and found.severity != "none"), None)
    worse = [found for found in findings if found.is_acceptable]
    known = sum(abs(found.delta or 0.0) for found in worse)
    if total is not None and total.direction == "better":
        reason = Reason(ReasonCode.TOTAL_IMPROVED, {"relative": total.relative})
    elif {found.evidence.reach for found in worse} == {UNREACHABLE} and total and 2 * known >= abs(total.delta or 0.0):
        reason = Reason(ReasonCode.NOT_REACHABLE)
    else:
        return findings
    return [replace(one, colour="yellow", reasons=(reason,)) if one.colour == "red" else one for one in findings]


def number_in(value: float | str | None) -> float | None:
    """Return the value unless it is the name of a model."""
    return None if isinstance(value, str) else value


def _values(test: Change | None, change: Change, metric: MetricReport) -> dict[str, float | None]:
    """Return the values that the gate's test compared, or the self costs if the location was not tested."""
    from_value, to_value = change.statistics.exclusive_from, change.statistics.exclusive_to
    if test is not None or from_value is None or to_value is None:
        shown = test or change
        from_value, to_value = number_in(shown.from_value), number_in(shown.to_value)
    base, target = metric.total.baseline, metric.total.target
    delta = None if from_value is None or to_value is None else to_value - from_value
    return {
        "from": from_value,
        "to": to_value,
        "delta": delta,
        "relative": None if delta is None or not from_value else delta / from_value,
        "share_from": from_value / base if base and from_value is not None else change.share_from,
        "share_to": to_value / target if target and to_value is not None else change.share_to,
    }


def _located(
    detected: list[Change], metric: MetricReport, context: GateContext, known: Finding | None
) -> Finding | None:
    """Return the finding for one location, or None if calling contexts were only added or removed."""
    changes = _one_change_per_strategy(detected)
    if not changes:
        return None
    tests = (change for change in changes if change.strategy == GATE_TEST)
    test = next((change for change in tests if direction_of(BY_WORD[change.kind]) != "none"), None)
    agreed = {direction_of(BY_WORD[change.kind]) for change in ([test] if test else changes)} - {"none"}
    direction: Direction = agreed.pop() if len(agreed) == 1 else "none"
    values = _values(test, changes[0], metric)
    statistics = _statistics(changes, (values["share_to"] or 0.0) - (values["share_from"] or 0.0))
    level: Severity = "maybe"
    alone = next((kind for change in changes if (kind := BY_WORD[change.kind]) in ONE_SIDED), None)
    if test is not None:
        if BY_WORD[test.kind] not in MAYBE:
            level = certain_severity(statistics.weight)
        kind = SIGNED[level, direction]
    elif alone is not None:
        dearer = alone is Kind.NOT_IN_BASELINE
        kind, level, direction = alone, "none", "worse" if dearer == (metric.better == "lower") else "better"
    else:
        kind = Kind.UNKNOWN if direction == "none" else SIGNED["maybe", direction]
    finding = Finding(
        severity=level,
        colour="neutral",
        kind=kind.word,
        direction=direction,
        location=changes[0].location,
        from_value=values["from"],
        to_value=values["to"],
        delta=values["delta"],
        relative=values["relative"],
        share_from=values["share_from"],
        share_to=values["share_to"],
        strategies=_votes(changes, direction),
        statistics=statistics,
        evidence=_evidence(known, changes),
    )
    if test is None:
        return noted(finding, metric) if alone is None else finding
    return gated(finding, metric, context, offset=bool(test.net))


def _one_change_per_strategy(changes: Sequence[Change]) -> list[Change]:
    """Return the changes of one location, with the calling contexts of each strategy merged into one change.

    The merged change is the largest one, but its kind is Unknown if the contexts did not all change in the same
    direction. Contexts that exist on only one side are ignored, because the function may exist on both sides.
    """
    found = [change for change in changes if change.location.context is None]
    by_strategy: dict[str, list[Change]] = {}
    for change in changes:
        if change.location.context is not None and BY_WORD[change.kind] in WORSE | BETTER:
            by_strategy.setdefault(change.strategy, []).append(change)
    for contexts in by_strategy.values():
        heaviest = max(contexts, key=lambda change: abs((change.share_to or 0.0) - (change.share_from or 0.0)))
        kind = heaviest.kind if len({BY_WORD[change.kind] in WORSE for change in contexts}) == 1 else Kind.UNKNOWN.word
        found.append(replace(heaviest, kind=kind, location=replace(heaviest.location, context=None)))
    return found


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


def _first_known(records: Sequence[Record]) -> Record:
    """Return a record with the first known value of each field."""
    known: dict[str, Any] = {}
    for record in records:
        for part in fields(record):
            if known.get(part.name) is None:
                known[part.name] = getattr(record, part.name)
    return replace(records[0], **known)


def _evidence(known: Finding | None, changes: list[Change]) -> Evidence:
    return _first_known([*(change.evidence for change in changes), known.evidence if known else Evidence()])


def _statistics(changes: list[Change], weight: float) -> Statistics:
    """Return the statistics. ``weight`` is used if the change as a share of the run is unknown."""
    found = _first_known([change.statistics for change in changes])
    return replace(found, weight=weight if found.delta_share is None else found.delta_share)


def _total(
    change: Change, sums: list[Change], metric: MetricReport, context: GateContext, known: Finding | None
) -> Finding:
    """Return the finding about the total."""
    kind = BY_WORD[change.kind]
    direction = direction_of(kind)
    shift = change.statistics.ratio or 0.0
    level: Severity = "maybe" if kind in MAYBE else certain_severity(shift)
    finding = Finding(
        severity=level,
        colour="neutral",
        kind=kind.word,
        direction=direction,
        location=TOTAL,
        from_value=number_in(change.from_value),
        to_value=number_in(change.to_value),
        delta=change.delta,
        relative=change.relative,
        share_from=None,
        share_to=None,
        strategies=_votes([change, *sums], direction),
        statistics=_statistics([change], shift),
        evidence=_evidence(known, [change]),
    )
    return gated(finding, metric, context)
