"""Converts the columns of a stored reading to bytes, and parses such bytes, which may come from an untrusted file.

The columns are differences of symbol numbers, self values, total minus self values and, if they were counted, calls:
all as int64, deflated, without their number, which is in the first eight bytes. The bytes are in the order of their
place in a number, because most numbers are small, so that the zeros of their upper bytes are adjacent.
"""

import zlib
from collections.abc import Sequence

import numpy as np

from profgate.model.arrays import IntArray, read_only

MOST_ROWS = 5_000_000
MOST_VALUE = 1 << 62  # sums of two such values do not overflow


def columns_to_bytes(symbols: Sequence[int], own: IntArray, total: IntArray, calls: IntArray | None) -> bytes:
    """Encode symbol numbers and up to three columns of the same length, with rows sorted by symbol number."""
    numbers = np.array(symbols, np.int64)
    order = np.argsort(numbers, kind="stable")
    columns = [np.diff(numbers[order], prepend=np.int64(0)), own[order], total[order] - own[order]]
    if calls is not None:
        columns.append(calls[order])
    values = np.concatenate([[len(columns)], *columns]).astype("<i8")
    return zlib.compress(values.view(np.uint8).reshape(-1, 8).T.tobytes(), 6)


def columns_from_bytes(data: bytes) -> tuple[IntArray, IntArray, IntArray, IntArray | None]:
    """Parse symbol numbers, self values, totals and calls from bytes. Raises ValueError if the bytes are invalid."""
    body = inflated(data, 8 * (1 + 4 * MOST_ROWS), "the columns")
    if not body or len(body) % 8:
        raise ValueError("the columns are cut off")
    places = np.frombuffer(body, np.uint8).reshape(8, -1)
    values = np.ascontiguousarray(places.T).view("<i8").ravel().astype(np.int64)
    count = int(values[0])
    if count not in {3, 4} or (len(values) - 1) % count:
        raise ValueError("the columns have different lengths")
    differences, own, rest, *calls = checked_values(values[1:]).reshape(count, -1)
    numbers, total = checked_values(np.cumsum(differences)), checked_values(rest + own)
    if (numbers < 0).any():
        raise ValueError("the columns contain impossible numbers")
    return read_only(numbers), read_only(own), read_only(total), read_only(calls[0]) if calls else None


def checked_values(values: IntArray) -> IntArray:
    """Return the values. Raises ValueError if one of them is so large that sums could overflow."""
    if ((values > MOST_VALUE) | (values < -MOST_VALUE)).any():
        raise ValueError("the columns contain impossible numbers")
    return values


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
