"""Access to the text files of a repository."""

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePosixPath

from profgate.errors import ProfgateError
from profgate.io.files import read_loosely
from profgate.io.worktrees import quiet_git, tracked_files

LARGEST_FILE = 1 << 20
# folders whose projects are no part of the repository's own code
NOT_PROJECTS = frozenset({"test", "tests", "testdata", "fixtures", "examples", "example", "docs", "doc", "website"})


def top_of(folder: str) -> tuple[str, str]:
    """Return the root of the repository around a folder, and the path of the folder in it, or the folder and "."."""
    try:
        top = quiet_git(folder, "rev-parse", "--show-toplevel").removesuffix("\n")
        return top, quiet_git(folder, "rev-parse", "--show-prefix").strip().rstrip("/") or "."
    except ProfgateError:
        return folder, "."


class Files:
    """The text files below a folder. Their size and number are limited, and links to paths outside are ignored."""

    def __init__(self, top: str, names: dict[str, None] | None = None) -> None:
        self.top = top
        # a dictionary, because it keeps the order
        self._names = dict.fromkeys(islice(_regular_files(top), 100_000)) if names is None else names

    def read(self, name: str) -> str:
        """Return the text of a file, or an empty string if the file is missing, too large or unreadable."""
        try:
            return read_loosely(str(Path(self.top, name)), LARGEST_FILE) if name in self._names else ""
        except ProfgateError:
            return ""

    def listed(self, pattern: str) -> list[str]:
        """Return the paths that match a pattern, relative to the top folder. ``**/`` before it matches any folder."""
        name = pattern.removeprefix("./").removeprefix("**/")
        depth = None if pattern.startswith("**/") else name.count("/")
        found = (path for path in self._names if depth in {None, path.count("/")} and PurePosixPath(path).match(name))
        return list(islice(found, 500))

    def inside(self, folder: str) -> "Files":
        """Return the files below a folder, by their paths relative to this folder."""
        if folder == ".":
            return self
        start = f"{folder}/"
        names = {path.removeprefix(start): None for path in self._names if path.startswith(start)}
        return Files(str(Path(self.top, folder)), names)

    def projects(self, mark: str) -> list[str]:
        """Return the folders that contain a file of this name, those near the top first."""
        folders = [path.rpartition("/")[0] or "." for path in self.listed(f"**/{mark}")]
        own = [folder for folder in folders if NOT_PROJECTS.isdisjoint(folder.split("/"))]
        return sorted(own, key=lambda folder: (folder != ".", folder.count("/"), folder))

    def count(self, endings: tuple[str, ...]) -> int:
        """Return the number of files with these endings, such as ``.py``."""
        return sum(path.endswith(endings) for path in self._names)

    @cached_property
    def tracked(self) -> frozenset[str]:
        """The paths that git tracks, or all files if this is no repository."""
        try:
            return tracked_files(self.top)
        except ProfgateError:
            return frozenset(self._names)


def _regular_files(top: str) -> Iterator[str]:
    root = Path(top).resolve()
    skipped = {"node_modules", "vendor", "third_party", "target", "build", "dist"}
    for place, folders, names in os.walk(root):
        folders.sort()
        folders[:] = [
            name for name in folders if name == ".github" or (not name.startswith(".") and name not in skipped)
        ]
        for name in sorted(names):
            path = Path(place, name)
            with suppress(OSError):  # a folder may be readable but not searchable
                if path.is_file() and (not path.is_symlink() or path.resolve().is_relative_to(root)):
                    yield path.relative_to(root).as_posix()
