"""A comment with an acceptance: if its author may accept, the failed job, or the comparison, runs again.

The answer sends no notification: a reaction, and refusals in profgate's own comment.
"""

import posixpath
from dataclasses import replace

from profgate.action.fork_comment import comment_on_fork
from profgate.action.job import Job
from profgate.action.policy_file import acceptances_in, policy_at
from profgate.action.publishing import end_without_result
from profgate.action.recording import target_artifact
from profgate.errors import GitHubError, SettingsError
from profgate.github.records import PullRecord, RunRecord
from profgate.github.sticky_comment import answer_in_comment
from profgate.model.acceptance import Acceptance
from profgate.model.run_context import TriggeringRun
from profgate.report.acceptance_rows import remark_text, with_answers

TAKEN, REFUSED = "+1", "confused"  # reactions
NO_FAILURE = "no failed run of {} stands at {}: the acceptance counts in the next run"


def judge_again(job: Job) -> int:
    """Runs the pull request's failed jobs again where a permitted person accepted something; always 0."""
    number = job.context.pr_number
    assert number is not None  # noqa: S101 - the activity was chosen by it
    pull = job.client.pull(number)
    policy, _ = policy_at(job, pull.base.sha)
    if pull.state != "open":
        return end_without_result(job, f"the pull request {number} is {pull.state}, so nothing is judged again")
    acceptances = acceptances_in(job, policy, pull)
    written = [one for one in acceptances if one.id.partition(".")[0] == str(job.context.comment_id)]
    for acceptance in written:
        job.commands.log(f"{acceptance.location or 'a command'}: {remark_text(acceptance) or 'may be accepted'}")
    _answer(job, pull, written, [one for one in acceptances if one.state == "refused"])
    if not any(one.state == "open" for one in written):
        return end_without_result(job, "; ".join(remark_text(one) for one in written) or "the comment is gone")
    return _again(job, pull)


def _answer(job: Job, pull: PullRecord, written: list[Acceptance], refused: list[Acceptance]) -> None:
    """Reacts to the comment, and writes refusals into profgate's own comment."""
    number = job.context.comment_id
    if number is None or not written:
        return
    settings = job.settings
    try:
        job.client.react(number, TAKEN if any(one.state == "open" for one in written) else REFUSED)
        if settings.comment == "never" or all(one.state != "refused" for one in written):
            return
        answer_in_comment(
            job.client,
            pull.number,
            settings.key,
            lambda body: with_answers(body, refused),
            newest=settings.older_comments == "minimize",
        )
    except GitHubError as error:
        job.commands.warning(f"the comment got no answer: {error}", title="profgate")


def _again(job: Job, pull: PullRecord) -> int:
    run = _last_run(job, pull)
    if run is not None and job.client.run_artifacts(run.id, target_artifact(job.settings)):
        return _compare_again(job, run)
    if run is None or run.conclusion != "failure":
        return end_without_result(job, NO_FAILURE.format(_workflow(job), pull.head.sha[:7]))
    job.client.rerun_failed_jobs(run.id)
    return end_without_result(job, f"the failed jobs of run {run.id} run again, and read the acceptance")


def _compare_again(job: Job, run: RunRecord) -> int:
    """Compares the run's stored profiles again, and writes its comment and status anew."""
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


def _last_run(job: Job, pull: PullRecord) -> RunRecord | None:
    """The newest finished run of the workflow that judges, on the pull request's head."""
    path = f".github/workflows/{_workflow(job)}"
    runs = job.client.workflow_runs(path, event="pull_request", head_sha=pull.head.sha)
    fitting = [
        run
        for run in runs
        if (run.workflow_path, run.event, run.head_sha, run.status)
        == (path, "pull_request", pull.head.sha, "completed")
        and run.head_repository_id == pull.head_repository_id
    ]
    return max(fitting, key=lambda run: run.id, default=None)


def _workflow(job: Job) -> str:
    name = job.settings.baseline_workflow or job.context.workflow_path
    if not name:
        raise SettingsError("baseline-workflow", "is empty; name the workflow file that judges pull requests")
    return posixpath.basename(name)
