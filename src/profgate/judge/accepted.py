"""Turn accepted regressions yellow, as well as red totals whose change is explained by accepted findings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from profgate.judge.findings import importance
from profgate.model.acceptance import ROOM, Acceptance
from profgate.model.levels import TOTAL_FLOOR
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import TOTAL, Acknowledgement, Finding, MetricReport, Report
from profgate.model.visible_text import name_text

if TYPE_CHECKING:
    from profgate.judge.causes import FunctionKey
    from profgate.model.change import Location

ROUNDING = 1e-9
Key = tuple[str, str, int]  # workload, metric and id of a finding
Named = dict[str, list[tuple[Key, str | None, Finding]]]  # the names of findings, with their files


def with_acceptances(report: Report) -> Report:
    """Mark accepted findings yellow and set the state of each acceptance.

    If a trailer has no limit, its limit for later runs is 1.25 times the current growth.
    """
    if not report.acceptances:
        return report
    named, accepted = _by_name(report), dict[Key, Acceptance]()

    def settled(one: Acceptance) -> Acceptance:
        if one.state == "refused":
            return one
        if one.removal:
            return _settled_removal(one, report)
        meant = _meant(one, named)
        settled = _settled(one, [finding for _, finding in meant])
        for key, finding in meant if settled.state in {"applies", "exceeded"} else ():
            if settled.limit is not None and _within(finding.growth, settled.limit):
                accepted.setdefault(key, settled)
        return settled

    acceptances = tuple(map(settled, report.acceptances))
    marked = report.with_metrics(lambda load, metric: _with_accepted(load.name, metric, accepted))
    return replace(marked, acceptances=acceptances)


def _by_name(report: Report) -> Named:
    """Return the findings that can be accepted by each of their names, which include those before a rename."""
    named: Named = {}
    for load, metric in report.metrics:
        former: dict[FunctionKey, list[Location]] = {}
        for old, new in metric.renamed:
            former.setdefault((new.name, new.file), []).append(old)
        for finding in filter(lambda finding: finding.is_acceptable, metric.findings):
            here = finding.location
            for location in (here, *former.get((here.name, here.file), ())):
                for name in {location.name, name_text(location.name)}:
                    named.setdefault(name, []).append(((load.name, metric.name, id(finding)), location.file, finding))
    return named


def _meant(acceptance: Acceptance, named: Named) -> list[tuple[Key, Finding]]:
    return [
        (key, finding)
        for key, file, finding in named.get(acceptance.location, ())
        if acceptance.workload in {None, key[0]} and acceptance.metric in {None, key[1]}
        if acceptance.file in {None, file}
    ]


def _settled(acceptance: Acceptance, found: Sequence[Finding]) -> Acceptance:
    if not found:
        if acceptance.location == TOTAL.name:
            return replace(acceptance, state="refused", remark=Reason(ReasonCode.ACCEPTED_TOTAL))
        return replace(acceptance, state="unused", remark=Reason(ReasonCode.ACCEPTED_NOTHING))
    places: set[FunctionKey] = {(finding.location.name, finding.location.file) for finding in found}
    if len(places) > 1:
        why = Reason(ReasonCode.ACCEPTED_SEVERAL, {"count": len(places)})
        return replace(acceptance, state="refused", remark=why)
    growth = max(finding.growth for finding in found)
    limit = acceptance.limit if acceptance.limit is not None else ROOM * growth
    if not _within(growth, limit):
        why = Reason(ReasonCode.ACCEPTED_LESS, {"limit": limit, "growth": growth})
        return replace(acceptance, limit=limit, state="exceeded", remark=why)
    why = Reason(ReasonCode.ACCEPTED_UP_TO, {"limit": limit})
    return replace(acceptance, limit=limit, state="applies", remark=why)


def _settled_removal(acceptance: Acceptance, report: Report) -> Acceptance:
    gone = (entry.name for entry in report.not_compared if entry.side == "baseline")
    name = next((name for name in gone if acceptance.location in {name, name_text(name)}), None)
    if name is None:
        return replace(acceptance, state="unused", remark=Reason(ReasonCode.NOT_REMOVED))
    return replace(acceptance, location=name, state="applies", remark=Reason(ReasonCode.ACCEPTED_REMOVAL))


def _within(growth: float, limit: float) -> bool:
    return growth <= limit + ROUNDING


def _with_accepted(workload: str, metric: MetricReport, accepted: Mapping[Key, Acceptance]) -> MetricReport:
    if not accepted or not metric.findings:
        return metric
    findings = [_accepted(finding, accepted.get((workload, metric.name, id(finding)))) for finding in metric.findings]
    changed = sum(finding.delta or 0.0 for finding in findings if finding.acknowledgement)
    findings = [_total_explained(finding, changed) for finding in findings]
    return replace(metric, findings=tuple(sorted(findings, key=importance)))


def _accepted(finding: Finding, acceptance: Acceptance | None) -> Finding:
    if acceptance is None or acceptance.limit is None:
        return finding
    reason = Reason(ReasonCode.ACCEPTED, {"by": acceptance.by, "limit": acceptance.limit, "reason": acceptance.reason})
    others = () if finding.colour == "red" else finding.reasons
    acknowledgement = Acknowledgement(acceptance.by, acceptance.reason, _percent(acceptance.limit), acceptance.link)
    return replace(finding, colour="yellow", reasons=(reason, *others), acknowledgement=acknowledgement)


def _total_explained(finding: Finding, accepted: float) -> Finding:
    """Turn a red total yellow if accepted findings explain its change except for the usual noise."""
    before, delta = finding.from_value, finding.delta
    if finding.colour != "red" or not finding.is_total or not accepted or not before or delta is None:
        return finding
    usual = max(TOTAL_FLOOR, finding.result.bound or 0.0)
    if abs(delta - accepted) > usual * before:
        return finding
    return replace(finding, colour="yellow", reasons=(Reason(ReasonCode.ACCEPTED_PARTS),))


def _percent(fraction: float) -> str:
    return f"{100 * fraction:+,.{0 if abs(fraction) >= 0.1 else 1}f} %"
