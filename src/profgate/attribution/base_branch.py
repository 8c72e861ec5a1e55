"""Marks the findings of a pull request that also occur on its base branch."""

from dataclasses import replace
from typing import Literal

from profgate.model.change import Location
from profgate.model.reason import Parameter, Reason, ReasonCode
from profgate.model.report import Finding, MetricReport, Report, WorkloadReport

NAMED = 3  # maximum number of locations listed in one sentence


def with_base_branch(report: Report, base: Report, name: str) -> Report:
    """Mark findings that a report on a later commit of the base branch has, too. The verdict does not change."""
    ours, theirs = _found(report), _found(base)
    shared = {key for key, finding in ours.items() if key in theirs and theirs[key].direction == finding.direction}

    def marked(load: WorkloadReport, metric: MetricReport) -> MetricReport:
        return replace(metric, findings=tuple(shown(load.name, metric.name, finding) for finding in metric.findings))

    def shown(workload: str, metric: str, finding: Finding) -> Finding:
        key = workload, metric, finding.location
        if key not in shared:
            return finding
        relative = theirs[key].relative
        change: float | Literal["changed"] = "changed" if relative is None else relative
        return replace(finding, attribution=replace(finding.attribution, base_branch=change))

    only_there = [key[2].name for key in theirs if key not in shared]
    more = f" and {len(only_there) - NAMED} more" if len(only_there) > NAMED else ""
    names = f"{', '.join(only_there[:NAMED])}{more}"
    counts: dict[str, Parameter] = {"ours": len(ours) - len(shared), "shared": len(shared), "others": len(only_there)}
    warning = Reason(ReasonCode.BASE_BRANCH, {"name": name, **counts, "names": names})
    return replace(report.with_metrics(marked), warnings=(*report.warnings, warning))


def _found(report: Report) -> dict[tuple[str, str, Location], Finding]:
    """Map (workload, metric, location) to the findings that count as changes."""
    return {
        (workload.name, metric.name, finding.location): finding
        for workload, metric, finding in report.findings
        if finding.direction != "none" and finding.colour != "neutral" and finding.explained_by is None
    }
