"""Settle acceptances and causes: accepted findings turn yellow, and findings with a common cause get its number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING

from profgate.model.acceptance import Acceptance
from profgate.model.kinds import Kind
from profgate.model.levels import MACHINE, TOTAL_FLOOR
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import Colour, Finding, MetricReport, Report
from profgate.model.visible_text import name_text

if TYPE_CHECKING:
    from profgate.model.change import Location

WORST: tuple[Colour, ...] = ("red", "yellow", "green")
FunctionKey = tuple[str, str | None]
Ends = Mapping[tuple[FunctionKey, str], tuple[FunctionKey, int]]
CauseKey = tuple[str, str, str, str]


def with_causes(report: Report) -> Report:
    """Set ``cause`` and ``explained_by`` in the findings of a report; cause 1 is the most important.

    Findings with the same metric name and direction, even in different workloads, have the same cause if the same
    location explains their changes.
    """
    gathered = report.with_metrics(lambda _, metric: _gathered(metric))
    leading = [
        ((finding.importance, load.name, metric.name), _cause(metric, finding, _ends(metric)))
        for load, metric, finding in gathered.findings
        if _has_cause(finding) and finding.explained_by is None
    ]
    numbers: dict[CauseKey, int] = {}
    for _, cause in sorted(leading):
        numbers.setdefault(cause, len(numbers) + 1)
    return gathered.with_metrics(lambda _, metric: _numbered(metric, numbers))


def _has_cause(finding: Finding) -> bool:
    """Return whether a finding can have a cause. Notes, totals and findings without a direction have no cause."""
    clear = finding.direction != "none" and finding.kind != Kind.UNKNOWN.word
    return finding.colour in WORST and clear and not finding.is_total


def _ends(metric: MetricReport) -> Ends:
    ends = ((cause.location, cause.direction, cause.end, cause.steps) for cause in metric.causes)
    return {((location.name, location.file), way): ((end.name, end.file), steps) for location, way, end, steps in ends}


def _end(finding: Finding, ends: Ends) -> tuple[FunctionKey, int]:
    here = finding.location.name, finding.location.file
    return ends.get((here, finding.direction), (here, 0))


def _cause(metric: MetricReport, finding: Finding, ends: Ends) -> CauseKey:
    end = _end(finding, ends)[0]
    return metric.name, finding.direction, end[0], end[1] or ""


def _gathered(metric: MetricReport) -> MetricReport:
    """Set ``explained_by`` in the findings of one metric, without changing their order."""
    ends = _ends(metric)
    causes: dict[CauseKey, list[Finding]] = {}
    for finding in metric.findings:
        if _has_cause(finding):
            causes.setdefault(_cause(metric, finding, ends), []).append(finding)
    leads = {cause: _named_by(members, ends) for cause, members in causes.items()}
    findings = []
    for finding in metric.findings:
        lead = leads[_cause(metric, finding, ends)] if _has_cause(finding) else finding
        findings.append(replace(finding, explained_by=None if lead is finding else lead.location))
    return replace(metric, findings=tuple(findings))


def _named_by(members: Sequence[Finding], ends: Ends) -> Finding:
    """Return the finding that names the common cause of ``members``.

    Only findings of the worst colour are considered. If any of these findings account for at least half of the common
    change, the one closest to the cause is returned; otherwise, the finding with the largest change is returned.
    """
    worst = min(WORST.index(finding.colour) for finding in members)
    grave = [finding for finding in members if WORST.index(finding.colour) == worst]
    nearest = min(members, key=lambda finding: _end(finding, ends)[1])
    before, after = nearest.costs.inclusive_from, nearest.costs.inclusive_to
    whole = abs((nearest.delta or 0.0) if before is None or after is None else after - before)
    # minimum fraction of the common change that a finding must account for to name its cause
    own = [finding for finding in grave if abs(finding.delta or 0.0) >= 0.5 * whole]
    if own:
        return min(own, key=lambda finding: _end(finding, ends)[1])
    return max(grave, key=lambda finding: abs(finding.delta or 0.0))


def _numbered(metric: MetricReport, numbers: Mapping[CauseKey, int]) -> MetricReport:
    ends = _ends(metric)
    findings = []
    for finding in metric.findings:
        number = numbers.get(_cause(metric, finding, ends)) if _has_cause(finding) else None
        findings.append(replace(finding, cause=number))
    return replace(metric, findings=tuple(findings))


@dataclass(frozen=True, slots=True)
class _Named:
    """A finding that can be accepted, by one of its names, which include those before a rename."""

    name: str
    file: str | None
    finding: Finding


def with_acceptances(report: Report) -> Report:
    """Mark accepted findings yellow and set the state of each acceptance."""
    if not report.acceptances:
        return report
    worse = _worse(report)
    settled = []
    accepted: dict[int, Acceptance] = {}  # by the identity of the finding
    for acceptance in report.acceptances:
        if acceptance.state == "refused":
            settled.append(acceptance)
        elif acceptance.limit is None:
            settled.append(_settled_workload(acceptance, report))
        else:
            named = [one for one in worse if acceptance.location in {one.name, name_text(one.name)}]
            meant = [one.finding for one in named if acceptance.file in {None, one.file}]
            settled.append(_settled(acceptance, acceptance.limit, meant))
            for finding in meant:
                if settled[-1].state != "refused" and _within(finding.growth, acceptance.limit):
                    accepted.setdefault(id(finding), acceptance)
    marked = report.with_metrics(lambda _, metric: _with_accepted(metric, accepted))
    return replace(marked, acceptances=tuple(settled))


def common_factor(metric: MetricReport) -> float | None:
    """Return the factor by which every cost of a metric changed, if it is too large for another machine.

    Such a workload probably did other work.
    """
    factor = metric.calibration.common_factor or 1.0
    return factor if max(factor, 1.0 / factor) > MACHINE else None


def _worse(report: Report) -> list[_Named]:
    worse = []
    for _, metric in report.metrics:
        former: dict[FunctionKey, list[Location]] = {}
        for old, new in metric.renamed:
            former.setdefault((new.name, new.file), []).append(old)
        for finding in metric.findings:
            if finding.is_acceptable:
                here = finding.location
                names = (here, *former.get((here.name, here.file), ()))
                worse += [_Named(location.name, location.file, finding) for location in names]
    return worse


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


def _settled_workload(acceptance: Acceptance, report: Report) -> Acceptance:
    names = [entry.name for entry in report.not_compared if entry.side == "baseline"]
    compared = [pair for pair in report.metrics if pair[1].state == "compared"]
    for workload, metric in compared:
        if common_factor(metric) is not None or metric.calibration.inconclusive == "other_work":
            names.append(workload.name)
    for name in names:
        if acceptance.location in {name, name_text(name)}:
            remark = Reason(ReasonCode.ACCEPTANCE, {"case": "accepted_workload"})
            return replace(acceptance, location=name, state="applies", remark=remark)
    return replace(acceptance, state="unused", remark=Reason(ReasonCode.ACCEPTANCE, {"case": "limit_needed"}))


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
