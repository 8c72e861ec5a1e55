import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from profgate.errors import ProfgateError
from profgate.track.track_folder import TrackFolder


@pytest.fixture
def folder(tmp_path: Path) -> TrackFolder:
    return TrackFolder(str(tmp_path / "track"), "key")


def keep(folder: TrackFolder, version: str, number: int, record: str = "{}", profile: str = "a 1") -> None:
    with folder.attempt() as attempt:
        Path(attempt.output, "work.folded").write_text(profile)
        folder.store(attempt, version, number, record)


def test_a_run_is_kept_with_its_profiles(folder: TrackFolder) -> None:
    with folder.alone():
        keep(folder, "v1", 1, "first")
        keep(folder, "v1", 10, "tenth")
        keep(folder, "v1", 2, "second", "a 2")
    assert list(folder.runs("v1")) == [(1, "first"), (2, "second"), (10, "tenth")]
    assert [source.name for source in folder.profiles("v1", 2)] == ["work.folded"]
    assert folder.profiles("v1", 2)[0].read(9) == b"a 2"
    assert (list(folder.runs("v2")), folder.profiles("v1", 3)) == ([], [])


def test_what_is_not_kept_is_gone(folder: TrackFolder, tmp_path: Path) -> None:
    with folder.alone():
        before = sorted(tmp_path.rglob("*"))
        with folder.attempt() as attempt:
            Path(attempt.output, "work.folded").write_text("a 1")
        assert sorted(tmp_path.rglob("*")) == before


def test_a_run_that_was_kept_takes_the_place_of_a_damaged_one(folder: TrackFolder) -> None:
    with folder.alone():
        keep(folder, "v1", 1, "damaged")
        keep(folder, "v1", 1, "good")
        assert list(folder.runs("v1")) == [(1, "good")]
        folder.drop("v1")
        assert list(folder.runs("v1")) == []


def test_versions_of_any_name_stay_inside_and_apart(folder: TrackFolder, tmp_path: Path) -> None:
    names = ["v1", "../../out", "..", ".", "a/b", "a-b", "\udcff", "x" * 300, "x" * 301, "v\n1"]
    with folder.alone():
        for number, name in enumerate(names, start=1):
            keep(folder, name, number)
    assert [list(folder.runs(name)) for name in names] == [[(number, "{}")] for number in range(1, len(names) + 1)]
    assert [path.name for path in tmp_path.iterdir()] == ["track"]


def test_two_tracks_do_not_work_in_one_folder(folder: TrackFolder) -> None:
    for second in (folder, TrackFolder(folder.folder, "another command")):  # it would write the same pages
        with folder.alone(), pytest.raises(ProfgateError, match="another profgate track"), second.alone():
            pass
    with folder.alone():
        pass


def test_what_a_killed_track_left_is_cleared(folder: TrackFolder, tmp_path: Path) -> None:
    with folder.alone() as source:
        left = Path(source)
        keep(folder, "v1", 1, "done")
    runs = tmp_path / "track" / "runs" / "key"
    (runs / ".aside-0123" / "out").mkdir(parents=True)
    left.mkdir(parents=True)
    (left / "file").write_text("x")
    (runs / "running.json").write_text(json.dumps({"group": os.getpid(), "ticks": 1}))  # its number is ours by now
    with folder.alone() as source:
        assert Path(source) == left
        assert not left.exists()
        assert not list(runs.glob(".aside-*"))
        assert list(folder.runs("v1")) == [(1, "done")]
    assert not left.parent.exists()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"group": "x", "ticks": []}', '{"group": 1}'])
def test_a_damaged_note_ends_nothing(folder: TrackFolder, tmp_path: Path, text: str) -> None:
    with folder.alone():
        pass
    (tmp_path / "track" / "runs" / "key" / "running.json").write_text(text)
    with folder.alone():
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_at_the_place_of_the_sources_is_refused(folder: TrackFolder, tmp_path: Path) -> None:
    with folder.alone() as source:
        place = Path(source).parents[2]
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "precious").write_text("x")
    place.symlink_to(tmp_path / "elsewhere")
    try:
        with pytest.raises(ProfgateError, match="cannot be made"), folder.alone():
            pass
    finally:
        place.unlink()
    assert (tmp_path / "elsewhere" / "precious").exists()


def test_git_never_sees_what_a_track_keeps(folder: TrackFolder, tmp_path: Path) -> None:
    with folder.alone():
        assert (tmp_path / "track" / ".gitignore").read_text() == "*\n"


def test_what_cannot_be_written_is_told_with_its_place(folder: TrackFolder, tmp_path: Path) -> None:
    with folder.alone(), folder.attempt() as attempt:
        shutil.rmtree(attempt.folder)
        Path(attempt.folder).write_text("")  # in the way, as a full disk is
        with pytest.raises(ProfgateError) as told:
            folder.store(attempt, "v1", 1, "{}")
        Path(attempt.folder).unlink()
    assert told.value.where.startswith(folder.folder)
    blocked = TrackFolder(str(tmp_path / "file" / "track"), "key")
    (tmp_path / "file").write_text("")
    with pytest.raises(ProfgateError, match="cannot be written"), blocked.alone():
        pass
