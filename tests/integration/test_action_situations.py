"""What happens to a pull request while a run is at it, and other situations that no table of events names."""

from pathlib import Path

import pytest

from action_stage import ARTIFACT, BASE_RUNS, BOTH_SLOWER, SHARES, SLOWER, Stage, profiles
from profgate.github.sticky_comment import ACTIONS_LOGIN
from slow_cases import quick_first


@pytest.fixture
def recorded(stage: Stage) -> Stage:
    """As many base jobs as the gate needs, and an open pull request."""
    stage.push_jobs()
    stage.open_pull()
    return stage


def shown(stage: Stage) -> list[str]:
    """Our comments that are not folded away."""
    return [one.body for one in stage.fake.state.comments.values() if one.author == ACTIONS_LOGIN]


def only(stage: Stage) -> int:
    (number,) = stage.fake.state.comments
    return number


def test_deleted_comment_is_written_again(recorded: Stage) -> None:
    recorded.compare(profiles(SLOWER, 77))
    del_while = only(recorded)
    recorded.fake.fail("PATCH", f"/issues/comments/{del_while}", 404, times=9, message="Not Found")
    recorded.push_to_pull()
    assert recorded.compare(profiles(SLOWER, 78)) == 1
    (last,) = [body for body in shown(recorded) if recorded.head[:7] in body]
    assert last.startswith("<!-- profgate v1 key=default")


@pytest.mark.parametrize(
    "message", ["Unable to create comment because issue is locked.", "Repository was archived so is read-only."]
)
def test_locked_conversation_or_archived_repository_leaves_the_verdict(recorded: Stage, message: str) -> None:
    recorded.fake.fail("POST", "/comments", 403, message=message)
    recorded.inputs["status"] = "true"
    recorded.fake.fail("POST", "/statuses/", 403, message=message)
    assert recorded.compare(profiles(SLOWER, 77)) == 1
    assert message.rstrip(".") in recorded.log
    assert "permission" not in recorded.log + recorded.summary
    assert "No comment was written" in recorded.summary


def test_closed_pull_request_gets_no_new_comment(recorded: Stage) -> None:
    recorded.fake.state.pulls[recorded.number].state = "closed"
    assert recorded.compare(profiles(SLOWER, 77)) == 1
    assert shown(recorded) == []
    assert "the pull request is closed" in recorded.log


def test_changed_base_branch_gets_no_comment(recorded: Stage) -> None:
    recorded.fake.state.pulls[recorded.number].base_ref = "release"
    assert recorded.compare(profiles(SLOWER, 77)) == 1
    assert shown(recorded) == []
    assert "the base branch of the pull request has changed" in recorded.log


def test_chosen_ref_is_reported_for_any_base(recorded: Stage) -> None:
    recorded.fake.state.tags["v1"] = recorded.base
    recorded.inputs["baseline-ref"] = "v1"
    recorded.fake.state.pulls[recorded.number].base_ref = "release"
    assert recorded.compare(profiles(SLOWER, 77)) == 1
    assert len(shown(recorded)) == 1


def test_draft_is_judged_and_its_comment_stays(recorded: Stage) -> None:
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


def test_renamed_base_branch_needs_a_new_recording(recorded: Stage) -> None:
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


def test_expiring_artifact_is_replaced_by_the_next(recorded: Stage) -> None:
    recorded.fake.fail("GET", "/zip", 410, message="Artifact has expired")
    assert recorded.compare(profiles(SLOWER, 77)) == 0
    assert recorded.report["baseline"]["distance"] == 1
    assert "has expired" in recorded.log


def test_second_attempt_of_a_fork_is_reported(stage: Stage) -> None:
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


def test_baseline_of_another_system_never_passes(stage: Stage) -> None:
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


def test_each_system_is_compared_with_its_own_baseline(stage: Stage) -> None:
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


@pytest.mark.parametrize("history", quick_first([True, False]))
def test_gate_is_equal_with_and_without_history(stage: Stage, history: bool) -> None:
    stage.history = history
    stage.push_jobs(BASE_RUNS)
    stored = {one.name for one in stage.fake.state.artifacts.values()}
    assert (f"{ARTIFACT}-history" in stored) == history
    stage.open_pull()
    assert stage.compare(profiles(SHARES, 77)) == 0
    assert stage.outputs["conclusion"] == "pass"
    assert stage.compare(profiles(SLOWER, 78)) == 1
    assert stage.base_jobs >= BASE_RUNS - 1
    assert len(shown(stage)) == 1


# Links that a pull request commits


@pytest.mark.parametrize("link", ["profgate-report", "profgate-report/target"])
def test_no_output_follows_a_committed_link(recorded: Stage, tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    owner = outside.stat().st_uid
    recorded.links[link] = outside
    recorded.inputs["mode"] = "record"
    assert recorded.compare(profiles()) == 2
    assert "leads out of" in recorded.log
    assert list(outside.iterdir()) == []
    assert outside.stat().st_uid == owner


@pytest.mark.parametrize("mode", ["auto", "record"])
def test_profiles_behind_a_committed_link_are_refused(recorded: Stage, tmp_path: Path, mode: str) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.folded").write_text("main;secret 1\n")
    recorded.links["profiles"] = tmp_path / "outside"
    recorded.inputs["mode"] = mode
    stored = set(recorded.fake.state.artifacts)
    assert recorded.compare({}) == 2
    assert "leads out of" in recorded.log
    assert set(recorded.fake.state.artifacts) == stored
