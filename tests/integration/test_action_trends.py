"""Lasting changes of the base branch: reported once, by the base run that first sees them."""

import io
import zipfile
from pathlib import Path

import pytest

from action_stage import ARTIFACT, SHARES, Stage, profiles
from profgate.history.history_store import open_history
from profgate.history.stored_sides import readings
from profgate.model.history import StoredCommit
from profgate.model.policy import Policy
from profgate.model.record import replace
from profgate.model.source import source_of

HISTORY = f"{ARTIFACT}-history"
STEADY = 15


def at(level: float, seed: int, workload: str = "api") -> dict[str, bytes]:
    """Five runs in which everything takes so many times as long."""
    return profiles({name: round(samples * level) for name, samples in SHARES.items()}, seed, workload)


@pytest.fixture
def keeping(stage: Stage) -> Stage:
    stage.history = True
    return stage


def with_past(stage: Stage, folder: Path, levels: list[float], workload: str = "api") -> None:
    """A base branch whose last run stored a history of so many commits."""
    known = []
    for number, level in enumerate(levels):
        files = [source_of(name, data) for name, data in at(level, number, workload).items()]
        before = stage.base
        stage.base = stage.fake.add_commit(parents=[before], branch="main")
        made = readings(files, Policy(), stage.base, f"{number}/1/job", keep=False)
        known.append((StoredCommit(stage.base, (before,), number, f"Change @all {number}"), made))
    with open_history(str(folder / "past"), write=True) as store:
        for commit, made in known:
            store.add_commits([commit])
            store.add(made)
    stage.record(at(levels[-1], len(levels) - 1, workload))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.write(folder / "past" / "history.sqlite", "history.sqlite")
    (stored,) = [one for one in stage.fake.state.artifacts.values() if one.name == HISTORY]
    stage.fake.state.artifacts[stored.id] = replace(stored, data=buffer.getvalue(), digest=None)


def lasting_changes(stage: Stage) -> list[str]:
    """The annotations of the last run about persistent changes."""
    return [line for line in stage.log.splitlines() if "profgate%3A lasting " in line]


def test_step_is_reported_with_its_commit(keeping: Stage, tmp_path: Path) -> None:
    with_past(keeping, tmp_path, [1.0] * STEADY)
    first = keeping.push(at(1.3, 100))
    assert lasting_changes(keeping) == []  # four commits make a level
    lines, summary = [], ""
    for number in range(1, 6):
        keeping.push(at(1.3, 100 + number))
        lines += lasting_changes(keeping)
        if lasting_changes(keeping):
            summary = keeping.summary
    (only,) = lines
    assert f"since {first[:12]}" in only
    assert "0 better. Each change is reported once." in summary
    assert f"since {first[:12]}" in summary
    lines.clear()
    for number in range(6):
        keeping.push(at(1.0, 200 + number))
        lines += lasting_changes(keeping)
    (only,) = lines
    assert only.startswith("::notice title=profgate%3A lasting improvement::")


def test_hostile_names_stay_text(keeping: Stage, tmp_path: Path) -> None:
    workload = "a|b `c` @all ::error::x"
    with_past(keeping, tmp_path, [1.0] * 8 + [1.5] * 7, workload)
    keeping.push(at(1.5, 100, workload))
    (only,) = lasting_changes(keeping)
    assert "::error::x, samples: " in only
    assert not [line for line in keeping.log.splitlines() if line.startswith("::error")]
    (row,) = [line for line in keeping.summary.splitlines() if "worse |" in line]
    assert row.replace("\\|", "").count("|") == 5
    assert "(Change @all" not in row
