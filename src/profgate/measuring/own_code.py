"""Proves that each side ran its own code, and not that of the other side or of the working tree."""

import hashlib
import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from urllib.parse import unquote, urlsplit

from profgate.errors import SideError
from profgate.io.worktrees import tracked_files, worktrees
from profgate.measuring.sides import SIDES, MeasuredSide

PACKAGES = ("/site-packages/", "/dist-packages/")
CODE = (b"\x7fELF", b"PK\x03\x04", b"#!")  # first bytes of programs and libraries, archives such as .jar, and scripts
INSTALL = "let --setup install it into the environment of the side (pip install .), without an absolute path"
BUILD = "let --setup build it in the folder in which it starts, and run it without an absolute path"


@dataclass(frozen=True, slots=True)
class _Used:
    """The resolved paths that a side used: of ``frames``, ``own`` files below its root, and ``foreign`` paths outside.

    ``lost`` is a file of a frame if no path is below the root.
    """

    side: MeasuredSide
    frames: frozenset[str]
    own: frozenset[str]
    foreign: frozenset[str]
    lost: str | None

    def error(self, path: str, what: str) -> SideError:
        """Return the error for a file that is not the side's own."""
        advice = INSTALL if path.endswith(".py") else BUILD
        found = f"the {self.side.name} used {path}, {what}, instead of a file below {self.side.root}"
        return SideError(self.side.name, "both sides ran the same code", f"{found}; {advice}")


def check_own_code(
    sides: Mapping[str, MeasuredSide],
    repository: str,
    files: Mapping[str, Collection[str]],
    opened: Mapping[str, Collection[str]],
    before: Mapping[str, str] | None,
) -> dict[str, frozenset[str]]:
    """Return the files of each side's own code. Raises ProfgateError if a side ran code of the other, or shared code.

    ``files`` are the files of all frames of a side: paths, relative paths and URLs. ``opened`` are the paths that its
    processes used. ``repository`` is a folder in the repository that the sides come from. ``before`` is the result of
    `shared_code` for the baseline before the setup of the target, or None if there is no setup.
    """
    baseline, target = (sides[name] for name in SIDES)
    used = {name: _used(sides[name], files[name], opened[name]) for name in SIDES}
    checkouts = {baseline.checkout, target.checkout}
    elsewhere = {top: tracked_files(top) for top in worktrees(repository) if top not in checkouts}
    for name, other in zip(SIDES, reversed(SIDES), strict=True):
        _check_places(used[name], sides[other], elsewhere)
        _check_packages(used[name])
    if before is not None:
        for path, digest in _shared_code(used["baseline"]).items():
            # only the content decides: a hard link, such as perf makes for each library it sees, changes the time of a
            # file; the time decides only if the run before the setup was not seen to use the file
            if before[path] != digest if path in before else _written_between(path, baseline.ready, target.ready):
                raise used["baseline"].error(path, "which the setup of the target wrote")
    for each in used.values():
        if each.lost is not None:
            raise each.error(each.lost, "which like all its files is outside of its folder")
    return {name: each.own for name, each in used.items()}


def shared_code(side: MeasuredSide, files: Collection[str], opened: Collection[str]) -> dict[str, str]:
    """Return the digests, by path, of the code outside of a side that a run of it used."""
    return _shared_code(_used(side, files, opened))


def _shared_code(used: _Used) -> dict[str, str]:
    digests = {}
    for path in sorted(used.foreign):
        with suppress(OSError), Path(path).open("rb") as file:
            if S_ISREG(os.fstat(file.fileno()).st_mode) and (path in used.frames or file.read(4).startswith(CODE)):
                file.seek(0)
                digests[path] = hashlib.file_digest(file, "sha256").hexdigest()
    return digests


def _used(side: MeasuredSide, files: Collection[str], opened: Collection[str]) -> _Used:
    """Resolve the paths of a side."""
    names = [unquote(urlsplit(file).path) if file.startswith("file:///") else file for file in files]
    names = [name for name in names if "\0" not in name]
    absolute = {os.path.realpath(name) for name in names if name.startswith("/")}
    relative = {os.path.realpath(path) for name in names if _is_file(path := f"{side.checkout}/{name}")}
    paths = absolute | relative | {os.path.realpath(path) for path in opened}
    foreign = frozenset(path for path in paths if not _is_below(path, side.root))
    own = frozenset(path for path in paths - foreign if _is_file(path))
    # without absolute paths, a profile shows only symbols or classes, which prove nothing
    lost = min(absolute, default=None) if len(foreign) == len(paths) else None
    return _Used(side, frozenset(absolute | relative), own, foreign, lost)


def _check_places(used: _Used, other: MeasuredSide, elsewhere: Mapping[str, Collection[str]]) -> None:
    """Raise ProfgateError for a file of the other side, or of another worktree of the repository.

    Other worktrees may contain dependencies, such as .venv, but none that are tracked or that the side has itself.
    """
    for path in sorted(used.foreign):
        if _is_below(path, other.root):
            raise used.error(path, f"which belongs to the {other.name}")
        for top, tracked in elsewhere.items():
            name = path.removeprefix(f"{top}/")
            if name != path and (name in tracked or _is_file(f"{used.side.checkout}/{name}")):
                raise used.error(path, f"which belongs to the checkout in {top}")


def _check_packages(used: _Used) -> None:
    """Raise ProfgateError if a Python file of the project was run from an environment that both sides share."""
    installed = {path.rpartition(folder)[2]: path for path in used.foreign for folder in PACKAGES if folder in path}
    found = {name: path for name, path in installed.items() if name.endswith(".py")}
    tracked = tracked_files(used.side.checkout) if found else frozenset()
    for name in tracked:
        parts = name.split("/")
        for start in range(len(parts)):
            # in the folder of a package, this would be a vendored copy of another project
            path = found.get("/".join(parts[start:]))
            if path and (start == 0 or "/".join([*parts[:start], "__init__.py"]) not in tracked):
                raise used.error(path, f"an installed copy of {name}")


def _is_file(path: str) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - unlike Path, accepts every text


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _written_between(path: str, start: float, end: float) -> bool:
    return start < os.stat(path).st_ctime <= end  # noqa: PTH116 - the path is a string
