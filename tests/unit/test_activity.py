import pytest

from profgate.activity import Activity, ActivityKind, Wishes, activity_for
from profgate.model.run_context import RunContext


def decided(event: str, wishes: Wishes | None = None) -> Activity:
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
        actor="somebody",
        default_branch="main",
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
        ("issue_comment", ActivityKind.NOTHING),
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
        ("pull_request", Wishes(mode="record"), ActivityKind.NOTHING),
        ("pull_request_target", Wishes(mode="compare"), ActivityKind.REFUSED),
        ("pull_request_target", Wishes(has_baseline_profiles=True), ActivityKind.REFUSED),
    ],
)
def test_wishes_bend_the_choice_within_what_is_safe(event: str, wishes: Wishes, kind: ActivityKind) -> None:
    assert decided(event, wishes).kind is kind
