"""Which changed lines of a file's hunks stand inside a function, as far as the hunks themselves show it."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from profgate.model.attribution import Edit, Hunk

_KEYWORDS = "def|func|function|fn|fun|sub"
_DEFINES = re.compile(rf"\s*(?:[\w@]+\s+)*?(?:{_KEYWORDS})\b")
_WORDS = re.compile(r"[^\W\d]\w*")
# a line that closes a bracket or opens a body says nothing about what stands before it
_CONTINUES = (")", "]", "{", "#")
_TAB = 8
_UNKNOWN = -1
_LONGEST = 400  # characters of a line or a name that are looked at: longer ones would cost more than they tell


@dataclass(frozen=True, slots=True)
class Function:
    """A function by its name and one of its lines; ``exact``: it begins there."""

    name: str
    line: int | None
    exact: bool


class _Line(NamedTuple):
    """A line of a hunk: its mark, its text, and its number on both sides (that of the next line where it is none)."""

    mark: str
    text: str
    numbers: tuple[int, int]

    @property
    def indent(self) -> int:
        text = self.text.expandtabs(_TAB)
        return len(text) - len(text.lstrip())


class FileHunks:
    """The hunks of one file, seen from one side (0 baseline, 1 target)."""

    def __init__(self, hunks: Sequence[Hunk], side: int) -> None:
        self.side = side
        self.hunks = hunks
        pairs = [(hunk, edit) for hunk in hunks for edit in hunk.edits]
        self._edits = sorted(pairs, key=lambda pair: pair[1][side])
        self._starts = [edit[side].first for _, edit in self._edits]
        self._naming: dict[str, list[Hunk]] = {}
        for hunk in hunks:
            defining = (line.text[:_LONGEST] for line in _lines(hunk) if _DEFINES.match(line.text[:_LONGEST]))
            for word in {word for text in chain([hunk.heading[:_LONGEST]], defining) for word in _WORDS.findall(text)}:
                self._naming.setdefault(word, []).append(hunk)

    def around(self, line: int) -> list[tuple[Hunk, Edit]]:
        """The edit that begins next at or before a line, and the one behind it."""
        place = bisect_right(self._starts, line)
        return self._edits[max(0, place - 1) : place + 1]

    def inside(self, function: Function) -> list[Edit]:
        """The edits that stand in the function for certain.

        Certain are edits of the function's known line, of its definition, and of lines below its definition, or below a
        heading that names it, up to the first line that is not indented deeper: there a function may have ended.
        """
        found, line = [], function.line
        if line is not None:
            found = [edit for _, edit in self.around(line) if line in edit[self.side]]
        for hunk in self._hunks_of(function):
            lines = {one.numbers for one in self._changed_in_scope(hunk, function)}
            found += [edit for edit in hunk.edits if edit not in found and _holds(edit, lines)]
        return found

    def introduced(self, function: Function) -> int | None:
        """The line where the function's definition came (target) or went (baseline), and no other of its name is seen.

        None where that is not to be seen.
        """
        bare = _bare(function.name)
        found: dict[str, list[int]] = {"-": [], "+": [], " ": []}
        for hunk in self._naming.get(bare, ()) if bare else ():
            for line in _lines(hunk):
                if bare and _definition(bare).match(line.text[:_LONGEST]):
                    found[line.mark].append(line.numbers[self.side])
        ours, other = ("+", "-") if self.side else ("-", "+")
        return found[ours][0] if found[ours] and not found[other] and not found[" "] else None

    def ended_before(self, hunk: Hunk, edit: Edit, function: Function) -> bool:
        """Whether an unindented line, which no function holds, stands below the function's at the edit or before."""
        for line in _lines(hunk):
            begins = line.mark != " " and _holds(edit, {line.numbers})
            own = line.text.lstrip()
            below = function.line is not None and line.numbers[self.side] > function.line
            if own and below and not line.indent and not own.startswith(_CONTINUES) and not (begins and own[0] == "}"):
                return True
            if own and begins:
                return False
        return False

    def _hunks_of(self, function: Function) -> list[Hunk]:
        """The hunks that name the function, or show the line where it begins."""
        bare = _bare(function.name)
        found = list(self._naming.get(bare, ())) if bare else []
        if function.exact and function.line is not None:
            shown = {id(hunk): hunk for hunk, _ in self.around(function.line)}
            found += [hunk for hunk in shown.values() if hunk not in found and function.line in _range(hunk, self.side)]
        return found

    def _changed_in_scope(self, hunk: Hunk, function: Function) -> Iterator[_Line]:
        """Changed lines that belong to the function; its definition's indentation is unknown below a heading."""
        bare = _bare(function.name)
        opened, depth, floor = bool(bare and _heading(bare).search(hunk.heading[:_LONGEST])), _UNKNOWN, _UNKNOWN
        for line in _lines(hunk):
            if not line.text.strip():
                continue
            within = True
            here = line.mark != "+-"[self.side] and line.numbers[self.side] == function.line
            if (bare and _definition(bare).match(line.text[:_LONGEST])) or (function.exact and here):
                opened, depth = True, line.indent
            elif opened:
                floor = line.indent if floor == _UNKNOWN else floor
                within = line.indent > (depth if depth != _UNKNOWN else _outer(line, floor))
                opened = within or line.text.lstrip().startswith(_CONTINUES)
            if opened and within and line.mark != " ":
                yield line


def _outer(line: _Line, floor: int) -> int:
    """An indentation that has left the function, or may have, where that of its definition is unknown."""
    if line.indent == floor and (line.text.lstrip().startswith("@") or _DEFINES.match(line.text[:_LONGEST])):
        return floor
    return max(0, floor - 1)


def _range(hunk: Hunk, side: int) -> range:
    first, last = hunk.target if side else hunk.baseline
    return range(first, last + 1)


def _holds(edit: Edit, lines: set[tuple[int, int]]) -> bool:
    (before, end_before), (after, end_after) = edit
    return any(before <= one <= end_before + 1 and after <= two <= end_after + 1 for one, two in lines)


def _lines(hunk: Hunk) -> Iterator[_Line]:
    before, after = hunk.baseline.first, hunk.target.first
    for text in hunk.text.split("\n") if hunk.text else ():
        mark = text[:1] if text[:1] in {"-", "+"} else " "
        yield _Line(mark, text[1:], (before, after))
        before += mark != "+"
        after += mark != "-"


def _bare(name: str) -> str | None:
    """The last part of a qualified name, without what stands in brackets behind it; None for what has none."""
    plain = re.sub(r"\([^()]*\)$|\[[^\[\]]*\]$", "", name[-_LONGEST:]).rstrip()
    found = re.search(r"[^\W\d]\w*$", plain)
    return found[0] if found and len(found[0]) < _LONGEST else None


@lru_cache(maxsize=4096)
def _definition(bare: str) -> re.Pattern[str]:
    """Lines that define a function of this name in languages that have a word for it."""
    return re.compile(rf"{_DEFINES.pattern}[^=;]*?(?<![\w$]){re.escape(bare)}(?![\w$])")


@lru_cache(maxsize=4096)
def _heading(bare: str) -> re.Pattern[str]:
    """Headings that name it: after a word for functions, or before a bracket and behind a type."""
    ours = rf"(?<![\w$]){re.escape(bare)}(?![\w$])"
    behind_a_type = rf"[\w\s*&<>:,\[\]]*\w[\s*&]+(?:\w+::)*{ours}\s*\([^;]*$"
    return re.compile(rf"^(?:{_DEFINES.pattern}\s+(?:\([^()]*\)\s*)?{ours}|{behind_a_type})")
