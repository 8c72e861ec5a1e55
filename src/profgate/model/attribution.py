"""The source changes of a pull request, and how they affect each symbol of a comparison."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from profgate.model.reason import Reason
from profgate.model.record import Record

SourceState = Literal["unknown", "same", "changed", "added", "removed", "renamed"]

Reach = Literal[
    "unknown",
    "changed here",
    "called by a changed function",
    "calls a changed function",
    "not reachable",
    "same machine code",
    "dependency changed",
]
"""Ways in which a change can affect a function."""

FileStatus = Literal["added", "removed", "modified", "renamed"]


class LineRange(Record):
    """Lines from ``first`` to ``last``, counted from 1. The range is empty if ``last`` is less than ``first``."""

    first: int
    last: int

    def __contains__(self, line: object) -> bool:
        return isinstance(line, int) and self.first <= line <= self.last

    @property
    def size(self) -> int:
        """Number of lines."""
        return self.last - self.first + 1


class Edit(NamedTuple):
    """A replacement of adjacent lines. ``target`` is empty for a removal, and ``baseline`` is empty for an addition."""

    baseline: LineRange
    target: LineRange


class Hunk(Record):
    """One hunk of a file's diff, with its edits. The line ranges of both sides include context.

    ``heading`` is the function shown after ``@@``, or empty. ``text`` contains the lines with their markers (``" "``,
    ``"-"``, ``"+"``). If the diff is too large, the text is truncated at a line end.
    """

    baseline: LineRange
    target: LineRange
    heading: str
    edits: tuple[Edit, ...]
    text: str


class ChangedFile(Record):
    """One changed file. The path is relative to the repository and uses ``/``.

    ``previous_path`` is the path in the baseline. ``complete`` is False if hunks are missing because the file is binary
    or its diff is too large. ``blobs`` are the git object ids of both versions, which may be abbreviated.
    """

    path: str
    previous_path: str
    status: FileStatus
    hunks: tuple[Hunk, ...] = ()
    complete: bool = True
    blobs: tuple[str, str] | None = None


class SourceTexts(Record):
    """The full texts of the changed files on each side, by path. Files that were not read are missing."""

    baseline: Mapping[str, str]
    target: Mapping[str, str]


class SourceDiff(Record):
    """The known source changes of a pull request.

    ``complete`` is False if changed files are missing. ``gaps`` contains the reasons why the changes are not completely
    known. ``repository_files`` are the paths of the files in the target commit, or None if unknown. If ``all_listed``
    is False, some of these paths are missing. ``checkout`` is the root folder of the local checkout with the names in
    this folder. ``diff_link`` is the URL of the diff page. ``file_links`` are the URLs of the baseline's files and the
    target's files. A URL is None if the page does not exist. ``same_program`` is True if both sides are known to have
    run the same machine code on the same files.
    """

    files: tuple[ChangedFile, ...]
    complete: bool = True
    gaps: tuple[Reason, ...] = ()
    repository_files: frozenset[str] | None = None
    all_listed: bool = True
    checkout: tuple[str, frozenset[str]] | None = None
    diff_link: str | None = None
    file_links: tuple[str | None, str | None] = (None, None)
    texts: SourceTexts | None = None
    same_program: bool = False


class SourceStates(Record):
    """How the source changes affect each symbol of a comparison. Each tuple has one element per symbol.

    ``paths`` contains the path of each symbol's file in the repository, or None if the file is not known to be there.
    ``links`` contains the URL of the symbol's line in the diff, or of its file at the compared commit. ``through``
    names the calls or the package through which the change affects the symbol. ``spans`` contains the lines of a
    function in a changed file before and after the change, if known. ``library`` states whether the function belongs to
    another project. ``reach``, ``through``, ``spans`` and ``library`` may be empty.
    """

    states: tuple[SourceState, ...]
    paths: tuple[str | None, ...]
    links: tuple[str | None, ...]
    reach: tuple[Reach, ...] = ()
    through: tuple[str, ...] = ()
    spans: tuple[tuple[LineRange | None, LineRange | None], ...] = ()
    library: tuple[bool, ...] = ()
