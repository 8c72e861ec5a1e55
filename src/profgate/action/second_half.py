"""The second half of a pull request's run: its profiles are data, compared with a token that the first half had not."""

from dataclasses import replace

from profgate.action.job import Job
from profgate.action.recording import target_artifact
from profgate.action.reporting import compare_and_report
from profgate.action.sides import handed_over_sides
from profgate.action.telling import set_outputs, tell_no_result
from profgate.errors import ProfgateError
from profgate.model.run_context import TriggeringRun
from profgate.publish.step_outputs import Published
from profgate.sources.handed_over import handed_over, pull_of_run

LEFT = "no open pull request has the commit {} of the finished run as its head; a newer run will tell"
SELF = "run {} stored no artifact {}: it reported by itself, since its token could write"
LOST = "holds no artifact {}; let profgate run in it on pull_request"


def second_half(job: Job, run: TriggeringRun) -> int:
    """Compares what the finished run handed over and tells its pull request; gives the exit code.

    A status is written also where there is no result, since a branch rule may wait for it.
    """
    try:
        return _compared(job, run)
    except ProfgateError as error:
        tell_no_result(job, error)
        raise


def _compared(job: Job, run: TriggeringRun) -> int:
    """The pull request is found on the server, from the commit and the repositories; no number in data is believed."""
    name, context = target_artifact(job.settings), job.context
    target = handed_over(job.client, name, run)
    if target is None and not (context.is_fork or context.is_dependabot):
        return _nothing(job, SELF.format(run.id, name))
    pulls = job.client.open_pulls(run.head_owner, run.head_branch)
    pull = pull_of_run(pulls, run, context.repository_id, target.manifest.ref if target else "")
    if pull is None:
        return _nothing(job, LEFT.format(run.head_sha))
    if target is None:
        raise ProfgateError(f"run {run.id}", LOST.format(name))
    job.context = replace(
        context,
        pr_number=pull.number,
        base_ref=pull.base_ref,
        base_sha=pull.base_sha,
        head_ref=pull.head_ref,
        head_sha=pull.head_sha,
        sha=target.manifest.commit,
    )
    job.commands.log(f"pull request {pull.number}, run {run.id} of {run.head_sha}: {len(target.files)} profiles")
    return compare_and_report(job, handed_over_sides(job, target))


def _nothing(job: Job, reason: str) -> int:
    job.commands.notice(reason, title="profgate")
    set_outputs(job.commands, None, Published())
    return 0
