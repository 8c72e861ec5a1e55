"""Reports judged as the pipeline judges them, from comparisons made for tests."""

from collections.abc import Sequence
from typing import Any

from profgate.decide.detect.builtin import STRATEGIES
from profgate.model.comparison import Comparison
from profgate.model.policy import Policy
from profgate.model.reason import NotCompared
from profgate.model.report import Finding, Report
from profgate.pipeline import PipelineInput, report_on

BASE = {f"f{place:02}": 4000 + 100 * place for place in range(30)}
SLOWER = {**BASE, "f07": 9400}


def judged(
    *comparisons: Comparison,
    policy: Policy | None = None,
    missing: Sequence[NotCompared] = (),
    interleaved: bool = False,
) -> Report:
    given = PipelineInput((), (), policy=policy or Policy(), interleaved=interleaved)
    return report_on(comparisons, given, STRATEGIES, missing)


def findings(report: Report, workload: int = 0) -> dict[str, Finding]:
    """The findings of a workload's first metric by name."""
    return {finding.location.name: finding for finding in report.workloads[workload].metrics[0].findings}


def codes(finding: Finding) -> list[str]:
    return [reason.code.value for reason in finding.reasons]


def changes_in(metric: dict[str, Any]) -> list[dict[str, Any]]:
    """The changes of all locations in a metric of report.json."""
    return [change for finding in metric["findings"] + metric.get("unjudged", []) for change in finding["changes"]]
