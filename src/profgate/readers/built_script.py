"""Finds the sources of the functions in a built script with the help of its source map.

V8 records where the parameters of a function begin, but a source map contains the positions of identifiers. Therefore,
the name of the function is searched in the text of the script.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from profgate.readers.source_map import COLUMN, UNKNOWN, SourceMap

LONGEST_NAME = 200  # in characters; longer names are not used
NEAR = 64  # maximum number of characters between the name and the parameters of a function
LONGEST_CLASS = 50_000  # maximum number of characters between the name of a class and its constructor
ENOUGH = 0.9  # share of the functions that must be at their positions in the script
_LINE_END = re.compile(r"\r\n|[\n\r\u2028\u2029]")
_TWO_UNITS = re.compile("[\U00010000-\U0010ffff]")
_WORD = re.compile(rf"[\w$#]{{1,{LONGEST_NAME}}}")
_WORDS = re.compile(r"[\w$#]+")
_LAST_WORD = re.compile(r"(?<![\w$#])[\w$#]+$")
_KEYWORDS = re.compile(r"(?:(?:export|default|static|async|function|class|get|set|const|let|var)\b[\s*]*)*")

_DECLARED = re.compile(r"\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\b\s*\*?\s*([\w$]+)")
_ASSIGNED = re.compile(r"([\w$]+)\s*(?::[^=]*)?=\s*(?:async\s+)?(?:function\s*)?\(?$")


class Function(NamedTuple):
    """A function as V8 records it. Lines and columns are counted from 0, and columns in UTF-16 code units."""

    name: str
    line: int
    column: int

    @property
    def word(self) -> str:
        """The name without the words before it, as in ``get size`` or ``a.b.parse``; empty if it has no such name."""
        found = _LAST_WORD.search(self.name[-LONGEST_NAME:])
        return found[0] if found else ""


class Origin(NamedTuple):
    """A function according to a source map. ``source`` is an index, and lines are counted from 1."""

    name: str
    source: int
    line: int


class BuiltScript:
    """The text of a built script and its source map."""

    def __init__(self, text: str, source_map: SourceMap) -> None:
        self._lines = _lines_of(text)
        self._map = source_map
        self._sources: dict[int, list[str]] = {}

    def contains(self, functions: Iterable[Function]) -> bool:
        """Return whether these functions are in the script. In the script of another build, most positions differ."""
        found = [self._column_of_name(function) is not None for function in functions if function.word]
        return sum(found) >= ENOUGH * len(found)

    def origin(self, function: Function) -> Origin | None:
        """Return the origin of a function, or None if it is unknown. The top-level code of a script has no origin."""
        place = self._column_of_name(function)
        segment = self._map.segment(function.line, function.column if place is None else place)
        if segment is None or not (function.name or function.column):
            return None
        source, line, _, _ = self._map.fields[:, segment].tolist()
        if place is None:
            return Origin(function.name or self._declared_name(segment), source, line + 1)
        accessor = function.name[:4] if function.name[:4] in {"get ", "set "} else ""
        return Origin(
            accessor + (self._name_in_source(segment, function.line, place) or function.word), source, line + 1
        )

    def _column_of_name(self, function: Function) -> int | None:
        """Return the column of the name of a function in the script, or None if the name is not near the function."""
        word, end = function.word, function.column
        if not word or function.line >= len(self._lines):
            return None
        line, start = self._lines[function.line], max(0, end - NEAR - len(word))
        if line.startswith(f"class {word}", end):  # without a constructor
            return end + len("class ")
        if line.endswith("constructor", start, end):
            heads = [(f"class {word}", len("class ")), (f"{word}=class", 0)]
            found = [(line.rfind(head, max(0, end - LONGEST_CLASS), end), skip) for head, skip in heads]
            return max((place + skip for place, skip in found if place >= 0), default=None)
        places = [start + each.start() for each in _WORDS.finditer(line[start:end]) if each[0] == word]
        return places[-1] if places else None

    def _name_in_source(self, segment: int, line: int, place: int) -> str | None:
        """Return the name that a segment maps to: an entry of the map, or a word in the text of the source."""
        source, source_line, column, name = self._map.fields[:, segment].tolist()
        start = int(self._map.position[segment]) & COLUMN
        between = self._lines[line][start:place] if place - start <= NEAR else "."
        if _KEYWORDS.fullmatch(between) is None:  # the segment belongs to something before the name
            return None
        if not between and name != UNKNOWN:
            return self._map.names[name] if _WORD.fullmatch(self._map.names[name]) else None
        text = self._source_line(source, source_line)[column : column + NEAR]
        found = _WORD.match(_KEYWORDS.sub("", text, count=1))
        return found[0] if found else None

    def _declared_name(self, segment: int) -> str:
        """Return the name of a function that lost its name because a minifier moved it to its only call, or ""."""
        source, line, column, _ = self._map.fields[:, segment].tolist()
        text = self._source_line(source, line)
        before, after = text[max(0, column - NEAR) : column], text[column : column + NEAR]
        found = _DECLARED.match(after) or _ASSIGNED.search(before)
        return found[1] if found else ""

    def _source_line(self, source: int, line: int) -> str:
        """Return a line of a source, or "" if the map does not contain it."""
        if source not in self._sources:
            self._sources[source] = _lines_of(self._map.contents[source] or "")
        lines = self._sources[source]
        return lines[line] if line < len(lines) else ""


def _lines_of(text: str) -> list[str]:
    """Return the lines of a text in which each character is one UTF-16 code unit."""
    return _LINE_END.split(_TWO_UNITS.sub("??", text))
