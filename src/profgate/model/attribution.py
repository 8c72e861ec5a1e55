"""The source changes of a pull request, and the source state of each symbol of a comparison."""

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
    """Lines ``first`` to ``last``, counted from 1, both included; if last < first, the empty range before ``first``."""

    first: int
    last: int

    def __contains__(self, line: object) -> bool:
        return isinstance(line, int) and self.first <= line <= self.last

    @property
    def size(self) -> int:
        """The number of lines."""
        return self.last - self.first + 1


class Edit(NamedTuple):
    """Adjacent lines that were replaced: ``target`` is empty if they were removed, ``baseline`` if they were added."""

    baseline: LineRange
    target: LineRange


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk of a file's diff: its line ranges on both sides, with context, and its edits.

    ``heading`` is the function shown after ``@@``; it may be empty. ``text`` holds the lines with their markers (``"
    "``, ``"-"``, ``"+"``), truncated at a line end if the diff is too large.
    """

    baseline: LineRange
    target: LineRange
    heading: str
    edits: tuple[Edit, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file of a diff, by its path in the repository with ``/`` as separator.

    ``previous_path`` is its path in the baseline. ``complete`` is False if hunks are missing (too large, binary); their
    absence then proves nothing. ``blobs`` are the git object ids of both versions, possibly abbreviated.
    """

    path: str
    previous_path: str
    status: FileStatus
    hunks: tuple[Hunk, ...] = ()
    complete: bool = True
    blobs: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class SourceTexts:
    """The full texts of the files of a diff, by path on each side; missing files were not read."""

    baseline: Mapping[str, str]
    target: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SourceDiff:
    """Everything that a pull request changed, as far as it is known.

    ``complete`` is False if files are missing; ``reason`` explains why. ``repository_files`` are the paths of all files
    of the target commit, or None if unknown; with ``all_listed`` False, of only some of them. ``diff_link`` is the URL
    of the diff page, ``file_links`` are those of the baseline's and the target's files, if such pages exist.
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
    """The source state of each symbol of one comparison, as columns over its symbols.

    ``paths`` are files of the repository, None if the symbol's file is not known to be one. ``links`` are URLs of the
    symbol's line in the diff, or of its file at the compared commit. ``through`` holds the calls or the package through
    which the change reaches the symbol; it and ``reach`` may be empty. ``doubt`` is the reason why no symbol can be
    classified as not reachable.
    """

    states: tuple[SourceState, ...]
    paths: tuple[str | None, ...]
    links: tuple[str | None, ...]
    reach: tuple[Reach, ...] = ()
    through: tuple[str, ...] = ()
    doubt: str = ""

    @staticmethod
    def unknown(symbols: int) -> "SourceStates":
        """The states of symbols whose sources are unknown."""
        states: tuple[SourceState, ...] = ("unknown",)
        return SourceStates(states * symbols, (None,) * symbols, (None,) * symbols)
