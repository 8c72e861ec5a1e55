"""A git repository whose versions are measured."""

import subprocess
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

Git = Callable[..., str]


def run_git(folder: Path, *words: str) -> str:
    """What git prints in a folder."""
    settings = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    command = ["git", *settings, *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def made(top: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    return top


def commit_of(top: Path, files: Mapping[str, str]) -> str:
    """The commit of all files of a repository, after these are written."""
    made(top, files)
    run_git(top, "add", "--all")
    run_git(top, "commit", "--quiet", "-m", "files")
    return run_git(top, "rev-parse", "HEAD")


def committed(top: Path, files: Mapping[str, str]) -> Path:
    """A repository whose only commit contains these files."""
    top.mkdir(parents=True, exist_ok=True)
    run_git(top, "init", "--quiet", "--initial-branch", "main")
    commit_of(top, files)
    return top


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Git in a new repository, which is the current folder."""
    return repository(tmp_path, monkeypatch)


def repository(top: Path, patch: pytest.MonkeyPatch) -> Git:
    folder = top / "repository"
    folder.mkdir()
    patch.chdir(folder)
    patch.setenv("GIT_CONFIG_GLOBAL", str(top / "gitconfig"))
    run_git(folder, "config", "--global", "protocol.file.allow", "always")
    run_git(folder, "init", "--quiet")
    return partial(run_git, folder)


def commit(git: Git, **files: str) -> str:
    return commit_of(Path(git("rev-parse", "--show-toplevel")), files)
