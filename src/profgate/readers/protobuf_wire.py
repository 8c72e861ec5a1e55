"""Decoder for the protobuf wire format. Single messages are decoded with Python, and batches with numpy.

The functions raise ProfileError if the data is truncated or damaged.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from profgate.errors import ProfileError
from profgate.model.arrays import IntArray
from profgate.model.record import Record
from profgate.readers.stack_events import ranges

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
MAX_VARINT = 10
MAX_FIELD = (1 << 29) - 1
CHUNK = 8192
_FIXED = {FIXED64: 8, FIXED32: 4}
_IS_WIRE_TYPE = np.isin(np.arange(8), (VARINT, FIXED64, LENGTH, FIXED32))

Bytes = NDArray[np.uint8]


class Spans(Record):
    """Byte ranges of the contents of a field.

    The int64 arrays contain the message, the start and the exclusive end of each range.
    """

    message: IntArray
    start: IntArray
    end: IntArray


def truncated(where: str, at: int, what: str = "the message ends too early") -> ProfileError:
    """Return the error for damaged data at byte ``at``."""
    return ProfileError(f"{where}: byte {at}", f"{what}; the file is cut off or damaged, record it again")


def varint(data: bytes, at: int, end: int, where: str) -> tuple[int, int]:
    """Return the unsigned varint at byte ``at`` and its end position."""
    value = shift = 0
    start = at
    while at < end:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
        if shift == 7 * MAX_VARINT:
            raise truncated(where, start, "a number has more than 10 bytes")
    raise truncated(where, start)


def fields(data: bytes, at: int, end: int, where: str) -> Iterator[tuple[int, int, int, int]]:
    """Yield the number, wire type, content start and content end of each field in ``data[at:end]``.

    The content of a varint is its encoded bytes.
    """
    while at < end:
        begin = at
        tag = data[at]
        at += 1
        if tag >= 0x80:
            tag, at = varint(data, begin, end, where)
        number, wire = tag >> 3, tag & 7
        # wire types 3 and 4 are groups, which protobuf abandoned before pprof was written
        if wire == LENGTH:
            size, start = varint(data, at, end, where)
            at = start + size
        elif wire == VARINT:
            start = at
            _, at = varint(data, at, end, where)
        elif wire in _FIXED:
            start = at
            at += _FIXED[wire]
        else:
            raise truncated(where, begin, f"wire type {wire} does not exist")
        if not 0 < number <= MAX_FIELD:
            raise truncated(where, begin, f"field number {number} does not exist")
        if at > end:
            raise truncated(where, begin)
        yield number, wire, start, at


def as_int64(value: int) -> int:
    """Return the int64 value with the same bits as an unsigned 64-bit number."""
    # protobuf writes a negative int64 as the unsigned number with the same bits, in ten bytes
    return value - (1 << 64) if value >> 63 else value


def repeated_varints(
    data: bytes,
    starts: IntArray,
    ends: IntArray,
    requested: tuple[int, ...],
    where: str,
) -> dict[int, tuple[IntArray, IntArray]]:
    """Decode repeated varint fields, packed or not, in many messages of the same type.

    Message ``k`` is ``data[starts[k]:ends[k]]``. For each requested field, the result contains the number of values per
    message and the values ordered by message, as int64 arrays.
    """
    raw = np.frombuffer(data, dtype=np.uint8)
    empty = np.zeros(0, dtype=np.int64)
    parts: dict[int, list[tuple[IntArray, IntArray]]] = {number: [(empty, empty)] for number in requested}
    for chunk in _chunks(len(starts)):
        spans = _spans(data, starts[chunk], ends[chunk], dict.fromkeys(requested, (LENGTH, VARINT)), where)
        count = len(starts[chunk])
        for number, span in spans.items():
            parts[number].append(_decoded(raw, span, count, where))
    joined = {}
    for number, found in parts.items():
        counts, values = zip(*found, strict=True)
        joined[number] = np.concatenate(counts), np.concatenate(values)
    return joined


def single_varints(
    data: bytes, starts: IntArray, ends: IntArray, requested: tuple[int, ...], where: str
) -> list[list[int]]:
    """Return one unsigned varint per requested field and message, for many small messages of the same type.

    The value of a missing field is 0. The last value of a repeated field is used, as the format specifies.
    """
    raw = np.frombuffer(data, dtype=np.uint8)
    found = {number: np.zeros(len(starts), dtype=np.int64) for number in requested}
    for chunk in _chunks(len(starts)):
        spans = _spans(data, starts[chunk], ends[chunk], dict.fromkeys(requested, (VARINT,)), where)
        for number, span in spans.items():
            found[number][chunk.start + span.message], _ = _numbers_at(raw, span.start, span.end, where)
    return [found[number].view(np.uint64).tolist() for number in requested]


def inner_messages(data: bytes, starts: IntArray, ends: IntArray, number: int, where: str) -> Spans:
    """Return the byte ranges of field ``number`` in many messages."""
    steps = []
    for chunk in _chunks(len(starts)):
        span = _spans(data, starts[chunk], ends[chunk], {number: (LENGTH,)}, where)[number]
        steps.append((span.message + chunk.start, span.start, span.end))
    return _in_order(steps)


def _chunks(count: int) -> Iterator[slice]:
    return (slice(first, first + CHUNK) for first in range(0, count, CHUNK))


def _spans(
    data: bytes, starts: IntArray, ends: IntArray, requested: dict[int, tuple[int, ...]], where: str
) -> dict[int, Spans]:
    """Return the byte ranges of the fields in ``requested``, which maps field numbers to wire types.

    Each step reads one field of every message. When only a few messages remain, they are read one by one.
    """
    raw = np.frombuffer(data, dtype=np.uint8)
    found: dict[int, list[tuple[IntArray, IntArray, IntArray]]] = {number: [] for number in requested}
    alive = np.flatnonzero(starts < ends)
    at, end = starts[alive], ends[alive]
    # for this many messages or fewer, Python is faster than numpy
    while len(alive) > 24:
        begin = at
        tag, at = _numbers_at(raw, at, end, where)
        wire = tag & 7
        bad = ~_IS_WIRE_TYPE[wire] | (tag < 8) | (tag >> 3 > MAX_FIELD)
        if bad.any():
            raise truncated(where, int(begin[bad][0]), "a field has a type that does not exist")
        start, at = _contents(raw, wire, at, end, where)
        outside = at > end
        if outside.any():
            raise truncated(where, int(begin[outside][0]))
        for number, wires in requested.items():
            chosen = np.logical_or.reduce([tag == number << 3 | wire_type for wire_type in wires])
            found[number].append((alive[chosen], start[chosen], at[chosen]))
        going = at < end
        alive, at, end = alive[going], at[going], end[going]
    rest: dict[int, list[tuple[int, int, int]]] = {number: [] for number in requested}
    for place, first, last in zip(alive.tolist(), at.tolist(), end.tolist(), strict=True):
        for number, wire_type, content, after in fields(data, first, last, where):
            if wire_type in requested.get(number, ()):
                rest[number].append((place, content, after))
    for number, rows in rest.items():
        message, start, stop = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        found[number].append((message, start, stop))
    return {number: _in_order(steps) for number, steps in found.items()}


def _in_order(steps: list[tuple[IntArray, IntArray, IntArray]]) -> Spans:
    """Sort spans by message. Spans of the same message stay in file order."""
    empty = np.zeros(0, dtype=np.int64)
    message, start, end = map(np.concatenate, zip((empty, empty, empty), *steps, strict=True))
    order = np.argsort(message, kind="stable")
    return Spans(message[order], start[order], end[order])


def _contents(raw: Bytes, wire: IntArray, at: IntArray, end: IntArray, where: str) -> tuple[IntArray, IntArray]:
    """Return the start and end of the content of each field."""
    stop = at + np.where(wire == FIXED64, 8, 4)
    start = at.copy()
    counted = (wire == VARINT) | (wire == LENGTH)
    value, after = _numbers_at(raw, at[counted], end[counted], where)
    sized = wire[counted] == LENGTH
    huge = sized & (value < 0)
    if huge.any():
        raise truncated(where, int(at[counted][huge][0]), "a length is too large")
    start[counted] = np.where(sized, after, at[counted])
    stop[counted] = np.where(sized, after + np.minimum(value, len(raw) + 1), after)
    return start, stop


def _numbers_at(raw: Bytes, at: IntArray, end: IntArray, where: str) -> tuple[IntArray, IntArray]:
    """Return the value of the varint at each position, and the position after it."""
    value = np.zeros(len(at), dtype=np.uint64)
    after = at.copy()
    going = np.arange(len(at))
    for step in range(MAX_VARINT):
        place = after[going]
        over = place >= end[going]
        if over.any():
            raise truncated(where, int(at[going][over][0]))
        byte = raw[place].astype(np.uint64)
        value[going] |= (byte & np.uint64(0x7F)) << np.uint64(7 * step)
        after[going] += 1
        going = going[byte >= 0x80]
        if not len(going):
            return value.view(np.int64), after
    raise truncated(where, int(at[going][0]), "a number has more than 10 bytes")


def _decoded(raw: Bytes, spans: Spans, messages: int, where: str) -> tuple[IntArray, IntArray]:
    """Return the number of varints in the spans of each message, and the values of all varints."""
    lengths = spans.end - spans.start
    filled = lengths > 0
    start, lengths, message = spans.start[filled], lengths[filled], spans.message[filled]
    if not len(start):
        return np.zeros(messages, dtype=np.int64), np.zeros(0, dtype=np.int64)
    before = np.cumsum(lengths) - lengths
    taken = raw[ranges(start, lengths)]
    # the last byte of a varint is the one without its highest bit
    last = taken < 0x80
    cut = ~last[before + lengths - 1]
    if cut.any():
        raise truncated(where, int(start[cut][0]), "a list of numbers ends inside a number")
    stops = np.flatnonzero(last)
    begins = np.append(0, stops[:-1] + 1)
    sizes = stops - begins + 1
    if int(sizes.max()) > MAX_VARINT:
        raise truncated(where, int(start[0]), "a number has more than 10 bytes")
    counts = np.bincount(message, weights=np.add.reduceat(last, before, dtype=np.int64), minlength=messages)
    return counts.astype(np.int64), _values(taken, begins, sizes)


def _values(taken: Bytes, begins: IntArray, sizes: IntArray) -> IntArray:
    """Return the values of consecutive varints. Each step decodes one byte position of all varints."""
    padded = np.append(taken & 0x7F, np.zeros(MAX_VARINT, dtype=np.uint8))
    value = padded[begins].astype(np.uint64)
    for step in range(1, int(sizes.max())):
        value |= (padded[begins + step] * (sizes > step)).astype(np.uint64) << np.uint64(7 * step)
    return value.view(np.int64)
