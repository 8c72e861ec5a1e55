"""Mark the changes of a stacked pull request that the layer below it already has.

A pull request in a stack is compared with the trunk, because merging it also merges all layers below it. The report of
the layer below is untrusted, because another pull request made it, and changes no verdict.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from math import isfinite

from profgate.action.job import Job
from profgate.attribution.base_branch import with_base_branch
from profgate.errors import GitHubError, ProfgateError
from profgate.github.artifact_source import newest_pull_run
from profgate.github.artifact_upload import is_report_of
from profgate.github.connections import RetryBudgetExceededError
from profgate.github.step_outputs import regressions
from profgate.model.reason import Parameter, Reason, ReasonCode
from profgate.model.report import Report
from profgate.report.json_report import LARGEST_REPORT, REPORT_NAME, from_json

MOST_TOTALS = 3  # maximum number of metrics whose totals are shown by layer
PAUSE = 30  # seconds between two requests for the run of the layer below


def beside_layer_below(job: Job, report: Report) -> Report:
    """Return the report with marks on the changes that the layer below also has, and with the total of each layer.

    Return the report itself if it has no regressions, or the layer below has no report for the same baseline.
    """
    layer = job.context.layer
    if layer is None or not job.context.stacked or not regressions(report):
        return report
    try:
        below = _report_at(job, layer.below_sha, report.baseline.sha)
    except (GitHubError, ProfgateError) as error:
        job.warn(f"which changes come from the layer below is not known: {error}")
        return report
    if not layer.position:
        return with_base_branch(report, below, f"the layer below ({below.target.label})")
    marked = with_base_branch(report, below, f"layer {layer.position - 1} of {layer.size} ({below.target.label})")
    totals = islice(_totals(report, below, layer.position), MOST_TOTALS)
    return replace(marked, warnings=(*marked.warnings, *totals))


def _totals(report: Report, below: Report, position: int) -> Iterator[Reason]:
    """Yield what each layer adds to the total, for each metric with a regression that both reports compared.

    The report of the layer below lists the layers below it, unless none of them is slower.
    """
    slower, names = set(map(id, regressions(report))), [f"layer {number}" for number in range(1, position)]
    there = {(load.name, metric.name): metric.total.relative for load, metric in below.metrics}
    for load, metric in report.metrics:
        ours, theirs = metric.total.relative, there.get((load.name, metric.name))
        if ours is None or theirs is None or theirs <= -1.0 or slower.isdisjoint(map(id, metric.findings)):
            continue
        place: dict[str, Parameter] = {"workload": load.name, "metric": metric.name}
        listed = (one.parameters for one in below.warnings if one.code is ReasonCode.LAYER_TOTALS)
        known = next((one for one in listed if place.items() <= one.items()), {})
        parts = {name: known.get(name) for name in names}
        if not all(isinstance(part, float) and isfinite(part) for part in parts.values()):
            parts = {f"layers 1 to {position - 1}" if position > 2 else "layer 1": theirs}
        yield Reason(ReasonCode.LAYER_TOTALS, {**place, **parts, f"layer {position}": (1 + ours) / (1 + theirs) - 1})


def _report_at(job: Job, sha: str, baseline: str | None) -> Report:
    """Return the newest report of the pull request below. Raises `GitHubError` if there is none for this baseline."""
    where, context = f"pull request at {sha[:7]}", job.context
    newest_run = partial(newest_pull_run, job.client, context.workflow_path, sha, context.repository_id)
    while (run := newest_run()) is not None and run.status == "in_progress":
        job.log(f"{where}: run {run.id} is in progress; waiting up to {PAUSE} seconds")
        try:
            job.base_run_budget.wait(PAUSE, where)
        except RetryBudgetExceededError:
            break
    stored = [] if run is None else job.client.run_artifacts(run.id)
    newest = next((item for item in stored if is_report_of(job.settings.key, item.name) and not item.expired), None)
    if newest is None:
        raise GitHubError(where, "has no report yet; run this job again when its run has ended")
    members = job.client.artifact_files(newest, max_bytes=LARGEST_REPORT)
    if REPORT_NAME not in members:
        raise GitHubError(where, f"{newest.name} contains no {REPORT_NAME}")
    report = from_json(members[REPORT_NAME].decode("utf-8", "replace"), where)
    if report.baseline.sha != baseline:
        raise GitHubError(where, "was compared with another commit; run its job again, and then this one")
    return report
