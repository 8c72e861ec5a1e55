import pytest

from profgate.action.base_runs import record_baseline, store_for_comment
from profgate.action.compare_run import compare_build, compare_refs
from profgate.action.entry import Handler, handler_for
from profgate.action.later_runs import comment_on_fork
from profgate.action.merging import judge_report
from profgate.errors import SettingsError
from profgate.model.run_context import RunContext, TriggeringRun
from profgate.settings.inputs import settings_from


def decided(event: str, inputs: dict[str, str] | None = None, first: TriggeringRun | None = None) -> Handler | None:
    handler, reason = handler_for(RunContext(event, triggering_run=first), settings_from(inputs or {}))
    assert reason
    return handler


@pytest.mark.parametrize(
    ("event", "inputs", "handler"),
    [
        ("push", {}, record_baseline),
        ("schedule", {}, record_baseline),
        ("workflow_dispatch", {}, record_baseline),
        ("pull_request", {}, compare_build),
        ("merge_group", {}, compare_build),
        ("workflow_run", {}, None),
        ("issue_comment", {}, None),
        ("release", {}, None),
        ("", {}, None),
        ("workflow_dispatch", {"baseline-ref": "x", "target-ref": "x"}, compare_refs),
        ("workflow_dispatch", {"baseline-ref": "x"}, compare_build),
        ("push", {"baseline-profiles": "x"}, compare_build),
        ("push", {"mode": "record", "baseline-profiles": "x"}, record_baseline),
        ("push", {"mode": "compare"}, compare_build),
        ("issue_comment", {"mode": "compare"}, compare_build),
        ("push", {"mode": "record", "baseline-ref": "x"}, record_baseline),
        ("pull_request", {"mode": "record"}, store_for_comment),
        ("merge_group", {"mode": "record"}, None),
        ("pull_request", {"mode": "report"}, judge_report),
        ("merge_group", {"mode": "report"}, judge_report),
        ("pull_request", {"mode": "shard"}, compare_build),
        ("workflow_dispatch", {"mode": "report", "baseline-ref": "x"}, judge_report),
        ("push", {"mode": "report"}, None),
        ("release", {"mode": "report"}, None),
        ("issue_comment", {"mode": "report"}, None),
        ("workflow_run", {"mode": "report"}, None),
    ],
)
def test_event_and_inputs_select_the_activity(event: str, inputs: dict[str, str], handler: Handler | None) -> None:
    assert decided(event, inputs) is handler


@pytest.mark.parametrize(
    ("event", "inputs"),
    [
        ("pull_request_target", {}),
        ("pull_request_target", {"mode": "report"}),
        ("pull_request_target", {"baseline-profiles": "x"}),
        ("workflow_dispatch", {"target-ref": "x"}),
    ],
)
def test_unsafe_runs_are_refused(event: str, inputs: dict[str, str]) -> None:
    with pytest.raises(SettingsError):
        decided(event, inputs)


@pytest.mark.parametrize(
    ("event", "conclusion", "handler"),
    [
        ("pull_request", "success", comment_on_fork),
        ("pull_request", "failure", comment_on_fork),
        ("pull_request", "cancelled", None),
        ("pull_request_target", "success", None),
        ("push", "success", None),
    ],
)
def test_finished_run_of_pull_request_is_compared(event: str, conclusion: str, handler: Handler | None) -> None:
    path = ".github/workflows/profile.yml"
    run = TriggeringRun(7, event, conclusion, "feature", "b" * 40, 2, "mallory", path)
    assert decided("workflow_run", first=run) is handler
