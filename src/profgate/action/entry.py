"""The container's entry point: runs the activity for the event, annotates errors, and sets all outputs."""

import os
import sys
from collections.abc import Callable, Mapping

from profgate.action.activity import ActivityKind, activity_for
from profgate.action.base_runs import record_baseline, store_for_comment, store_target
from profgate.action.compared_sides import compared_sides, ref_sides
from profgate.action.job import ON_GITHUB, Job, Pace
from profgate.action.later_runs import comment_on_fork, judge_again
from profgate.action.merging import judge_report, merge_shards
from profgate.action.publishing import annotate, end_without_result, set_outputs, write_error_status
from profgate.action.reporting import compare_and_report
from profgate.action.time_limit import exit_code_within
from profgate.errors import ProfgateError, SettingsError, known_error
from profgate.github.connections import missing_certificates
from profgate.github.event import read_run_context
from profgate.github.workflow_commands import WorkflowCommands
from profgate.settings.inputs import SETTINGS, input_variable, settings_from
from profgate.version import VERSION

UNTRUSTED_EVENTS = frozenset({"workflow_run", "issue_comment"})  # these runs can write and may read data from a fork
LIMIT_SECONDS = 1200.0


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
        commands.add_summary(f"### profgate failed\n\n```text\n{str(error).replace('```', '` ` `')}\n```\n")
        return ProfgateError.exit_code
    except Exception as error:
        commands.error(f"internal error ({type(error).__name__}); please report it with the log", title="")
        set_outputs(commands)
        raise


def _act(job: Job) -> int:
    """Run the activity for the event and return the exit code."""
    activity = activity_for(job.context, job.settings)
    job.log(f"profgate {VERSION}: {activity.reason}")
    if activity.kind is ActivityKind.REFUSED:
        raise SettingsError(f"event {job.context.event_name}", activity.reason)
    if activity.kind is ActivityKind.NOTHING:
        return end_without_result(job, activity.reason)
    try:
        return HANDLERS[activity.kind](job)
    except Exception as error:
        _report(error, job)
        raise


def _report(error: Exception, job: Job) -> None:
    """Write the status of a comparison that ended with an error. Other activities have no status."""
    if activity_for(job.context, job.settings).kind in JUDGING:
        write_error_status(job, error)


def _compare(job: Job) -> int:
    """Compare this build with its baseline. With a read-only token, also store it for the fork comment workflow."""
    if job.context.read_only:
        store_target(job)
    return compare_and_report(job, compared_sides(job))


def _compare_refs(job: Job) -> int:
    """Compare the stored profiles of two refs and return the exit code."""
    return compare_and_report(job, ref_sides(job))


HANDLERS: dict[ActivityKind, Callable[[Job], int]] = {
    ActivityKind.RECORD: record_baseline,
    ActivityKind.COMPARE: _compare,
    ActivityKind.STORE_FOR_COMMENT: store_for_comment,
    ActivityKind.COMMENT_ON_FORK: comment_on_fork,
    ActivityKind.MERGE: merge_shards,
    ActivityKind.REPORT: judge_report,
    ActivityKind.JUDGE_AGAIN: judge_again,
    ActivityKind.COMPARE_REFS: _compare_refs,
}

JUDGING = HANDLERS.keys() - {
    ActivityKind.RECORD,
    ActivityKind.STORE_FOR_COMMENT,
    ActivityKind.JUDGE_AGAIN,
}


def _drop_missing_certificates(commands: WorkflowCommands, given: Mapping[str, str]) -> None:
    """Remove the certificate variables of the host whose files do not exist in the container."""
    for name in missing_certificates(given):
        commands.notice(f"{name} names a file that does not exist here and is ignored; use the input ca-bundle")
        os.environ.pop(name, None)  # the requests library reads this variable
