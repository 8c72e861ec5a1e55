"""The entry of the container: one activity for the event, errors as annotations, every output set."""

import os
import sys
from collections.abc import Callable, Mapping

from profgate.action.activity import ActivityKind, Wishes, activity_for
from profgate.action.comment_event import judge_again
from profgate.action.fork_comment import comment_on_fork
from profgate.action.job import ON_GITHUB, Job, Pace
from profgate.action.merging import judge_report, merge
from profgate.action.publishing import annotate, end_without_result, set_outputs
from profgate.action.recording import hand_over, record, store_target
from profgate.action.releasing import keep_with_release
from profgate.action.reporting import compare_and_report
from profgate.action.sides import compared_sides, release_sides
from profgate.errors import ProfgateError, SettingsError
from profgate.github.connections import missing
from profgate.github.event import read_run_context
from profgate.github.workflow_commands import WorkflowCommands
from profgate.settings.inputs import SETTINGS, Settings, input_variable, settings_from
from profgate.version import VERSION


def main(environ: Mapping[str, str] | None = None, pace: Pace = ON_GITHUB) -> int:
    """Runs the action and gives its exit code; errors become annotations, and every output is set."""
    given = os.environ if environ is None else environ
    commands = WorkflowCommands(
        sys.stdout,
        output_path=given.get("GITHUB_OUTPUT", ""),
        summary_path=given.get("GITHUB_STEP_SUMMARY", ""),
    )
    try:
        settings = settings_from({spec.name: given.get(input_variable(spec.name), "") for spec in SETTINGS})
        commands.mask(settings.token)
        _drop_missing_certificates(commands, given)
        job = Job(settings, read_run_context(given), commands, pace, given)
        with job.connections:
            return _act(job)
    except ProfgateError as error:
        annotate(error, commands)
        set_outputs(commands)
        commands.add_summary(
            f"### profgate could not do its job\n\n```text\n{str(error).replace('```', '` ` `')}\n```\n"
        )
        return ProfgateError.exit_code
    except Exception as error:
        commands.error(f"internal error ({type(error).__name__}), please report it with the lines of the log")
        set_outputs(commands)
        raise


def _act(job: Job) -> int:
    """Does what the event asks for."""
    activity = activity_for(job.context, _wishes(job.settings))
    job.commands.log(f"profgate {VERSION}: {activity.reason}")
    if activity.kind is ActivityKind.REFUSED:
        raise SettingsError(f"event {job.context.event_name}", activity.reason)
    if activity.kind is ActivityKind.NOTHING:
        return end_without_result(job, activity.reason)
    return HANDLERS[activity.kind](job)


def _compare(job: Job) -> int:
    """Compares this build; where the token cannot comment, the profiles are stored for the run that can."""
    if job.context.read_only:
        store_target(job)
    return compare_and_report(job, compared_sides(job))


def _compare_refs(job: Job) -> int:
    return compare_and_report(job, release_sides(job))


HANDLERS: dict[ActivityKind, Callable[[Job], int]] = {
    ActivityKind.RECORD: record,
    ActivityKind.COMPARE: _compare,
    ActivityKind.HAND_OVER: hand_over,
    ActivityKind.SECOND_HALF: comment_on_fork,
    ActivityKind.MERGE: merge,
    ActivityKind.TELL: judge_report,
    ActivityKind.JUDGE_AGAIN: judge_again,
    ActivityKind.KEEP: keep_with_release,
    ActivityKind.RELEASE: _compare_refs,
}


def _wishes(settings: Settings) -> Wishes:
    return Wishes(
        mode=settings.mode,
        has_baseline_profiles=bool(settings.baseline_profiles),
        has_target_ref=bool(settings.target_ref),
        has_baseline_ref=bool(settings.baseline_ref),
    )


def _drop_missing_certificates(commands: WorkflowCommands, given: Mapping[str, str]) -> None:
    """The runner hands over the host's variables, whose files may not exist in the container."""
    for name in missing(given):
        commands.notice(f"{name} names a file that does not exist here; it is ignored, use the input ca-bundle")
        os.environ.pop(name, None)  # requests looks there by itself
