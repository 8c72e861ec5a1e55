import pytest

from profgate.action.activity import Activity, ActivityKind, Wishes, activity_for
from profgate.model.run_context import RunContext, TriggeringRun


def decided(event: str, wishes: Wishes | None = None, first: TriggeringRun | None = None) -> Activity:
    context = RunContext(
        event_name=event,
        repository="octo/shop",
        repository_id=1,
        sha="a" * 40,
        ref="refs/heads/main",
        base_ref="",
        head_ref="",
        base_sha="",
        head_sha="",
        pr_number=None,
        is_fork=False,
        is_dependabot=False,
        run_id=1,
        run_attempt=1,
        workflow_path=".github/workflows/profile.yml",
        job="profile",
        server_url="https://github.com",
        api_url="https://api.github.com",
        results_url="",
        workspace="",
        default_branch="main",
        triggering_run=first,
    )
    return activity_for(context, wishes or Wishes())


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
def test_the_event_decides(event: str, kind: ActivityKind) -> None:
    assert decided(event).kind is kind
    assert decided(event).reason


@pytest.mark.parametrize(
    ("event", "wishes", "kind"),
    [
        ("workflow_dispatch", Wishes(has_baseline_ref=True, has_target_ref=True), ActivityKind.RELEASE),
        ("workflow_dispatch", Wishes(has_target_ref=True), ActivityKind.REFUSED),
        ("workflow_dispatch", Wishes(has_baseline_ref=True), ActivityKind.COMPARE),
        ("push", Wishes(has_baseline_profiles=True), ActivityKind.COMPARE),
        ("push", Wishes(mode="record", has_baseline_profiles=True), ActivityKind.RECORD),
        ("push", Wishes(mode="compare"), ActivityKind.COMPARE),
        ("issue_comment", Wishes(mode="compare"), ActivityKind.COMPARE),
        ("push", Wishes(mode="record", has_baseline_ref=True), ActivityKind.RECORD),
        ("pull_request", Wishes(mode="record"), ActivityKind.HAND_OVER),
        ("merge_group", Wishes(mode="record"), ActivityKind.NOTHING),
        ("pull_request", Wishes(mode="tell"), ActivityKind.TELL),
        ("merge_group", Wishes(mode="tell"), ActivityKind.TELL),
        ("workflow_dispatch", Wishes(mode="tell", has_baseline_ref=True), ActivityKind.TELL),
        ("push", Wishes(mode="tell"), ActivityKind.NOTHING),
        ("release", Wishes(mode="tell"), ActivityKind.NOTHING),
        ("issue_comment", Wishes(mode="tell"), ActivityKind.NOTHING),
        ("workflow_run", Wishes(mode="tell"), ActivityKind.NOTHING),
        ("pull_request_target", Wishes(mode="tell"), ActivityKind.REFUSED),
        ("pull_request_target", Wishes(mode="compare"), ActivityKind.REFUSED),
        ("pull_request_target", Wishes(has_baseline_profiles=True), ActivityKind.REFUSED),
    ],
)
def test_wishes_bend_the_choice_within_what_is_safe(event: str, wishes: Wishes, kind: ActivityKind) -> None:
    assert decided(event, wishes).kind is kind


@pytest.mark.parametrize(
    ("event", "conclusion", "kind"),
    [
        ("pull_request", "success", ActivityKind.SECOND_HALF),
        ("pull_request", "failure", ActivityKind.SECOND_HALF),
        ("pull_request", "cancelled", ActivityKind.NOTHING),
        ("pull_request_target", "success", ActivityKind.NOTHING),
        ("push", "success", ActivityKind.NOTHING),
    ],
)
def test_a_finished_run_is_taken_up_where_a_pull_request_started_it(
    event: str, conclusion: str, kind: ActivityKind
) -> None:
    path = ".github/workflows/profile.yml"
    run = TriggeringRun(7, event, conclusion, "feature", "b" * 40, 2, "mallory", path)
    assert decided("workflow_run", first=run).kind is kind
