"""Choose what a run of the action does, based only on the event and the settings."""

from dataclasses import dataclass
from enum import Enum, auto

from profgate.model.acceptance import in_comment
from profgate.model.run_context import RunContext
from profgate.settings.inputs import Settings


class ActivityKind(Enum):
    """The possible activities of a run.

    The fork comment workflow (`workflow_run`) has a token that can write: STORE_FOR_COMMENT stores the profiles of a
    pull request for it, and COMMENT_ON_FORK compares them there. MERGE merges the reports of a matrix. REPORT publishes
    a report from an earlier step. JUDGE_AGAIN handles an acceptance in a comment. COMPARE_REFS compares two refs.
    REFUSED ends the run with an error.
    """

    RECORD = auto()
    COMPARE = auto()
    STORE_FOR_COMMENT = auto()
    COMMENT_ON_FORK = auto()
    MERGE = auto()
    REPORT = auto()
    JUDGE_AGAIN = auto()
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
    """Return the activity for this run: that of the first row that holds."""
    kinds, event, mode, run = ActivityKind, context.event_name, settings.mode, context.triggering_run
    records = event in RECORDING_EVENTS
    compares = event in COMPARING_EVENTS or (records and bool(settings.baseline_ref))
    commented = event == "issue_comment" and mode == "auto"
    of_pull = context.pr_number is not None and context.comment_id is not None
    accepts = of_pull and bool(in_comment(context.comment, context.comment_id or 0))
    follows, started, ended = event == "workflow_run", run and run.event, run and run.conclusion
    refused = "pull_request_target runs with a token that can write beside untrusted code; use pull_request"
    no_report = f"on the event {event!r} nothing was compared, so there is no report to publish"
    no_shards = f"on the event {event!r} shards compare nothing, so nothing is merged"
    not_complete = f"the finished run ended with {ended!r}, so there is nothing to compare"
    for_fork = "store the profiles of pull_request for the fork comment workflow (workflow_run)"
    unused = f"profiles of the event {event!r} never serve as a baseline, so nothing is recorded"
    rows: tuple[tuple[object, ActivityKind, str], ...] = (
        (event == "pull_request_target", kinds.REFUSED, refused),
        (mode == "report" and compares, kinds.REPORT, f"judge and publish an existing report of this {event} run"),
        (mode == "report", kinds.NOTHING, no_report),
        (commented and not of_pull, kinds.NOTHING, "only a new comment of a pull request can accept something"),
        (commented and not accepts, kinds.NOTHING, "the comment does not begin with a command of profgate"),
        (commented, kinds.JUDGE_AGAIN, "a comment accepts something; its author's rights are checked"),
        (settings.target_ref and settings.baseline_ref, kinds.COMPARE_REFS, "compare the stored profiles of two refs"),
        (settings.target_ref, kinds.REFUSED, "target-ref is given without baseline-ref; give both refs"),
        (
            settings.baseline_profiles and mode != "record",
            kinds.COMPARE,
            "compare the profiles of both sides, which the job brings",
        ),
        (follows and run is None, kinds.NOTHING, "the event names no finished run"),
        (
            follows and started != "pull_request",
            kinds.NOTHING,
            f"the finished run was started by {started}, not by a pull request",
        ),
        (follows and ended not in COMPLETE, kinds.NOTHING, not_complete),
        (follows, kinds.COMMENT_ON_FORK, "compare the profiles of a finished pull request run"),
        (mode == "merge" and compares, kinds.MERGE, f"merge the reports of the shards of this {event} run"),
        (mode == "merge", kinds.NOTHING, no_shards),
        (
            mode == "compare" or (mode in {"auto", "shard"} and compares),
            kinds.COMPARE,
            f"compare the build of {event} with its baseline",
        ),
        (records, kinds.RECORD, f"record the build of {event} as a baseline"),
        (mode == "record" and event == "pull_request", kinds.STORE_FOR_COMMENT, for_fork),
        (mode == "record", kinds.NOTHING, unused),
    )
    found = (Activity(kind, reason) for holds, kind, reason in rows if holds)
    return next(found, Activity(kinds.NOTHING, f"profgate does nothing on the event {event!r}"))
