"""Use a second measurement of both sides to confirm or reject findings that fail the gate."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from profgate.judge.verdict import judge
from profgate.model.levels import CONFIRMED, GATE_SHARE, OWN_FLOOR, RED, TOTAL_FLOOR
from profgate.model.policy import Policy
from profgate.model.reason import ReasonCode
from profgate.model.report import Evidence, Finding, MetricReport, Report, WorkloadReport
from profgate.model.tests import Second

ENOUGH = 0.5  # fraction of the gate's minimum change that the second measurement must reach

# doubts that a second measurement can resolve because it interleaves both sides
OPEN = frozenset(
    {ReasonCode.FEW_SPLITS, ReasonCode.NEAR_JOBS, ReasonCode.FEW_JOBS, ReasonCode.ORDER_UNKNOWN}
    | {ReasonCode.EVERYTHING, ReasonCode.UNCONFIRMED, ReasonCode.UNLIKE_RUNS}
)


@dataclass(frozen=True, slots=True)
class Suspect:
    """A finding, with its workload and metric, that fails the gate or would fail it if it were certain."""

    workload: str
    metric: str
    finding: Finding
    lower_is_better: bool

    @property
    def total(self) -> bool:
        """Whether the finding is about the whole workload."""
        return self.finding.is_total

    @property
    def certain(self) -> bool:
        """Whether the finding is already red."""
        return self.finding.colour == "red"

    @property
    def subtree(self) -> bool:
        """Whether the finding is about a function together with all its callees."""
        return self.finding.evidence.judged == "subtree"


def suspects(report: Report, policy: Policy) -> list[Suspect]:
    """Return the findings that are red without confirmation and those that another measurement could turn red."""
    suspected = judge(_unconfirmed(report), replace(policy, confirm="off"))
    return [
        Suspect(load.name, metric.name, finding, metric.better == "lower")
        for load, metric, finding in suspected.findings
        if _is_suspect(finding)
    ]


def _is_suspect(finding: Finding) -> bool:
    open_question = finding.reasons and all(reason.code in OPEN for reason in finding.reasons)
    return finding.colour == "red" or (finding.colour == "yellow" and bool(open_question))


def confirmed(report: Report, policy: Policy, measured: Callable[[Suspect], Second | None]) -> Report:
    """Judge the report again, using the second measurement of each suspect.

    ``measured`` returns None for a suspect without a second measurement. Such a suspect is not rejected.
    """
    suspected = judge(_unconfirmed(report), replace(policy, confirm="off"))
    return judge(suspected.with_metrics(lambda load, metric: _metric(load, metric, measured)), policy)


def holds(suspect: Suspect, second: Second) -> bool:
    """Return whether the second measurement shows a significant, sufficiently large change in the same direction.

    For a suspect that is not red yet, the stricter significance level ``RED`` applies.
    """
    rose = second.ratio > 1.0
    same = rose == suspect.lower_is_better and second.ratio != 1.0
    sure = second.p <= (CONFIRMED if suspect.certain else RED) + 1e-9
    if suspect.total:
        return same and sure and abs(second.ratio - 1.0) >= ENOUGH * TOTAL_FLOOR
    large = abs(second.ratio - 1.0) >= OWN_FLOOR and abs(second.delta_share) >= ENOUGH * GATE_SHARE
    return same and sure and large


def _metric(load: WorkloadReport, metric: MetricReport, measured: Callable[[Suspect], Second | None]) -> MetricReport:
    findings = []
    for finding in metric.findings:
        if _is_suspect(finding):
            suspect = Suspect(load.name, metric.name, finding, metric.better == "lower")
            finding = replace(finding, evidence=_evidence(suspect, measured(suspect)))  # noqa: PLW2901
        findings.append(finding)
    return replace(metric, findings=tuple(findings))


def _evidence(suspect: Suspect, second: Second | None) -> Evidence:
    if second is None:
        return replace(suspect.finding.evidence, confirmed="not seen")
    return replace(
        suspect.finding.evidence,
        confirmed="yes" if holds(suspect, second) else "no",
        confirmed_runs=f"{second.runs[0]} + {second.runs[1]}",
        confirmed_change="new" if second.ratio == float("inf") else f"{second.ratio - 1.0:.6g}",
        confirmed_p=f"{second.p:.2g}",
    )


def _unconfirmed(report: Report) -> Report:
    """Remove the evidence of an earlier second measurement from the report."""

    def without(finding: Finding) -> Finding:
        evidence = replace(
            finding.evidence, confirmed=None, confirmed_runs=None, confirmed_change=None, confirmed_p=None
        )
        return replace(finding, evidence=evidence)

    return report.with_metrics(lambda _, metric: replace(metric, findings=tuple(map(without, metric.findings))))
