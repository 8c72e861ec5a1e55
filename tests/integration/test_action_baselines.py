"""A baseline that is hidden does not let a regression pass."""

from dataclasses import replace

import pytest

from action_stage import BASE_RUNS, SLOWER, Stage, profiles


def flood(stage: Stage, sha: str) -> None:
    """As many runs of a fork's branch as one response lists."""
    for _ in range(100):
        stage.fake.add_run(sha, event="pull_request", branch="main", repository="mallory/shop", repository_id=666)


# Runs of forks on a branch that has the name of the base branch


@pytest.mark.parametrize("history", ["off", "artifact"])
def test_fork_runs_do_not_hide_base_runs(stage: Stage, history: str) -> None:
    stage.inputs["history"] = history
    for _ in range(BASE_RUNS):
        stage.push()
    flood(stage, stage.fake.add_commit(parents=[stage.base]))
    stage.open_pull()
    assert stage.compare(profiles(SLOWER, 77)) == 1
    assert stage.outputs["base-runs"] == str(BASE_RUNS)
    lists = [dict(one.query) for one in stage.requests if one.path.endswith("/runs")]
    assert [one.get("event") for one in lists] == [None, "push"]


def test_fork_runs_of_the_base_commit_hide_nothing(recorded: Stage) -> None:
    flood(recorded, recorded.base)
    assert recorded.compare(profiles(SLOWER, 77)) == 1
    assert recorded.outputs["base-runs"] == str(BASE_RUNS)


@pytest.mark.parametrize("event", ["schedule", "workflow_dispatch"])
def test_fork_runs_do_not_hide_other_trusted_events(stage: Stage, event: str) -> None:
    stage.push_jobs()
    for number, run in stage.fake.state.runs.items():
        stage.fake.state.runs[number] = replace(run, event=event)
    flood(stage, stage.fake.add_commit(parents=[stage.base]))
    stage.open_pull()
    assert stage.compare(profiles(SLOWER, 77)) == 1
