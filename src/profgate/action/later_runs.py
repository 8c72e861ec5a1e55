"""Handle runs that follow a pull request's run: the fork comment workflow and acceptances in comments.

The fork comment workflow (`workflow_run`) has a token that can write. The workflow compares the stored profiles, which
are untrusted data. If the author of an acceptance may accept, the failed jobs or the comparison in the fork comment
workflow are run again, and profgate's comment lists the acceptances.
"""

from profgate.action.base_runs import target_artifact
from profgate.action.baseline import recording_workflow
from profgate.action.compare_run import compare_fork
from profgate.action.github.acceptance_comments import Rights, acceptances_of
from profgate.action.github.artifact_source import fork_artifact, newest_pull_run, pull_of_run
from profgate.action.github.records import PullRecord, WorkflowRun
from profgate.action.job import Job
from profgate.action.merging import merge_shards, stored_shards
from profgate.action.policy_file import policy_at
from profgate.action.publishing import end_without_result
from profgate.errors import ProfgateError
from profgate.model.record import replace
from profgate.model.run_context import RunContext, TriggeringRun
from profgate.report.wording import reason_text

LEFT = (
    "no open pull request has the commit {} of the finished run as its head: it was closed, its repository was deleted,"
    " or a newer run replaces this one"
)
TAKEN, REFUSED = "+1", "confused"  # names of reactions to comments


def comment_on_fork(job: Job) -> int:
    """Compare the profiles of the finished run, comment on the pull request of that run, and return the exit code."""
    run = job.context.triggering_run
    assert run is not None  # noqa: S101 - this is called only if there is a triggering run
    return _merge_fork(job, run) if job.settings.mode == "merge" else _compare_fork(job, run)


def _compare_fork(job: Job, run: TriggeringRun) -> int:
    """Compare the profiles of a finished run and return the exit code.

    The stored pull request number is untrusted, so the pull request is identified by its commit and its repositories.
    """
    name, context = target_artifact(job.settings), job.context
    target = fork_artifact(job.client, name, run)
    if target is None and not (context.is_fork or context.is_dependabot):
        reason = f"run {run.id} stored no artifact {name}; its own token could write, so it has reported"
        return end_without_result(job, reason)
    pull = _pull(job, run, target.manifest.ref if target else "")
    if pull is None:
        return end_without_result(job, LEFT.format(run.head_sha))
    if target is None:
        raise ProfgateError(
            f"run {run.id}", f"contains no artifact {name}; run profgate in that workflow on pull_request"
        )
    job.context = _context_of(pull, context, target.manifest.commit)
    job.log(f"pull request {pull.number}, run {run.id} of {run.head_sha}: {len(target.files)} profiles")
    return compare_fork(job, target)


def _merge_fork(job: Job, run: TriggeringRun) -> int:
    """Merge the reports of the shards of this run and return the exit code."""
    shards = stored_shards(job)
    pull = _pull(job, run, f"refs/pull/{shards[0].report.target.label.removeprefix('#')}/merge" if shards else "")
    if pull is None:
        return end_without_result(job, LEFT.format(run.head_sha))
    job.context = _context_of(pull, job.context, "")
    return merge_shards(job, shards)


def _pull(job: Job, run: TriggeringRun, hint: str) -> PullRecord | None:
    pulls = job.client.open_pulls(run.head_owner, run.head_branch)
    return pull_of_run(pulls, run, job.context.repository_id, hint)


def _context_of(pull: PullRecord, context: RunContext, merge_commit: str) -> RunContext:
    """Return the run context with the commits and branches of the pull request."""
    return replace(
        context,
        pr_number=pull.number,
        base_ref=pull.trunk.ref,
        base_sha=pull.trunk.sha,
        head_ref=pull.head.ref,
        head_sha=pull.head.sha,
        description=pull.body or "",
        sha=merge_commit,
    )


def handle_accept_comment(job: Job) -> int:
    """Rerun the failed jobs or the comparison of a pull request if an authorized user accepted a regression."""
    number = job.context.pr_number
    assert number is not None  # noqa: S101 - this is called only for a pull request
    pull = job.client.pull(number)
    if pull.state != "open":
        return end_without_result(job, f"the pull request {number} is {pull.state}, so the gate is not run again")
    policy, _ = policy_at(job, pull.trunk.sha)
    rights = Rights(job.client, policy.owners)
    if objection := rights.objection(job.context.comment_author):  # checked first, because anybody can comment
        return end_without_result(job, reason_text(objection, str))
    own = f"{job.context.comment_id}."
    written = [acceptance for acceptance in acceptances_of(job.client, number, rights) if acceptance.id.startswith(own)]
    refusals = [reason_text(acceptance.remark, str) for acceptance in written if acceptance.remark]
    valid = len(refusals) < len(written)
    if job.context.comment_id is not None and written:
        with job.warning_on_failure("the comment got no reaction"):
            job.client.react(job.context.comment_id, TAKEN if valid else REFUSED)
    if not valid:
        return end_without_result(job, "; ".join(refusals) or "the comment was deleted")
    return _rerun(job, pull)


def _rerun(job: Job, pull: PullRecord) -> int:
    """Run the jobs that failed, or the comparison in the fork comment workflow, again."""
    path = recording_workflow(job)
    run = newest_pull_run(job.client, path, pull.head.sha, pull.head_repository_id)
    if run is not None and job.client.run_artifacts(run.id, target_artifact(job.settings)):
        return _compare_again(job, run)
    if run is None or run.conclusion != "failure":
        reason = f"{path} has no failed run at {pull.head.sha[:7]}; the acceptance counts in the next run"
        return end_without_result(job, reason)
    job.client.rerun_failed_jobs(run.id)
    return end_without_result(job, f"the failed jobs of run {run.id} run again, and read the acceptance")


def _compare_again(job: Job, run: WorkflowRun) -> int:
    """Compare the stored profiles of a run again, and update the comment and the commit status."""
    first = TriggeringRun(
        id=run.id,
        event=run.event,
        conclusion=run.conclusion or "",
        head_branch=run.head_branch or "",
        head_sha=run.head_sha,
        head_repository_id=run.head_repository_id,
        head_owner=(run.head_repository.full_name if run.head_repository else "").partition("/")[0],
        path=run.workflow_path,
    )
    fork = run.head_repository_id != job.context.repository_id
    job.context = replace(
        job.context, event_name="workflow_run", triggering_run=first, head_sha=run.head_sha, is_fork=fork
    )
    return comment_on_fork(job)
