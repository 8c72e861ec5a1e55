"""A command of a repository that can be recorded, and the rule that orders such commands.

The files of a repository are not trusted, so only parts that are a single line and match `PLAIN` are used.
"""

import json
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

PLAIN = re.compile(r"[A-Za-z0-9 ._/=:,@'\"\[\]^$*-]{1,200}")
NAME = re.compile(r"[A-Za-z0-9_.-]{1,80}")
MEASURES = re.compile(r"bench|perf", re.IGNORECASE)
TIMED = re.compile(  # a command that runs each benchmark for a fixed time
    r"\bcargo bench\b| -bench[ =](?!.{0,200}-benchtime[ =]\d{1,12}x)|\bjmh\.Main\b(?!.{0,200} -bm ss)"
    r"|--benchmark-only\b|--benchmark_min_time=[\d.]{1,12}s?(?!\S)"
)
MOST = 8  # benchmarks that are recorded together
MAIN = "main"  # the workload of a command that runs at the top


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
    return sorted(distinct.values(), key=lambda each: (each.kind, depth(each.package), each.timed, -each.weight))


def depth(folder: str) -> int:
    """Return the number of folders between the top and this folder."""
    return 0 if folder == "." else folder.count("/") + 1


def joined(folder: str, path: str) -> str:
    """Return a path below a folder, relative to the top."""
    return path if folder == "." else folder if path == "." else f"{folder}/{path}"


def within(folder: str, lines: Iterable[str]) -> tuple[str, ...]:
    """Return shell lines that start at the top and run the given lines in a folder."""
    if folder == ".":
        return tuple(lines)
    return tuple(f"(cd {shlex.quote(folder)} && {line})" for line in lines)


def toml(text: str) -> dict[str, Any]:
    """Parse TOML. The result is empty if the text is invalid."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def json_object(text: str) -> dict[str, Any]:
    """Parse a JSON object. The result is empty if the text is not a valid object."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def subtable(data: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Return a nested table, or an empty one if a key is missing or not a table."""
    for key in keys:
        value = data.get(key)
        data = value if isinstance(value, dict) else {}
    return dict(data)


def tables(value: object) -> list[dict[str, Any]]:
    """Return the tables of a list."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def strings(value: object) -> list[str]:
    """Return the strings of a list."""
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []
