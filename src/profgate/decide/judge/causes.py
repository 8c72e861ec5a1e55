"""Group findings that have a common cause and select the finding that names this cause."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from profgate.decide.judge.findings import importance
from profgate.model.kinds import Kind
from profgate.model.report import Colour, Finding, MetricReport, Report

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
        ((importance(finding), load.name, metric.name), _cause(metric, finding, _ends(metric)))
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
