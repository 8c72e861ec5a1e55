"""The baseline commit for each state of the workspace: GITHUB_SHA names the test merge whatever is checked out."""

import json

import pytest

from action_stage import SHARES, SLOWER, Stage, profiles
from profgate.model.source import MANIFEST_NAME

HEAD = "../.git/HEAD"  # beside the folder of profiles in the workspace
UNKNOWN = "f" * 40


@pytest.fixture
def diverged(stage: Stage) -> Stage:
    """The base branch became faster after the pull request's branch started, and the pull request changes nothing."""
    stage.push_jobs(9, lambda seed: profiles(SLOWER, seed))
    stage.open_pull()
    stage.start = stage.base
    stage.push(profiles(SHARES, 10))
    return stage


def compared_with(stage: Stage, files: dict[str, bytes]) -> str:
    stage.compare(profiles(SLOWER, 77) | files)
    return str(stage.report["baseline"]["sha"])


@pytest.mark.parametrize(
    ("checkout", "baseline", "warns"),
    [
        ("head", "start", False),
        ("ref: refs/heads/feature\n", "start", False),
        ("merge", "base", False),
        ("", "base", False),
        (UNKNOWN, "base", True),  # a job may rebase the branch itself, which makes a commit that GitHub does not know
    ],
)
def test_checkout_chooses_the_baseline(diverged: Stage, checkout: str, baseline: str, *, warns: bool) -> None:
    diverged.start_pull_run()
    files = {HEAD: str(getattr(diverged, checkout, checkout)), "../.git/refs/heads/feature": diverged.head}
    given = {name: text.encode() for name, text in files.items() if checkout}
    assert diverged.finish(diverged.step(profiles(SLOWER, 77) | given)) == 0
    assert diverged.report["baseline"]["sha"] == getattr(diverged, baseline)
    assert (f"the checked-out commit {UNKNOWN} is neither" in diverged.log) == warns == ("neither" in diverged.log)


def test_rebased_pull_request_has_a_new_merge_base(diverged: Stage) -> None:
    diverged.head = diverged.fake.add_commit(parents=[diverged.base])
    diverged.fake.state.pulls[diverged.number].head_sha = diverged.head
    assert compared_with(diverged, {HEAD: diverged.head.encode()}) == diverged.base


def test_head_checkout_does_not_choose_the_policy(diverged: Stage) -> None:
    strict = {".github/profgate.yml": b"gate: {fail-on: severe}\n"}
    diverged.base = diverged.fake.add_commit(parents=[diverged.base], branch="main", files=strict)
    assert compared_with(diverged, {HEAD: diverged.head.encode()}) == diverged.start
    assert diverged.report["policy"]["fail_on"] == "severe"


def test_fork_states_the_commit_it_measured(diverged: Stage) -> None:
    diverged.open_pull(fork=True)
    diverged.inputs["mode"] = "record"
    diverged.start_pull_run()
    diverged.finish(diverged.step(profiles(SHARES, 77) | {HEAD: diverged.head.encode()}))
    assert json.loads(diverged.file(f"target/{MANIFEST_NAME}"))["commit"] == diverged.head


# Pushes


def pushed(stage: Stage, before: str, sha: str) -> str:
    """The baseline of a push to the base branch that is compared."""
    stage.triggered("push", {"before": before}, sha, files=profiles(SLOWER, 77), inputs={"mode": "compare"})
    return str(stage.report["baseline"]["sha"])


@pytest.mark.parametrize(("before", "commits"), [("", 1), ("", 2), (UNKNOWN, 1)])
def test_push_is_compared_with_the_commit_before(diverged: Stage, before: str, commits: int) -> None:
    sha = diverged.base
    for _ in range(commits):
        sha = diverged.fake.add_commit(parents=[sha], branch="main")
    assert pushed(diverged, before or diverged.base, sha) == diverged.base


def test_force_push_is_compared_with_merge_base(diverged: Stage) -> None:
    dropped = diverged.fake.add_commit(parents=[diverged.base])
    assert pushed(diverged, dropped, diverged.fake.add_commit(parents=[diverged.base], branch="main")) == diverged.base
