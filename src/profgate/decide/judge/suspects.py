"""Suspects of a comparison with stored baselines, and the report after both commits were measured in turns."""

from dataclasses import replace

from profgate.decide.judge.verdict import judge
from profgate.model.levels import FEWEST_JOBS, NEARLY_ALL
from profgate.model.measurement import Measurement, Suspect
from profgate.model.policy import Policy
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import MetricReport, Report, WorkloadReport


def suspects_in(report: Report) -> list[Suspect]:
    """Return the regressions that the report lists. Functions of nearly the whole run are covered by the total."""
    return [
        Suspect(
            workload.name,
            metric.name,
            None if finding.is_total else finding.location,
            listed=True,
            change=finding.relative,
        )
        for workload, metric, finding in report.findings
        if finding.colour != "neutral" and finding.direction == "worse"
        if max(finding.share_from or 0.0, finding.share_to or 0.0) < NEARLY_ALL
    ]


def is_open(report: Report) -> bool:
    """Return whether a measurement can decide more than the report does: it fails, warns or is inconclusive."""
    return report.verdict.conclusion in {"fail", "warn", "inconclusive"}


def needs_more_suspects(report: Report) -> bool:
    """Return whether the list of suspects may be incomplete: the report is inconclusive or has few base jobs."""
    jobs = [metric.calibration.base_jobs or 0 for _, metric in report.metrics if metric.state == "compared"]
    return report.verdict.conclusion == "inconclusive" or min(jobs, default=0) < FEWEST_JOBS


def with_measurement(first: Report, measured: Report, measurement: Measurement, policy: Policy) -> Report:
    """Return the first report with the metrics that were measured in turns replaced by their new results."""
    new = {(workload.name, metric.name): metric for workload, metric in measured.metrics}

    def replaced(workload: WorkloadReport, metric: MetricReport) -> MetricReport:
        repeated = new.get((workload.name, metric.name))
        return metric if repeated is None or repeated.state != "compared" else repeated

    draft = first.with_metrics(replaced)
    warnings = (*first.warnings, *(warning for warning in measured.warnings if warning not in first.warnings))
    return judge(replace(draft, measurement=measurement, warnings=warnings), policy)


def without_measurement(first: Report, why: str, side: str, policy: Policy) -> Report:
    """Return the first report after a measurement failed on one side, or elsewhere if ``side`` is empty."""
    warning = Reason(ReasonCode.NOT_MEASURED_AGAIN, {"text": why, "side": side})
    return judge(replace(first, warnings=(*first.warnings, warning)), policy)
