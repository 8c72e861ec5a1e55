"""What to do, from the event and the settings alone."""

from dataclasses import dataclass
from enum import StrEnum

from profgate.model.acceptance import in_comment
from profgate.model.run_context import RunContext, TriggeringRun


class ActivityKind(StrEnum):
    """What a run can be for.

    MERGE joins the reports of a matrix; TELL tells a report that another step finished; HAND_OVER stores a pull
    request's profiles for its second half; SECOND_HALF compares what a finished run handed over, with a token that can
    write; JUDGE_AGAIN follows an acceptance in a comment; KEEP attaches profiles to a release; RELEASE compares the
    stored profiles of two refs; REFUSED is never safe.
    """

    RECORD = "record"
    COMPARE = "compare"
    HAND_OVER = "hand over"
    MERGE = "merge"
    TELL = "tell"
    SECOND_HALF = "second half"
    JUDGE_AGAIN = "judge again"
    KEEP = "keep with the release"
    RELEASE = "release"
    NOTHING = "nothing"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Activity:
    """What to do and why; the reason is told to the user."""

    kind: ActivityKind
    reason: str


@dataclass(frozen=True, slots=True)
class Wishes:
    """The settings that bear on the choice."""

    mode: str = "auto"
    has_baseline_profiles: bool = False
    has_target_ref: bool = False
    has_baseline_ref: bool = False


RECORDING_EVENTS = frozenset({"push", "schedule", "workflow_dispatch"})
COMPARING_EVENTS = frozenset({"pull_request", "merge_group"})
TELLING_CONCLUSIONS = frozenset({"success", "failure"})  # of a first half: it came to its end


def activity_for(context: RunContext, wishes: Wishes) -> Activity:
    """The activity for this run; total: every event has an answer."""
    if context.event_name == "pull_request_target":
        reason = "pull_request_target runs with a token that can write beside code of strangers; use pull_request"
        return Activity(ActivityKind.REFUSED, reason)
    if wishes.mode == "tell":
        return _finished(context.event_name, compares=_compares(context.event_name, wishes))
    if context.event_name == "issue_comment" and wishes.mode == "auto":
        return _commented(context)
    if wishes.has_target_ref:
        return _of_two_refs(wishes)
    if wishes.has_baseline_profiles and wishes.mode != "record":
        return Activity(ActivityKind.COMPARE, "the job brings the profiles of both sides")
    return _by_special_event(context) or _by_event(context.event_name, wishes)


def _by_special_event(context: RunContext) -> Activity | None:
    """The events that leave no choice."""
    if context.event_name == "workflow_run":
        return _after(context.triggering_run)
    return _released(context) if context.event_name == "release" else None


def _released(context: RunContext) -> Activity:
    if context.action != "published" or not context.release_tag:
        return Activity(ActivityKind.NOTHING, f"a release that is {context.action or 'not told'}: nothing to keep")
    return Activity(ActivityKind.KEEP, "the release keeps the profiles of its commit")


def _of_two_refs(wishes: Wishes) -> Activity:
    if not wishes.has_baseline_ref:
        return Activity(ActivityKind.REFUSED, "target-ref is given without baseline-ref; give both refs")
    return Activity(ActivityKind.RELEASE, "both refs are given, so their stored profiles are compared")


def _commented(context: RunContext) -> Activity:
    if context.pr_number is None or context.comment_id is None:
        return Activity(ActivityKind.NOTHING, "only a new comment of a pull request can accept something")
    if not in_comment(context.comment, context.comment_id):
        return Activity(ActivityKind.NOTHING, "the comment does not begin with a command of profgate")
    return Activity(ActivityKind.JUDGE_AGAIN, "a comment accepts something; its author's rights are checked")


def _after(first: TriggeringRun | None) -> Activity:
    """The second half of a pull request's run, whose token can write while the first half's could not."""
    if first is None:
        return Activity(ActivityKind.NOTHING, "the event names no finished run, so there is nothing to do")
    if first.event != "pull_request":
        return Activity(ActivityKind.NOTHING, f"the finished run was started by {first.event}, not by a pull request")
    if first.conclusion not in TELLING_CONCLUSIONS:
        return Activity(ActivityKind.NOTHING, f"the finished run ended with {first.conclusion!r}: nothing to tell")
    return Activity(ActivityKind.SECOND_HALF, "the profiles of a finished pull request run are compared")


def _finished(event: str, *, compares: bool) -> Activity:
    if compares:
        return Activity(ActivityKind.TELL, f"a finished report of this {event} run is judged and told")
    return Activity(ActivityKind.NOTHING, f"on the event {event!r} nothing was compared, so there is nothing to tell")


def _of_legs(event: str, *, compares: bool) -> Activity:
    if compares:
        return Activity(ActivityKind.MERGE, f"the reports that the legs of this {event} run stored become one")
    return Activity(ActivityKind.NOTHING, f"on the event {event!r} legs compare nothing, so nothing is merged")


def _compares(event: str, wishes: Wishes) -> bool:
    return event in COMPARING_EVENTS or (event in RECORDING_EVENTS and wishes.has_baseline_ref)


def _by_event(event: str, wishes: Wishes) -> Activity:
    compares = _compares(event, wishes)
    if wishes.mode == "merge":
        return _of_legs(event, compares=compares)
    if wishes.mode == "compare" or (wishes.mode in {"auto", "leg"} and compares):
        return Activity(ActivityKind.COMPARE, f"the build of {event} is compared with its baseline")
    if event in RECORDING_EVENTS:
        return Activity(ActivityKind.RECORD, f"the build of {event} is recorded as a baseline")
    if wishes.mode == "record" and event == "pull_request":
        return Activity(ActivityKind.HAND_OVER, "the build of pull_request is stored for the second half, workflow_run")
    if wishes.mode == "record":
        reason = f"profiles of the event {event!r} are never used as a baseline, so nothing is recorded"
        return Activity(ActivityKind.NOTHING, reason)
    return Activity(ActivityKind.NOTHING, f"profgate has nothing to do on the event {event!r}")
