"""Changes of one location, merged into a finding: its direction, its severity, and whether it is red."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from profgate.judge.contexts import contexts_told, one_word_each
from profgate.model.change import Change, Location
from profgate.model.kinds import BETTER, BY_WORD, MAYBE, RANKS, WORSE, Kind
from profgate.model.levels import FEWEST_JOBS, LIKE_RUNS, TOTAL_MARGIN
from profgate.model.policy import FailOn, Policy
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import Colour, Direction, Finding, MetricReport, Vote
from profgate.model.units import CALLS

Severity = Literal["severe", "degraded", "maybe", "none"]
Place = tuple[str, str | None, str | None]
GATE_TEST = "calibrated_log_ratio"
TOTAL_TEST = "totals"
CONTEXTS = "call_context"
TOTAL = Location("total")
SEVERE_SHARE = 0.05  # change as a part of the run from which a certain finding is severe
ROSE_AS_MUCH = 0.5  # of a change of time that the calls of a function have to share to explain it
SOURCE_WORDS = ("source", "source_link", "reach", "reach_path")
WORDS = ("judged", "new")  # what the test names beside its numbers
UNKNOWN_SOURCE = "unknown"
STATISTICS = (
    *("p", "t", "distance", "bound", "delta_share", "ratio", "everything"),
    *("overweight", "responsibility", "inclusive_from", "inclusive_to"),
)
ENOUGH: dict[FailOn, frozenset[Severity]] = {
    "never": frozenset(),
    "severe": frozenset({"severe"}),
    "degradation": frozenset({"severe", "degraded"}),
    "maybe": frozenset({"severe", "degraded", "maybe"}),
}
POSSIBLE = frozenset({ReasonCode.FEW_SPLITS, ReasonCode.NEAR_JOBS})  # listed, not certain: fails with "maybe"
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
    """What holds for every finding of one metric.

    ``red`` is the level of the family of tests, ``advisory`` what keeps every finding of the metric from being red.
    ``calls`` are exact calls of a run of both sides by name and file, where the workload has them. ``decided``: another
    metric of the workload has runs enough to decide.
    """

    policy: Policy
    red: float
    advisory: tuple[Reason, ...] = ()
    calls: dict[tuple[str, str | None], tuple[float, float]] = field(default_factory=dict)
    decided: bool = False


def direction_of(kind: Kind) -> Direction:
    """Which way a kind points."""
    if kind in WORSE:
        return "worse"
    return "better" if kind in BETTER else "none"


def merged(metric: MetricReport, context: GateContext) -> tuple[Finding, ...]:
    """All findings of one metric, the most important first."""
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
            sums.append(change)  # of modules: arithmetic, no test
        else:
            by_location.setdefault((place.name, place.file, place.module), []).append(change)
    known = {(old.location.name, old.location.file, old.location.module): old for old in metric.findings}
    words = [_located(changes, metric, context, known.get(key)) for key, changes in by_location.items()]
    found = [finding for finding in words if finding is not None]
    total = known.get((TOTAL.name, None, None))
    found += [_total(change, sums, metric, context, total) for change in totals]
    return tuple(sorted(_none_red_where_faster(found), key=importance))


def importance(finding: Finding) -> tuple[int, int, float, str, str]:
    """Sorts: red first, then the worst kind, the largest share, the name."""
    colours = ("red", "yellow", "green", "neutral")
    weight = finding.statistics.get("weight")
    return (
        colours.index(finding.colour),
        RANKS[BY_WORD[finding.kind]],
        -abs(weight or 0.0),
        finding.location.name,
        finding.location.file or "",
    )


def is_total(finding: Finding) -> bool:
    """Whether the finding is about a whole workload; a function may have the name, but it has a share of the run."""
    return finding.location == TOTAL and finding.share_from is None and finding.share_to is None


def _none_red_where_faster(findings: list[Finding]) -> list[Finding]:
    """Nothing is red while the total improved."""
    total = next(
        (one for one in findings if is_total(one) and one.direction == "better" and one.severity != "none"), None
    )
    if total is None:
        return findings
    reason = Reason(ReasonCode.TOTAL_IMPROVED, {"relative": total.relative})
    return [replace(one, colour="yellow", reasons=(reason,)) if one.colour == "red" else one for one in findings]


def _number(value: float | str | None) -> float | None:
    return None if isinstance(value, str) else value


def _values(test: Change | None, change: Change, metric: MetricReport) -> dict[str, float | None]:
    """What a finding is judged by: the test's own numbers, else the self cost of its location."""
    from_value, to_value = (_number(change.evidence.get(f"exclusive_{side}")) for side in ("from", "to"))
    if test is not None or from_value is None or to_value is None:
        shown = test or change
        from_value, to_value = _number(shown.from_value), _number(shown.to_value)
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
    """What was detected at one location and in its calling contexts; None where only a context came or went."""
    changes = one_word_each(detected)
    if not changes:
        return None
    tests = (change for change in changes if change.strategy == GATE_TEST)
    test = next((change for change in tests if direction_of(BY_WORD[change.kind]) != "none"), None)
    direction = direction_of(BY_WORD[test.kind]) if test is not None else _agreed(changes)
    values = _values(test, changes[0], metric)
    statistics = _statistics(changes, values)
    level: Severity = "maybe"
    alone = next((kind for change in changes if (kind := BY_WORD[change.kind]) in ONE_SIDED), None)
    if test is not None:
        if BY_WORD[test.kind] not in MAYBE:
            level = "severe" if abs(statistics["weight"] or 0.0) >= SEVERE_SHARE else "degraded"
        kind = SIGNED[level, direction]
    elif alone is not None:
        kind, level, direction = alone, "none", _direction_of_cost(alone, metric)
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
        evidence=_evidence(known, test, changes, contexts_told(detected, direction)),
    )
    if test is None:
        return _note(finding, metric)
    return _judged(finding, metric, context, net=str(test.evidence.get("net") or ""))


ONE_SIDED = {Kind.NOT_IN_BASELINE, Kind.NOT_IN_TARGET}


def _agreed(changes: Iterable[Change]) -> Direction:
    """The direction in which all strategies point, "none" where they differ."""
    found = {direction_of(BY_WORD[change.kind]) for change in changes} - {"none"}
    return next(iter(found)) if len(found) == 1 else "none"


def _direction_of_cost(kind: Kind, metric: MetricReport) -> Direction:
    dearer = kind is Kind.NOT_IN_BASELINE
    return "worse" if dearer == (metric.better == "lower") else "better"


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


def _evidence(
    known: Finding | None, test: Change | None, changes: list[Change], contexts: str
) -> dict[str, str] | None:
    found = {**((known.evidence if known else None) or {}), **({"contexts": contexts} if contexts else {})}
    for word in WORDS:
        text = None if test is None else test.evidence.get(word)
        found |= {word: text} if isinstance(text, str) and text not in {"", "self"} else {}
    for word in SOURCE_WORDS:
        said = (change.evidence.get(word) for change in changes)
        text = next((text for text in said if isinstance(text, str) and text != UNKNOWN_SOURCE), None)
        found |= {} if text is None else {word: text}
    return found or None


def _statistics(changes: list[Change], values: dict[str, float | None]) -> dict[str, float | None]:
    """The test's numbers and the inclusive sums; ``weight`` is the change as a part of the run."""
    found: dict[str, float | None] = {}
    for change in changes:
        for name in STATISTICS:
            if name in change.evidence:
                found.setdefault(name, _number(change.evidence[name]))
    found["weight"] = found.get("delta_share")
    if found["weight"] is None:
        found["weight"] = (values["share_to"] or 0.0) - (values["share_from"] or 0.0)
    return found


def _note(finding: Finding, metric: MetricReport) -> Finding:
    """A finding without the test: a note, or a possible change where nothing was tested."""
    if finding.kind in {kind.word for kind in ONE_SIDED}:
        return finding
    if metric.calibration.state == "tested":
        votes = 1 if metric.calibration.inconclusive == "too_few_runs" else 2
        if finding.direction == "worse" and _models_agree(finding, votes):
            return replace(finding, colour="yellow", reasons=(Reason(ReasonCode.MODELS),))
        return replace(finding, reasons=(Reason(ReasonCode.WITHIN_NOISE),))
    if not finding.from_value and not finding.to_value:
        return replace(finding, reasons=(Reason(ReasonCode.NO_SELF_COST),))
    if {(vote.name, BY_WORD[vote.kind] in MAYBE) for vote in finding.strategies} == {(CONTEXTS, True)}:
        return replace(finding, reasons=(Reason(ReasonCode.SHARE_SHIFTED),))
    colour: Colour = "yellow" if finding.direction == "worse" else "neutral"
    return replace(finding, colour=colour, reasons=(Reason(ReasonCode.NOT_TESTED),))


def _models_agree(finding: Finding, votes: int) -> bool:
    """So many strategies saw it in the models of cost over size, one for sure: shares of a run do not show growth."""
    agreeing = [BY_WORD[vote.kind] for vote in finding.strategies if vote.family == "M" and vote.agrees]
    return len(agreeing) >= votes and any(kind not in MAYBE for kind in agreeing)


def _judged(finding: Finding, metric: MetricReport, context: GateContext, net: str) -> Finding:
    """The finding of the test of locations with its colour and reasons."""
    if finding.direction != "worse":
        return replace(finding, colour="green" if finding.direction == "better" else "neutral")
    proof = None if net else _confirmed(finding, metric) or _calls_rose(finding, metric, context)
    obstacles = _doubts(finding, metric, context, net) if proof is None else []
    if proof is not None:
        level: Severity = "severe" if (finding.statistics["weight"] or 0.0) >= SEVERE_SHARE else "degraded"
        finding = replace(finding, severity=level, kind=SIGNED[level, "worse"].word)
    if not obstacles and finding.severity not in ENOUGH[context.policy.fail_on]:
        obstacles.append(_severity(finding, "fail-on", context.policy.fail_on))
    possible, obstacles = _possible(obstacles, context.policy.fail_on)
    obstacles += [*_against(finding, context), *context.advisory]
    if obstacles:
        unconfirmed = context.decided and obstacles[0].code is ReasonCode.UNCONFIRMED
        return replace(finding, colour="neutral" if unconfirmed else "yellow", reasons=(*possible, *obstacles))
    return replace(finding, colour="red", reasons=possible or (proof or _why_red(finding, metric),))


def _possible(doubts: list[Reason], fail_on: FailOn) -> tuple[tuple[Reason, ...], list[Reason]]:
    """The doubts that the policy lets fail, and the others: with ``maybe``, a change that is listed is enough."""
    allowed = POSSIBLE if fail_on == "maybe" else frozenset()
    return tuple(one for one in doubts if one.code in allowed), [one for one in doubts if one.code not in allowed]


def _why_red(finding: Finding, metric: MetricReport) -> Reason:
    """The sentence that a reader can check by hand."""
    runs = metric.runs["baseline"] + metric.runs["target"]
    if finding.statistics.get("p") == 0.0:
        return Reason(ReasonCode.EXACT, {"runs": runs})
    if metric.calibration.mode == "jobs":
        return Reason(ReasonCode.BEYOND_JOBS, _jobs(finding, metric))
    return Reason(ReasonCode.NO_SPLIT, {"splits": metric.calibration.splits, "runs": runs})


def _jobs(finding: Finding, metric: MetricReport) -> dict[str, str | int | float | bool | None]:
    return {
        "jobs": metric.calibration.base_jobs,
        "bound": finding.statistics.get("bound"),
        "change": finding.statistics.get("ratio", finding.relative),
    }


def _doubts(finding: Finding, metric: MetricReport, context: GateContext, net: str) -> list[Reason]:
    """Why the test does not make the finding red; empty where it does."""
    facts = metric.calibration
    if facts.inconclusive == "too_few_runs":
        runs = {"baseline": metric.runs["baseline"], "target": metric.runs["target"]}
        return [Reason(ReasonCode.UNCONFIRMED, dict(runs))]
    if net:
        return [Reason(ReasonCode.OFFSET)]
    if (metric.name, metric.unit) == (CALLS.name, CALLS.unit):
        return [Reason(ReasonCode.CALLS)]
    found = []
    p, certain = finding.statistics.get("p"), BY_WORD[finding.kind] not in MAYBE
    if facts.mode == "jobs" and not certain:
        found.append(Reason(ReasonCode.NEAR_JOBS, _jobs(finding, metric)))
    elif p is not None and p > context.red:
        found.append(Reason(ReasonCode.FEW_SPLITS, {"p": p, "splits": facts.splits}))
    elif not certain:
        found.append(Reason(ReasonCode.BELOW_MINIMUM))
    factor = facts.common_factor
    if p != 0.0 and not facts.interleaved and _unlike(factor):
        found.append(Reason(ReasonCode.UNLIKE_RUNS, {"factor": factor}))
    if p != 0.0 and facts.different_jobs and facts.mode == "runs":
        found.append(Reason(ReasonCode.FEW_JOBS, {"jobs": facts.base_jobs, "needed": FEWEST_JOBS}))
    return found


def _confirmed(finding: Finding, metric: MetricReport) -> Reason | None:
    """The second measurement as a proof by itself; calls are none."""
    evidence = finding.evidence or {}
    if evidence.get("confirmed") != "yes" or (metric.name, metric.unit) == (CALLS.name, CALLS.unit):
        return None
    return Reason(ReasonCode.CONFIRMED, _second(evidence))


def _second(evidence: dict[str, str]) -> dict[str, str | int | float | bool | None]:
    """What the second measurement found."""
    return {name: evidence.get(f"confirmed_{name}") for name in ("runs", "change", "p")}


def _unlike(factor: float | str | bool | None) -> bool:
    """Whether the sides run at such different speeds that they were not recorded alike."""
    return isinstance(factor, float) and max(factor, 1.0 / factor) > LIKE_RUNS


def _calls_rose(finding: Finding, metric: MetricReport, context: GateContext) -> Reason | None:
    """A listed change of time whose exact calls rose by at least half as much."""
    place = (finding.location.name, finding.location.file)
    counts = context.calls.get(place)
    if (
        counts is None
        or metric.unit != "nanoseconds"
        or finding.direction != "worse"
        or "judged" in (finding.evidence or {})
    ):
        return None
    if metric.calibration.inconclusive == "too_few_runs":
        return None
    before, after = counts
    growth, relative = (after - before) / before if before > 0 else float("inf"), finding.relative
    if after <= before or (relative is not None and growth < ROSE_AS_MUCH * relative):
        return None
    return Reason(ReasonCode.CALLS_ROSE, {"before": before, "after": after})


def _severity(finding: Finding, setting: str, value: str) -> Reason:
    return Reason(ReasonCode.SEVERITY, {"severity": finding.severity, "setting": setting, "value": value})


def _against(finding: Finding, context: GateContext) -> list[Reason]:
    """What attribution and confirmation say against red."""
    evidence, confirm = finding.evidence or {}, context.policy.confirm
    found = []
    if evidence.get("reach") == "not reachable":
        found.append(Reason(ReasonCode.NOT_REACHABLE))
    if evidence.get("confirmed") == "no":
        found.append(Reason(ReasonCode.NOT_REPEATED, _second(evidence)))
    sure = confirm == "when-possible" and (finding.statistics.get("distance") or 0.0) >= TOTAL_MARGIN
    if "confirmed" not in evidence and confirm != "off" and not sure:
        found.append(Reason(ReasonCode.WAITS, {"confirm": confirm}))
    return found


def _total(
    change: Change, sums: list[Change], metric: MetricReport, context: GateContext, known: Finding | None
) -> Finding:
    """The finding of the total."""
    kind = BY_WORD[change.kind]
    direction = direction_of(kind)
    shift = _number(change.evidence.get("shift")) or 0.0
    sure = kind not in MAYBE
    level: Severity = ("severe" if abs(shift) >= SEVERE_SHARE else "degraded") if sure else "maybe"
    statistics = {name: _number(value) for name, value in change.evidence.items() if not isinstance(value, str)}
    finding = Finding(
        severity=level,
        colour="neutral",
        kind=kind.word,
        direction=direction,
        location=TOTAL,
        from_value=_number(change.from_value),
        to_value=_number(change.to_value),
        delta=change.delta,
        relative=change.relative,
        share_from=None,
        share_to=None,
        strategies=_votes([change, *sums], direction),
        statistics=statistics | {"weight": shift},
        evidence=known.evidence if known else None,
    )
    if direction != "worse":
        return replace(finding, colour="green" if direction == "better" else "neutral")
    proof = _confirmed(finding, metric)
    obstacles = [] if proof else _doubts_of_total(finding, metric, context)
    if proof:
        level = "severe" if abs(shift) >= SEVERE_SHARE else "degraded"
        finding = replace(finding, severity=level, kind=Kind.TOTAL_DEGRADATION.word)
    if not obstacles and level not in ENOUGH[context.policy.fail_on_total]:
        obstacles.append(_severity(finding, "fail-on-total", context.policy.fail_on_total))
    possible, obstacles = _possible(obstacles, context.policy.fail_on_total)
    obstacles += [*_against(finding, context), *context.advisory]
    if obstacles:
        return replace(finding, colour="yellow", reasons=(*possible, *obstacles))
    return replace(finding, colour="red", reasons=possible or (proof or _why_red(finding, metric),))


def _doubts_of_total(finding: Finding, metric: MetricReport, context: GateContext) -> list[Reason]:
    """Why the total is not red; empty where it is. The weightiest doubt only."""
    facts, p = metric.calibration, finding.statistics.get("p")
    sure, factor = BY_WORD[finding.kind] not in MAYBE, finding.statistics.get("everything")
    reason = None
    if (metric.name, metric.unit) == (CALLS.name, CALLS.unit):
        reason = Reason(ReasonCode.CALLS)
    elif p == 0.0:
        reason = None
    elif factor is not None and not facts.interleaved:
        reason = Reason(ReasonCode.EVERYTHING, {"factor": factor})
    elif facts.mode == "jobs":
        reason = None if sure else Reason(ReasonCode.NEAR_JOBS, _jobs(finding, metric))
    elif p is not None and p > context.red:
        reason = Reason(ReasonCode.FEW_SPLITS, {"p": p, "splits": facts.splits})
    elif facts.different_jobs:
        reason = Reason(ReasonCode.FEW_JOBS, {"jobs": facts.base_jobs, "needed": FEWEST_JOBS})
    elif not sure:
        reason = Reason(ReasonCode.ORDER_UNKNOWN)
    return [] if reason is None else [reason]
