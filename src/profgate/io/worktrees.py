"""Writes commits into git worktrees. Git only reads objects, so that no program of its configuration runs."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir

from profgate.errors import ProfgateError
from profgate.io.git import NAME, QUIET, contents_of, git, without_git
from profgate.io.scratch import PREFIX

EXECUTABLE, LINK, SUBMODULE = "100755", "120000", "160000"  # modes in a commit
FILTERS = r"^filter\..*\.(smudge|clean|process|required)$"


def quiet_git(folder: str, *arguments: str, filters: bool = True) -> str:
    """Return the output of git, which runs without hooks and, if requested, without filters."""
    settings = {} if filters else _no_filters(folder)
    return _output(folder, arguments, settings).decode("utf-8", "replace")


@contextmanager
def worktree(commit: str, place: str, repository: str = ".", *, empty: bool = False) -> Iterator[str]:
    """Write the files of a commit into a new folder, unless ``empty``, and remove the folder on exit.

    The files are not written by git's checkout, which runs filters of any configuration that applies in the new folder.
    Therefore, files in Git LFS remain pointers, and submodules are empty. The commit may come from an untrusted report.
    Raises ProfgateError if git fails, or if ``commit`` is not a hash.
    """
    if not NAME.fullmatch(commit):
        raise ProfgateError("commit", f"{commit[:80]!r} is not the hash of a commit")
    for missing in _entries(repository):
        # of a killed process; others may be on a disk that is not mounted
        if missing.startswith(f"{os.path.realpath(gettempdir())}/{PREFIX}") and not Path(missing).exists():
            _remove(missing, repository)
    try:
        quiet_git(repository, "worktree", "add", "--no-checkout", "--force", "--detach", "--", place, commit)
        quiet_git(place, "read-tree", "HEAD")  # refuses paths that lead out of the folder or into .git
        if not empty:
            _write_files(place)
    except ProfgateError as error:
        _remove(place, repository)
        what = f"{error.what}; fetch the commit if it is missing, or name a checkout of it"
        raise ProfgateError(error.where, what) from error
    except (OSError, ValueError) as error:
        _remove(place, repository)
        raise ProfgateError(place, f"the files of {commit} cannot be written there: {error}") from error
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
    with worktree(quiet_git(top, "rev-parse", "--verify", "HEAD").strip(), place, top, empty=True):
        names = _listed(top, "--cached", *(["--others", "--exclude-standard"] if untracked else []))
        # behind a link to a folder, a path is no file of the working tree
        folders = {Path(top, name).parent for name in names}
        own = {folder for folder in folders if os.path.realpath(folder) == str(folder)}
        for name in names:
            if Path(top, name).parent in own:
                _copy(Path(top, name), Path(place, name))
        yield place


def _write_files(place: str) -> None:
    """Write the files of the commit of a worktree, then its links, so that no file is written through a link."""
    blobs = list[tuple[str, str, int, str]]()  # mode, id, size and path
    for line in _output(place, ("ls-tree", "-r", "-l", "-z", "--full-tree", "HEAD")).split(b"\0")[:-1]:
        facts, _, found = line.partition(b"\t")
        mode, _, name, size = facts.decode().split()
        if mode == SUBMODULE:
            Path(place, os.fsdecode(found)).mkdir(parents=True)
        else:
            # git states BAD as the size of a missing file
            blobs.append((mode, name, int(size.replace("BAD", "0")), os.fsdecode(found)))
    blobs.sort(key=lambda blob: blob[0] == LINK)
    windows = set(_listed(place, ":(attr:eol=crlf)"))
    contents = contents_of([blob[1:3] for blob in blobs], place, _environment())
    for (mode, _, _, path), data in zip(blobs, contents, strict=True):
        if data is None:
            raise ProfgateError(path, "is missing in this clone")
        # as git does, which leaves binary files and files with other line ends
        crlf = path in windows and b"\0" not in data and b"\r" not in data
        _write(Path(place, path), mode, data.replace(b"\n", b"\r\n") if crlf else data)


def _write(path: Path, mode: str, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if mode == LINK and sys.platform != "win32":  # where links need a privilege, git writes their targets
        path.symlink_to(os.fsdecode(data))
        return
    with path.open("xb") as file:
        file.write(data)
    if mode == EXECUTABLE:
        path.chmod(path.stat().st_mode | 0o111)


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
    modules = sum(entry.startswith(f"{SUBMODULE} ") for entry in _listed(place, "--stage"))
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
    # git would start itself in each submodule, where the settings of the submodule apply
    alone = ("--submodule=short", "--ignore-submodules=dirty")
    return quiet_git(folder, "diff", *how, *alone, *commits, "--", filters=False)


def worktrees(repository: str) -> list[str]:
    """Return the resolved paths of all worktrees of a repository that exist."""
    return [os.path.realpath(place) for place in _entries(repository) if Path(place, ".git").exists()]


def _entries(repository: str) -> list[str]:
    entries = _output(repository, ("worktree", "list", "--porcelain")).split(b"\n\n")
    heads = [entry.partition(b"\n")[0] for entry in entries if b"\nbare" not in entry]
    return [os.fsdecode(head.removeprefix(b"worktree ")) for head in heads if head]


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
    return git(arguments, folder, environment=_environment(), settings=QUIET | dict(settings or {}))


def _environment() -> dict[str, str]:
    return without_git(os.environ) | {"LC_ALL": "C.UTF-8"}
