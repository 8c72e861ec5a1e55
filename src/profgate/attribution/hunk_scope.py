"""Finds the functions that contain the changed lines of a file, using only the hunks of the diff."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from profgate.model.attribution import Edit, Hunk

_LONGEST = 400  # number of characters of a line or name that are examined
_DEFINITION = re.compile(
    r"\s*(?:[\w@]+\s+)*?(?:def|func|function|fn|fun|sub)\b\*?\s*(?:\([^()]*\)\s*|<[^<>]*>\s*)?(?P<name>[\w$.:]+)"
)
_TYPED_HEADING = re.compile(r"[\w\s*&<>:,\[\]]*\w[\s*&]+(?P<name>[\w:]+)\s*\([^;]*$")


class _Line(NamedTuple):
    """A line of a hunk, its edit, and its number on one side or, if the side lacks it, that of the next line."""

    mark: str
    text: str
    number: int
    edit: Edit | None


class FileHunks:
    """The hunks of one file as seen from one side (0 baseline, 1 target).

    A changed line belongs to the function in the heading of the hunk, or to a function whose definition is above the
    line. A function ends before the next line that is not indented more deeply than its definition.
    """

    def __init__(self, hunks: Sequence[Hunk], side: int) -> None:
        self._side = side
        self._inside: dict[str, dict[Edit, None]] = {}
        self._definitions: dict[str, list[_Line]] = {}
        self._edits = sorted((edit for hunk in hunks for edit in hunk.edits), key=lambda edit: edit[side])
        self._starts = [edit[side].first for edit in self._edits]
        for hunk in hunks:
            self._read(hunk)

    def around(self, line: int) -> list[Edit]:
        """Return the last edit that begins at or before a line and the edit after it, if they exist."""
        place = bisect_right(self._starts, line)
        return self._edits[max(0, place - 1) : place + 1]

    def inside(self, name: str, line: int | None) -> list[Edit]:
        """Return the edits that contain this line and the edits that change the function with this name."""
        at_line = [] if line is None else [edit for edit in self.around(line) if line in edit[self._side]]
        return [*at_line, *self._inside.get(_bare(name), ())]

    def introduced(self, name: str) -> int | None:
        """Return the line of a definition that only this side has, or None if there is none or both sides have it."""
        found = self._definitions.get(_bare(name), [])
        return found[0].number if found and {line.mark for line in found} == {"-+"[self._side]} else None

    def _read(self, hunk: Hunk) -> None:
        heading = _DEFINITION.match(hunk.heading[:_LONGEST]) or _TYPED_HEADING.match(hunk.heading[:_LONGEST])
        scopes: list[tuple[str, int]] | None = None  # the name and indentation of each definition
        for line in _lines(hunk, self._side):
            own = line.text.lstrip()
            # a line that only closes a bracket or opens a body does not end a function
            indent, continues = len(line.text) - len(own), own.startswith((")", "]", "{", "#"))
            if scopes is None:
                scopes = [(_bare(heading["name"]), max(0, indent - 1))] if heading else []
            definition = _DEFINITION.match(line.text)
            holding = [scope for scope in scopes if scope[1] < indent - (definition is not None or own[0] == "@")]
            if definition:
                holding.append((_bare(definition["name"]), indent))
                self._definitions.setdefault(holding[-1][0], []).append(line)
            if line.edit is not None:
                for name, _ in holding:
                    self._inside.setdefault(name, {})[line.edit] = None
            scopes = scopes if continues else holding


def _lines(hunk: Hunk, side: int) -> Iterator[_Line]:
    """Yield the lines of a hunk that are not blank."""
    edits, edit = iter(hunk.edits), None
    number = (hunk.target if side else hunk.baseline).first
    for line in hunk.text.split("\n"):
        mark, text = line[:1], line[1 : _LONGEST + 1].expandtabs(8)
        edit = None if mark not in {"-", "+"} else edit or next(edits, None)
        if text.strip():
            yield _Line(mark, text, number, edit)
        number += mark != "+-"[side]


def _bare(name: str) -> str:
    """Return the last part of a qualified name without trailing brackets, or "" if there is none."""
    plain = re.sub(r"\([^()]*\)$|\[[^\[\]]*\]$", "", name[-_LONGEST:]).rstrip()
    found = re.search(r"[^\W\d]\w*$", plain)
    return found[0] if found and len(found[0]) < _LONGEST else ""
