"""A pull request whose token can only read: its run hands profiles over, a second run tells. Forks and Dependabot."""

import hashlib
import json
import os
import re
import signal
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

import pytest

import action_stage
from action_stage import ARTIFACT, BASE_RUNS, BOTH, SHARES, SLOWER, Stage, both_builds, profiles
from profgate.action import later_runs
from profgate.action.entry import limited_main
from profgate.model.record import replace
from profgate.model.source import MANIFEST_NAME
from slow_cases import quick_first

TARGET = f"{ARTIFACT}-target"


@pytest.fixture
def forked(stage: Stage) -> Stage:
    """Recorded base jobs, and a pull request of a fork."""
    stage.push_jobs()
    stage.open_pull(fork=True)
    return stage


def pull_run(stage: Stage, files: dict[str, bytes]) -> int:
    permissions = stage.fake.state.permissions
    stage.fake.read_only()
    code = stage.compare(files)
    stage.fake.state.permissions = permissions
    return code


@pytest.fixture
def slower(forked: Stage) -> Stage:
    """The same after the run of the pull request found something slower."""
    forked.filled(lambda: pull_run(forked, profiles(SLOWER, 77)), SLOWER, 77)
    return forked


@pytest.fixture
def unchanged(forked: Stage) -> Stage:
    """The same after the run of the pull request found no change."""
    forked.filled(lambda: pull_run(forked, profiles(SHARES, 77)), SHARES, 77)
    return forked


def statuses(stage: Stage) -> list[tuple[str, str]]:
    return [(str(one["sha"]), str(one["state"])) for one in stage.fake.state.statuses]


def test_fork_comment_workflow_reports_for_fork(slower: Stage) -> None:
    assert "stored for a workflow that runs on workflow_run" in slower.summary
    assert slower.comments == []
    assert slower.fork_comment("failure") == 0  # the default branch does not turn red; the status does
    assert slower.outputs["conclusion"] == "fail"
    (comment,) = slower.comments
    assert "parse" in comment
    assert f"head={slower.head[:7]}" in comment
    (status,) = slower.fake.state.statuses
    assert (status["sha"], status["state"], status["context"]) == (slower.head, "failure", "profgate/default")
    assert len(str(status["description"])) <= 140
    report = json.loads(slower.file("report.json"))
    assert report["target"]["run_id"] == slower.pull_run
    assert report["baseline"]["sha"] == slower.base
    assert slower.report["baseline"]["distance"] == 0


def test_other_pull_request_of_the_branch_is_ignored(slower: Stage) -> None:
    mine = slower.number
    elsewhere = slower.fake.add_pull(slower.head, slower.base, fork=("mallory/other", 667))
    assert slower.fork_comment() == 0
    assert len(slower.fake.comment_bodies(mine)) == 1
    assert slower.fake.comment_bodies(elsewhere) == []


@pytest.mark.parametrize("first", quick_first(["main", "release"]))
def test_other_base_branch_does_not_replace_the_status(forked: Stage, first: str) -> None:
    old = forked.base  # a slow commit, from which the other branch starts
    for _ in range(BASE_RUNS):
        forked.base = forked.fake.add_commit(parents=[forked.base], branch="release")
        forked.base_branch = "release"
        forked.record(profiles(SLOWER, len(forked.fake.state.commits)))
    newest = forked.base
    numbers = {"main": forked.number}
    numbers["release"] = forked.fake.add_pull(forked.head, newest, fork=("mallory/shop", 666), base_ref="release")
    for branch in sorted(numbers, key=lambda name: name != first):
        forked.base_branch, forked.base, forked.number = branch, old if branch == "main" else newest, numbers[branch]
        pull_run(forked, profiles(SLOWER, 77))
        assert forked.fork_comment() == 0
    found = {str(one["context"]): one["state"] for one in forked.fake.state.statuses}
    assert found == {"profgate/default": "failure", "profgate/default@release": "success"}


def test_a_fork_that_stores_nothing_is_no_pass(slower: Stage) -> None:
    slower.fake.state.artifacts = {
        number: one for number, one in slower.fake.state.artifacts.items() if one.name != TARGET
    }
    assert slower.fork_comment() == 2
    assert statuses(slower) == [(slower.head, "error")]
    assert "contains no artifact" in slower.log


Members = dict[str, bytes]


def with_manifest(change: Callable[[dict[str, Any]], object]) -> Callable[[Members], Members]:
    def poison(members: Members) -> Members:
        manifest = json.loads(members[MANIFEST_NAME])
        change(manifest)
        return members | {MANIFEST_NAME: json.dumps(manifest).encode()}

    return poison


def smuggled(name: str) -> Callable[[Members], Members]:
    """A further member, listed in the manifest as it should be."""
    data = b"<script>alert(1)</script>"

    def add(manifest: dict[str, Any]) -> None:
        manifest["files"].append({"path": name, "sha256": hashlib.sha256(data).hexdigest()})

    return lambda members: with_manifest(add)(members) | {name: data}


POISONS: dict[str, tuple[Callable[[Members], Members], str]] = {
    "no manifest": (lambda members: {n: d for n, d in members.items() if n != MANIFEST_NAME}, "is missing beside"),
    "no profile": (
        lambda members: with_manifest(lambda one: one.update(files=[]))({MANIFEST_NAME: members[MANIFEST_NAME]}),
        "it contains no profile",
    ),
    "of another run": (with_manifest(lambda one: one.update(run_id=1)), "the manifest is of run 1"),
    "of a push": (with_manifest(lambda one: one.update(event="push")), "of the event 'push'"),
    "listed twice": (with_manifest(lambda one: one["files"].append(one["files"][0])), "lists a file twice"),
    "a hidden member": (lambda members: members | {"more.folded": b"a 1\n"}, "lists other files"),
    "changed bytes": (lambda members: members | {"api/1.folded": b"main;parse 1\n"}, "its bytes differ"),
    "a comment": (smuggled("comment.md"), "'comment.md' is no profile"),
    "a page": (smuggled("api.samples.html"), "'api.samples.html' is no profile"),
    "a picture": (smuggled("flame.SVG"), "'flame.SVG' is no profile"),
    "no manifest of ours": (
        lambda members: members | {MANIFEST_NAME: b"[" * 100_000},
        "does not have profgate's format",
    ),
    "a way out": (lambda members: members | {"../../etc/profile": b"a 1\n"}, "leaves its folder"),
}


@pytest.mark.parametrize("poison", POISONS)
def test_a_poisoned_artifact_is_refused(unchanged: Stage, poison: str) -> None:
    mine = next(one for one in unchanged.fake.state.artifacts.values() if one.name == TARGET)
    change, message = POISONS[poison]
    manifest = json.loads(unchanged.file(f"target/{MANIFEST_NAME}"))
    assert mine.run_id == unchanged.pull_run == manifest["run_id"]
    members = profiles(SHARES, 77) | {MANIFEST_NAME: json.dumps(manifest).encode()}
    unchanged.fake.add_artifact(unchanged.pull_run, TARGET, change(members))  # newer, so it is the one that counts
    assert unchanged.fork_comment() == 2
    assert message in unchanged.log
    assert unchanged.comments == []
    assert statuses(unchanged) == [(unchanged.head, "error")]
    assert unchanged.outputs["conclusion"] == "not_compared"
    assert "alert(1)" not in unchanged.summary


def test_forged_merge_does_not_choose_the_baseline(forked: Stage) -> None:
    """The author names a merge commit of a slow state that never was on the base branch."""
    slow = forked.fake.add_commit(parents=[forked.base])
    forked.fake.add_artifact(forked.fake.add_run(slow), ARTIFACT, profiles(SLOWER, 5))
    assert forked.fake.state.branches["main"] == forked.base
    forge(forked, slow)
    assert forked.fork_comment() == 0
    assert statuses(forked) == [(forked.head, "failure")]
    assert forked.report["baseline"]["sha"] == forked.base


def test_merge_of_another_head_is_ignored(stage: Stage) -> None:
    """The author names an older merge of the base branch, before which it was as slow as the pull request is."""
    stage.push(profiles(SLOWER, 4))
    slow = stage.push(profiles(SLOWER, 5))
    old = stage.base = stage.fake.add_commit(parents=[slow, stage.fake.add_commit(parents=[slow])], branch="main")
    stage.push_jobs()
    stage.open_pull(fork=True)
    forge(stage, merge=old)
    assert stage.fork_comment() == 0
    assert stage.report["baseline"]["sha"] == stage.base
    assert statuses(stage) == [(stage.head, "failure")]


LOOSE = {".github/profgate.yml": b"gate: {fail-on: never}\n"}


@pytest.fixture
def improved(stage: Stage) -> tuple[Stage, str]:
    """A base branch that was slow under a loose policy until its newest commits, and its last slow commit."""
    stage.base = stage.fake.add_commit(parents=[stage.base], branch="main", files=LOOSE)
    for seed in range(3):
        slow = stage.push(profiles(SLOWER, 40 + seed))
    stage.base = stage.fake.add_commit(parents=[slow], branch="main", without=LOOSE)
    stage.push_jobs()
    return stage, slow


def forge(stage: Stage, first: str = "", *, merge: str = "", known: bool = True) -> int:
    """A pull request run that states another merge, or one of the head and another commit, perhaps unknown."""
    permissions = stage.fake.state.permissions
    stage.fake.read_only()
    stage.start_pull_run(first)
    stage.merge = merge or stage.merge
    code = stage.finish(stage.step(profiles(SLOWER, 77)))
    if not known:
        del stage.fake.state.commits[stage.merge]
    stage.fake.state.permissions = permissions
    return code


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("branched", ["now", "then"])
def test_old_commit_chooses_neither_baseline_nor_policy(
    improved: tuple[Stage, str], branched: str, *, known: bool
) -> None:
    stage, slow = improved
    stage.open_pull(fork=True)
    if branched == "then":
        stage.head = stage.fake.add_commit(parents=[slow])
        stage.fake.state.pulls[stage.number].head_sha = stage.head
    forge(stage, slow, known=known)
    assert stage.fork_comment() == 0
    assert stage.report["baseline"]["sha"] == stage.base
    assert stage.report["policy"]["fail_on"] == "degradation"
    assert statuses(stage) == [(stage.head, "failure")]


def test_merged_shards_use_the_policy_of_the_base_commit(improved: tuple[Stage, str]) -> None:
    stage, slow = improved
    stage.open_pull(fork=True)
    stage.head = stage.fake.add_commit(parents=[slow])
    stage.fake.state.pulls[stage.number].head_sha = stage.head
    forge(stage, slow)
    stage.start_fork_comment()
    assert stage.fork_comment_step(mode="shard") == 0
    assert stage.finish(stage.fork_comment_step(mode="merge", **{"shards-result": "success"})) == 0
    assert statuses(stage) == [(stage.head, "failure")]


def test_commit_without_run_is_not_the_baseline(forked: Stage) -> None:
    """An older baseline never fails, so a fork must not choose a commit that was never the head of its branch."""
    between = forked.fake.add_commit(parents=[forked.base], branch="main")
    head = forked.fake.add_commit(parents=[between], branch="main")
    forked.fake.add_artifact(forked.fake.add_run(head), ARTIFACT, profiles(SHARES, 60))
    forge(forked, between)
    assert forked.fork_comment() == 0
    assert forked.report["baseline"]["distance"] == 0
    assert statuses(forked) == [(forked.head, "failure")]


def test_workflow_of_the_fork_does_not_choose_the_baseline(forked: Stage) -> None:
    """A fork can give the name of the recording workflow to another file, of which no base run exists."""
    pull_run(forked, profiles(SLOWER, 77))
    runs = forked.fake.state.runs
    runs[forked.pull_run] = replace(runs[forked.pull_run], path=".github/workflows/mine.yml")
    assert forked.fork_comment() == 0
    assert statuses(forked) == [(forked.head, "failure")]
    forked.start_fork_comment()
    assert forked.finish(forked.fork_comment_step(**{"baseline-workflow": ""})) == 2
    assert "baseline-workflow: is empty; name the file" in forked.log
    assert statuses(forked)[-1] == (forked.head, "error")


def test_later_head_of_the_base_branch_is_the_baseline(forked: Stage) -> None:
    forked.open_pull(fork=True)
    opened = forked.base
    forked.push(profiles(SLOWER, 50))
    head = forked.base
    forked.base = opened
    forge(forked, head)
    assert forked.fork_comment() == 0
    assert forked.report["baseline"]["sha"] == head
    assert statuses(forked) == [(forked.head, "success")]


# Both builds in one job


def brings(stage: Stage, head: dict[str, bytes], base: dict[str, bytes] | None = None, **inputs: str) -> int:
    """The run of the pull request measures its head and a baseline."""
    before = dict(stage.inputs)
    stage.inputs |= BOTH | inputs
    code = pull_run(stage, both_builds(head, base))
    stage.inputs = before
    return code


def test_fork_cannot_bring_its_baseline(forked: Stage) -> None:
    """Else a fork would choose what it is compared with, as soon as the stored baselines have expired."""
    assert brings(forked, profiles(SLOWER, 2), profiles(SLOWER, 1)) == 0
    state = forked.fake.state
    state.artifacts |= {
        number: replace(artifact, expired=artifact.name == ARTIFACT) for number, artifact in state.artifacts.items()
    }
    forked.fork_comment()
    assert statuses(forked) == [(forked.head, "failure")]


def loop(*_: object) -> NoReturn:
    re.match("(a|a)*b", "a" * 60)  # holds the interpreter, so that no signal handler runs
    raise AssertionError("the expression ends before the limit")


def killed(*_: object) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)  # as the kernel does if memory is short
    raise AssertionError("the process survived")


def without_memory(*_: object) -> NoReturn:
    raise MemoryError


@pytest.mark.parametrize(
    ("hang", "seconds", "reason"),
    [(loop, 1, "took more than 1 seconds"), (killed, 60, "or all memory"), (without_memory, 60, "more memory")],
)
@pytest.mark.sockets  # the run is a process of its own
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # the fake GitHub has threads
def test_endless_reading_ends_with_error_status(
    forked: Stage, monkeypatch: pytest.MonkeyPatch, hang: Callable[..., NoReturn], seconds: float, reason: str
) -> None:
    pull_run(forked, profiles(SLOWER, 77))
    monkeypatch.setattr(later_runs, "compare_fork", hang)
    monkeypatch.setattr(action_stage, "main", partial(limited_main, seconds=seconds))
    assert forked.fork_comment("failure") == 2
    assert statuses(forked) == [(forked.head, "error")]
    assert reason in str(forked.fake.state.statuses[0]["description"])
    assert forked.outputs["conclusion"] == "not_compared"
    assert reason in forked.summary


@pytest.mark.slow
def test_source_that_cannot_be_parsed_leaves_the_verdict(stage: Stage) -> None:
    stage.push_jobs()
    stage.open_pull(fork=True, files={"src/a.ts": b"a" + b"<a>" * 24_000})  # the parser needs 3 GB for this file
    pull_run(stage, profiles(SLOWER, 77))
    assert stage.fork_comment("failure") == 0
    assert statuses(stage) == [(stage.head, "failure")]
    assert "src/a.ts, which could not be parsed" in stage.comments[0]


@pytest.mark.sockets
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_comparison_within_limit_reports_as_usual(slower: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(action_stage, "main", limited_main)
    assert slower.fork_comment("failure") == 0
    assert slower.outputs["conclusion"] == "fail"
    assert statuses(slower) == [(slower.head, "failure")]
