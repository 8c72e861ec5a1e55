"""The `workflow_run` after a fork's pull request run: compares its profiles as data, with a token that can write."""

from dataclasses import replace

from profgate.action.job import Job
from profgate.action.merging import merge, stored_shards
from profgate.action.publishing import end_without_result, write_failure_status
from profgate.action.recording import brought_artifact, target_artifact
from profgate.action.reporting import compare_and_report
from profgate.action.sides import fork_sides, with_own_baseline
from profgate.errors import ProfgateError
from profgate.github.fork_artifact import fork_artifact, pull_of_run
from profgate.github.records import PullRecord
from profgate.model.run_context import RunContext, TriggeringRun

LEFT = "no open pull request has the commit {} of the finished run as its head; superseded by a newer run"
SELF = "run {} stored no artifact {}; its own token could write, so it has reported"
LOST = "holds no artifact {}; run profgate in that workflow on pull_request"


def comment_on_fork(job: Job) -> int:
    """Compares the profiles of the finished run and comments on its pull request; returns the exit code.

    A status is also written where there is no result, since a branch rule may wait for it.
    """
    run = job.context.triggering_run
    assert run is not None  # noqa: S101 - the activity requires it
    try:
        return _merged(job, run) if job.settings.mode == "merge" else _compared(job, run)
    except ProfgateError as error:
        if job.settings.mode != "shard":  # the job that merges the shards writes it
            write_failure_status(job, error)
        raise


def _compared(job: Job, run: TriggeringRun) -> int:
    """Compares; the pull request is found by commit and repositories, never by a number in untrusted data."""
    name, context = target_artifact(job.settings), job.context
    target = fork_artifact(job.client, name, run)
    if target is None and not (context.is_fork or context.is_dependabot):
        return end_without_result(job, SELF.format(run.id, name))
    pull = _pull(job, run, target.manifest.ref if target else "")
    if pull is None:
        return end_without_result(job, LEFT.format(run.head_sha))
    if target is None:
        raise ProfgateError(f"run {run.id}", LOST.format(name))
    job.context = _about(pull, context, target.manifest.commit)
    job.log(f"pull request {pull.number}, run {run.id} of {run.head_sha}: {len(target.files)} profiles")
    sides = fork_sides(job, target)
    brought = fork_artifact(job.client, brought_artifact(job.settings), run) if sides.missing else None
    return compare_and_report(job, sides if brought is None else with_own_baseline(sides, brought))


def _merged(job: Job, run: TriggeringRun) -> int:
    """Merges the reports of this run's own shards."""
    shards = stored_shards(job)
    pull = _pull(job, run, f"refs/pull/{shards[0].report.target.label.removeprefix('#')}/merge" if shards else "")
    if pull is None:
        return end_without_result(job, LEFT.format(run.head_sha))
    job.context = _about(pull, job.context, "")
    return merge(job, shards)


def _pull(job: Job, run: TriggeringRun, hint: str) -> PullRecord | None:
    pulls = job.client.open_pulls(run.head_owner, run.head_branch)
    return pull_of_run(pulls, run, job.context.repository_id, hint)


def _about(pull: PullRecord, context: RunContext, merge_commit: str) -> RunContext:
    """The context of the pull request's run."""
    return replace(
        context,
        pr_number=pull.number,
        base_ref=pull.base.ref,
        base_sha=pull.base.sha,
        head_ref=pull.head.ref,
        head_sha=pull.head.sha,
        sha=merge_commit,
    )
