"""A git repository whose versions are measured."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Git in a new repository, which is the current folder."""
    return repository(tmp_path, monkeypatch)


def repository(top: Path, patch: pytest.MonkeyPatch) -> Git:
    folder = top / "repository"
    folder.mkdir()
    patch.chdir(folder)
    patch.setenv("GIT_CONFIG_GLOBAL", str(top / "gitconfig"))

    def run(*words: str) -> str:
        return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout.strip()

    for name, value in {"user.name": "x", "user.email": "x@example.org", "protocol.file.allow": "always"}.items():
        run("config", "--global", name, value)
    run("init", "--quiet")
    return run


def commit(git: Git, **files: str) -> str:
    for name, text in files.items():
        Path(name).write_text(text)
    git("add", ".")
    git("commit", "--quiet", "-m", "files")
    return git("rev-parse", "HEAD")
