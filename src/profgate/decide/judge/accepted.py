"""Settle acceptances and causes: accepted findings turn yellow, and findings with a common cause get its number."""

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING

from profgate.model.acceptance import Acceptance
from profgate.model.change import Kind
from profgate.model.levels import MACHINE, TOTAL_FLOOR
from profgate.model.policy import matches
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import replace
from profgate.model.report import Colour, Finding, MetricReport, Report
from profgate.model.visible_text import name_text

if TYPE_CHECKING:
    from profgate.model.change import Location

WORST: tuple[Colour, ...] = ("red", "yellow", "green")
FunctionKey = tuple[str, str | None]
CauseKey = tuple[str, str, str, str]  # metric, direction, and name and file of the location that is the cause


def with_causes(report: Report) -> Report:
    """Set ``cause`` and ``explained_by`` in the findings of a report; cause 1 is the most important.

    Findings with the same metric name and direction, even in different workloads, have the same cause if the same
    location explains their changes.
    """
    leading = []
    known: dict[int, tuple[CauseKey, Finding]] = {}  # the cause, and the finding that names it, by a finding's identity
    for load, metric in report.metrics:
        for key, members in _by_cause(metric).items():
            lead = min(members, key=attrgetter("importance"))
            leading.append((lead.importance, load.name, metric.name, key))
            for finding in members:
                known[id(finding)] = key, lead
    numbers: dict[CauseKey, int] = {}
    for *_, key in sorted(leading):
        numbers.setdefault(key, len(numbers) + 1)

    def numbered(metric: MetricReport) -> MetricReport:
        findings = []
        for finding in metric.findings:
            number, explained_by = None, None
            if id(finding) in known:
                key, lead = known[id(finding)]
                number, explained_by = numbers[key], None if lead is finding else lead.location
            findings.append(replace(finding, cause=number, explained_by=explained_by))
        return replace(metric, findings=tuple(findings))

    return report.with_metrics(lambda _, metric: numbered(metric))


def _by_cause(metric: MetricReport) -> dict[CauseKey, list[Finding]]:
    """Return the findings by their cause.

    Notes, totals and findings without a direction have no cause.
    """
    ends = {(cause.location.name, cause.location.file, cause.direction): cause for cause in metric.causes}
    members: dict[CauseKey, list[Finding]] = {}
    for finding in metric.findings:
        clear = finding.direction != "none" and finding.kind != Kind.UNKNOWN.word
        if finding.colour in WORST and clear and not finding.is_total:
            here = finding.location
            cause = ends.get((here.name, here.file, finding.direction))
            end = cause.end if cause is not None else here
            key = metric.name, finding.direction, end.name, end.file or ""
            members.setdefault(key, []).append(finding)
    return members


def with_acceptances(report: Report) -> Report:
    """Mark accepted findings yellow and set the state of each acceptance."""
    if not report.acceptances:
        return report
    worse = list(_worse(report))
    settled = []
    accepted: dict[int, Acceptance] = {}  # by the identity of the finding
    for acceptance in report.acceptances:
        if acceptance.state == "refused":
            settled.append(acceptance)
        elif acceptance.limit is None:
            settled += _settled_workloads(acceptance, report)
        else:
            meant = []
            for name, file, finding in worse:
                if acceptance.location in {name, name_text(name)} and acceptance.file in {None, file}:
                    meant.append(finding)
            settled.append(_settled(acceptance, acceptance.limit, meant))
            for finding in meant:
                if settled[-1].state != "refused" and _within(finding.growth, acceptance.limit):
                    accepted.setdefault(id(finding), acceptance)
    marked = report.with_metrics(lambda _, metric: _with_accepted(metric, accepted))
    return replace(marked, acceptances=tuple(settled))


def common_factor(metric: MetricReport) -> float | None:
    """Return the factor by which every cost of a metric changed, if it is too large for another machine."""
    factor = metric.calibration.common_factor or 1.0
    return factor if max(factor, 1.0 / factor) > MACHINE and not metric.did_other_work else None


def _worse(report: Report) -> Iterator[tuple[str, str | None, Finding]]:
    """Yield the findings that can be accepted, by each of their names and files, also those before a rename."""
    for _, metric in report.metrics:
        former: dict[FunctionKey, list[Location]] = {}
        for old, new in metric.renamed:
            former.setdefault((new.name, new.file), []).append(old)
        for finding in metric.findings:
            here = finding.location
            for location in (here, *former.get((here.name, here.file), ())):
                if finding.is_acceptable:
                    yield location.name, location.file, finding


def _settled(acceptance: Acceptance, limit: float, meant: list[Finding]) -> Acceptance:
    if not meant:
        return replace(acceptance, state="unused", remark=Reason(ReasonCode.ACCEPTANCE, {"case": "accepted_nothing"}))
    places: set[FunctionKey] = {(finding.location.name, finding.location.file) for finding in meant}
    if len(places) > 1:
        why = Reason(ReasonCode.ACCEPTANCE, {"case": "accepted_several", "count": len(places)})
        return replace(acceptance, state="refused", remark=why)
    growth = max(finding.growth for finding in meant)
    if not _within(growth, limit):
        why = Reason(ReasonCode.ACCEPTANCE, {"case": "accepted_less", "limit": limit, "growth": growth})
        return replace(acceptance, state="exceeded", remark=why)
    return replace(
        acceptance, state="applies", remark=Reason(ReasonCode.ACCEPTANCE, {"case": "accepted_up_to", "limit": limit})
    )


def _settled_workloads(acceptance: Acceptance, report: Report) -> list[Acceptance]:
    """Return an acceptance for each workload that the location names, in which ``*`` matches any text."""
    names = [entry.name for entry in report.not_compared if entry.side == "baseline"]
    for workload, metric in report.metrics:
        if metric.state == "compared" and (common_factor(metric) is not None or metric.did_other_work):
            names.append(workload.name)
    pattern, remark = [acceptance.location], Reason(ReasonCode.ACCEPTANCE, {"case": "accepted_workload"})
    meant = [name for name in dict.fromkeys(names) if matches(name, pattern) or matches(name_text(name), pattern)]
    settled = [replace(acceptance, location=name, state="applies", remark=remark) for name in meant]
    unused = Reason(ReasonCode.ACCEPTANCE, {"case": "limit_needed"})
    return settled or [replace(acceptance, state="unused", remark=unused)]


def _within(growth: float, limit: float) -> bool:
    return growth <= limit + 1e-9


def _with_accepted(metric: MetricReport, accepted: Mapping[int, Acceptance]) -> MetricReport:
    if not accepted or not metric.findings:
        return metric
    findings = [_accepted(finding, accepted.get(id(finding))) for finding in metric.findings]
    changed = sum(finding.delta or 0.0 for finding in findings if finding.is_accepted)
    findings = [_total_explained(finding, changed) for finding in findings]
    return replace(metric, findings=tuple(sorted(findings, key=attrgetter("importance"))))


def _accepted(finding: Finding, acceptance: Acceptance | None) -> Finding:
    if acceptance is None or acceptance.limit is None:
        return finding
    reason = Reason(ReasonCode.ACCEPTED, {"by": acceptance.by, "limit": acceptance.limit, "reason": acceptance.reason})
    others = () if finding.colour == "red" else finding.reasons
    return replace(finding, colour="yellow", reasons=(reason, *others))


def _total_explained(finding: Finding, accepted: float) -> Finding:
    """Turn a red total yellow if accepted findings explain its change except for the usual noise."""
    before, delta = finding.from_value, finding.delta
    if finding.colour != "red" or not finding.is_total or not accepted or not before or delta is None:
        return finding
    usual = max(TOTAL_FLOOR, finding.result.bound or 0.0)
    if abs(delta - accepted) > usual * before:
        return finding
    return replace(finding, colour="yellow", reasons=(Reason(ReasonCode.ACCEPTED_PARTS),))
