"""A baseline that is hidden, unreadable or not yet recorded does not let a regression pass."""

from collections.abc import Callable

import pytest

from action_stage import ARTIFACT, BASE_RUNS, QUICK, SHARES, SLOWER, Stage, profiles
from profgate.action.github.connections import RetryBudget
from profgate.model.record import replace
from slow_cases import quick_first

POLICY = ".github/profgate.yml"


def flood(stage: Stage, sha: str) -> None:
    """As many runs of a fork's branch as one response lists."""
    for _ in range(100):
        stage.fake.add_run(sha, event="pull_request", branch="main", repository="mallory/shop", repository_id=666)


def waiting(stage: Stage, happens: Callable[[], object] = lambda: None, at: int = 1) -> list[float]:
    """The pauses of the coming runs; ``happens`` is called during the pause number ``at``."""
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == at:
            happens()

    stage.pace = replace(QUICK, base_run_budget=RetryBudget(600, sleep=sleep))
    return slept


def recording(stage: Stage, status: str = "in_progress", event: str = "push") -> int:
    """A run at the newest commit of the base branch that has not completed."""
    stage.base = stage.fake.add_commit(parents=[stage.base], branch="main")
    run = stage.fake.add_run(stage.base, event=event, status=status, conclusion=None)
    stage.open_pull()
    return run


def end(stage: Stage, run: int, files: dict[str, bytes] | None = None) -> None:
    stage.fake.state.runs[run] = replace(stage.fake.state.runs[run], status="completed", conclusion="success")
    if files is not None:
        stage.fake.add_artifact(run, ARTIFACT, files)


# Runs of forks on a branch that has the name of the base branch


@pytest.mark.parametrize("history", quick_first([False, True]))
def test_fork_runs_do_not_hide_base_runs(stage: Stage, history: bool) -> None:
    stage.history = history
    stage.push_jobs()
    flood(stage, stage.fake.add_commit(parents=[stage.base]))
    stage.open_pull()
    assert stage.compare(profiles(SLOWER, 77)) == 1
    assert stage.base_jobs == BASE_RUNS
    lists = [dict(one.query) for one in stage.requests if one.path.endswith("/runs")]
    assert [one.get("event") for one in lists] == [None, "push"]


def test_fork_runs_of_the_base_commit_hide_nothing(recorded: Stage) -> None:
    flood(recorded, recorded.base)
    assert recorded.compare(profiles(SLOWER, 77)) == 1
    assert recorded.base_jobs == BASE_RUNS


def test_fork_runs_do_not_hide_an_unfinished_base_run(recorded: Stage) -> None:
    run = recording(recorded)
    flood(recorded, recorded.base)
    waiting(recorded, lambda: end(recorded, run, profiles(SHARES, 60)))
    assert recorded.compare(profiles(SLOWER, 77)) == 1
    assert recorded.report["baseline"]["sha"] == recorded.base


@pytest.mark.parametrize("event", ["schedule", "workflow_dispatch"])
def test_fork_runs_do_not_hide_other_trusted_events(stage: Stage, event: str) -> None:
    stage.push_jobs()
    for number, run in stage.fake.state.runs.items():
        stage.fake.state.runs[number] = replace(run, event=event)
    flood(stage, stage.fake.add_commit(parents=[stage.base]))
    stage.open_pull()
    assert stage.compare(profiles(SLOWER, 77)) == 1


# Stored baselines that cannot be read


def test_unreadable_baseline_fails(recorded: Stage) -> None:
    recorded.fake.blobs.damage = True
    assert recorded.compare(profiles(SHARES, 77)) == 1
    assert recorded.outputs["conclusion"] == "fail"
    assert recorded.comments[0].partition("\n")[2].startswith("### ❌ Not compared: ")
    assert "do not match the digest" in recorded.comments[0]
    first = recorded.report["verdict"]["reasons"][0]
    assert (first["code"], first["reasons"][0]["code"]) == ("no_baseline", "artifact_unusable")


def test_unreadable_baseline_is_not_replaced_by_an_older(recorded: Stage) -> None:
    recorded.damage_baselines(recorded.base)
    assert recorded.compare(profiles(SLOWER, 77)) == 1
    assert recorded.outputs["conclusion"] == "fail"
    assert recorded.report["baseline"]["distance"] == 1
    assert "parse" in recorded.comments[0]
    assert "do not match the digest" in recorded.comments[0].splitlines()[1]


# Base runs that have not completed


@pytest.mark.parametrize("status", ["requested", "pending", "queued", "in_progress"])
def test_unfinished_base_run_is_awaited(recorded: Stage, status: str) -> None:
    run = recording(recorded, status)
    slept = waiting(recorded, lambda: end(recorded, run, profiles(SHARES, 60)), at=3)
    assert recorded.compare(profiles(SLOWER, 77)) == 1
    assert recorded.report["baseline"]["sha"] == recorded.base
    assert slept == [15, 30, 60]
    assert "waiting up to 60 seconds" in recorded.log
    assert sum(one.path.endswith("/runs") for one in recorded.requests) == 1 + len(slept)


def test_unfinished_base_run_is_not_compared(recorded: Stage) -> None:
    run = recording(recorded)
    slept = waiting(recorded)
    assert recorded.compare(profiles(SLOWER, 77)) == 0
    assert recorded.outputs["conclusion"] == "not_compared"
    assert slept == sorted(slept)
    assert 500 < sum(slept) <= 600
    text = f"run {run} has not recorded the baseline yet; run this job again when it has ended"
    assert text in recorded.comments[0].splitlines()[1]
    assert "parse" in recorded.comments[0]  # compared with an older baseline
    recorded.set_policy("gate: {on-not-compared: fail}")
    assert recorded.compare(profiles(SLOWER, 78)) == 1


def test_first_unfinished_base_run_is_not_compared(stage: Stage) -> None:
    run = recording(stage)
    waiting(stage)
    assert stage.compare(profiles(SLOWER, 77)) == 0
    assert stage.outputs["conclusion"] == "not_compared"
    assert f"run {run} has not recorded the baseline yet" in stage.comments[0]


@pytest.mark.parametrize(
    "change", [{"event": "pull_request"}, {"head_repository_id": 666}, {"path": ".github/workflows/mine.yml"}]
)
def test_untrusted_unfinished_run_is_not_awaited(recorded: Stage, change: dict[str, str]) -> None:
    run = recording(recorded)
    recorded.fake.state.runs[run] = replace(recorded.fake.state.runs[run], **change)
    slept = waiting(recorded)
    recorded.compare(profiles(SHARES, 77))
    assert (slept, recorded.outputs["conclusion"]) == ([], "pass")


# Workloads that the target lacks


@pytest.mark.parametrize("name", ["renamed", ".hidden"])
def test_missing_workload_is_never_a_pass(stage: Stage, name: str) -> None:
    for seed in range(3):
        stage.push(profiles(SHARES, seed) | profiles(SHARES, 100 + seed, "cli"))
    stage.open_pull()
    stage.inputs["status"] = "true"
    files = profiles(SHARES, 77) | profiles(SLOWER, 78, name)
    assert stage.compare(files) == 0
    assert stage.outputs["conclusion"] == "not_compared"
    assert stage.comments[0].partition("\n")[2].startswith("### ⚪ Not compared: ")
    assert "cli" in stage.comments[0]
    assert "missing in the target" in stage.comments[0]
    assert "::warning title=profgate%3A not compared::" in stage.log
    assert str(stage.fake.state.statuses[-1]["description"]).startswith("not compared: ")
    stage.set_policy("gate: {on-not-compared: fail}")
    assert stage.compare(files) == 1
    assert stage.fake.state.statuses[-1]["state"] == "failure"
