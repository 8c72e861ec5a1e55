"""Source maps (ECMA-426), which map positions in a built script to positions and names in its sources.

A source map is untrusted: it comes from the build of the pull request.
"""

import json
import re
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from profgate.errors import ProfileError
from profgate.model.arrays import IntArray
from profgate.model.record import Record

LARGEST = 32 << 20  # in bytes
MOST_SEGMENTS = 5_000_000
LONGEST_ROOT = 500  # in characters
BLOCK = 4 << 20  # number of bytes that are decoded at once, which limits the memory
UNKNOWN = -1
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/,;"
_COMMA, _SEMICOLON, _INVALID = 64, 65, 66
_MORE = 32  # bit of a digit that is followed by another digit
_DIGITS = np.full(256, _INVALID, np.uint8)
_DIGITS[np.frombuffer(_LETTERS, np.uint8)] = np.arange(len(_LETTERS))
_FIELDS = 5  # generated column, source, line, column, name


class SourceMap(Record):
    """The segments of a source map, sorted by position.

    ``position`` is an int64 array with ``line << 32 | column`` of each segment in the script. ``fields`` is an int64
    array with four rows: the index of the source, the line, the column and the index of the name, or `UNKNOWN`. Lines
    and columns are counted from 0, and columns in UTF-16 code units. ``root`` is the beginning of the path of each
    source, and ``contents`` are the texts of the sources, as far as the map contains them.
    """

    root: str
    sources: list[str]
    contents: list[str | None]
    names: list[str]
    position: IntArray
    fields: IntArray

    def segment(self, line: int, column: int) -> int | None:
        """Return the segment that contains a position of the script, or None if its source is unknown."""
        row = int(np.searchsorted(self.position, line << 32 | column, "right")) - 1
        known = row >= 0 and int(self.position[row]) >> 32 == line and self.fields[0, row] != UNKNOWN
        return row if known else None


def read_source_map(data: bytes, where: str) -> SourceMap:
    """Parse a source map. Raises ProfileError with the location ``where`` if the map is invalid or too large."""
    try:
        document = json.loads(data.decode(errors="replace")) if len(data) <= LARGEST else None
    except (ValueError, RecursionError):
        raise ProfileError(where, "is not a source map in JSON; build it again") from None
    if not isinstance(document, dict):
        raise ProfileError(where, f"is not a source map of at most {LARGEST:,} bytes")
    mappings, folder = document.get("mappings"), document.get("sourceRoot")
    if document.get("version") != 3 or not isinstance(mappings, str) or "sections" in document:
        raise ProfileError(where, "is not a source map of version 3 without sections; build one map for each script")
    sources, names = _texts(document.get("sources")), _texts(document.get("names"))
    contents = _texts(document.get("sourcesContent"))[: len(sources)]
    root = f"{folder.rstrip('/')}/" if isinstance(folder, str) and folder else ""
    if len(root) > LONGEST_ROOT:  # it is repeated for each source
        raise ProfileError(where, f"has a sourceRoot of more than {LONGEST_ROOT} characters; build it again")
    position, fields = _segments(mappings.encode("ascii", "replace"), len(sources), len(names), where)
    return SourceMap(
        root,
        [source or "" for source in sources],
        contents + [None] * (len(sources) - len(contents)),
        [name or "" for name in names],
        position,
        fields,
    )


def _texts(value: object) -> list[str | None]:
    return [text if isinstance(text, str) else None for text in value] if isinstance(value, list) else []


def _segments(mappings: bytes, sources: int, names: int, where: str) -> tuple[IntArray, IntArray]:
    """Return the positions and the fields of all segments, sorted by position."""
    if mappings.count(b",") + mappings.count(b";") >= MOST_SEGMENTS:
        raise ProfileError(where, f"may have more than {MOST_SEGMENTS:,} segments; split the script")
    line, blocks = 0, []
    for block in _blocks(mappings, where):
        digits = _DIGITS[np.frombuffer(block, np.uint8)]
        lines, deltas = _decoded(digits, where)
        blocks.append((lines + line, deltas))
        line += int((digits == _SEMICOLON).sum())
    lines, deltas = (np.concatenate(part, axis=-1) for part in zip(*blocks, strict=True))
    size, deltas = deltas[0], deltas[1:]
    # all fields except the column continue over the lines of the script
    fields = np.cumsum(deltas[1:], axis=1)
    columns = _columns(lines, deltas[0])
    fields[:3, size < 4] = fields[3, size < _FIELDS] = UNKNOWN
    limits = np.array([[sources], [1 << 31], [1 << 31], [names]])
    if ((fields < UNKNOWN) | (fields >= limits)).any() or ((columns < 0) | (columns >= 1 << 31)).any():
        raise ProfileError(where, "has a segment that points outside of its sources; build it again")
    position = lines << 32 | columns
    if (position[1:] < position[:-1]).any():
        order = np.argsort(position, kind="stable")
        position, fields = position[order], fields[:, order]
    return position, fields


def _blocks(mappings: bytes, where: str) -> Iterator[bytes]:
    """Yield parts of the text, each of which ends after a segment."""
    start = 0
    while start < len(mappings) or start == 0:
        stop = start + BLOCK
        if stop < len(mappings):
            stop = 1 + max(mappings.rfind(b",", start, stop), mappings.rfind(b";", start, stop))
        if stop <= start:
            raise _damaged(where)
        yield mappings[start:stop]
        start = stop


def _decoded(digits: NDArray[np.uint8], where: str) -> tuple[IntArray, IntArray]:
    """Return int64 arrays with the line of each segment, and with its number of fields and the fields as differences.

    Missing fields are 0.
    """
    inside = digits < _COMMA
    more = inside & (digits >= _MORE)
    first = np.flatnonzero(inside & ~np.append(False, more[:-1]))
    if (digits == _INVALID).any() or (more & ~np.append(inside[1:], False)).any():  # a number without its end
        raise _damaged(where)
    length = np.flatnonzero(inside & ~more) - first + 1
    if length.max(initial=0) > 7:  # number of digits of 32 bits
        raise ProfileError(where, "has a number of more than 32 bits; build it again")
    values = np.zeros(len(first), np.int64)
    for digit in range(int(length.max(initial=0))):
        rows = np.flatnonzero(length > digit)
        values[rows] |= (digits[first[rows] + digit] & (_MORE - 1)).astype(np.int64) << 5 * digit
    # ECMA-426: the lowest bit of a number is its sign, and each digit has five bits, the lowest first
    values = np.where(values & 1, -(values >> 1), values >> 1)
    segment = np.cumsum(~inside)[first]
    starts = np.flatnonzero(np.diff(segment, prepend=UNKNOWN))
    size = np.diff(starts, append=len(values))
    if not np.isin(size, (1, 4, _FIELDS)).all():
        raise _damaged(where)
    deltas = np.zeros((1 + _FIELDS, len(starts)), np.int64)
    deltas[0] = size
    for field in range(_FIELDS):
        rows = np.flatnonzero(size > field)
        deltas[1 + field, rows] = values[starts[rows] + field]
    return np.cumsum(digits == _SEMICOLON)[first[starts]], deltas


def _columns(lines: IntArray, differences: IntArray) -> IntArray:
    """Return the column of each segment. The differences of a line start at column 0."""
    total = np.cumsum(differences)
    starts = np.flatnonzero(np.diff(lines, prepend=UNKNOWN))
    before = (total - differences)[starts]
    return total - np.repeat(before, np.diff(starts, append=len(lines)))


def _damaged(where: str) -> ProfileError:
    return ProfileError(where, "has damaged mappings; build it again")


LONGEST_NAME = 200  # in characters; longer names are not used
NEAR = 64  # maximum number of characters between the name and the parameters of a function
_WORD = re.compile(rf"[\w$#]{{1,{LONGEST_NAME}}}")
_WORDS = re.compile(r"[\w$#]+")
_KEYWORDS = re.compile(r"(?:(?:export|default|static|async|function|class|get|set|const|let|var)\b[\s*]*)*")


class ScriptFunction(Record):
    """A function as V8 records it. Lines and columns are counted from 0, and columns in UTF-16 code units."""

    name: str
    line: int
    column: int

    @property
    def word(self) -> str:
        """The name without the words before it, as in ``get size`` or ``a.b.parse``; empty if it has no such name."""
        found = re.search(r"(?<![\w$#])[\w$#]+$", self.name[-LONGEST_NAME:])
        return found[0] if found else ""


class Origin(Record):
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

    def contains(self, functions: Iterable[ScriptFunction]) -> bool:
        """Return whether these functions are in the script. In the script of another build, most positions differ."""
        found = [self._column_of_name(function) is not None for function in functions if function.word]
        # after another build, fewer functions are at their positions in the script
        return sum(found) >= 0.9 * len(found)

    def origin(self, function: ScriptFunction) -> Origin | None:
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

    def _column_of_name(self, function: ScriptFunction) -> int | None:
        """Return the column of the name of a function in the script, or None if the name is not near the function."""
        word, end = function.word, function.column
        if not word or function.line >= len(self._lines):
            return None
        line, start = self._lines[function.line], max(0, end - NEAR - len(word))
        if line.startswith(f"class {word}", end):  # without a constructor
            return end + len("class ")
        if line.endswith("constructor", start, end):
            heads = [(f"class {word}", len("class ")), (f"{word}=class", 0)]
            # maximum number of characters between the name of a class and its constructor
            found = [(line.rfind(head, max(0, end - 50_000), end), skip) for head, skip in heads]
            return max((place + skip for place, skip in found if place >= 0), default=None)
        places = [start + each.start() for each in _WORDS.finditer(line[start:end]) if each[0] == word]
        return places[-1] if places else None

    def _name_in_source(self, segment: int, line: int, place: int) -> str | None:
        """Return the name that a segment maps to: an entry of the map, or a word in the text of the source."""
        source, source_line, column, name = self._map.fields[:, segment].tolist()
        start = int(self._map.position[segment]) & 0xFFFFFFFF  # the column
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
        found = re.match(r"\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\b\s*\*?\s*([\w$]+)", after)
        found = found or re.search(r"([\w$]+)\s*(?::[^=]*)?=\s*(?:async\s+)?(?:function\s*)?\(?$", before)
        return found[1] if found else ""

    def _source_line(self, source: int, line: int) -> str:
        """Return a line of a source, or "" if the map does not contain it."""
        if source not in self._sources:
            self._sources[source] = _lines_of(self._map.contents[source] or "")
        lines = self._sources[source]
        return lines[line] if line < len(lines) else ""


def _lines_of(text: str) -> list[str]:
    """Return the lines of a text in which each character is one UTF-16 code unit."""
    units = re.sub("[\U00010000-\U0010ffff]", "??", text)
    return re.split(r"\r\n|[\n\r\u2028\u2029]", units)  # at the line terminators of ECMAScript
