"""The second half of a pull request's run: its profiles are data, compared with a token that the first half had not."""

from dataclasses import replace

from profgate.action.job import Job
from profgate.action.merging import merge, stored_legs
from profgate.action.recording import brought_artifact, target_artifact
from profgate.action.reporting import compare_and_report
from profgate.action.sides import brought_sides, handed_over_sides
from profgate.action.telling import set_outputs, tell_no_result
from profgate.errors import ProfgateError
from profgate.model.github_records import PullRecord
from profgate.model.run_context import RunContext, TriggeringRun
from profgate.publish.step_outputs import Published
from profgate.sources.handed_over import handed_over, pull_of_run

LEFT = "no open pull request has the commit {} of the finished run as its head; a newer run will tell"
SELF = "run {} stored no artifact {}: it reported by itself, since its token could write"
LOST = "holds no artifact {}; let profgate run in it on pull_request"


def second_half(job: Job) -> int:
    """Compares what the finished run handed over and tells its pull request; gives the exit code.

    A status is written also where there is no result, since a branch rule may wait for it.
    """
    run = job.context.triggering_run
    assert run is not None  # noqa: S101 - the activity was chosen by it
    try:
        return _merged(job, run) if job.settings.mode == "merge" else _compared(job, run)
    except ProfgateError as error:
        if job.settings.mode != "leg":  # the job that merges the legs says it
            tell_no_result(job, error)
        raise


def _compared(job: Job, run: TriggeringRun) -> int:
    """The pull request is found on the server, from the commit and the repositories; no number in data is believed."""
    name, context = target_artifact(job.settings), job.context
    target = handed_over(job.client, name, run)
    if target is None and not (context.is_fork or context.is_dependabot):
        return _nothing(job, SELF.format(run.id, name))
    pull = _pull(job, run, target.manifest.ref if target else "")
    if pull is None:
        return _nothing(job, LEFT.format(run.head_sha))
    if target is None:
        raise ProfgateError(f"run {run.id}", LOST.format(name))
    job.context = _about(pull, context, target.manifest.commit)
    job.commands.log(f"pull request {pull.number}, run {run.id} of {run.head_sha}: {len(target.files)} profiles")
    sides = handed_over_sides(job, target)
    brought = handed_over(job.client, brought_artifact(job.settings), run) if sides.missing else None
    return compare_and_report(job, sides if brought is None else brought_sides(sides, brought))


def _merged(job: Job, run: TriggeringRun) -> int:
    """Joins the reports of this second half's own legs, which say the pull request they are about."""
    legs = stored_legs(job)
    pull = _pull(job, run, f"refs/pull/{legs[0].report.target.label.removeprefix('#')}/merge" if legs else "")
    if pull is None:
        return _nothing(job, LEFT.format(run.head_sha))
    job.context = _about(pull, job.context, "")
    return merge(job, legs)


def _pull(job: Job, run: TriggeringRun, hint: str) -> PullRecord | None:
    pulls = job.client.open_pulls(run.head_owner, run.head_branch)
    return pull_of_run(pulls, run, job.context.repository_id, hint)


def _about(pull: PullRecord, context: RunContext, merge_commit: str) -> RunContext:
    """The context as the first half had it."""
    return replace(
        context,
        pr_number=pull.number,
        base_ref=pull.base_ref,
        base_sha=pull.base_sha,
        head_ref=pull.head_ref,
        head_sha=pull.head_sha,
        sha=merge_commit,
    )


def _nothing(job: Job, reason: str) -> int:
    job.commands.notice(reason, title="profgate")
    set_outputs(job.commands, None, Published())
    return 0
