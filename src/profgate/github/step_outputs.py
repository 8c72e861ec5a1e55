"""Define the names, descriptions and values of the step's outputs."""

from collections.abc import Mapping, Sequence

from profgate.model.report import Finding, Report

OUTPUTS = {
    "conclusion": "pass, warn, fail, not_compared or inconclusive.",
    "findings": "Number of causes of possible and certain regressions.",
    "red": "Number of causes that turn the gate red.",
    "report": "Path of report.json; empty if it could not be written.",
    "page-url": "URL of the flame graph page of the worst workload.",
    "comment-url": "URL of the pull request comment.",
    "baseline-sha": "Commit of the baseline.",
    "baseline-distance": "Number of commits from the baseline to the merge base.",
    "base-runs": "Number of base runs that were read, for the baseline and for noise.",
}


def outputs_of(report: Report | None, published: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the values of all outputs, of which ``published`` are known only after publishing."""
    values = dict.fromkeys(OUTPUTS, "") | {"conclusion": "not_compared", "findings": "0", "red": "0", "base-runs": "0"}
    values |= published or {}
    if report is None:
        return values
    findings = regressions(report)
    distance = report.baseline.distance
    return values | {
        "conclusion": report.verdict.conclusion,
        "findings": str(_causes(findings)),
        "red": str(_causes([finding for finding in findings if finding.colour == "red"])),
        "baseline-sha": report.baseline.sha or "",
        "baseline-distance": "" if distance is None else str(distance),
    }


def regressions(report: Report) -> list[Finding]:
    """Return the findings that are possible or certain regressions."""
    return [
        finding
        for _, _, finding in report.findings
        if finding.colour in {"red", "yellow"} and finding.direction == "worse"
    ]


def _causes(findings: Sequence[Finding]) -> int:
    """Return the number of causes. Each finding without a known cause is counted as a separate cause."""
    return len({finding.cause for finding in findings} - {None}) + sum(finding.cause is None for finding in findings)
