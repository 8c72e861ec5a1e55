"""What happens to a pull request while a run is at it, and other situations that no table of events names."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from action_stage import ARTIFACT, BASE_RUNS, BOTH_SLOWER, SHARES, SLOWER, Stage, profiles
from profgate.github.sticky_comment import ACTIONS_LOGIN


@pytest.fixture
def recorded(stage: Stage) -> Stage:
    """As many base jobs as the gate needs, and an open pull request."""
    stage.push_jobs()
    stage.open_pull()
    return stage


def shown(stage: Stage) -> list[str]:
    """Our comments that are not folded away."""
    return [one.body for one in stage.fake.state.comments.values() if not one.minimized and one.author == ACTIONS_LOGIN]


def only(stage: Stage) -> int:
    (number,) = stage.fake.state.comments
    return number


def test_a_comment_that_was_deleted_is_written_again(recorded: Stage) -> None:
    recorded.compare(profiles(SLOWER, 77))
    recorded.fake.state.comments.clear()
    assert recorded.compare(profiles(SLOWER, 78)) == 1
    assert len(shown(recorded)) == 1


def test_a_comment_that_is_deleted_while_it_is_edited_is_written_again(recorded: Stage) -> None:
    recorded.compare(profiles(SLOWER, 77))
    del_while = only(recorded)
    recorded.fake.fail("PATCH", f"/issues/comments/{del_while}", 404, times=9, message="Not Found")
    recorded.push_to_pull()
    assert recorded.compare(profiles(SLOWER, 78)) == 1
    (last,) = [body for body in shown(recorded) if recorded.head[:7] in body]
    assert last.startswith("<!-- profgate v1 key=default")


def test_what_a_person_wrote_into_our_comment_is_replaced(recorded: Stage) -> None:
    recorded.compare(profiles(SLOWER, 77))
    one = recorded.fake.state.comments[only(recorded)]
    one.body, one.edited = f"{one.body}\n\nI think this is fine.", True
    recorded.push_to_pull()
    recorded.compare(profiles(SLOWER, 78))
    (comment,) = shown(recorded)
    assert "I think this is fine" not in comment


def test_a_comment_without_its_marker_is_a_person_s(recorded: Stage) -> None:
    recorded.compare(profiles(SLOWER, 77))
    recorded.fake.state.comments[only(recorded)].body = "Moved to the wiki."
    recorded.compare(profiles(SLOWER, 78))
    assert [body.partition("\n")[0][:15] for body in shown(recorded)] == ["Moved to the wi", "<!-- profgate v"]


def test_a_pull_request_that_is_closed_meanwhile_gets_no_new_comment(recorded: Stage) -> None:
    recorded.fake.state.pulls[recorded.number].state = "closed"
    assert recorded.compare(profiles(SLOWER, 77)) == 1
    assert shown(recorded) == []
    assert "the pull request is closed" in recorded.log


def test_of_a_closed_pull_request_nothing_false_stays(recorded: Stage) -> None:
    recorded.compare(profiles(SLOWER, 77))
    recorded.fake.state.pulls[recorded.number].state = "closed"
    assert recorded.compare(profiles(SHARES, 78)) == 0
    assert "✅ Resolved" in shown(recorded)[0]


@pytest.mark.parametrize("older", ["edit", "minimize"])
def test_a_pull_request_that_goes_into_another_branch_meanwhile_is_not_told_of_the_old_one(
    recorded: Stage, older: str
) -> None:
    recorded.inputs["older-comments"] = older
    recorded.fake.state.pulls[recorded.number].base_ref = "release"
    assert recorded.compare(profiles(SLOWER, 77)) == 1
    assert shown(recorded) == []
    assert "the base branch of the pull request has changed" in recorded.log


def test_a_pull_request_is_told_of_the_ref_that_was_chosen_whatever_its_base(recorded: Stage) -> None:
    recorded.fake.state.tags["v1"] = recorded.base
    recorded.inputs["baseline-ref"] = "v1"
    recorded.fake.state.pulls[recorded.number].base_ref = "release"
    assert recorded.compare(profiles(SLOWER, 77)) == 1
    assert len(shown(recorded)) == 1


def test_a_draft_is_judged_as_any_and_keeps_its_comment_when_it_is_ready(recorded: Stage) -> None:
    for action, draft, shares in (
        ("opened", True, SLOWER),
        ("ready_for_review", False, SLOWER),
        ("converted_to_draft", True, BOTH_SLOWER),
        ("ready_for_review", False, SHARES),
    ):
        recorded.action, recorded.fake.state.pulls[recorded.number].draft = action, draft
        assert recorded.compare(profiles(shares, 77)) == (0 if shares is SHARES else 1)
        (comment,) = shown(recorded)
        assert ("render" in comment) == (shares is BOTH_SLOWER)
        assert ("✅ Resolved" in comment) == (shares is SHARES)
    assert recorded.fake.count("POST", "/comments") == 1


def test_a_force_push_while_it_runs_keeps_the_older_result_out(recorded: Stage) -> None:
    recorded.start_pull_run()
    recorded.fake.state.pulls[recorded.number].head_sha = recorded.fake.add_commit(parents=[recorded.base])
    assert recorded.finish(recorded.step(profiles(SLOWER, 77))) == 1
    assert shown(recorded) == []
    assert "the pull request has newer commits" in recorded.log


def test_of_a_renamed_base_branch_nothing_is_known_until_it_is_recorded_again(recorded: Stage) -> None:
    state = recorded.fake.state
    state.branches["trunk"] = state.branches.pop("main")
    state.default_branch = state.pulls[recorded.number].base_ref = "trunk"
    recorded.base_branch = "trunk"
    assert recorded.compare(profiles(SLOWER, 77)) == 0
    assert recorded.outputs["conclusion"] == "not_compared"
    assert "First run: nothing to compare with yet" in shown(recorded)[0]
    recorded.push_jobs()
    recorded.open_pull()
    assert recorded.compare(profiles(SLOWER, 78)) == 1


def test_an_artifact_that_expires_while_it_is_looked_for_gives_way_to_the_next(recorded: Stage) -> None:
    recorded.fake.fail("GET", "/zip", 410, message="Artifact has expired")
    assert recorded.compare(profiles(SLOWER, 77)) == 0
    assert recorded.outputs["baseline-distance"] == "1"
    assert "has expired on GitHub" in recorded.log


def test_a_second_attempt_edits_the_comment_of_the_first(recorded: Stage) -> None:
    recorded.start_pull_run()
    recorded.step(profiles(SLOWER, 77))
    recorded.start_again()
    assert recorded.finish(recorded.step(profiles(SHARES, 78))) == 0
    assert len(shown(recorded)) == 1
    assert "✅ Resolved" in shown(recorded)[0]


def test_the_second_attempt_of_a_fork_is_the_one_that_is_told(stage: Stage) -> None:
    stage.push_jobs()
    stage.open_pull(fork=True)
    permissions = dict(stage.fake.state.permissions)
    stage.fake.read_only()
    stage.start_pull_run()
    stage.step(profiles(SLOWER, 77))
    stage.start_again()
    stage.finish(stage.step(profiles(SHARES, 78)))
    stage.fake.state.permissions = permissions
    assert stage.fork_comment() == 0
    assert [one["state"] for one in stage.fake.state.statuses] == ["success"]


def test_two_runs_that_write_anew_at_once_leave_one_comment_shown(recorded: Stage) -> None:
    recorded.inputs["older-comments"] = "minimize"
    recorded.start_pull_run()
    recorded.fake.let_meet("GET", f"/issues/{recorded.number}/comments")
    with ThreadPoolExecutor(2) as pool:
        runs = [
            pool.submit(recorded.step, profiles(SLOWER, seed), **{"output-dir": f"out-{seed}"}) for seed in (77, 78)
        ]
        assert [run.result(timeout=120) for run in runs] == [1, 1]
    recorded.finish(0)
    assert len(shown(recorded)) == 1


def test_a_pull_request_without_a_changed_file_is_compared_like_any_other(recorded: Stage) -> None:
    assert recorded.compare(profiles(SHARES, 77)) == 0
    assert shown(recorded) == []
    assert recorded.compare(profiles(SLOWER, 78)) == 1
    assert len(shown(recorded)) == 1


def test_a_baseline_of_another_system_is_not_compared_and_not_passed(stage: Stage) -> None:
    stage.environ = {"RUNNER_OS": "Linux"}
    stage.push()
    stage.open_pull()
    stage.environ = {"RUNNER_OS": "Windows"}
    assert stage.compare(profiles(SHARES, 77)) == 0
    assert stage.outputs["conclusion"] == "not_compared"
    assert "operating system" in shown(stage)[0]
    stage.environ = {"RUNNER_OS": "Linux"}
    assert stage.compare(profiles(SHARES, 77)) == 0
    assert stage.outputs["conclusion"] == "pass"


def test_systems_side_by_side_are_each_compared_with_their_own(stage: Stage) -> None:
    """A key for each: neither takes the other's baseline, and each keeps its comment."""
    systems = {"linux": SHARES, "windows": BOTH_SLOWER}  # the second is slower as it is
    for seed in range(3):
        stage.base = stage.fake.add_commit(parents=[stage.base], branch="main")
        for place, (system, shares) in enumerate(systems.items()):
            stage.environ, stage.inputs["key"] = {"RUNNER_OS": system}, system
            stage.record(profiles(shares, 2 * seed + place))
    stage.open_pull()
    for place, (system, shares) in enumerate(systems.items()):
        stage.environ, stage.inputs["key"] = {"RUNNER_OS": system}, system
        assert stage.compare(profiles(shares, 77 + place)) == 0
        assert stage.outputs["conclusion"] == "pass"
    stage.inputs["comment"] = "always"
    for system, shares in systems.items():
        stage.environ, stage.inputs["key"] = {"RUNNER_OS": system}, system
        stage.compare(profiles(shares, 80))
    assert [body.partition("key=")[2].partition(" ")[0] for body in shown(stage)] == ["linux", "windows"]
    assert {one.name for one in stage.fake.state.artifacts.values()} >= {"profgate-linux", "profgate-windows"}


@pytest.mark.parametrize("history", ["artifact", "off"])
def test_the_gate_says_the_same_with_and_without_a_history(stage: Stage, history: str) -> None:
    del stage.inputs["history"]  # the default keeps one
    stage.inputs |= {} if history == "artifact" else {"history": history}
    for _ in range(BASE_RUNS):
        stage.push()
    stored = {one.name for one in stage.fake.state.artifacts.values()}
    assert (f"{ARTIFACT}-history" in stored) == (history == "artifact")
    stage.open_pull()
    assert stage.compare(profiles(SHARES, 77)) == 0
    assert stage.outputs["conclusion"] == "pass"
    assert stage.compare(profiles(SLOWER, 78)) == 1
    assert int(stage.outputs["base-runs"]) >= BASE_RUNS - 1
    assert len(shown(stage)) == 1


def test_a_cancelled_leg_is_not_passed_and_a_new_run_takes_it_back(stage: Stage) -> None:
    for seed in range(2):
        stage.base = stage.fake.add_commit(parents=[stage.base], branch="main")
        for place, shard in enumerate(("a", "b")):
            stage.inputs["artifact"] = f"{ARTIFACT}-{shard}"
            stage.record(profiles(seed=2 * seed + place))
    del stage.inputs["artifact"]
    stage.open_pull()
    assert stage.matrix({"a": profiles(SHARES, 77)}, "cancelled") == 0
    assert stage.outputs["conclusion"] == "not_compared"
    assert "a shard ended with cancelled" in shown(stage)[0]
    assert stage.matrix({"a": profiles(SHARES, 77), "b": profiles(SHARES, 78)}) == 0
    assert "✅ Resolved" in shown(stage)[0]
    assert stage.outputs["base-runs"] == "2"


def test_what_legs_know_of_false_alarms_counts_in_the_merge(stage: Stage) -> None:
    """A gate that was red too often on unchanged code is demoted, also where a last job judges."""
    policy = {".github/profgate.yml": b"gate: {auto-demote: true}\n"}
    stage.base = stage.fake.add_commit(parents=[stage.base], branch="main", files=policy)
    stage.push_jobs()
    stage.open_pull()
    stage.start_pull_run()
    stage.step(profiles(SLOWER, 77), mode="shard")
    report = json.loads(stage.file("report.json"))
    report["policy"] |= {"unchanged_reds": 3, "unchanged_comparisons": 10}
    (stored,) = [one for one in stage.fake.state.artifacts.values() if one.name.startswith("profgate-report-")]
    links = stage.file("links.json").encode() if "links" in stage.log else b""
    members = {"report.json": json.dumps(report).encode(), "links.json": links or EMPTY_LINKS}
    again = stage.fake.add_artifact(stage.pull_run, stored.name, members)
    assert again > stored.id
    assert stage.finish(stage.step({}, mode="merge", **{"legs-result": "success"})) == 0
    assert "advisory: 3 of 10 comparisons of unchanged code were red" in stage.file("comment.md")


EMPTY_LINKS = b'{"schema": "profgate.links/1", "pages": [], "index": null, "report": null, "run": null}'


def test_a_head_that_github_calls_closed_and_reopens_is_told(recorded: Stage) -> None:
    pull = recorded.fake.state.pulls[recorded.number]
    recorded.fake.state.pulls[recorded.number] = replace(pull, state="closed")
    recorded.compare(profiles(SLOWER, 77))
    recorded.fake.state.pulls[recorded.number] = replace(pull, state="open")
    recorded.compare(profiles(SLOWER, 77))
    assert len(shown(recorded)) == 1
