"""The files of a repository, and a command of it that can be recorded, with the rule that orders such commands.

The files are not trusted, so only parts that are a single line and match `PLAIN` are used.
"""

import json
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import IntEnum
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from profgate.errors import ProfgateError
from profgate.io.files import read_loosely
from profgate.io.worktrees import quiet_git, tracked_files
from profgate.model.record import Record, field

PLAIN = re.compile(r"[A-Za-z0-9 ._/=:,@'\"\[\]^$*-]{1,200}")
NAME = re.compile(r"[A-Za-z0-9_.-]{1,80}")
MEASURES = re.compile(r"bench|perf", re.IGNORECASE)
TIMED = re.compile(  # a command that runs each benchmark for a fixed time
    r"\bcargo bench\b| -bench[ =](?!.{0,200}-benchtime[ =]\d{1,12}x)|\bjmh\.Main\b(?!.{0,200} -bm ss)"
    r"|--benchmark-only\b|--benchmark_min_time=[\d.]{1,12}s?(?!\S)"
)
MOST = 8  # benchmarks that are recorded together
MAIN = "main"  # the workload of a command that runs at the top
Entry = TypeVar("Entry")


class Kind(IntEnum):
    """What a command runs. Benchmarks come before tests, because most of the time of tests is not the library's."""

    BENCHMARK = 0
    TESTS = 1


class Candidate(Record):
    """A command that is recorded in ``folder``, and the place where it was found.

    ``package`` is the folder of its package. ``setup`` are the shell lines from the top of the checkout that install
    and build what it needs. ``weight`` is the number of its benchmarks, if known. ``new_files`` are the texts of the
    files that init writes for it, and ``update`` is the command that writes those which depend on a trial. Tests
    without a command can only be repeated; ``place`` states why. A ``timed`` command runs for a fixed time, so its work
    depends on its speed.
    """

    language: str
    command: str
    place: str
    kind: Kind = Kind.BENCHMARK
    package: str = "."
    folder: str = "."
    setup: tuple[str, ...] = ()
    weight: int = 0
    new_files: Mapping[str, str] = field(default_factory=dict)
    update: str = ""
    timed: bool = False

    @property
    def workload(self) -> str:
        """The name of the workload: that of the package, or ``main`` at the top."""
        return re.sub(r"[^A-Za-z0-9.]+", "-", self.package).strip("-.") or MAIN


def ranked(found: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates without duplicates: benchmarks, near the top, fixed work, many benchmarks first."""
    distinct: dict[tuple[str, str], Candidate] = {}
    for candidate in found:
        distinct.setdefault((candidate.folder, candidate.command or candidate.kind.name), candidate)
    return sorted(
        distinct.values(),
        key=lambda each: (each.kind, len(PurePosixPath(each.package).parts), each.timed, -each.weight),
    )


def joined(folder: str, path: str) -> str:
    """Return a path below a folder, relative to the top."""
    return str(PurePosixPath(folder, path))


def spread(names: Sequence[str]) -> list[str]:
    """Return at most `MOST` of the names, at equal distances."""
    return list(dict.fromkeys(names))[:: -(-len(names) // MOST) or 1]


def within(folder: str, lines: Iterable[str]) -> tuple[str, ...]:
    """Return shell lines that start at the top and run the given lines in a folder."""
    return tuple(lines if folder == "." else (f"(cd {shlex.quote(folder)} && {line})" for line in lines))


def table_of(
    text: str, parse: Callable[[str], object] = json.loads, error: type[Exception] = ValueError
) -> dict[str, Any]:
    """Parse a text. The result is empty if the text is invalid, or something else than a table."""
    try:
        value = parse(text)
    except (ValueError, RecursionError, error):
        return {}
    return value if isinstance(value, dict) else {}


def subtable(data: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Return a nested table, or an empty one if a key is missing or not a table."""
    for key in keys:
        value = data.get(key)
        data = value if isinstance(value, dict) else {}
    return dict(data)


def entries(value: object, kind: type[Entry]) -> list[Entry]:
    """Return the entries of this type in a list, or in the values of a table."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [entry for entry in inside if isinstance(entry, kind)]


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
            name
            for name in folders
            if (name == ".github" or not (name.startswith(".") or name in skipped))
            and not Path(place, name, ".git").exists()  # another repository, such as a submodule
        ]
        for name in sorted(names):
            path = Path(place, name)
            with suppress(OSError):  # a folder may be readable but not searchable
                if path.is_file() and (not path.is_symlink() or path.resolve().is_relative_to(root)):
                    yield path.relative_to(root).as_posix()
