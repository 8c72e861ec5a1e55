"""Findings of locations that belong together, told as one: only what is left when they are added up can be red."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from profgate.model.change import Change, Location
from profgate.model.kinds import BY_WORD, Kind
from profgate.model.report import Finding, Relation

WITHIN = 0.10  # a net that changed by less is cost that stayed
BARS = 2.0  # the same in noise bars of the net
Judge = Callable[[list[Change]], Finding | None]
Place = tuple[str, str | None]


def told_together(findings: Iterable[Finding], relations: Iterable[Relation], judge: Judge) -> list[Finding]:
    """The findings with one for each split, merge or move, and what was renamed or is new said with its own.

    ``judge`` makes a finding of the changes of one location.
    """
    found = {_place(finding.location): finding for finding in findings}
    taken: set[Place] = set()
    for relation in relations:
        lead, members = _place(relation.location), [_place(other) for other in relation.others]
        if relation.kind == "renamed":
            if lead in found:
                found[lead] = _said(found[lead], {"cost": "renamed", "from": _names(relation.others)})
        elif taken.isdisjoint({lead, *members}):
            if relation.kind == "new":
                if lead in found:
                    found[lead] = _with_caller(found[lead], relation, judge)
            elif _stayed(relation) and not {lead, *members}.isdisjoint(found):
                taken |= {lead, *members}
                known = found.get(lead)
                for member in members:
                    found.pop(member, None)
                found[lead] = _net_finding(relation, known, judge)
    return list(found.values())


def _place(location: Location) -> Place:
    return location.name, location.file


def _names(locations: Iterable[Location]) -> str:
    return ", ".join(location.name for location in locations)


def _said(finding: Finding, words: dict[str, str]) -> Finding:
    return replace(finding, evidence={**(finding.evidence or {}), **words})


def _stayed(relation: Relation) -> bool:
    """Whether the sum of the locations is what it was, within a tenth or two noise bars."""
    if relation.net is None:
        return False
    ratio, distance = (relation.net.evidence.get(name) for name in ("ratio", "distance"))
    small = isinstance(ratio, int | float) and abs(ratio) <= WITHIN + 1e-9
    return small or (isinstance(distance, int | float) and distance <= BARS + 1e-9)


def _net_finding(relation: Relation, known: Finding | None, judge: Judge) -> Finding:
    """The one row of a split, merge or move, with the numbers of its sum."""
    net = relation.net
    assert net is not None  # noqa: S101 - what has no net did not stay
    words: dict[str, str] = {"cost": "split" if relation.kind == "merged" else relation.kind}
    words |= {{"moved": "from", "split": "into", "merged": "of"}[relation.kind]: _names(relation.others)}
    judged = judge([replace(net, location=relation.location)]) if BY_WORD[net.kind] is not Kind.NO_CHANGE else None
    finding = judged or _unchanged(replace(net, location=relation.location))
    if known is not None:
        finding = replace(finding, acknowledgement=known.acknowledgement, evidence=known.evidence)
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


def _with_caller(finding: Finding, relation: Relation, judge: Judge) -> Finding:
    """New cost: as grave as what it did to the nearest caller that both sides know, never more by its name alone."""
    finding = _said(finding, {"cost": "new", "through": _names(relation.others)})
    if relation.net is None or BY_WORD[relation.net.kind] in {Kind.NO_CHANGE, Kind.UNKNOWN}:
        return finding
    caller = judge([relation.net])
    if caller is None or caller.colour != "red" or finding.direction != "worse":
        return finding
    return replace(finding, colour="red", severity=caller.severity, reasons=caller.reasons)
