"""Proves that each side ran its own code, and not that of the other side or of the working tree."""

import hashlib
import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from urllib.parse import unquote, urlsplit

from profgate.errors import SetupError
from profgate.io.worktrees import tracked_files, worktrees
from profgate.measuring.checkouts import Checkout
from profgate.model.record import Record

CODE = (b"\x7fELF", b"PK\x03\x04", b"#!")  # first bytes of programs and libraries, archives such as .jar, and scripts


class UsedFiles(Record):
    """The resolved paths that a run of a side used: those of ``frames``, its ``own`` files, and ``foreign`` paths.

    ``lost`` is a file of a frame if no path is below the root of the side.
    """

    side: Checkout
    frames: frozenset[str]
    own: frozenset[str]
    foreign: frozenset[str]
    lost: str | None

    def error(self, path: str, what: str) -> SetupError:
        """Return the error for a file that is not the side's own."""
        advice = (
            "let --setup install it into the environment of the side (pip install .), without an absolute path"
            if path.endswith(".py")
            else "let --setup build it in the folder in which it starts, and run it without an absolute path"
        )
        found = f"the {self.side.name} used {path}, {what}, instead of a file below {self.side.root}"
        return SetupError(self.side.name, "both sides ran the same code", f"{found}; {advice}")

    def foreign_code(self) -> dict[str, str]:
        """Return the digests, by path, of the code outside of the side."""
        digests = {}
        for path in sorted(self.foreign):
            with suppress(OSError), Path(path).open("rb") as file:
                if S_ISREG(os.fstat(file.fileno()).st_mode) and (path in self.frames or file.read(4).startswith(CODE)):
                    file.seek(0)
                    digests[path] = hashlib.file_digest(file, "sha256").hexdigest()
        return digests


def used_files_of(side: Checkout, files: Collection[str], opened: Collection[str]) -> UsedFiles:
    """Resolve the files of all frames of a side (paths, relative paths and URLs) and the paths its processes used."""
    names = [unquote(urlsplit(file).path) if file.startswith("file:///") else file for file in files]
    names = [name for name in names if "\0" not in name]
    absolute = {os.path.realpath(name) for name in names if name.startswith("/")}
    relative = {os.path.realpath(path) for name in names if _is_file(path := f"{side.place}/{name}")}
    paths = absolute | relative | {os.path.realpath(path) for path in opened}
    foreign = frozenset(path for path in paths if not _is_below(path, side.root))
    own = frozenset(path for path in paths - foreign if _is_file(path))
    # without absolute paths, a profile shows only symbols or classes, which prove nothing
    lost = min(absolute, default=None) if len(foreign) == len(paths) else None
    return UsedFiles(side, frozenset(absolute | relative), own, foreign, lost)


def check_own_code(
    baseline: UsedFiles, target: UsedFiles, repository: str, before: Mapping[str, str] | None
) -> dict[str, frozenset[str]]:
    """Return the files of each side's own code. Raises ProfgateError if a side ran code of the other, or shared code.

    ``repository`` is a folder in the repository that the sides come from. ``before`` is the `foreign_code` of the
    baseline before the setup of the target, or None if there is no setup.
    """
    checkouts = {baseline.side.place, target.side.place}
    elsewhere = {top: tracked_files(top) for top in worktrees(repository) if top not in checkouts}
    for used, other in ((baseline, target), (target, baseline)):
        _check_places(used, other.side, elsewhere)
        _check_packages(used)
    if before is not None:
        for path, digest in baseline.foreign_code().items():
            # only the content decides: a hard link, such as perf makes for each library it sees, changes the time of a
            # file; the time decides only if the run before the setup was not seen to use the file
            if before[path] != digest if path in before else _written_between(baseline.side, target.side, path):
                raise baseline.error(path, "which the setup of the target wrote")
    for used in (baseline, target):
        if used.lost is not None:
            raise used.error(used.lost, "which like all its files is outside of its folder")
    return {used.side.name: used.own for used in (baseline, target)}


def _check_places(used: UsedFiles, other: Checkout, elsewhere: Mapping[str, Collection[str]]) -> None:
    """Raise ProfgateError for a file of the other side, or of another worktree of the repository.

    Other worktrees may contain dependencies, such as .venv, but none that are tracked or that the side has itself.
    """
    for path in sorted(used.foreign):
        if _is_below(path, other.root):
            raise used.error(path, f"which belongs to the {other.name}")
        for top, tracked in elsewhere.items():
            name = path.removeprefix(f"{top}/")
            if name != path and (name in tracked or _is_file(f"{used.side.place}/{name}")):
                raise used.error(path, f"which belongs to the checkout in {top}")


def _check_packages(used: UsedFiles) -> None:
    """Raise ProfgateError if a Python file of the project was run from an environment that both sides share."""
    found = {}
    for path in used.foreign:
        for folder in ("/site-packages/", "/dist-packages/"):
            if folder in path and path.endswith(".py"):
                found[path.rpartition(folder)[2]] = path
    tracked = tracked_files(used.side.place) if found else frozenset()
    for name in tracked:
        parts = name.split("/")
        for start in range(len(parts)):
            # in the folder of a package, this would be a vendored copy of another project
            copy = found.get("/".join(parts[start:]))
            if copy and (start == 0 or "/".join([*parts[:start], "__init__.py"]) not in tracked):
                raise used.error(copy, f"an installed copy of {name}")


def _is_file(path: str) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - unlike Path, accepts every text


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _written_between(baseline: Checkout, target: Checkout, path: str) -> bool:
    with suppress(OSError):  # a temporary file may be gone
        return baseline.ready < os.stat(path).st_ctime <= target.ready  # noqa: PTH116 - the path is a string
    return False
