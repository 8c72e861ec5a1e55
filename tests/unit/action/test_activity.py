import pytest

from profgate.action.activity import Activity, ActivityKind, activity_for
from profgate.model.run_context import RunContext, TriggeringRun
from profgate.settings.inputs import settings_from


def decided(event: str, inputs: dict[str, str] | None = None, first: TriggeringRun | None = None) -> Activity:
    context = RunContext(event, triggering_run=first)
    return activity_for(context, settings_from(inputs or {}))


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ("push", ActivityKind.RECORD),
        ("schedule", ActivityKind.RECORD),
        ("workflow_dispatch", ActivityKind.RECORD),
        ("pull_request", ActivityKind.COMPARE),
        ("merge_group", ActivityKind.COMPARE),
        ("pull_request_target", ActivityKind.REFUSED),
        ("workflow_run", ActivityKind.NOTHING),
        ("issue_comment", ActivityKind.NOTHING),
        ("release", ActivityKind.NOTHING),
        ("", ActivityKind.NOTHING),
    ],
)
def test_event_selects_activity(event: str, kind: ActivityKind) -> None:
    assert decided(event).kind is kind
    assert decided(event).reason


@pytest.mark.parametrize(
    ("event", "inputs", "kind"),
    [
        ("workflow_dispatch", {"baseline-ref": "x", "target-ref": "x"}, ActivityKind.COMPARE_REFS),
        ("workflow_dispatch", {"target-ref": "x"}, ActivityKind.REFUSED),
        ("workflow_dispatch", {"baseline-ref": "x"}, ActivityKind.COMPARE),
        ("push", {"baseline-profiles": "x"}, ActivityKind.COMPARE),
        ("push", {"mode": "record", "baseline-profiles": "x"}, ActivityKind.RECORD),
        ("push", {"mode": "compare"}, ActivityKind.COMPARE),
        ("issue_comment", {"mode": "compare"}, ActivityKind.COMPARE),
        ("push", {"mode": "record", "baseline-ref": "x"}, ActivityKind.RECORD),
        ("pull_request", {"mode": "record"}, ActivityKind.STORE_FOR_COMMENT),
        ("merge_group", {"mode": "record"}, ActivityKind.NOTHING),
        ("pull_request", {"mode": "report"}, ActivityKind.REPORT),
        ("merge_group", {"mode": "report"}, ActivityKind.REPORT),
        ("pull_request", {"mode": "Report"}, ActivityKind.REPORT),
        ("pull_request", {"mode": "shard"}, ActivityKind.COMPARE),
        ("workflow_dispatch", {"mode": "report", "baseline-ref": "x"}, ActivityKind.REPORT),
        ("push", {"mode": "report"}, ActivityKind.NOTHING),
        ("release", {"mode": "report"}, ActivityKind.NOTHING),
        ("issue_comment", {"mode": "report"}, ActivityKind.NOTHING),
        ("workflow_run", {"mode": "report"}, ActivityKind.NOTHING),
        ("pull_request_target", {"mode": "report"}, ActivityKind.REFUSED),
        ("pull_request_target", {"mode": "compare"}, ActivityKind.REFUSED),
        ("pull_request_target", {"baseline-profiles": "x"}, ActivityKind.REFUSED),
    ],
)
def test_inputs_change_the_activity_safely(event: str, inputs: dict[str, str], kind: ActivityKind) -> None:
    assert decided(event, inputs).kind is kind


@pytest.mark.parametrize(
    ("event", "conclusion", "kind"),
    [
        ("pull_request", "success", ActivityKind.COMMENT_ON_FORK),
        ("pull_request", "failure", ActivityKind.COMMENT_ON_FORK),
        ("pull_request", "cancelled", ActivityKind.NOTHING),
        ("pull_request_target", "success", ActivityKind.NOTHING),
        ("push", "success", ActivityKind.NOTHING),
    ],
)
def test_finished_run_of_pull_request_is_compared(event: str, conclusion: str, kind: ActivityKind) -> None:
    path = ".github/workflows/profile.yml"
    run = TriggeringRun(7, event, conclusion, "feature", "b" * 40, 2, "mallory", path)
    assert decided("workflow_run", first=run).kind is kind
