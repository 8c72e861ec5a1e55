"""Publish the annotations, outputs, status and comment of a run, and determine its exit code."""

from collections.abc import Mapping

from profgate.action.github.statuses import publish_failure, publish_verdict
from profgate.action.github.sticky_comment import Texts, publish_comment
from profgate.action.github.workflow_commands import WorkflowCommands, harmless
from profgate.action.job import Job
from profgate.errors import GitHubError, NotAllowed, ProfgateError, SettingsError, known_error
from profgate.model.links import Links
from profgate.model.report import Document, Report
from profgate.model.visible_text import name_text, plain
from profgate.report.comment import render_quiet_comment
from profgate.report.statements import advice
from profgate.report.view import View
from profgate.report.wording import reason_text

OUTPUTS = {
    "conclusion": "pass, warn, fail, not_compared or inconclusive.",
    "report": "Path of report.json; empty if it could not be written.",
    "page-url": "URL of the flame graph page of the worst workload.",
    "comment-url": "URL of the pull request comment.",
}
READ_ONLY = "runs of forks and of Dependabot get a token that can only read"


def annotate(error: ProfgateError, commands: WorkflowCommands) -> None:
    """Write an annotation for each line of the error. If the text names a file and line, so does the annotation."""
    for line in map(harmless, str(error).splitlines()):
        where, *rest = line.split(":", 3)
        if isinstance(error, SettingsError) and len(rest) == 3 and rest[0].isdigit() and rest[1].isdigit():
            commands.error(line, file=where, line=int(rest[0]))
        else:
            commands.error(line)


def set_outputs(commands: WorkflowCommands, values: Mapping[str, str] | None = None) -> None:
    """Set all outputs that the action declares. Without values, nothing was compared."""
    for name, value in (dict.fromkeys(OUTPUTS, "") | {"conclusion": "not_compared"} | dict(values or {})).items():
        commands.set_output(name, value)


def end_without_result(job: Job, reason: str) -> int:
    """End a run that has nothing to do: write the reason as a notice, set the outputs, and return exit code 0."""
    job.notice(reason)
    set_outputs(job.commands)
    return 0


def exit_code_of(job: Job, report: Report, *, has_status: bool = False) -> int:
    """Annotate the run with the verdict and return the exit code.

    It is 0 for "not compared", unless the policy treats that as a failure, and if a `workflow_run` wrote a commit
    status, because GitHub would otherwise show a failed run on the default branch.
    """
    verdict = report.verdict
    reasons = harmless("; ".join(reason_text(reason, name_text) for reason in verdict.reasons))
    if verdict.fails:
        job.commands.error(reasons or "the gate failed", title="profgate: the gate failed")
    elif verdict.conclusion == "not_compared":
        job.warn(reasons or "nothing was compared", title="profgate: not compared")
    elif verdict.conclusion == "inconclusive":
        job.notice(f"{reasons}. {advice(verdict.reasons[0], report, plain)}", title="profgate: inconclusive")
    job.log(f"verdict: {verdict.conclusion}")
    return int(verdict.fails and not (has_status and job.context.event_name == "workflow_run"))


def write_status(job: Job, view: View) -> bool:
    """Write the commit status if it is requested, and return whether it was written. An error causes only a warning."""
    context = job.context
    if not (job.settings.status or context.event_name == "workflow_run"):
        return False
    if context.read_only:
        job.notice(f"No commit status was written: {READ_ONLY}.")
        return False
    verdict = view.report.verdict
    title = plain(view.doubt() if view.doubtful else view.headline())
    if not title and verdict.reasons:
        title = plain(reason_text(verdict.reasons[0], name_text))
    try:
        publish_verdict(job.client, context.head_sha, _status_key(job), verdict, title, context.run_url)
    except GitHubError as error:
        job.warn(f"no commit status was written: {error}")
        return False
    return True


def _status_key(job: Job) -> str:
    """Return the key for the name of a status. The key contains the base branch unless that is the default branch.

    Several pull requests with the same head must not replace the status that the default branch requires.
    """
    base, default = job.context.base_branch, job.context.default_branch
    return job.settings.key if not default or base in {"", default} else f"{job.settings.key}@{base}"


def write_error_status(job: Job, error: Exception) -> None:
    """Write the commit status of a comparison that ended with an error. For shards, the merging job does.

    A branch protection rule may require it, and an earlier attempt of the run may have written that the gate passed.
    """
    context = job.context
    requested = job.settings.status or context.triggering_run is not None
    if requested and job.settings.mode != "shard" and not context.read_only:
        with job.warning_on_failure("no commit status was written"):
            publish_failure(job.client, context.head_sha, _status_key(job), known_error(error), context.run_url)


def write_comment(job: Job, view: View, comment: Document, links: Links) -> tuple[str, str]:
    """Write the comment. Return its URL, and a note for the summary if it could not be written."""
    context, settings = job.context, job.settings
    if context.pr_number is None or not context.concerns_pull or settings.comment == "never":
        return "", ""
    if context.read_only or not settings.token:
        why = "no token was given"
        if context.read_only and job.fork_profiles_stored:
            why = (
                f"{READ_ONLY}. The profiles were stored for a workflow that runs on workflow_run and can write it, if"
                " this repository has one (profgate's docs/how-to/forks.md)"
            )
        elif context.read_only:
            why = (
                f"{READ_ONLY}. The profiles were not stored either for a run that can write it: the log names the step"
                " to add"
            )
        note = f"No comment was written: {why}."
        job.notice(note)
        return "", note
    quiet = render_quiet_comment(view, key=settings.key, links=links, run_url=context.run_url)
    texts = comment_texts(view.report, comment.text, quiet.text, settings.comment)
    try:
        outcome = publish_comment(
            job.client,
            context.pr_number,
            context.head_sha,
            settings.key,
            texts,
            base_ref="" if settings.baseline_ref else context.base_ref,
        )
    except GitHubError as error:
        job.warn(f"no comment was written: {error}")
        if isinstance(error, NotAllowed):
            return "", "No comment was written: the token lacks a permission, which the log names."
        return "", "No comment was written: GitHub refused it or failed. The log has the reason."
    if outcome.skipped:
        job.log(f"no comment was written: {outcome.skipped}")
    return outcome.url, ""


def comment_texts(report: Report, full: str, quiet: str, mode: str) -> Texts:
    """Return the texts of a comment.

    Unless the mode is ``always``, a passed gate creates no comment, and an inconclusive result is one line.
    """
    conclusion = report.verdict.conclusion
    brief = mode == "on-change" and conclusion == "inconclusive"
    return Texts(quiet if brief else full, quiet, worth=mode == "always" or conclusion != "pass" or bool(report.claims))
