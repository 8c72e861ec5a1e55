"""Checks out commits into git worktrees, without the hooks, filters and monitors of the user's configuration."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from profgate.errors import ProfgateError
from profgate.io.git import QUIET, git, without_git

COMMIT = re.compile(r"[0-9a-f]{7,64}")
TIMEOUT = 600  # in seconds
FILTERS = r"^filter\..*\.(smudge|clean|process|required)$"


def quiet_git(folder: str, *arguments: str, filters: bool = True) -> str:
    """Return the output of git, which runs without hooks and, if requested, without filters."""
    settings = {} if filters else _no_filters(folder)
    return _output(folder, arguments, settings).decode("utf-8", "replace")


@contextmanager
def worktree(commit: str, place: str, repository: str = ".", *options: str) -> Iterator[str]:
    """Check out a commit into a new folder, and remove the folder on exit. ``options`` are those of git worktree add.

    Filters do not run, so that files in Git LFS remain pointers, and submodules are empty. The commit may come from an
    untrusted report. Raises ProfgateError if git fails, or if ``commit`` is not a hash.
    """
    if not COMMIT.fullmatch(commit):
        raise ProfgateError("commit", f"{commit[:80]!r} is not the hash of a commit")
    words = ("worktree", "add", "--quiet", "--force", "--detach", *options, "--", place, commit)
    try:
        _output(repository, words, _no_filters(repository))
    except ProfgateError as error:
        _remove(place, repository)
        what = f"{error.what}; fetch the commit if it is missing, or name a checkout of it"
        raise ProfgateError(error.where, what) from error
    try:
        yield place
    finally:
        _remove(place, repository)


@contextmanager
def copied_worktree(place: str, repository: str = ".", *, untracked: bool = True) -> Iterator[str]:
    """Copy the working tree, with ``untracked`` but without ignored files, into a new worktree that is removed on exit.

    Raises ProfgateError if git fails or a file cannot be copied.
    """
    top = os.path.realpath(quiet_git(repository, "rev-parse", "--show-toplevel").removesuffix("\n"))
    with worktree(quiet_git(top, "rev-parse", "--verify", "HEAD").strip(), place, top, "--no-checkout"):
        quiet_git(place, "read-tree", "HEAD")
        names = _listed(top, "--cached", *(["--others", "--exclude-standard"] if untracked else []))
        # behind a link to a folder, a path is no file of the working tree
        folders = {Path(top, name).parent for name in names}
        own = {folder for folder in folders if os.path.realpath(folder) == str(folder)}
        for name in names:
            if Path(top, name).parent in own:
                _copy(Path(top, name), Path(place, name))
        yield place


def _copy(source: Path, copy: Path) -> None:
    """Copy a link, or a file if it exists, and create an empty folder for a submodule."""
    try:
        if source.is_symlink() or source.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy, follow_symlinks=False)
        elif source.is_dir():
            copy.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"cannot be copied to a new worktree: {error.strerror}; change its permissions, or remove it"
        raise ProfgateError(str(source), what) from error


def missing_contents(place: str) -> dict[str, str]:
    """Return what a worktree lacks, such as "2 submodules are empty", by the command that adds it."""
    pointers = len(_listed(place, ":(attr:filter=lfs)"))
    modules = sum(entry.startswith("160000 ") for entry in _listed(place, "--stage"))
    found = {}
    if pointers:
        are = "file is" if pointers == 1 else "files are"
        found["git lfs pull"] = f"{pointers} {are} stored with Git LFS"
    if modules:
        found["git submodule update --init"] = f"{modules} submodule{' is' if modules == 1 else 's are'} empty"
    return found


def source_patch(folder: str, *commits: str) -> str:
    """Return the unified diff between two commits, or between one and the working tree."""
    how = ("--no-color", "--no-ext-diff", "--no-textconv", "--find-renames", "--full-index")
    return quiet_git(folder, "diff", *how, *commits, "--", filters=False)


def worktrees(repository: str) -> list[str]:
    """Return the resolved paths of all worktrees of a repository that exist."""
    entries = _output(repository, ("worktree", "list", "--porcelain")).split(b"\n\n")
    heads = [entry.partition(b"\n")[0] for entry in entries if b"\nbare" not in entry]
    found = [os.fsdecode(head.removeprefix(b"worktree ")) for head in heads if head]
    return [os.path.realpath(place) for place in found if Path(place, ".git").exists()]


def tracked_files(folder: str) -> frozenset[str]:
    """Return the paths of the files that git tracks in the worktree around a folder, relative to its top."""
    return frozenset(_listed(folder, "--full-name", ":/"))


def _listed(folder: str, *arguments: str) -> list[str]:
    names = _output(folder, ("ls-files", "-z", *arguments)).split(b"\0")
    return [os.fsdecode(name) for name in names if name]


def _no_filters(repository: str) -> dict[str, str]:
    """Return settings that switch off all filters of the configuration, such as those of Git LFS."""
    try:
        names = quiet_git(repository, "config", "--null", "--name-only", "--get-regexp", FILTERS).split("\0")
    except ProfgateError:  # there are no filters
        return {}
    drivers = {name.rpartition(".")[0] for name in names if name}
    off = {"smudge": "", "clean": "", "process": "", "required": "false"}
    return {f"{driver}.{kind}": value for driver in drivers for kind, value in off.items()}


def _remove(place: str, repository: str) -> None:
    shutil.rmtree(place, ignore_errors=True)
    with suppress(ProfgateError):  # git does not know a worktree that it failed to create
        quiet_git(repository, "worktree", "remove", "--force", "--", place)


def _output(folder: str, arguments: Sequence[str], settings: Mapping[str, str] | None = None) -> bytes:
    environment = without_git(os.environ) | {"LC_ALL": "C.UTF-8"}
    return git(arguments, folder, timeout=TIMEOUT, environment=environment, settings=QUIET | dict(settings or {}))
