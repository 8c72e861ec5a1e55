"""One row for each situation of a run: its exit code, its verdict, its comments and its commit statuses."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from action_stage import BOTH, FASTER, SHARES, SLOWER, Stage, both_builds, profiles
from profgate.action.github.artifact_upload import report_artifact
from profgate.action.github.sticky_comment import ACTIONS_LOGIN

Act = Callable[[Stage], int]
OWN = "gate: {fail-on: never, own-baseline: true}"
TOO_LONG = b'{"message": "body is too long (maximum is 65536 characters)"}'


@pytest.fixture
def recorded(stage: Stage) -> Stage:
    """As many base jobs as the gate needs, and an open pull request."""
    stage.push_jobs()
    stage.open_pull()
    return stage


def judged(shares: dict[str, int] = SLOWER, before: Callable[[Stage], object] = lambda _: None, **inputs: str) -> Act:
    """The pull request is compared, after something happened."""

    def act(stage: Stage) -> int:
        before(stage)
        stage.inputs |= {name.replace("_", "-"): text for name, text in inputs.items()}
        return stage.compare(profiles(shares, 77))

    return act


def reported(
    shares: dict[str, int] = SLOWER, *, fork: bool = True, before: Callable[[Stage], object] = lambda _: None
) -> Act:
    """The fork comment workflow runs after a run with a token that can only read."""

    def act(stage: Stage) -> int:
        stage.open_pull(fork=fork)
        stage.actor = "mallory" if fork else "dependabot[bot]"
        permissions = stage.fake.state.permissions
        stage.fake.read_only()
        stage.compare(profiles(shares, 77))
        stage.fake.state.permissions = permissions
        before(stage)
        return stage.fork_comment("failure")

    return act


def twice(stage: Stage) -> int:
    stage.compare(profiles(SHARES, 77))
    return stage.compare({})


def read_only(stage: Stage) -> None:
    stage.open_pull(fork=True)
    stage.fake.read_only()


def store_nothing(stage: Stage) -> None:
    read_only(stage)
    stage.environ["ACTIONS_RESULTS_URL"] = ""


def without(*permissions: str) -> Callable[[Stage], None]:
    return lambda stage: stage.fake.state.permissions.update(dict.fromkeys(permissions, "none"))


def push_unrecorded(stage: Stage) -> None:
    stage.base = stage.fake.add_commit(parents=[stage.base], branch="main")


def await_approval(stage: Stage) -> None:
    push_unrecorded(stage)
    stage.fake.add_run(stage.base, event="push", status="waiting", conclusion=None)
    stage.open_pull()


def damage(stage: Stage) -> None:
    stage.set_policy("gate: {on-not-compared: pass}")
    stage.damage_baselines()


def choose(stage: Stage) -> None:
    stage.fake.state.tags["v1"] = stage.base
    change_base(stage)


def close(stage: Stage) -> None:
    stage.fake.state.pulls[stage.number].state = "closed"


def change_base(stage: Stage) -> None:
    stage.fake.state.pulls[stage.number].base_ref = "release"


def hide(stage: Stage) -> None:
    headers = {"X-Accepted-GitHub-Permissions": "actions=read"}
    stage.fake.fail("GET", "/actions/", 404, times=9, headers=headers, message="Not Found")


def change_system(stage: Stage) -> None:
    stage.environ = {"RUNNER_OS": "Linux"}
    stage.push()
    stage.open_pull()
    stage.environ = {"RUNNER_OS": "Windows"}


def own_baseline(stage: Stage) -> int:
    stage.set_policy(OWN)
    stage.inputs |= BOTH
    return stage.compare(both_builds(profiles(SLOWER, 2)))


def both_pushed(stage: Stage) -> int:
    stage.inputs |= {"token": "", "status": "", **BOTH}
    return stage.record(both_builds(profiles(SLOWER, 2)))


def own_run_then_fork_comment(stage: Stage) -> int:
    stage.compare(profiles(SLOWER, 77))
    return stage.fork_comment("failure")


def unstored_shard(stage: Stage) -> int:
    stage.start_pull_run()
    stage.fake.add_artifact(stage.pull_run, report_artifact("default", 1), b"taken", mime_type="text/plain")
    return stage.finish(stage.step(profiles(SHARES, 77), mode="shard"))


ROWS: dict[str, tuple[Act, int, str, int, list[str], str]] = {
    # name: what happens, exit code, conclusion, comments, states of the commit statuses, words of the log
    "slower": (judged(), 1, "fail", 1, ["failure"], "verdict: fail"),
    "unchanged": (judged(SHARES), 0, "pass", 0, ["success"], ""),
    "faster": (judged(FASTER), 0, "pass", 0, ["success"], ""),
    "always a comment": (judged(SHARES, comment="always"), 0, "pass", 1, ["success"], ""),
    "never a comment": (judged(comment="never"), 1, "fail", 0, ["failure"], ""),
    "no status": (judged(status="false"), 1, "fail", 1, [], ""),
    "older baseline": (judged(before=push_unrecorded), 0, "warn", 1, ["success"], ""),
    "baseline expires": (
        judged(before=lambda stage: stage.fake.fail("GET", "/zip", 410, message="Artifact has expired")),
        *(0, "warn", 1, ["success"], "has expired"),
    ),
    "baseline unreadable and allowed": (judged(before=damage), 0, "not_compared", 1, ["success"], ""),
    "base run waits for an approval": (judged(before=await_approval), 0, "not_compared", 1, ["success"], ""),
    "baseline of another system": (judged(SHARES, change_system), 0, "not_compared", 1, ["success"], ""),
    "policy of the base commit": (
        judged(before=lambda stage: stage.set_policy("gate: {fail-on: never}")),
        *(0, "warn", 1, ["success"], ""),
    ),
    "both builds in the job": (own_baseline, 0, "warn", 1, ["success"], ""),
    "both builds without the API": (both_pushed, 1, "fail", 0, [], ""),
    "pull request closed": (judged(before=close), 1, "fail", 0, ["failure"], "is closed"),
    "base branch changed": (judged(before=change_base), 1, "fail", 0, ["failure"], "has changed"),
    "chosen ref for any base": (judged(before=choose, baseline_ref="v1"), 1, "fail", 1, ["failure"], ""),
    "conversation locked": (
        judged(before=lambda stage: stage.fake.fail("POST", "/comments", 403, message="issue is locked")),
        *(1, "fail", 0, ["failure"], "issue is locked"),
    ),
    "comment refused": (
        judged(before=lambda stage: stage.fake.fail("POST", "/issues/1/comments", 422, times=9, body=TOO_LONG)),
        *(1, "fail", 0, ["failure"], "body is too long"),
    ),
    "status without an answer": (
        judged(before=lambda stage: stage.fake.fail("POST", "/statuses/", 201, times=9, body=b"{")),
        *(1, "fail", 1, [], "no commit status was written"),
    ),
    "output folder in a file": (judged(output_dir="event.json/report"), 1, "fail", 1, ["failure"], "report.json: "),
    "statuses forbidden": (judged(before=without("statuses")), 1, "fail", 1, [], "statuses: write"),
    "comments forbidden": (
        judged(before=without("issues", "pull_requests")),
        *(1, "fail", 0, ["failure"], "issues: read or pull-requests: read"),
    ),
    "contents forbidden": (judged(before=without("contents")), 2, "not_compared", 0, ["error"], "contents: read"),
    "actions forbidden": (judged(before=without("actions")), 2, "not_compared", 0, ["error"], "actions: read"),
    "actions hidden": (judged(before=hide), 2, "not_compared", 0, ["error"], "permission actions: read"),
    "no token": (judged(token=""), 2, "not_compared", 0, [], "pass token: ${{ github.token }}"),
    "no profiles": (lambda stage: stage.compare({}), 2, "not_compared", 0, ["error"], "matches no file"),
    "error after a success": (twice, 2, "not_compared", 0, ["success", "error"], ""),
    "unreadable profile": (
        lambda stage: stage.record({"api.folded": b"\x00\x01\x02 nothing\n"}),
        *(2, "not_compared", 0, [], "api.folded"),
    ),
    "invalid inputs": (judged(mode="sometimes", status="perhaps"), 2, "not_compared", 0, [], "mode: "),
    "workflow unknown": (
        judged(before=lambda stage: stage.environ.update({"GITHUB_WORKFLOW_REF": ""})),
        *(2, "not_compared", 0, ["error"], "baseline-workflow: "),
    ),
    "shard that cannot store": (unstored_shard, 2, "not_compared", 0, [], "the report was not stored"),
    "merge queue slower": (lambda stage: stage.queued(profiles(SLOWER, 77)), 1, "fail", 0, ["failure"], ""),
    "merge queue unchanged": (lambda stage: stage.queued(profiles(SHARES, 77)), 0, "pass", 0, ["success"], ""),
    "fork": (judged(before=read_only), 1, "fail", 0, [], "No commit status was written"),
    "fork that stores nothing": (judged(before=store_nothing), 1, "fail", 0, [], "upload-artifact"),
    "fork reported": (reported(), 0, "fail", 1, ["failure"], ""),
    "fork unchanged": (reported(SHARES), 0, "pass", 0, ["success"], ""),
    "fork with a newer head": (
        reported(before=Stage.push_to_pull),
        *(0, "not_compared", 0, [], "a newer run replaces this one"),
    ),
    "fork without a status": (reported(before=without("statuses")), 1, "fail", 1, [], "statuses: write"),
    "dependabot": (reported(fork=False), 0, "fail", 1, ["failure"], ""),
    "own run has reported": (own_run_then_fork_comment, *(0, "not_compared", 1, ["failure"], "so it has reported")),
}


@pytest.mark.parametrize("name", ROWS)
def test_situation_has_its_result(recorded: Stage, name: str) -> None:
    act, code, conclusion, comments, states, words = ROWS[name]
    recorded.inputs["status"] = "true"
    assert act(recorded) == code, recorded.log
    assert recorded.outputs["conclusion"] == conclusion
    assert len(recorded.comments) == comments
    assert [status["state"] for status in recorded.fake.state.statuses] == states
    assert words in recorded.log
    summary = recorded.workspace / "summary.md"
    texts = [*recorded.comments[-1:], summary.read_text() if summary.exists() else ""]
    decision = "" if code == 2 else "fails" if code or states[-1:] == ["failure"] else "passes"
    assert set(re.findall(r"check(?: on GitHub)? (fails|passes)", "".join(texts))) <= {decision}
    plain = " ".join(re.sub(r"[`\\]", "", texts[-1] or texts[0]).split())
    for status in recorded.fake.state.statuses:
        word, text = str(status["description"]).partition(": ")[::2]
        assert word in {"passed", "no result"} or text[:30] in plain  # the beginning of the headline


def shown(stage: Stage) -> list[str]:
    """Our comments that are not folded away."""
    return [one.body for one in stage.fake.state.comments.values() if one.author == ACTIONS_LOGIN]


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
