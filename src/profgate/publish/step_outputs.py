"""The outputs of the step: their names, their meaning and their values from a report."""

from dataclasses import dataclass

from profgate.model.report import Report

OUTPUTS = {
    "conclusion": "pass, warn, fail or not_compared.",
    "findings": "Number of findings.",
    "red": "Number of findings that turn the gate red.",
    "report": "Path of report.json.",
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


def outputs_of(report: Report | None, published: Published) -> dict[str, str]:
    """Every declared output; empty where there is nothing to say."""
    values = dict.fromkeys(OUTPUTS, "")
    values["conclusion"] = "not_compared"
    values["report"] = published.report_path
    values["page-url"] = published.page_url
    values["comment-url"] = published.comment_url
    values["base-runs"] = str(published.base_runs)
    if report is None:
        return values | {"findings": "0", "red": "0"}
    findings = [one for workload in report.workloads for metric in workload.metrics for one in metric.findings]
    distance = report.baseline.distance
    return values | {
        "conclusion": report.verdict.conclusion,
        "findings": str(len(findings)),
        "red": str(sum(one.colour == "red" for one in findings)),
        "baseline-sha": report.baseline.sha or "",
        "baseline-distance": "" if distance is None else str(distance),
    }
