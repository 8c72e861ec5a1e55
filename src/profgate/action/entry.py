"""The container's entry point: does what the event requires, annotates errors, and sets all outputs."""

import os
import sys
from collections.abc import Callable, Mapping

from profgate.action.base_runs import record_baseline, store_for_comment
from profgate.action.compare_run import compare_build, compare_refs
from profgate.action.github.connections import missing_certificates
from profgate.action.github.event import read_run_context
from profgate.action.github.workflow_commands import WorkflowCommands
from profgate.action.job import ON_GITHUB, Job, Pace
from profgate.action.later_runs import comment_on_fork, handle_accept_comment
from profgate.action.merging import judge_report, merge_shards
from profgate.action.publishing import annotate, end_without_result, set_outputs, write_error_status
from profgate.action.time_limit import exit_code_within
from profgate.errors import ProfgateError, SettingsError, known_error
from profgate.model.acceptance import in_comment
from profgate.model.run_context import RunContext, TriggeringRun
from profgate.settings.inputs import SETTINGS, Settings, input_variable, settings_from
from profgate.version import VERSION

UNTRUSTED_EVENTS = frozenset({"workflow_run", "issue_comment"})  # these runs can write and may read data from a fork
LIMIT_SECONDS = 1200.0
RECORDING_EVENTS = frozenset({"push", "schedule", "workflow_dispatch"})
COMPARING_EVENTS = frozenset({"pull_request", "merge_group"})
Handler = Callable[[Job], int]


def limited_main(
    environ: Mapping[str, str] | None = None, pace: Pace = ON_GITHUB, seconds: float = LIMIT_SECONDS
) -> int:
    """Run `main`, with a time limit if the run can write and reads data from a fork.

    If the run exceeds the limit, or if the kernel ends the process because memory is short, an error is reported.
    """
    given = os.environ if environ is None else environ
    if given.get("GITHUB_EVENT_NAME") not in UNTRUSTED_EVENTS:
        return main(given, pace)
    code = exit_code_within(seconds, lambda: main(given, pace))
    if code is not None:
        return code
    what = f"reading and comparing took more than {seconds:g} seconds or all memory; give smaller or fewer profiles"
    error = ProfgateError("time limit", what)

    def report(job: Job) -> int:
        _report(error, job)
        raise error

    return main(given, pace, report)


def main(
    environ: Mapping[str, str] | None = None, pace: Pace = ON_GITHUB, act: "Callable[[Job], int] | None" = None
) -> int:
    """Run the action and return the exit code. Errors are shown as annotations, and all outputs are set."""
    given = os.environ if environ is None else environ
    commands = WorkflowCommands(
        sys.stdout,
        output_path=given.get("GITHUB_OUTPUT", ""),
        summary_path=given.get("GITHUB_STEP_SUMMARY", ""),
    )
    try:
        inputs = {spec.name: given.get(input_variable(spec.name), "") for spec in SETTINGS}
        settings = settings_from(inputs)
        commands.mask(settings.token)
        _drop_missing_certificates(commands, given)
        job = Job(settings, read_run_context(given), commands, pace, given)
        with job.connections:
            return (act or _act)(job)
    except (ProfgateError, MemoryError) as raised:
        error = known_error(raised)
        annotate(error, commands)
        set_outputs(commands)
        commands.replace_summary(f"### profgate failed\n\n```text\n{str(error).replace('```', '` ` `')}\n```\n")
        return ProfgateError.exit_code
    except Exception as error:
        commands.error(f"internal error ({type(error).__name__}); please report it with the log", title="")
        set_outputs(commands)
        raise


def handler_for(  # noqa: C901, PLR0911, PLR0912 - all events on one page, from top to bottom
    context: RunContext, settings: Settings
) -> tuple[Handler | None, str]:
    """Return what to do on the event of a run (None: nothing), and the reason, which is logged.

    Raises `SettingsError` for an event or inputs that are refused.
    """
    event, mode = context.event_name, settings.mode
    if event == "pull_request_target":
        what = "runs with a token that can write beside untrusted code; use pull_request"
        raise SettingsError("event pull_request_target", what)
    compares = event in COMPARING_EVENTS or (event in RECORDING_EVENTS and bool(settings.baseline_ref))
    if mode == "report":
        if compares:
            return judge_report, f"judge and publish an existing report of this {event} run"
        return None, f"on the event {event!r} nothing was compared, so there is no report to publish"
    if event == "issue_comment" and mode == "auto":
        if context.pr_number is None or context.comment_id is None:
            return None, "only a new comment of a pull request can accept something"
        if in_comment(context.comment, context.comment_id):
            return handle_accept_comment, "a comment accepts something; its author's rights are checked"
        return None, "the comment does not begin with a command of profgate"
    if settings.target_ref:
        if not settings.baseline_ref:
            raise SettingsError("target-ref", "is given without baseline-ref; give both refs")
        return compare_refs, "compare the stored profiles of two refs"
    if settings.baseline_profiles and mode != "record":
        return compare_build, "compare the profiles of both sides, which the job brings"
    if event == "workflow_run":
        return _handler_after(context.triggering_run)
    if mode == "merge":
        if compares:
            return merge_shards, f"merge the reports of the shards of this {event} run"
        return None, f"on the event {event!r} shards compare nothing, so nothing is merged"
    if mode == "compare" or (mode in {"auto", "shard"} and compares):
        return compare_build, f"compare the build of {event} with its baseline"
    if event in RECORDING_EVENTS:
        return record_baseline, f"record the build of {event} as a baseline"
    if mode == "record" and event == "pull_request":
        return store_for_comment, "store the profiles of pull_request for the fork comment workflow (workflow_run)"
    if mode == "record":
        return None, f"profiles of the event {event!r} never serve as a baseline, so nothing is recorded"
    return None, f"profgate does nothing on the event {event!r}"


def _handler_after(run: TriggeringRun | None) -> tuple[Handler | None, str]:
    """Return what the fork comment workflow (`workflow_run`), which has a token that can write, does after a run."""
    if run is None:
        return None, "the event names no finished run"
    if run.event != "pull_request":
        return None, f"the finished run was started by {run.event}, not by a pull request"
    if run.conclusion not in {"success", "failure"}:  # it was cancelled or skipped
        return None, f"the finished run ended with {run.conclusion!r}, so there is nothing to compare"
    return comment_on_fork, "compare the profiles of a finished pull request run"


def _act(job: Job) -> int:
    """Do what the event requires, and return the exit code."""
    handler, reason = handler_for(job.context, job.settings)
    job.log(f"profgate {VERSION}: {reason}")
    if handler is None:
        return end_without_result(job, reason)
    try:
        return handler(job)
    except Exception as error:
        _report(error, job)
        raise


def _report(error: Exception, job: Job) -> None:
    """Write the status of a comparison that ended with an error. Other runs have no status."""
    handler, _ = handler_for(job.context, job.settings)
    if handler not in {None, record_baseline, store_for_comment, handle_accept_comment}:
        write_error_status(job, error)


def _drop_missing_certificates(commands: WorkflowCommands, given: Mapping[str, str]) -> None:
    """Remove the certificate variables of the host whose files do not exist in the container."""
    for name in missing_certificates(given):
        commands.notice(f"{name} names a file that does not exist here and is ignored; use the input ca-bundle")
        os.environ.pop(name, None)  # the requests library reads this variable
