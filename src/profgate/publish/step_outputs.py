"""The outputs of the step: their names, their meaning and their values from a report."""

from collections.abc import Sequence
from dataclasses import dataclass

from profgate.model.report import Finding, Report

OUTPUTS = {
    "conclusion": "pass, warn, fail, not_compared or inconclusive.",
    "findings": "Number of possible and certain regressions, one for each cause.",
    "red": "Number of causes that turn the gate red.",
    "report": "Path of report.json.",
    "release-notes": "Path of the Markdown for release notes, where two refs were compared.",
    "page-url": "Address of the worst workload's flame graph page.",
    "comment-url": "Address of the pull request comment.",
    "baseline-sha": "Commit of the baseline.",
    "baseline-distance": "How many commits before the fair commit the baseline stands.",
    "base-runs": "Number of base runs that were read, for the baseline and for noise.",
}


@dataclass(frozen=True, slots=True)
class Published:
    """What is known only after publishing."""

    report_path: str = ""
    page_url: str = ""
    comment_url: str = ""
    base_runs: int = 0
    notes_path: str = ""


def outputs_of(report: Report | None, published: Published) -> dict[str, str]:
    """Every declared output; empty where there is nothing to say."""
    values = dict.fromkeys(OUTPUTS, "")
    values["conclusion"] = "not_compared"
    values["report"] = published.report_path
    values["release-notes"] = published.notes_path
    values["page-url"] = published.page_url
    values["comment-url"] = published.comment_url
    values["base-runs"] = str(published.base_runs)
    if report is None:
        return values | {"findings": "0", "red": "0"}
    findings = [
        one
        for workload in report.workloads
        for metric in workload.metrics
        for one in metric.findings
        if one.colour in {"red", "yellow"} and one.direction == "worse"
    ]
    distance = report.baseline.distance
    return values | {
        "conclusion": report.verdict.conclusion,
        "findings": str(_stories(findings)),
        "red": str(_stories([one for one in findings if one.colour == "red"])),
        "baseline-sha": report.baseline.sha or "",
        "baseline-distance": "" if distance is None else str(distance),
    }


def _stories(findings: Sequence[Finding]) -> int:
    """Causes are counted once, and everything that belongs to none by itself."""
    return len({one.story for one in findings} - {None}) + sum(one.story is None for one in findings)
