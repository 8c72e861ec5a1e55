"""A command of a repository that can be recorded, and the rule that orders such commands.

The files of a repository are not trusted, so only parts that are a single line and match `PLAIN` are used.
"""

import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import PurePosixPath
from typing import Any, TypeVar

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


@dataclass(frozen=True, slots=True)
class Candidate:
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
        distinct.setdefault((candidate.folder, candidate.command), candidate)
    return sorted(
        distinct.values(),
        key=lambda each: (each.kind, len(PurePosixPath(each.package).parts), each.timed, -each.weight),
    )


def joined(folder: str, path: str) -> str:
    """Return a path below a folder, relative to the top."""
    return str(PurePosixPath(folder, path))


def line_of(folder: str, command: str) -> str:
    """Return the command as a line that starts at the top."""
    return command if folder == "." else f"cd {shlex.quote(folder)} && {command}"


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
