"""What a pull request changed in the sources, and what that says about the symbols of a comparison."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

SourceState = Literal["unknown", "same", "changed", "added", "removed", "renamed"]
SOURCE_STATES: tuple[SourceState, ...] = ("unknown", "same", "changed", "added", "removed", "renamed")
"""The place of a state is its number in stored columns: new states go to the end."""

Reach = Literal["unknown", "changed here", "called by a changed function", "not reachable", "dependency changed"]
"""How a change can have come to a function."""

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
    """Neighbouring lines that were replaced: ``target`` is empty where they only went, ``baseline`` where they came."""

    baseline: LineRange
    target: LineRange


@dataclass(frozen=True, slots=True)
class Hunk:
    """One piece of a file's diff: its lines on both sides, context included, and what changed among them.

    ``heading`` is what the tool that made the diff takes for the function the hunk stands in, empty where it says
    nothing. ``text`` holds the lines with their marks (``" "``, ``"-"``, ``"+"``), without the ``@@`` line; it is cut,
    at the end of a line, where the diff was too large to be kept.
    """

    baseline: LineRange
    target: LineRange
    heading: str
    edits: tuple[Edit, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file of a diff, by its path in the repository with ``/`` between folders.

    ``previous_path`` is its path on the baseline's side, the same one unless the file was renamed. ``complete`` False:
    hunks or parts of their text are missing (too large, binary, not told), so nothing follows from their absence.
    ``blobs`` are git's ids of both versions, perhaps shortened, where the diff names them.
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

    ``complete`` False: files are missing, and ``reason`` says why. ``repository_files`` are the paths of all files of
    the target's commit, None where nobody listed them; ``all_listed`` False: of some only. Links are made of
    ``diff_link``, the page with the diff such as ``https://server/owner/repo/pull/7/files``, and of ``file_links``, the
    baseline's and the target's commit such as ``https://server/owner/repo/blob/<sha>``; None where there is no such
    page. ``texts`` are the changed files themselves, as far as somebody read them.
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

    ``paths`` are files of the repository, None where the symbol's file is not known to lie in it. ``links`` lead to
    the symbol's line in the diff, or to its file at the compared commit. ``reach`` says how the change can have come
    to the symbol and ``through`` by which calls or package; both are empty until somebody asked. ``doubt`` is why
    nothing can be called out of reach.
    """

    states: tuple[SourceState, ...]
    paths: tuple[str | None, ...]
    links: tuple[str | None, ...]
    reach: tuple[Reach, ...] = ()
    through: tuple[str, ...] = ()
    doubt: str = ""

    @staticmethod
    def unknown(symbols: int) -> "SourceStates":
        """Nothing is known of any symbol."""
        states: tuple[SourceState, ...] = ("unknown",)
        return SourceStates(states * symbols, (None,) * symbols, (None,) * symbols)
