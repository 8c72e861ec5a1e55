"""Turn accepted regressions yellow, as well as red totals whose change is explained by accepted findings."""

from collections.abc import Sequence
from dataclasses import replace

from profgate.judge.findings import importance
from profgate.model.acceptance import ROOM, Acceptance
from profgate.model.levels import TOTAL_FLOOR
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import TOTAL, Acknowledgement, Finding, MetricReport, Report
from profgate.model.visible_text import name_text

ROUNDING = 1e-9
Place = tuple[str, str | None]


def with_acceptances(report: Report) -> Report:
    """Mark accepted findings yellow and set the state of each acceptance.

    If a trailer has no limit, its limit for later runs is 1.25 times the current growth.
    """
    if not report.acceptances:
        return report
    settled = tuple(
        one if one.state == "refused" else (_settled_removal if one.removal else _settled)(one, report)
        for one in report.acceptances
    )
    limits = [acceptance for acceptance in settled if acceptance.state in {"applies", "exceeded"}]
    accepted = report.with_metrics(lambda load, metric: _with_accepted(load.name, metric, limits))
    return replace(accepted, acceptances=settled)


def _settled(acceptance: Acceptance, report: Report) -> Acceptance:
    found = [finding for load, metric, finding in report.findings if _means(acceptance, load.name, metric, finding)]
    if not found:
        if acceptance.location == TOTAL.name:
            return replace(acceptance, state="refused", remark=Reason(ReasonCode.ACCEPTED_TOTAL))
        return replace(acceptance, state="unused", remark=Reason(ReasonCode.ACCEPTED_NOTHING))
    places: set[Place] = {(finding.location.name, finding.location.file) for finding in found}
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


def _means(acceptance: Acceptance, workload: str, metric: MetricReport, finding: Finding) -> bool:
    if not finding.is_acceptable or acceptance.removal:
        return False
    if acceptance.workload not in {None, workload} or acceptance.metric not in {None, metric.name}:
        return False
    here = (finding.location.name, finding.location.file)
    renamed = [item for item in metric.relations if (item.location.name, item.location.file) == here]
    return any(
        acceptance.location in {place.name, name_text(place.name)} and acceptance.file in {None, place.file}
        for place in (finding.location, *(old for item in renamed for old in item.others))
    )


def _within(growth: float, limit: float) -> bool:
    return growth <= limit + ROUNDING


def _with_accepted(workload: str, metric: MetricReport, limits: Sequence[Acceptance]) -> MetricReport:
    if not limits or not metric.findings:
        return metric
    findings = [_accepted(workload, metric, finding, limits) for finding in metric.findings]
    accepted = sum(finding.delta or 0.0 for finding in findings if finding.acknowledgement)
    findings = [_total_explained(finding, accepted) for finding in findings]
    return replace(metric, findings=tuple(sorted(findings, key=importance)))


def _accepted(workload: str, metric: MetricReport, finding: Finding, limits: Sequence[Acceptance]) -> Finding:
    for acceptance in limits:
        limit = acceptance.limit
        if limit is None or not _means(acceptance, workload, metric, finding) or not _within(finding.growth, limit):
            continue
        reason = Reason(ReasonCode.ACCEPTED, {"by": acceptance.by, "limit": limit, "reason": acceptance.reason})
        others = () if finding.colour == "red" else finding.reasons
        known = Acknowledgement(acceptance.by, acceptance.reason, _percent(limit), acceptance.link)
        return replace(finding, colour="yellow", reasons=(reason, *others), acknowledgement=known)
    return finding


def _total_explained(finding: Finding, accepted: float) -> Finding:
    """Turn a red total yellow if accepted findings explain its change except for the usual noise."""
    before, delta = finding.from_value, finding.delta
    if finding.colour != "red" or not finding.is_total or not accepted or not before or delta is None:
        return finding
    usual = max(TOTAL_FLOOR, finding.statistics.bound or 0.0)
    if abs(delta - accepted) > usual * before:
        return finding
    return replace(finding, colour="yellow", reasons=(Reason(ReasonCode.ACCEPTED_PARTS),))


def _percent(fraction: float) -> str:
    return f"{100 * fraction:+,.{0 if abs(fraction) >= 0.1 else 1}f} %"
