"""Findings of locations that belong together, told as one: only what is left when they are added up can be red."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from profgate.model.change import Change, Location
from profgate.model.kinds import BY_WORD, Kind
from profgate.model.report import Finding, Relation

WITHIN = 0.10  # a net that changed by less is cost that stayed
NETS = ("split", "merged", "moved")
SHOWN = 3  # names in a sentence
BARS = 2.0  # the same in noise bars of the net
Judge = Callable[[list[Change], Finding | None], Finding | None]
Place = tuple[str, str | None]


def told_together(findings: Iterable[Finding], relations: Iterable[Relation], judge: Judge) -> list[Finding]:
    """The findings with one for each split, merge or move, and what was renamed or is new said with its own.

    ``judge`` makes a finding of the changes of one location and of what is known of it.
    """
    found = {_place(finding.location): finding for finding in findings}
    taken: set[Place] = set()
    for relation in relations:
        lead, members = _place(relation.location), [_place(other) for other in relation.others]
        if relation.kind == "renamed" and lead in found:
            found[lead] = _said(found[lead], {"cost": "renamed", "from": _former(relation)})
        elif relation.kind == "new" and lead not in taken:
            for place in {lead, *members[1:]} & found.keys():
                found[place] = _with_caller(found[place], relation, judge, names_it=place == lead)
        elif relation.kind in NETS and _stayed(relation) and taken.isdisjoint({lead, *members}):
            known = [found.pop(place) for place in (lead, *members) if place in found]
            if known:
                taken |= {lead, *members}
                found[lead] = _net_finding(relation, known[0], judge)
    return list(found.values())


def _place(location: Location) -> Place:
    return location.name, location.file


def _names(locations: Sequence[Location]) -> str:
    shown = ", ".join(location.name for location in locations[:SHOWN])
    return shown if len(locations) <= SHOWN else f"{shown} and {len(locations) - SHOWN} more"


def _former(relation: Relation) -> str:
    """The old name, or the old file where the name stayed."""
    old = relation.others[0]
    return old.file if old.name == relation.location.name and old.file else _names(relation.others)


def _said(finding: Finding, words: dict[str, str]) -> Finding:
    return replace(finding, evidence={**(finding.evidence or {}), **words})


def _stayed(relation: Relation) -> bool:
    """Whether the sum of the locations is what it was, within a tenth or two noise bars."""
    if relation.net is None:
        return False
    ratio, distance = (relation.net.evidence.get(name) for name in ("ratio", "distance"))
    small = isinstance(ratio, int | float) and abs(ratio) <= WITHIN + 1e-9
    return small or (isinstance(distance, int | float) and distance <= BARS + 1e-9)


def _net_finding(relation: Relation, known: Finding, judge: Judge) -> Finding:
    """The one row of a split, merge or move, with the numbers of its sum; ``known`` is a finding it replaces."""
    net = relation.net
    assert net is not None  # noqa: S101 - what has no net did not stay
    words: dict[str, str] = {"cost": "split" if relation.kind == "merged" else relation.kind}
    words |= {{"moved": "from", "split": "into", "merged": "of"}[relation.kind]: _names(relation.others)}
    judged = (
        judge([replace(net, location=relation.location)], None) if BY_WORD[net.kind] is not Kind.NO_CHANGE else None
    )
    finding = judged or _unchanged(replace(net, location=relation.location))
    if _place(known.location) == _place(relation.location):
        finding = replace(finding, evidence=known.evidence)
    return _said(finding, words)


def _unchanged(net: Change) -> Finding:
    before, after = (None if isinstance(value, str) else value for value in (net.from_value, net.to_value))
    return Finding(
        severity="none",
        colour="neutral",
        kind=Kind.NO_CHANGE.word,
        direction="none",
        location=net.location,
        from_value=before,
        to_value=after,
        delta=net.delta,
        relative=net.relative,
        share_from=net.share_from,
        share_to=net.share_to,
        strategies=(),
        reasons=("all of it together costs what it did",),
        statistics={name: value for name, value in net.evidence.items() if not isinstance(value, str)},
    )


def _with_caller(finding: Finding, relation: Relation, judge: Judge, *, names_it: bool) -> Finding:
    """New cost: as grave as what it did to the nearest caller that both sides know, never more by its name alone."""
    finding = _said(finding, {"cost": "new", "through": _names(relation.others[:1])})
    if relation.net is None or finding.direction != "worse":
        return finding
    caller = (
        judge([relation.net], finding) if BY_WORD[relation.net.kind] not in {Kind.NO_CHANGE, Kind.UNKNOWN} else None
    )
    if caller is not None and caller.colour == "red":
        return replace(finding, colour="red", severity=caller.severity, reasons=caller.reasons) if names_it else finding
    if caller is None and _stayed(relation):
        return replace(finding, colour="neutral", reasons=("the caller it is new in costs what it did",))
    return finding
