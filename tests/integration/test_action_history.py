"""The history in the action: carried on by base runs, read by pull requests, hostile where somebody meddled."""

import io
import json
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import pytest

from action_stage import ARTIFACT, SHARES, SLOWER, Stage, profiles
from profgate.model.record import replace

HISTORY = f"{ARTIFACT}-history"


@pytest.fixture
def keeping(stage: Stage) -> Stage:
    stage.history = True
    return stage


def stored(stage: Stage) -> list[Any]:
    return [one for one in stage.fake.state.artifacts.values() if one.name == HISTORY]


def put(stage: Stage, artifact: Any, **changes: object) -> None:
    stage.fake.state.artifacts[artifact.id] = replace(artifact, **changes)


def history_of(stage: Stage, folder: Path) -> sqlite3.Connection:
    """The newest history that was uploaded."""
    with zipfile.ZipFile(io.BytesIO(stored(stage)[-1].data)) as archive:
        (folder / "read.sqlite").write_bytes(archive.read("history.sqlite"))
    return sqlite3.connect(folder / "read.sqlite")


def count(stage: Stage, folder: Path, table: str) -> int:
    connection = history_of(stage, folder)
    number = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]  # noqa: S608 - words of this test
    connection.close()
    return int(number)


def metric_of(stage: Stage) -> dict[str, Any]:
    report = json.loads(stage.file("report.json"))
    metric: dict[str, Any] = report["workloads"][0]["metrics"][0]
    return metric


def test_base_runs_extend_the_history(keeping: Stage, tmp_path: Path) -> None:
    for number in range(1, 10):
        keeping.push(profiles(seed=number))
    assert count(keeping, tmp_path, "readings") == 5 * 9
    keeping.open_pull()
    assert keeping.compare(profiles(SLOWER, 77)) == 1
    assert metric_of(keeping)["runs"]["noise"] == 40
    assert keeping.base_jobs == 9
    zips = [one for one in keeping.requests if one.path.endswith("/zip")]
    assert len(zips) == 2  # the baseline and the history, no further run
    assert "history: 8 measured commits" in keeping.log


@pytest.mark.slow
def test_short_history_is_completed_by_further_runs(keeping: Stage) -> None:
    keeping.history = False
    for number in range(1, 8):
        keeping.push(profiles(seed=number))
    keeping.history = True
    for number in range(8, 10):
        keeping.push(profiles(seed=number))
    keeping.open_pull()
    assert keeping.compare(profiles(SHARES, 77)) == 0
    assert metric_of(keeping)["runs"]["noise"] == 40  # each run once


def test_concurrent_additions_are_merged(keeping: Stage, tmp_path: Path) -> None:
    keeping.push(profiles(seed=1))
    first = stored(keeping)[-1]
    put(keeping, first, expired=True)  # as if the second run did not see what the first one added
    keeping.push(profiles(seed=2))
    put(keeping, first, expired=False)
    assert count(keeping, tmp_path, "(SELECT DISTINCT revision FROM readings)") == 1
    keeping.push(profiles(seed=3))
    assert count(keeping, tmp_path, "(SELECT DISTINCT revision FROM readings)") == 3


@pytest.mark.parametrize("poison", [b"no database at all", b"SQLite format 3\0" + bytes(9000)])
def test_poisoned_history_is_reported_and_ignored(keeping: Stage, tmp_path: Path, poison: bytes) -> None:
    for number in range(1, 3):
        keeping.push(profiles(seed=number))
    for one in stored(keeping):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("history.sqlite", poison)
        put(keeping, one, data=buffer.getvalue(), digest=None)
    keeping.open_pull()
    assert keeping.compare(profiles(SLOWER, 77)) == 0
    assert metric_of(keeping)["runs"]["noise"] == 5
    assert "no history is used" in keeping.log
    keeping.push(profiles(seed=10))
    assert "is left out" in keeping.log
    assert count(keeping, tmp_path, "readings") == 5


def test_profiles_are_stored_without_the_api(keeping: Stage) -> None:
    del keeping.inputs["token"]
    keeping.push(profiles())
    assert [one.name for one in keeping.fake.state.artifacts.values()] == [ARTIFACT]
    assert "the history was not extended" in keeping.log
    assert "::warning" not in keeping.log
