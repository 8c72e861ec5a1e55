"""Files and folders as sources, and documents that are written whole or not at all."""

import os
import socket
import stat
import sys
from pathlib import Path

import pytest

from profgate.errors import ProfgateError
from profgate.io import files
from profgate.io.files import confined, give_to_owner, read_text, sources_under, write_bytes, write_text
from profgate.model.source import HEAD_SIZE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_text(str(tmp_path / "p/cpu/run-1.folded"), "a 1\n")
    write_text(str(tmp_path / "p/cpu/run-2.folded"), "a 2\n")
    write_text(str(tmp_path / "p/manifest.json"), "{}")
    write_text(str(tmp_path / "p/.hidden"), "x")
    return tmp_path / "p"


def test_a_folder_gives_its_files_by_name(folder: Path) -> None:
    sources = sources_under(str(folder))
    assert [item.name for item in sources] == ["cpu/run-1.folded", "cpu/run-2.folded", "manifest.json"]
    assert [item.read(100) for item in sources] == [b"a 1\n", b"a 2\n", b"{}"]
    assert sources[0].path == str(folder / "cpu/run-1.folded")


def test_pattern_names_files_relative_to_fixed_part(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [item.name for item in sources_under(f"{folder}/**/*-2.folded")] == ["cpu/run-2.folded"]
    monkeypatch.chdir(folder)
    assert [item.name for item in sources_under("c*/*.folded")] == ["cpu/run-1.folded", "cpu/run-2.folded"]
    assert [item.name for item in sources_under("*.json")] == ["manifest.json"]
    assert sources_under("*.none") == []


def test_ranges_of_a_large_file(tmp_path: Path) -> None:
    data = bytes(range(256)) * 1024
    write_bytes(str(tmp_path / "large"), data)
    (source,) = sources_under(str(tmp_path))
    assert source.size == len(data)
    assert source.head == data[:HEAD_SIZE]
    for start, stop in ((0, None), (0, 0), (5, 9), (HEAD_SIZE - 1, HEAD_SIZE + 100_000), (len(data) - 3, None)):
        with source.open(start, stop) as stream:
            assert stream.read() == data[start:stop]
    with source.open(3, 7) as stream:
        assert (stream.read(3), stream.read(3), stream.read(3)) == (data[3:6], data[6:7], b"")


def test_links_out_and_special_files_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "inside").symlink_to(folder / "manifest.json")
    assert "inside" in [item.name for item in sources_under(str(folder))]
    outside = folder.parent / "secret"
    outside.write_text("token")
    (folder / "link").symlink_to(outside)
    with pytest.raises(ProfgateError, match="is a link out of"):
        sources_under(str(folder))
    (folder / "link").unlink()
    monkeypatch.chdir(folder)  # the whole path may be too long for a socket
    with socket.socket(socket.AF_UNIX) as odd:
        odd.bind("socket")
    with pytest.raises(ProfgateError, match="is not a regular file"):
        sources_under(str(folder))
    (folder / "socket").unlink()
    os.mkfifo(folder / "pipe")
    with pytest.raises(ProfgateError, match="is not a regular file"):
        sources_under(str(folder))


@pytest.mark.parametrize("pattern", ["", "**/*", "**", "*/*", "l*/**/*.folded", "l??p/x/*"])
def test_links_to_folders_are_not_followed(folder: Path, pattern: str) -> None:
    before = [item.name for item in sources_under(str(folder / pattern))]
    other = folder / "runs"
    other.mkdir()
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    (folder / "link").symlink_to(other, target_is_directory=True)
    assert [item.name for item in sources_under(str(folder / pattern))] == before


def test_too_many_files_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_FILES", 3)
    assert len(sources_under(str(folder))) == 3
    write_text(str(folder / "another"), "")
    with pytest.raises(ProfgateError, match="more than 3 files"):
        sources_under(str(folder))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such a name themselves")
def test_invalid_name_is_shown_with_replacements(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.folded")).write_bytes(b"a 1\n")
    (source,) = sources_under(str(tmp_path))
    assert source.name == "\ufffd.folded"
    assert source.read(10) == b"a 1\n"


def test_text_is_read_as_limited_utf8(tmp_path: Path) -> None:
    path = tmp_path / "policy.yml"
    path.write_bytes(b"\xef\xbb\xbfa: \xc3\xa4\n")
    assert read_text(str(path)) == "a: ä\n"
    with pytest.raises(ProfgateError, match="larger than 3 bytes"):
        read_text(str(path), 3)
    path.write_bytes(b"a\xff")
    with pytest.raises(ProfgateError, match="byte 1 is not UTF-8"):
        read_text(str(path))
    with pytest.raises(ProfgateError, match="No such file"):
        read_text(str(tmp_path / "none"))


def test_write_replaces_the_file_and_leaves_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a/b/report.json"
    write_text(str(path), "old")
    write_text(str(path), "new")
    assert path.read_text() == "new"
    assert list(path.parent.iterdir()) == [path]
    assert stat.S_IMODE(path.stat().st_mode) & 0o400
    with pytest.raises(ProfgateError):
        write_text(str(path.parent), "a folder is in the way")
    assert list(path.parent.parent.iterdir()) == [path.parent]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files away")
def test_root_gives_files_to_another_user(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    os.chown(workspace, 1234, 1234)
    write_text(str(workspace / "out/report.json"), "{}")
    give_to_owner(str(workspace / "out"), str(workspace))
    assert {(item.stat().st_uid, item.stat().st_gid) for item in workspace.rglob("*")} == {(1234, 1234)}


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files away")
def test_files_behind_links_keep_their_owner(tmp_path: Path) -> None:
    workspace, outside = tmp_path / "workspace", tmp_path / "outside"
    write_text(str(outside / "deep/file"), "")
    write_text(str(workspace / "out/report.json"), "{}")
    os.chown(workspace, 1234, 1234)
    (workspace / "out/link").symlink_to(outside)
    (workspace / "linked").symlink_to(outside)
    for folder in ("out", "linked"):
        give_to_owner(str(workspace / folder), str(workspace))
    assert {item.stat().st_uid for item in (outside, *outside.rglob("*"))} == {os.geteuid()}


def test_paths_behind_links_are_refused(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    write_text(str(tmp_path / "out/report.json"), "{}")
    (tmp_path / "out/sub").symlink_to(tmp_path / "outside")
    assert confined(str(tmp_path / "out/new/a.json"), str(tmp_path / "out"))
    with pytest.raises(ProfgateError, match="leads out of"):
        confined(str(tmp_path / "out/sub/a.json"), str(tmp_path / "out"))


def test_a_link_to_itself_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "loop.folded").symlink_to("loop.folded")
    with pytest.raises(ProfgateError, match=r"loop\.folded|link"):
        sources_under(str(tmp_path))
