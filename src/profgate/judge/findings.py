"""Changes of one location, merged into a finding: votes by family, severity, and whether it is red."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from profgate.judge.contexts import contexts_told, one_word_each
from profgate.judge.severity import Severity, fails, severity
from profgate.judge.together import told_together
from profgate.model.change import Change, Location
from profgate.model.kinds import BETTER, BY_WORD, MAYBE, RANKS, WORSE, Kind
from profgate.model.levels import GATE_SHARE
from profgate.model.policy import Policy
from profgate.model.report import Colour, Direction, Finding, MetricReport, Vote

GATE_TEST = "calibrated_log_ratio"
TOTAL_TEST = "totals"
CONTEXTS = "call_context"
SURE_ALONE = 0.001  # a q below this needs no second family
TOTAL_PLACE = ("total", None, None)
SOURCE_WORDS = ("source", "source_link", "reach", "reach_path")
UNKNOWN_SOURCE = "unknown"
TOLD = (
    *("q", "gate_q", "z", "d", "distance", "gate_distance", "detectable", "ratio_low", "ratio_high"),
    *("overweight", "responsibility", "inclusive_from", "inclusive_to"),
)
CAPS = {
    "moved": "cost that moved is not new cost",
    "split": "cost that was split is judged by its net change",
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
class Court:
    """What holds for every finding of one metric; ``total_p`` is adjusted, ``q`` and alphas are the tests' levels.

    ``unmeasured``: timed values of one run, where no second run shows how much they scatter.
    """

    policy: Policy
    pairs: int
    total_p: float | None
    q: float
    gate_q: float
    alpha: float
    alpha_gate: float
    advisory: tuple[str, ...]
    totals_advisory: tuple[str, ...]
    locations_advisory: tuple[str, ...] = ()
    unmeasured: bool = False


def direction_of(kind: Kind) -> Direction:
    """Which way a kind points."""
    if kind in WORSE:
        return "worse"
    return "better" if kind in BETTER else "none"


def _family_votes(changes: Iterable[Change]) -> dict[str, Direction]:
    """The one direction in which a family's strong words point; families that disagree in themselves do not vote."""
    said: dict[str, set[Direction]] = {}
    for change in changes:
        kind = BY_WORD[change.kind]
        # sums of modules are arithmetic, no test: they are shown beside a total and have no vote
        if kind in (WORSE | BETTER) - MAYBE and not _is_module_sum(change):
            said.setdefault(change.family, set()).add(direction_of(kind))
    return {family: next(iter(words)) for family, words in said.items() if len(words) == 1}


def _is_module_sum(change: Change) -> bool:
    return change.strategy != TOTAL_TEST and BY_WORD[change.kind] in {Kind.TOTAL_DEGRADATION, Kind.TOTAL_OPTIMIZATION}


def merged(metric: MetricReport, court: Court) -> tuple[Finding, ...]:
    """All findings of one metric, the most important first."""
    by_location: dict[tuple[str, str | None, str | None], list[Change]] = {}
    sums: list[Change] = []
    totals: list[Change] = []
    for change in metric.changes:
        if BY_WORD[change.kind] in {Kind.NO_CHANGE, Kind.UNKNOWN}:
            continue
        if _is_module_sum(change):
            sums.append(change)
        elif change.strategy == TOTAL_TEST:
            totals.append(change)
        else:
            place = change.location
            by_location.setdefault((place.name, place.file, place.module), []).append(change)
    known = {(old.location.name, old.location.file, old.location.module): old for old in metric.findings}
    words = [_located(changes, metric, court, known.get(key)) for key, changes in by_location.items()]
    found = [finding for finding in words if finding is not None]
    found = told_together(found, metric.relations, lambda changes, known: _located(changes, metric, court, known))
    sums_found = (_total(change, sums, court, known.get(TOTAL_PLACE)) for change in totals)
    found += [finding for finding in sums_found if finding is not None]
    return tuple(sorted(found, key=importance))


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


def _float(value: float | str | None) -> float | None:
    return None if isinstance(value, str) else value


def _values(change: Change, metric: MetricReport) -> dict[str, float | None]:
    """Exclusive sums and shares of a location; a strategy's own numbers where the profile has no exclusive ones."""
    from_value, to_value = (_float(change.evidence.get(f"exclusive_{side}")) for side in ("from", "to"))
    if from_value is None or to_value is None:
        from_value, to_value = _float(change.from_value), _float(change.to_value)
        shares = (change.share_from, change.share_to)
    else:
        base, target = metric.total.baseline, metric.total.target
        shares = (from_value / base if base else None, to_value / target if target else None)
    delta = None if from_value is None or to_value is None else to_value - from_value
    return {
        "from": from_value,
        "to": to_value,
        "delta": delta,
        "relative": None if delta is None or not from_value else delta / from_value,
        "share_from": shares[0],
        "share_to": shares[1],
    }


def _direction(changes: list[Change], votes: dict[str, Direction]) -> Direction:
    """T's word if it has one, even a weak one; else what the others agree on."""
    if "T" in votes:
        return votes["T"]
    calibrated = {direction_of(BY_WORD[change.kind]) for change in changes if change.family == "T"} - {"none"}
    said = {direction_of(BY_WORD[change.kind]) for change in changes} - {"none"}
    words = calibrated or set(votes.values()) or said
    return next(iter(words)) if len(words) == 1 else "none"


def _one_sided(changes: list[Change]) -> Kind | None:
    kinds = {BY_WORD[change.kind] for change in changes}
    if Kind.NOT_IN_BASELINE in kinds:
        return Kind.NOT_IN_BASELINE
    return Kind.NOT_IN_TARGET if Kind.NOT_IN_TARGET in kinds else None


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


def _located(said: list[Change], metric: MetricReport, court: Court, known: Finding | None) -> Finding | None:
    """What was said of one location and of its calling contexts; None where only a context came or went."""
    changes = one_word_each(said)
    if not changes:
        return None
    votes = _family_votes(changes)
    direction = _direction(changes, votes)
    test = next((change for change in changes if change.strategy == GATE_TEST), None)
    values = _values(test or changes[0], metric)
    alone = _one_sided(changes)
    statistics = _statistics(changes, values)
    level: Severity = "maybe"
    if alone is not None:
        kind, level, direction = alone, "none", _direction_of_cost(alone, metric)
    elif direction == "none":
        kind = Kind.UNKNOWN
    elif test is not None and BY_WORD[test.kind] not in MAYBE:
        # how far beyond the noise: among those that could gate, where it is one of them
        distance = statistics.get("gate_distance") or statistics.get("distance") or 0.0
        level = severity(distance, statistics.get("weight") or 0.0)
        kind = SIGNED[level, direction]
    else:
        kind = SIGNED["maybe", direction]
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
        evidence=_evidence(known, changes, contexts_told(said, direction)),
    )
    if alone is not None:
        return _coloured_cost(finding, metric, court)
    if test is None:
        return _coloured_pointer(finding, metric)
    return _coloured(finding, _obstacles(finding, votes, court))


def _evidence(known: Finding | None, changes: list[Change], contexts: str) -> dict[str, str] | None:
    found = {**((known.evidence if known else None) or {}), **({"contexts": contexts} if contexts else {})}
    for word in SOURCE_WORDS:
        said = (change.evidence.get(word) for change in changes)
        text = next((text for text in said if isinstance(text, str) and text != UNKNOWN_SOURCE), None)
        found |= {} if text is None else {word: text}
    return found or None


def _direction_of_cost(kind: Kind, metric: MetricReport) -> Direction:
    dearer = kind is Kind.NOT_IN_BASELINE
    return "worse" if dearer == (metric.better == "lower") else "better"


def _statistics(changes: list[Change], values: dict[str, float | None]) -> dict[str, float | None]:
    """The test's numbers and the inclusive sums; ``weight`` is the change as a part of the run."""
    found: dict[str, float | None] = {}
    for change in changes:
        for name in TOLD:
            if name in change.evidence:
                found.setdefault(name, _float(change.evidence[name]))
    before, after = values["share_from"] or 0.0, values["share_to"] or 0.0
    found["weight"] = after - before
    for change in changes:
        if change.strategy == GATE_TEST:
            found["weight"] = _float(change.evidence.get("delta_share"))
    return found


def _coloured_cost(finding: Finding, metric: MetricReport, court: Court) -> Finding:
    """New cost is worth a look where the calibrated test sees more than chance in it, or could not speak at all."""
    share, q = finding.share_to or 0.0, finding.statistics.get("q")
    certain = not _tested(metric) or (q is not None and q <= court.q)
    new = finding.kind == Kind.NOT_IN_BASELINE.word and finding.direction == "worse"
    if new and certain and share >= GATE_SHARE:
        return replace(finding, colour="yellow", reasons=("new cost: a new name alone never fails the gate",))
    return finding


def _tested(metric: MetricReport) -> bool:
    return metric.calibration.get("state") in {"calibrated", "uncalibrated"}


def _coloured_pointer(finding: Finding, metric: MetricReport) -> Finding:
    """A finding without the calibrated test: a hint where the test was silent, a maybe where it could not speak."""
    if _tested(metric):
        if finding.direction == "worse" and _models_agree(finding):
            return replace(
                finding, colour="yellow", reasons=("its cost over size changed; no calibrated test sees it",)
            )
        return replace(finding, reasons=("the calibrated test sees no more than noise here",))
    if not finding.from_value and not finding.to_value:
        return replace(finding, reasons=("it has no cost of its own: a caller of what changed",))
    if {(vote.name, BY_WORD[vote.kind] in MAYBE) for vote in finding.strategies} == {(CONTEXTS, True)}:
        return replace(finding, reasons=("its share of the run shifted, and nothing else says that it changed",))
    colour: Colour = "yellow" if finding.direction == "worse" else "neutral"
    return replace(finding, colour=colour, reasons=("no calibrated test could confirm it",))


def _models_agree(finding: Finding) -> bool:
    """Two strategies saw it in the models of cost over size, one for sure: shares of a run do not tell growth."""
    agreeing = [BY_WORD[vote.kind] for vote in finding.strategies if vote.family == "M" and vote.agrees]
    return len(agreeing) >= 2 and any(kind not in MAYBE for kind in agreeing)


def _seams(finding: Finding) -> list[str]:
    """What attribution and confirmation say against red; silence says nothing."""
    evidence = finding.evidence or {}
    found = [CAPS[evidence["cost"]]] if evidence.get("cost") in CAPS else []
    if evidence.get("reach") == "not reachable":
        found.append("out of reach of the change")
    if evidence.get("confirmed") == "no":
        found.append("a second measurement did not confirm it")
    return found


def _obstacles(finding: Finding, votes: dict[str, Direction], court: Court) -> list[str]:
    """Why a worse finding of the gate's test is not red; empty = red."""
    q = finding.statistics.get("gate_q", finding.statistics.get("q"))
    found = []
    if votes.get("T") != "worse":
        found.append("below the floors of the gate")
    elif q is None or q > court.gate_q / court.pairs:
        found.append(f"not certain enough among {court.pairs} comparisons")
    elif q >= SURE_ALONE and court.unmeasured:
        # a second family looks at the same run, and shares what disturbed it
        found.append("one timed run cannot show how much times scatter: record three runs or more")
    elif q >= SURE_ALONE and not any(word == "worse" for family, word in votes.items() if family != "T"):
        found.append("only the calibrated tests see it")
    if not fails(finding.severity, court.policy.fail_on):
        found.append(f"severity {finding.severity} does not fail (fail-on: {court.policy.fail_on})")
    waiting = _waiting(finding, court.policy, sure=q is not None and q < SURE_ALONE)
    return [*found, *_seams(finding), *waiting, *court.advisory, *court.locations_advisory]


def _waiting(finding: Finding, policy: Policy, *, sure: bool) -> list[str]:
    """Whether red has to wait for a second measurement that nobody made yet."""
    measured = "confirmed" in (finding.evidence or {})
    if measured or policy.confirm == "off" or (policy.confirm == "when-possible" and sure):
        return []
    return [f"waits for a second measurement (confirm: {policy.confirm})"]


def _coloured(finding: Finding, obstacles: list[str]) -> Finding:
    if finding.direction != "worse":
        return replace(finding, colour="green" if finding.direction == "better" else "neutral")
    if obstacles:
        return replace(finding, colour="yellow", reasons=tuple(obstacles))
    return replace(finding, colour="red", reasons=("every condition of the gate holds",))


def _total(change: Change, sums: list[Change], court: Court, known: Finding | None) -> Finding | None:
    """The total's finding after the correction for the number of totals; None where it does not survive it."""
    kind = BY_WORD[change.kind]
    direction = direction_of(kind)
    p = court.total_p if court.total_p is not None else 1.0
    if p > court.alpha:
        return None
    shift, distance = (_float(change.evidence.get(name)) or 0.0 for name in ("shift", "distance"))
    sure = kind not in MAYBE and p <= court.alpha_gate
    level: Severity = severity(distance, shift) if sure else "maybe"
    weak = Kind.MAYBE_DEGRADATION if direction == "worse" else Kind.MAYBE_OPTIMIZATION
    statistics = {name: _float(value) for name, value in change.evidence.items() if not isinstance(value, str)}
    finding = Finding(
        severity=level,
        colour="neutral",
        kind=(kind if sure else weak).word,
        direction=direction,
        location=Location("total"),
        from_value=_float(change.from_value),
        to_value=_float(change.to_value),
        delta=change.delta,
        relative=change.relative,
        share_from=None,
        share_to=None,
        strategies=_votes([change, *sums], direction),
        statistics=statistics | {"p_adjusted": p, "weight": shift},
        evidence=known.evidence if known else None,
    )
    obstacles = [] if sure else ["not certain enough to fail the gate"]
    if not fails(level, court.policy.fail_on_total):
        obstacles.append(f"severity {level} does not fail (fail-on-total: {court.policy.fail_on_total})")
    obstacles += [*_seams(finding), *_waiting(finding, court.policy, sure=p < SURE_ALONE)]
    return _coloured(finding, [*obstacles, *court.advisory, *court.totals_advisory])
