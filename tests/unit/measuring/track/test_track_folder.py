import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from profgate.errors import ProfgateError
from profgate.io.scratch import MARK
from profgate.measuring.track.track_folder import OUTPUT, TrackFolder
from profgate.measuring.track.versions import TrackRun


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TrackFolder:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # other tests may remove what a killed process left
    return TrackFolder(str(tmp_path / "track"), "key")


def store(folder: TrackFolder, version: str, number: int, problem: str = "", profile: str = "a 1") -> None:
    with folder.attempt() as attempt:
        (attempt / OUTPUT / "work.folded").write_text(profile)
        folder.store(attempt, version, number, TrackRun(problem=problem))


def problems(folder: TrackFolder, version: str) -> dict[int, str]:
    return {number: record.problem for number, record in folder.records(version).items()}


def test_run_is_stored_with_its_profiles(folder: TrackFolder) -> None:
    with folder.locked():
        store(folder, "v1", 1, "first")
        store(folder, "v1", 10, "tenth")
        store(folder, "v1", 2, "second", "a 2")
    assert list(problems(folder, "v1").items()) == [(1, "first"), (2, "second"), (10, "tenth")]
    assert [source.name for source in folder.profiles("v1", 2)] == ["work.folded"]
    assert folder.profiles("v1", 2)[0].read(9) == b"a 2"
    assert (folder.records("v2"), folder.profiles("v1", 3)) == ({}, [])


def test_stored_run_replaces_a_former_one(folder: TrackFolder) -> None:
    with folder.locked():
        store(folder, "v1", 1, "former")
        store(folder, "v1", 1, "good")
        assert problems(folder, "v1") == {1: "good"}
        folder.drop_failed("v1")
        assert folder.records("v1") == {}


def test_good_runs_of_failed_version_remain(folder: TrackFolder) -> None:
    with folder.locked():
        store(folder, "v1", 1)
        store(folder, "v1", 2, "failed")
        folder.drop_failed("v1")
        assert problems(folder, "v1") == {1: ""}


def test_folder_is_locked_against_second_track(folder: TrackFolder) -> None:
    for second in (folder, TrackFolder(folder.folder, "another command")):  # it would write the same pages
        with folder.locked(), pytest.raises(ProfgateError, match="another profgate track"), second.locked():
            pass
    with folder.locked():
        pass


def test_leftovers_of_killed_track_are_removed(folder: TrackFolder, tmp_path: Path) -> None:
    with folder.locked() as source:
        left = Path(source)
        store(folder, "v1", 1, "done")
    runs = tmp_path / "track" / "runs" / "key"
    (runs / ".aside-0123" / "out").mkdir(parents=True)
    left.mkdir(parents=True)
    (left.parents[1] / MARK).touch()
    (left / "file").write_text("x")
    with folder.locked() as source:
        assert Path(source) == left
        assert not left.exists()
        assert not list(runs.glob(".aside-*"))
        assert problems(folder, "v1") == {1: "done"}
    assert not left.parent.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_link_at_source_folder_is_refused(folder: TrackFolder, tmp_path: Path) -> None:
    with folder.locked() as source:
        place = Path(source).parents[1]
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "precious").write_text("x")
    place.symlink_to(tmp_path / "elsewhere")
    try:
        with pytest.raises(ProfgateError, match="profgate-track-"), folder.locked():
            pass
    finally:
        place.unlink()
    assert (tmp_path / "elsewhere" / "precious").exists()


def test_write_error_names_the_folder(folder: TrackFolder, tmp_path: Path) -> None:
    with folder.locked(), folder.attempt() as attempt:
        shutil.rmtree(attempt)
        attempt.write_text("")  # writing fails, as on a full disk
        with pytest.raises(ProfgateError) as raised:
            folder.store(attempt, "v1", 1, TrackRun())
        attempt.unlink()
    assert raised.value.where.startswith(folder.folder)
    blocked = TrackFolder(str(tmp_path / "file" / "track"), "key")
    (tmp_path / "file").write_text("")
    with pytest.raises(ProfgateError, match="cannot be written"), blocked.locked():
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("name", ["lock", ".gitignore"])
def test_no_file_behind_a_link_is_changed(folder: TrackFolder, tmp_path: Path, name: str) -> None:
    (tmp_path / "precious").write_text("x")
    (tmp_path / "track").mkdir()
    (tmp_path / "track" / name).symlink_to(tmp_path / "precious")
    with suppress(ProfgateError), folder.locked():
        pass
    assert (tmp_path / "precious").read_text() == "x"


@pytest.mark.skipif(sys.platform != "linux", reason="needs pipes and devices")
@pytest.mark.parametrize("kind", ["pipe", "endless", "link", "huge", "folder"])
def test_stored_run_that_is_not_a_file_of_ours_is_damaged(folder: TrackFolder, tmp_path: Path, kind: str) -> None:
    with folder.locked():
        store(folder, "v1", 1, "first")
        store(folder, "v1", 2, "second")
    runs = tmp_path / "track" / "runs" / "key"
    place = runs / "v1" / "1" / "run.json"
    (tmp_path / "kept").write_bytes((runs / "v1" / "2" / "run.json").read_bytes())
    place.unlink()
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    elif kind == "huge":
        with place.open("wb") as stream:
            stream.truncate(1 << 36)
    else:
        place.symlink_to("/dev/zero" if kind == "endless" else tmp_path / "kept")
    with folder.locked():
        assert problems(folder, "v1") == {2: "second"}
        store(folder, "v1", 1, "again")
    assert problems(folder, "v1") == {1: "again", 2: "second"}
