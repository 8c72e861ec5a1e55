"""Confirm before red: what a second measurement says of the findings that fail the gate."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from profgate.judge.acceptances import is_total
from profgate.judge.verdict import judge
from profgate.model.levels import GATE_SHARE, OWN_FLOOR, TOTAL_FLOOR
from profgate.model.policy import Policy
from profgate.model.report import Finding, MetricReport, Report, WorkloadReport
from profgate.model.second_measurement import Second

SURE = 0.05  # the p that a second measurement must reach by itself
ENOUGH = 0.5  # part of the gate's floors that it must reach


@dataclass(frozen=True, slots=True)
class Suspect:
    """A finding that fails the gate, and where it stands."""

    workload: str
    metric: str
    finding: Finding
    lower_is_better: bool

    @property
    def total(self) -> bool:
        """Whether it is about the whole workload."""
        return is_total(self.finding)


def suspects(report: Report, policy: Policy) -> list[Suspect]:
    """What would be red if nothing had to be confirmed."""
    asked = judge(_unconfirmed(report), replace(policy, confirm="off"))
    return [
        Suspect(load.name, metric.name, finding, metric.better == "lower")
        for load in asked.workloads
        for metric in load.metrics
        for finding in metric.findings
        if finding.colour == "red"
    ]


def confirmed(report: Report, policy: Policy, ask: Callable[[Suspect], Second | None]) -> Report:
    """The report judged with the second measurement of each suspect; None from ``ask`` = nothing was seen of it.

    What the second measurement does not see stays suspect: only numbers withdraw a finding.
    """
    asked = judge(_unconfirmed(report), replace(policy, confirm="off"))
    workloads = tuple(
        replace(load, metrics=tuple(_metric(load, metric, ask) for metric in load.metrics)) for load in asked.workloads
    )
    return judge(replace(asked, workloads=workloads), policy)


def holds(suspect: Suspect, second: Second) -> bool:
    """Whether the second measurement alone says the same: certain, the same direction, large enough."""
    rose = second.ratio > 1.0
    same = rose == suspect.lower_is_better and second.ratio != 1.0
    if suspect.total:
        return same and second.p < SURE and abs(second.ratio - 1.0) >= ENOUGH * TOTAL_FLOOR
    large = abs(second.ratio - 1.0) >= OWN_FLOOR and abs(second.delta_share) >= ENOUGH * GATE_SHARE
    return same and second.p < SURE and large


def _metric(load: WorkloadReport, metric: MetricReport, ask: Callable[[Suspect], Second | None]) -> MetricReport:
    findings = []
    for finding in metric.findings:
        evidence = {}
        if finding.colour == "red":
            suspect = Suspect(load.name, metric.name, finding, metric.better == "lower")
            second = ask(suspect)
            evidence = _evidence(None if second is None else holds(suspect, second), second)
        findings.append(replace(finding, evidence={**(finding.evidence or {}), **evidence} or None))
    return replace(metric, findings=tuple(findings))


def _evidence(same: bool | None, second: Second | None) -> dict[str, str]:
    if second is None or same is None:
        return {"confirmed": "not seen", "measured again": "the second measurement holds nothing of it"}
    change = (
        "new" if second.ratio == float("inf") else f"{100 * (second.ratio - 1):+.1f} %".replace("-", "\N{MINUS SIGN}")
    )
    runs = f"{second.runs[0]} + {second.runs[1]} interleaved runs"
    told = f"{'' if same else 'not '}confirmed by {runs}: {change}, p = {second.p:.2g}"
    return {"confirmed": "yes" if same else "no", "measured again": told}


def _unconfirmed(report: Report) -> Report:
    """The report without the word of an earlier second measurement."""
    return replace(
        report,
        workloads=tuple(
            replace(load, metrics=tuple(_without(metric) for metric in load.metrics)) for load in report.workloads
        ),
    )


def _without(metric: MetricReport) -> MetricReport:
    dropped = {"confirmed", "measured again"}
    return replace(
        metric,
        findings=tuple(
            replace(
                one,
                evidence={name: text for name, text in (one.evidence or {}).items() if name not in dropped} or None,
            )
            for one in metric.findings
        ),
    )
