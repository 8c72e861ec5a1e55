"""Choose what a run of the action does, based only on the event and the settings."""

from dataclasses import dataclass
from enum import Enum, auto

from profgate.model.acceptance import in_comment
from profgate.model.run_context import RunContext, TriggeringRun
from profgate.settings.inputs import Settings


class ActivityKind(Enum):
    """The possible activities of a run.

    The fork comment workflow (`workflow_run`) has a token that can write: STORE_FOR_COMMENT stores the profiles of a
    pull request for it, and COMMENT_ON_FORK compares them there. MERGE merges the reports of a matrix. REPORT publishes
    a report from an earlier step. JUDGE_AGAIN handles an acceptance in a comment. COMPARE_RELEASE compares a release
    with an earlier one, COMPARE_REFS two refs. REFUSED ends the run with an error.
    """

    RECORD = auto()
    COMPARE = auto()
    STORE_FOR_COMMENT = auto()
    COMMENT_ON_FORK = auto()
    MERGE = auto()
    REPORT = auto()
    JUDGE_AGAIN = auto()
    COMPARE_RELEASE = auto()
    COMPARE_REFS = auto()
    NOTHING = auto()
    REFUSED = auto()


@dataclass(frozen=True, slots=True)
class Activity:
    """An activity, and the reason why it was chosen. The reason is logged."""

    kind: ActivityKind
    reason: str


RECORDING_EVENTS = frozenset({"push", "schedule", "workflow_dispatch"})
COMPARING_EVENTS = frozenset({"pull_request", "merge_group"})
COMPLETE = frozenset({"success", "failure"})  # conclusions of runs that were neither cancelled nor skipped


def activity_for(context: RunContext, settings: Settings) -> Activity:
    """Return the activity for this run. The activity is NOTHING if profgate does not handle the event."""
    event = context.event_name
    compares = event in COMPARING_EVENTS or (event in RECORDING_EVENTS and bool(settings.baseline_ref))
    if event == "pull_request_target":
        reason = "pull_request_target runs with a token that can write beside untrusted code; use pull_request"
        return Activity(ActivityKind.REFUSED, reason)
    if settings.mode == "report":
        return _existing_report(event, compares=compares)
    if event == "issue_comment" and settings.mode == "auto":
        return _on_comment(context)
    if settings.target_ref:
        return _of_two_refs(settings)
    if settings.baseline_profiles and settings.mode != "record":
        return Activity(ActivityKind.COMPARE, "compare the profiles of both sides, which the job brings")
    return _by_special_event(context) or _by_mode(settings.mode, event, compares=compares)


def _nothing(reason: str) -> Activity:
    return Activity(ActivityKind.NOTHING, reason)


def _existing_report(event: str, *, compares: bool) -> Activity:
    if compares:
        return Activity(ActivityKind.REPORT, f"judge and publish an existing report of this {event} run")
    return _nothing(f"on the event {event!r} nothing was compared, so there is no report to publish")


def _of_two_refs(settings: Settings) -> Activity:
    if settings.baseline_ref:
        return Activity(ActivityKind.COMPARE_REFS, "compare the stored profiles of two refs")
    return Activity(ActivityKind.REFUSED, "target-ref is given without baseline-ref; give both refs")


def _by_special_event(context: RunContext) -> Activity | None:
    if context.event_name == "workflow_run":
        return _after(context.triggering_run)
    if context.event_name != "release":
        return None
    if context.action == "published" and context.release_tag:
        return Activity(ActivityKind.COMPARE_RELEASE, "compare the profiles of the release with an earlier one")
    return _nothing(f"the release is {context.action or 'of an unknown state'}, not published")


def _of_shards(event: str, *, compares: bool) -> Activity:
    if compares:
        return Activity(ActivityKind.MERGE, f"merge the reports of the shards of this {event} run")
    return _nothing(f"on the event {event!r} shards compare nothing, so nothing is merged")


def _on_comment(context: RunContext) -> Activity:
    if context.pr_number is None or context.comment_id is None:
        return _nothing("only a new comment of a pull request can accept something")
    if not in_comment(context.comment, context.comment_id):
        return _nothing("the comment does not begin with a command of profgate")
    return Activity(ActivityKind.JUDGE_AGAIN, "a comment accepts something; its author's rights are checked")


def _after(run: TriggeringRun | None) -> Activity:
    """Return the activity for a `workflow_run` event."""
    if run is None:
        return _nothing("the event names no finished run")
    if run.event != "pull_request":
        return _nothing(f"the finished run was started by {run.event}, not by a pull request")
    if run.conclusion not in COMPLETE:
        return _nothing(f"the finished run ended with {run.conclusion!r}, so there is nothing to compare")
    return Activity(ActivityKind.COMMENT_ON_FORK, "compare the profiles of a finished pull request run")


def _by_mode(mode: str, event: str, *, compares: bool) -> Activity:
    if mode == "merge":
        return _of_shards(event, compares=compares)
    if mode == "compare" or (mode in {"auto", "shard"} and compares):
        return Activity(ActivityKind.COMPARE, f"compare the build of {event} with its baseline")
    if event in RECORDING_EVENTS:
        return Activity(ActivityKind.RECORD, f"record the build of {event} as a baseline")
    if mode == "record" and event == "pull_request":
        reason = "store the profiles of pull_request for the fork comment workflow (workflow_run)"
        return Activity(ActivityKind.STORE_FOR_COMMENT, reason)
    if mode == "record":
        return _nothing(f"profiles of the event {event!r} never serve as a baseline, so nothing is recorded")
    return _nothing(f"profgate does nothing on the event {event!r}")
