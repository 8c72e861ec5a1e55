"""What a pull request changed in the sources, and what is known of the sources of a comparison's symbols."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

SourceState = Literal["unknown", "same", "changed", "added", "removed", "renamed"]
SOURCE_STATES: tuple[SourceState, ...] = ("unknown", "same", "changed", "added", "removed", "renamed")
"""The place of a state is its number in stored columns: new states go to the end."""

Reach = Literal["unknown", "changed here", "called by a changed function", "not reachable", "dependency changed"]
"""How a change can affect a function."""

FileStatus = Literal["added", "removed", "modified", "renamed"]


class LineRange(NamedTuple):
    """Lines ``first`` to ``last``, counted from 1, both included; where last < first empty, and before ``first``."""

    first: int
    last: int

    def __contains__(self, line: object) -> bool:
        return isinstance(line, int) and self.first <= line <= self.last

    @property
    def size(self) -> int:
        """How many lines these are."""
        return self.last - self.first + 1


class Edit(NamedTuple):
    """Neighbouring lines that were replaced: ``target`` is empty where they were removed, ``baseline`` where added."""

    baseline: LineRange
    target: LineRange


@dataclass(frozen=True, slots=True)
class Hunk:
    """One piece of a file's diff: its lines on both sides, context included, and what changed among them.

    ``heading`` is the function that the diff shows behind the ``@@``, perhaps empty. ``text`` holds the lines with
    their marks (``" "``, ``"-"``, ``"+"``), cut at the end of a line where the diff is too large.
    """

    baseline: LineRange
    target: LineRange
    heading: str
    edits: tuple[Edit, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file of a diff, by its path in the repository with ``/`` between folders.

    ``previous_path`` is its path on the baseline's side. ``complete`` False: hunks are missing (too large, binary), so
    nothing follows from their absence. ``blobs`` are git's ids of both versions, perhaps shortened.
    """

    path: str
    previous_path: str
    status: FileStatus
    hunks: tuple[Hunk, ...] = ()
    complete: bool = True
    blobs: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class SourceTexts:
    """Whole files of a diff by their paths on each side; what is not there was not read."""

    baseline: Mapping[str, str]
    target: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SourceDiff:
    """All that a pull request changed, as far as it is known.

    ``complete`` False: files are missing, and ``reason`` is why. ``repository_files`` are the paths of all files of the
    target's commit, None where they are unknown; ``all_listed`` False: of some only. ``diff_link`` is the address of
    the page with the diff, ``file_links`` those of the baseline's and the target's files, if there are such pages.
    """

    files: tuple[ChangedFile, ...]
    complete: bool = True
    reason: str = ""
    repository_files: frozenset[str] | None = None
    all_listed: bool = True
    diff_link: str | None = None
    file_links: tuple[str | None, str | None] = (None, None)
    texts: SourceTexts | None = None


@dataclass(frozen=True, slots=True)
class SourceStates:
    """What is known of the source of each symbol of one comparison, as columns over its symbols.

    ``paths`` are files of the repository, None where the symbol's file is not known to be one. ``links`` lead to the
    symbol's line in the diff, or to its file at the compared commit. ``through`` are the calls or the package by which
    the change reaches the symbol; it and ``reach`` may be empty. ``doubt`` is why nothing can be called out of reach.
    """

    states: tuple[SourceState, ...]
    paths: tuple[str | None, ...]
    links: tuple[str | None, ...]
    reach: tuple[Reach, ...] = ()
    through: tuple[str, ...] = ()
    doubt: str = ""

    @staticmethod
    def unknown(symbols: int) -> "SourceStates":
        """The states of symbols of which nothing is known."""
        states: tuple[SourceState, ...] = ("unknown",)
        return SourceStates(states * symbols, (None,) * symbols, (None,) * symbols)
