"""Source maps (ECMA-426), which map positions in a built script to positions and names in its sources.

A source map is untrusted: it comes from the build of the pull request.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from profgate.errors import ProfileError
from profgate.model.arrays import IntArray

LARGEST = 32 << 20  # in bytes
MOST_SEGMENTS = 5_000_000
LONGEST_ROOT = 500  # in characters
BLOCK = 4 << 20  # number of bytes that are decoded at once, which limits the memory
MOST_DIGITS = 7  # of a number of 32 bits
UNKNOWN = -1
COLUMN = (1 << 32) - 1  # bits of a position that contain the column
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/,;"
_COMMA, _SEMICOLON, _INVALID = 64, 65, 66
_MORE = 32  # bit of a digit that is followed by another digit
_DIGITS = np.full(256, _INVALID, np.uint8)
_DIGITS[np.frombuffer(_LETTERS, np.uint8)] = np.arange(len(_LETTERS))
_FIELDS = 5  # generated column, source, line, column, name


@dataclass(frozen=True, slots=True, eq=False)
class SourceMap:
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
    if length.max(initial=0) > MOST_DIGITS:
        raise ProfileError(where, "has a number of more than 32 bits; build it again")
    values = np.zeros(len(first), np.int64)
    for digit in range(int(length.max(initial=0))):
        rows = np.flatnonzero(length > digit)
        values[rows] |= (digits[first[rows] + digit] & (_MORE - 1)).astype(np.int64) << 5 * digit
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
