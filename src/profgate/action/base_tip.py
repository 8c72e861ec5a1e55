"""What the base branch did meanwhile, where a later state of it was recorded: looked at when somebody has to ask."""

from dataclasses import replace

from profgate import wiring
from profgate.action.job import Job
from profgate.action.sides import Sides
from profgate.attribute.base_branch import with_base_branch
from profgate.errors import GitHubError, ProfileError
from profgate.model.report import Report, Side
from profgate.sources.artifact_source import later_set


def beside_base_tip(job: Job, report: Report, sides: Sides) -> Report:
    """The report with the three-way account, or as it was where there is nothing to explain or nothing recorded."""
    later = sides.later
    if later is None or not _to_explain(report):
        return report
    try:
        stored = later_set(job.client, later, job.settings.artifact)
    except (GitHubError, ProfileError) as error:
        job.commands.log(f"the base branch's later state was not looked at: {error}")
        return report
    side = Side(later.head_branch or "", later.head_sha, later.head_branch, later.id)
    given = replace(
        sides.given,
        target=stored.files,
        target_side=side,
        manifests=(sides.given.manifests[0], stored.manifest),
        pages=0,
    )
    name = f"{later.head_branch} at {later.head_sha[:7]}"
    return with_base_branch(report, wiring.compare(given).report, name)


def _to_explain(report: Report) -> bool:
    """Whether anything got worse: only then a second comparison is worth its time."""
    return any(
        one.direction == "worse" and one.colour in {"red", "yellow"}
        for workload in report.workloads
        for metric in workload.metrics
        for one in metric.findings
    )
