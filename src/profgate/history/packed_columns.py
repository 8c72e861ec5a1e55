"""Converts the columns of a stored reading to bytes, and parses such bytes, which may come from an untrusted file.

The layout is little-endian. The first byte is the encoding of the body (1 = plain, 2 = deflated). The body consists of
a byte of flags (1 = with calls), the number of rows as uint32, and the columns: differences of symbol numbers, self
values, total minus self values, and calls. Each column is one byte with the width of a value in bytes (1, 2 and 4 are
unsigned, 8 is signed), followed by the values.
"""

import struct
import zlib
from collections.abc import Sequence

import numpy as np

from profgate.model.arrays import IntArray, read_only

PLAIN, DEFLATED = 1, 2
WITH_CALLS = 1
MOST_ROWS = 5_000_000
MOST_VALUE = 1 << 62
WIDTHS = ((1, 1 << 8, "<u1"), (2, 1 << 16, "<u2"), (4, 1 << 32, "<u4"))
TYPES = {1: "<u1", 2: "<u2", 4: "<u4", 8: "<i8"}
HEAD = struct.Struct("<BI")


def columns_to_bytes(symbols: Sequence[int], own: IntArray, total: IntArray, calls: IntArray | None) -> bytes:
    """Encode symbol numbers and up to three columns of the same length, with rows sorted by symbol number."""
    numbers = np.array(symbols, np.int64)
    order = np.argsort(numbers, kind="stable")
    columns = [np.diff(numbers[order], prepend=np.int64(0)), own[order], total[order] - own[order]]
    if calls is not None:
        columns.append(calls[order])
    body = HEAD.pack(WITH_CALLS if calls is not None else 0, len(numbers)) + b"".join(map(_column, columns))
    small = zlib.compress(body, 6)
    return bytes([DEFLATED]) + small if len(small) < len(body) else bytes([PLAIN]) + body


def columns_from_bytes(data: bytes) -> tuple[IntArray, IntArray, IntArray, IntArray | None]:
    """Parse symbol numbers, self values, totals and calls from bytes. Raises ValueError if the bytes are invalid."""
    body = _body(data)
    if len(body) < HEAD.size:
        raise ValueError("the columns are cut off")
    flags, rows = HEAD.unpack_from(body)
    if rows > MOST_ROWS:
        raise ValueError(f"the columns claim {rows:,} rows")
    place, columns = HEAD.size, list[IntArray]()
    for _ in range(4 if flags & WITH_CALLS else 3):
        width = body[place] if place < len(body) else 0
        if width not in TYPES or place + 1 + width * rows > len(body):
            raise ValueError("the columns are cut off")
        columns.append(checked_values(np.frombuffer(body, TYPES[width], rows, place + 1).astype(np.int64)))
        place += 1 + width * rows
    differences, own, rest, *calls = columns
    numbers, total = checked_values(np.cumsum(differences)), checked_values(rest + own)
    if (numbers < 0).any():
        raise ValueError("the columns contain impossible numbers")
    return read_only(numbers), read_only(own), read_only(total), read_only(calls[0]) if calls else None


def checked_values(values: IntArray) -> IntArray:
    """Return the values. Raises ValueError if one of them is so large that sums could overflow."""
    if ((values > MOST_VALUE) | (values < -MOST_VALUE)).any():
        raise ValueError("the columns contain impossible numbers")
    return values


def thinned(data: bytes, rows: int) -> bytes:
    """Retain only the ``rows`` rows with the largest self values. Raises ValueError if the bytes are invalid."""
    numbers, own, total, calls = columns_from_bytes(data)
    heaviest = own.argsort(kind="stable")[::-1][:rows]
    left = None if calls is None else calls[heaviest]
    return columns_to_bytes(numbers[heaviest].tolist(), own[heaviest], total[heaviest], left)


def _column(values: IntArray) -> bytes:
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    for width, limit, kind in WIDTHS:
        if low >= 0 and high < limit:
            return bytes([width]) + values.astype(kind).tobytes()
    return b"\x08" + values.astype("<i8").tobytes()


def _body(data: bytes) -> bytes:
    if data[:1] == bytes([PLAIN]):
        return data[1:]
    if data[:1] != bytes([DEFLATED]):
        raise ValueError("the columns have an encoding that this version does not support")
    return inflated(data[1:], HEAD.size + 4 * (1 + 8 * MOST_ROWS), "the columns")


def inflated(data: bytes, most: int, what: str) -> bytes:
    """Decompress untrusted bytes. Raises ValueError if they are invalid, or longer than ``most`` after this."""
    machine = zlib.decompressobj()
    try:
        content = machine.decompress(data, most)
    except zlib.error as error:
        raise ValueError(f"{what} cannot be unpacked ({error})") from None
    if not machine.eof:
        raise ValueError(f"{what} are cut off or too large")
    return content
