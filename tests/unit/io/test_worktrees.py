"""The files of a commit are written into a new folder, as git would write them without running a program."""

import os
import subprocess
from pathlib import Path

import pytest

from measured_repository import Git, commit, git  # noqa: F401 - a fixture
from profgate.errors import ProfgateError
from profgate.io.worktrees import worktree

LINES = {"unix": b"a\nb\n", "mixed": b"a\r\nb\n", "binary": b"a\n\0"}


def test_files_are_those_that_git_writes(
    git: Git,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("deep").mkdir()
    Path(".gitattributes").write_text("*.dos text=auto eol=crlf\n*.bin -text\n")
    for name, data in LINES.items():
        for ending in ("dos", "bin", "txt"):
            Path(f"deep/{name}.{ending}").write_bytes(data)
    Path("run").write_text("#!/bin/sh\n")
    Path("run").chmod(0o755)
    Path("empty").touch()
    Path("a link").symlink_to("deep/\N{SNOWMAN}")
    sha = commit(git)
    monkeypatch.setattr("profgate.io.git.LARGEST_GROUP", 4)
    git("worktree", "add", "--quiet", "--detach", str(tmp_path / "expected"), sha)
    with worktree(sha, str(tmp_path / "place")) as place:
        listed = {path.relative_to(place) for path in Path(place).rglob("*") if path.name != ".git"}
        expected = tmp_path / "expected"
        assert listed == {path.relative_to(expected) for path in expected.rglob("*") if path.name != ".git"}
        for path in listed:
            assert os.lstat(Path(place, path)).st_mode == os.lstat(expected / path).st_mode
            if not (expected / path).is_dir() and not (expected / path).is_symlink():
                assert Path(place, path).read_bytes() == (expected / path).read_bytes(), path
        assert Path(place, "a link").readlink() == Path("deep/\N{SNOWMAN}")
        status = ["git", "status", "--porcelain"]
        assert subprocess.run(status, cwd=place, capture_output=True, check=True).stdout == b""


@pytest.mark.parametrize("entries", [["..", "x"], [".git", "x"], ["link", "link"]])
def test_no_file_is_written_outside(git: Git, tmp_path: Path, entries: list[str]) -> None:  # noqa: F811
    (tmp_path / "outside").mkdir()
    sha = commit(git, x="1")
    blob = git("rev-parse", "HEAD:x")
    Path("target").write_text(str(tmp_path / "outside"))
    target = git("hash-object", "-w", "target")
    inner = tree_of([("100644", "x", blob)])
    first, second = entries
    modes = ("120000", "40000") if first == second else ("40000", "100644")
    ids = (target, inner) if first == second else (inner, blob)
    tree = tree_of([(modes[0], first, ids[0]), (modes[1], second, ids[1])])
    sha = git("commit-tree", "-m", "x", tree)
    with pytest.raises(ProfgateError), worktree(sha, str(tmp_path / "place" / "in")):
        pass
    assert list((tmp_path / "outside").iterdir()) == []
    assert not (tmp_path / "place" / "x").exists()


def tree_of(entries: list[tuple[str, str, str]]) -> str:
    """Write a tree that git itself would not write, and return its id."""
    data = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(sha) for mode, name, sha in entries)
    words = ["git", "hash-object", "-t", "tree", "-w", "--literally", "--stdin"]
    return subprocess.run(words, input=data, capture_output=True, check=True).stdout.decode().strip()


def test_missing_file_is_an_error(git: Git, tmp_path: Path) -> None:  # noqa: F811
    sha = commit(git, x="1")
    name = git("rev-parse", "HEAD:x")
    place = Path(".git", "objects", name[:2], name[2:])
    place.chmod(0o644)
    place.unlink()
    with pytest.raises(ProfgateError, match="fetch the commit"), worktree(sha, str(tmp_path / "place")):
        pass


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a FIFO")
def test_attributes_outside_of_the_commit_are_not_read(git: Git, tmp_path: Path) -> None:  # noqa: F811
    os.mkfifo(tmp_path / "fifo")
    git("config", "core.attributesFile", str(tmp_path / "fifo"))
    tree = tree_of([("100644", "x", git("hash-object", "-w", "--no-filters", str(tmp_path / "gitconfig")))])
    with worktree(git("commit-tree", "-m", "x", tree), str(tmp_path / "place")) as place:
        assert Path(place, "x").is_file()
