"""Drift of the base branch: judged by base runs from the stored history, against a release, with its steps."""

import re
from pathlib import Path

import pytest

from action_stage import SHARES, Stage, profiles
from profgate.model.levels import FEWEST_JOBS

POLICY = "gate:\n  drift: {since: last-release, fail-on: 5%}\n"


@pytest.fixture
def limited(stage: Stage, tmp_path: Path) -> Stage:
    """A base branch whose policy limits its drift."""
    policy = tmp_path / "policy.yml"
    policy.write_text(POLICY)
    stage.history, stage.links = True, {".github/profgate.yml": policy}
    return stage


def push(stage: Stage, message: str, **more: int) -> int:
    """A recorded commit of the base branch in which some functions take so many more samples."""
    shares = {name: samples + more.get(name, 0) for name, samples in SHARES.items()}
    stage.base = stage.fake.add_commit(parents=[stage.base], branch="main", message=message)
    return stage.record(profiles(shares, seed=len(stage.fake.state.commits)))


@pytest.mark.sockets
@pytest.mark.slow
def test_small_steps_since_the_release_fail_together(limited: Stage) -> None:
    for number in range(FEWEST_JOBS):
        push(limited, f"Steady (#{number + 1})")
    limited.fake.add_release("v2.3", limited.base, {})
    assert push(limited, "Parse more (#91)\n\nbody", parse=2_000) == 0
    assert push(limited, "Merge pull request #92 from octocat/store", parse=2_000, store=3_000) == 0
    assert limited.report["verdict"]["conclusion"] == "pass"
    assert push(limited, "Nothing (#93)", parse=2_000, store=3_000) == 1
    assert limited.outputs["conclusion"] == "fail"
    (metric,) = limited.report["workloads"][0]["metrics"]
    assert metric["total"]["relative"] == pytest.approx(5_000 / 67_000, abs=0.005)
    assert [step["name"] for step in metric["steps"]] == ["#92", "#91"]
    for text in (limited.summary, limited.file("comment.md")):
        assert re.search(r"❌ Total \+7.\d.% since `v2.3` \(limit 5%\): `#92` \+4.\d.%, `#91` \+[23].\d.%", text)
    assert "Recorded" in limited.summary or "stored" in limited.summary  # the summary of the base run remains
    limited.open_pull()
    assert limited.compare(profiles({**SHARES, "parse": 32_000, "store": 18_000}, 77)) == 0  # not a pull request's


def test_release_that_is_missing_is_not_compared(limited: Stage) -> None:
    assert push(limited, "First") == 0
    assert limited.outputs["conclusion"] == "not_compared"
    assert "there is no published release" in limited.log
    assert "Not compared" in limited.summary


def test_unmeasured_release_and_lost_history_are_not_compared(limited: Stage) -> None:
    limited.fake.add_release("v2.3", limited.base, {})
    push(limited, "First")
    assert limited.report["verdict"]["conclusion"] == "not_compared"
    limited.fake.add_release("v2.4", limited.base, {})
    limited.fake.state.artifacts.clear()
    push(limited, "Second")
    assert limited.report["verdict"]["conclusion"] == "not_compared"
    limited.fail("GET", "/commits", 500, times=9)
    push(limited, "Third")
    assert limited.outputs["conclusion"] == "not_compared"
