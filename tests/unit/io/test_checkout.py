"""The checked-out commit is read from git's files, which a pull request can write."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from profgate.io.checkout import checked_out
from profgate.io.git import git

SHA, OTHER = "0123456789abcdef" * 2 + "01234567", "f" * 40
PACKED = f"# pack-refs with: peeled fully-peeled sorted\n{OTHER} refs/heads/x/topic\n{SHA} refs/heads/topic\n^{OTHER}\n"


@pytest.mark.parametrize(
    "files",
    [
        {".git/HEAD": SHA},
        {".git/HEAD": "ref: refs/heads/topic\n", ".git/refs/heads/topic": f"{SHA}\n"},
        {
            ".git/HEAD": "ref: refs/heads/topic",
            ".git/refs/heads/topic": SHA,
            ".git/packed-refs": f"{OTHER} refs/heads/topic",
        },
        {".git/HEAD": "ref: refs/heads/topic", ".git/packed-refs": PACKED},
        {".git/HEAD": "ref: refs/heads/a", ".git/refs/heads/a": "ref: refs/heads/topic", ".git/packed-refs": PACKED},
        {
            ".git": "gitdir: store/worktrees/base\n",
            "store/worktrees/base/HEAD": "ref: refs/heads/topic\n",
            "store/worktrees/base/commondir": "../..\n",
            "store/refs/heads/topic": SHA,
        },
    ],
    ids=["detached", "branch", "newer than packed", "packed", "symbolic", "worktree"],
)
def test_checked_out_commit_is_read(tmp_path: Path, files: Mapping[str, str]) -> None:
    assert checked_out(written(tmp_path, files)) == SHA


@pytest.mark.parametrize(
    "files",
    [
        {"README.md": ""},
        {".git/HEAD": SHA[:39]},
        {".git/HEAD": f"{SHA}\n{OTHER}"},
        {".git/HEAD": "ref: refs/heads/gone"},
        {".git/HEAD": "ref: refs/heads/a", ".git/refs/heads/a": "ref: refs/heads/a"},
        {".git/HEAD": "ref: refs/../../../outside"},
        {".git/HEAD": "ref: refs/\x00"},
        {".git/HEAD": SHA + " " * 20_000},
        {".git": "gitdir: ../elsewhere"},
        {".git": "gitdir: /dev"},
        {".git/HEAD/file": ""},
    ],
)
def test_nothing_is_read_without_a_valid_commit(tmp_path: Path, files: Mapping[str, str]) -> None:
    (tmp_path / "outside").write_text(SHA)
    written(tmp_path / "elsewhere", {"HEAD": SHA})
    assert checked_out(written(tmp_path / "workspace", files)) is None


def test_no_link_out_and_no_pipe_is_opened(tmp_path: Path) -> None:
    outside, inside = Path(written(tmp_path / "outside", {".git/HEAD": SHA})), tmp_path / "inside"
    inside.mkdir()
    (inside / ".git").symlink_to(outside / ".git")
    assert checked_out(str(inside)) is None
    (inside / ".git").unlink()
    (inside / ".git").mkdir()
    os.mkfifo(inside / ".git/HEAD")
    assert checked_out(str(inside)) is None


def test_checkout_of_git_itself_is_read(tmp_path: Path) -> None:
    who = {"user.name": "a", "user.email": "a@example.org"}
    git(["init", "-q", "."], str(tmp_path))
    git(["commit", "-q", "--allow-empty", "-m", "first"], str(tmp_path), settings=who)
    sha = git(["rev-parse", "HEAD"], str(tmp_path)).decode().strip()
    for arguments in (["pack-refs", "--all"], ["switch", "-q", "--detach"]):
        assert checked_out(str(tmp_path)) == sha
        git(arguments, str(tmp_path))
    assert checked_out(str(tmp_path)) == sha


def written(folder: Path, files: Mapping[str, str]) -> str:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return str(folder)
