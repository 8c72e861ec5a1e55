"""False alarms on unchanged code: found by base runs, reported by pull requests, acted on if the policy says so."""

import io
import json
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import pytest

from action_stage import ARTIFACT, SHARES, Stage, profiles

RENDER = SHARES | {"render": 40_000}
FAR_SLOWER = SHARES | {"parse": 300_000}  # beyond the base job that was slower in `render`


@pytest.fixture
def keeping(stage: Stage) -> Stage:
    stage.inputs.pop("history")  # the default
    return stage


def change(stage: Stage, file: str, content: bytes = b"new", *, seed: int, shares: dict[str, int] = SHARES) -> str:
    """A commit that changes one file, and its base run."""
    stage.base = stage.fake.add_commit(parents=[stage.base], branch="main", files={file: content})
    stage.record(profiles(shares, seed))
    return stage.base


def trials(stage: Stage, folder: Path) -> list[tuple[str, str, str, str]]:
    """Baseline, target, the name's end and the gate's word in the newest history."""
    stored = [one for one in stage.fake.state.artifacts.values() if one.name == f"{ARTIFACT}-history"]
    with zipfile.ZipFile(io.BytesIO(stored[-1].data)) as archive:
        (folder / "read.sqlite").write_bytes(archive.read("history.sqlite"))
    connection = sqlite3.connect(folder / "read.sqlite")
    asked = "SELECT baseline, target, job, conclusion FROM verdicts ORDER BY id"
    rows = connection.execute(asked).fetchall()
    connection.close()
    return [(before, after, job.rpartition("/")[2], conclusion) for before, after, job, conclusion in rows]


def reported_policy(stage: Stage) -> dict[str, Any]:
    policy: dict[str, Any] = json.loads(stage.file("report.json"))["policy"]
    return policy


def test_unchanged_code_tests_the_gate(keeping: Stage, tmp_path: Path) -> None:
    start = change(keeping, "app.py", seed=1)
    words = change(keeping, "docs/guide.txt", seed=2)
    change(keeping, "app.py", b"newer", seed=3)
    assert [one[:2] for one in trials(keeping, tmp_path)] == [(start, words)]
    assert trials(keeping, tmp_path)[0][3] == "pass"


def test_policy_names_paths_that_do_not_matter(keeping: Stage, tmp_path: Path) -> None:
    keeping.inputs["config"] = "profgate.yml"
    start = change(keeping, "app.py", seed=1)
    place = keeping.folder / "workspace-2"
    place.mkdir()
    (place / "profgate.yml").write_text("gate: {unchanged-paths: [assets/*]}\n")
    art = change(keeping, "assets/logo.svg", seed=2)
    assert [one[:2] for one in trials(keeping, tmp_path)] == [(start, art)]


def test_jobs_of_a_commit_are_tested_in_halves(keeping: Stage, tmp_path: Path) -> None:
    for seed in range(1, 5):
        keeping.record(profiles(seed=seed))
    found = trials(keeping, tmp_path)
    assert len(found) == 4  # each after the first against those before it, then the halves
    assert [one[2] == "halves" for one in found] == [False, False, False, True]
    assert {one[:2] for one in found} == {(keeping.base, keeping.base)}


@pytest.mark.slow
def test_gate_over_budget_follows_the_policy(keeping: Stage, tmp_path: Path) -> None:
    for seed in range(1, 10):
        change(keeping, "app.py", b"%d" % seed, seed=seed)
    change(keeping, "README.md", seed=20, shares=RENDER)  # the machine had a bad day
    change(keeping, "app.py", b"on", seed=21)
    assert [one[3] for one in trials(keeping, tmp_path)] == ["fail"]
    keeping.open_pull()
    assert keeping.compare(profiles(FAR_SLOWER, 77)) == 1
    comment = keeping.file("comment.md")
    assert "false alarms in 1 of 1 comparison of unchanged code (95 % interval 2.5 % to 100 %)" in comment
    assert "set auto-demote: true" in comment
    change(keeping, ".github/profgate.yml", b"gate: {auto-demote: true}\n", seed=22)
    keeping.open_pull()
    assert keeping.compare(profiles(FAR_SLOWER, 78)) == 0
    policy = reported_policy(keeping)
    assert (policy["demoted"], policy["unchanged_reds"], policy["unchanged_comparisons"]) == (True, 1, 1)
    assert "advisory: 1 of 1 comparisons of unchanged code were red" in keeping.file("comment.md")
    assert "set auto-demote" not in keeping.file("comment.md")
