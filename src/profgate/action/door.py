"""The entry of the container: one activity for the event, errors as annotations, every output set."""

import os
import sys
from collections.abc import Mapping

from profgate.action.job import ON_GITHUB, Job, Pace
from profgate.action.recording import hand_over, record, store_target
from profgate.action.reporting import compare_and_report
from profgate.action.second_half import second_half
from profgate.action.sides import compared_sides, release_sides
from profgate.action.telling import set_outputs, tell
from profgate.activity import ActivityKind, Wishes, activity_for
from profgate.adapters.event import read_run_context
from profgate.adapters.workflow_commands import WorkflowCommands
from profgate.errors import ProfgateError, SettingsError
from profgate.publish.step_outputs import Published
from profgate.settings import SETTINGS, Settings, input_variable, settings_from
from profgate.version import VERSION

CA_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")


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
        _drop_missing_certificates(commands)
        job = Job(settings, read_run_context(given), commands, pace, given)
        with job.connections:
            return _act(job)
    except ProfgateError as error:
        tell(error, commands)
        set_outputs(commands, None, Published())
        commands.add_summary(
            f"### profgate could not do its job\n\n```text\n{str(error).replace('```', '` ` `')}\n```\n"
        )
        return ProfgateError.exit_code
    except Exception as error:
        commands.error(f"internal error ({type(error).__name__}), please report it with the lines of the log")
        set_outputs(commands, None, Published())
        raise


def _act(job: Job) -> int:
    """Does what the event asks for."""
    activity = activity_for(job.context, _wishes(job.settings))
    job.commands.log(f"profgate {VERSION}: {activity.reason}")
    match activity.kind:
        case ActivityKind.REFUSED:
            raise SettingsError(f"event {job.context.event_name}", activity.reason)
        case ActivityKind.NOTHING:
            job.commands.notice(activity.reason, title="profgate")
            set_outputs(job.commands, None, Published())
            return 0
        case ActivityKind.RECORD:
            return record(job)
        case ActivityKind.HAND_OVER:
            return hand_over(job)
        case ActivityKind.SECOND_HALF:
            assert job.context.triggering_run is not None  # noqa: S101 - the activity was chosen by it
            return second_half(job, job.context.triggering_run)
        case ActivityKind.RELEASE:
            return compare_and_report(job, release_sides(job))
        case ActivityKind.COMPARE:
            if job.context.read_only and not job.settings.baseline_profiles:
                store_target(job)
            return compare_and_report(job, compared_sides(job))


def _wishes(settings: Settings) -> Wishes:
    return Wishes(
        mode=settings.mode,
        has_baseline_profiles=bool(settings.baseline_profiles),
        has_target_ref=bool(settings.target_ref),
        has_baseline_ref=bool(settings.baseline_ref),
    )


def _drop_missing_certificates(commands: WorkflowCommands) -> None:
    """The runner hands over the host's variables, whose files may not exist in the container."""
    for name in CA_VARIABLES:
        if os.environ.get(name) and not os.path.exists(os.environ[name]):  # noqa: PTH110 - a question, not a path
            commands.notice(f"{name} names a file that does not exist here; it is ignored, use the input ca-bundle")
            del os.environ[name]
