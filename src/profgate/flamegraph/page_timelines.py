"""Encode the values of a page's rows by thread and time, in a zlib stream of their own."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from profgate.flamegraph.page_columns import OTHER, CutTree
from profgate.flamegraph.page_encoding import COMPRESSION_LEVEL, varints
from profgate.model.timeline import MOST_BINS, Timeline, summed
from profgate.model.visible_text import full_name

if TYPE_CHECKING:
    from profgate.model.arrays import IntArray
    from profgate.model.comparison import DiffTree

_FEWEST_BINS = 4  # fewer bins would not show how values change over time
_BYTES_OF_ENTRY = 0.3  # lower bound for the size of an entry, to avoid compressing data that is far too large


@dataclass(frozen=True, slots=True)
class EncodedTimelines:
    """The timeline part of the JSON header, and the data in base64."""

    header: dict[str, Any]
    data: str


def encode_timelines(whole: DiffTree, shown: CutTree, most: int) -> EncodedTimelines | None:
    """Encode the timelines of both sides for the rows in ``shown``, in at most ``most`` bytes.

    The bins are made longer until the data fits, as long as each side has at least `_FEWEST_BINS`. If the data still
    does not fit, all threads of a side are combined. Returns None if this is not enough, or if no side has a timeline.
    """
    place = _shown_rows(whole, shown)
    separate = [side and _placed(side, place) for side in whole.timelines]
    combined = [side and _combined(side) for side in separate]
    for attempt in (separate, combined) if any(separate) else ():
        sides = attempt
        while any(side and side.bins >= _FEWEST_BINS for side in sides):
            entries = sum(len(side.row) for side in sides if side)
            encoded = _encoded(sides) if entries * _BYTES_OF_ENTRY <= most else None
            if encoded and len(encoded.data) <= most:
                return encoded
            sides = [side and side.coarser(1) for side in sides]
    return None


def _combined(side: Timeline) -> Timeline:
    """Return the timeline with all threads combined into one."""
    row, cell, values = summed(side.row, side.cell % MOST_BINS, side.values)
    return side._replace(threads=("all threads",), row=row, cell=cell, values=values)


def _encoded(sides: list[Timeline | None]) -> EncodedTimelines:
    columns = [column for side in sides if side for column in _columns(side)]
    headers = [
        side
        and {
            "span": side.span,
            "scale": side.scale,
            "g": _divisor(side),
            "entries": len(side.row),
            "threads": [full_name(name) for name in side.threads],
        }
        for side in sides
    ]
    stream = zlib.compress(b"".join(columns), COMPRESSION_LEVEL)
    header = {"sides": headers, "columns": [len(column) for column in columns]}
    return EncodedTimelines(header, base64.b64encode(stream).decode("ascii"))


def _columns(side: Timeline) -> Iterator[bytes]:
    """Yield the number of entries of each row that has any, the cells, and the values.

    In each row, the first cell is followed by the differences between neighbours. The last value of a row is omitted,
    because it is the remainder of the row's own value.
    """
    first = np.concatenate([[True], side.row[1:] != side.row[:-1]])
    last = np.concatenate([first[1:], [True]])
    yield varints(np.diff(np.flatnonzero(first), append=len(first)))
    yield varints(np.where(first, side.cell, np.diff(side.cell, prepend=0)))
    yield varints(side.values[0][~last] // _divisor(side))


def _divisor(side: Timeline) -> int:
    return max(int(np.gcd.reduce(side.values[0])), 1)


def _placed(side: Timeline, place: IntArray) -> Timeline:
    """Return the timeline with row numbers of the page."""
    row, cell, values = summed(place[side.row], side.cell, side.values)
    return side._replace(row=row, cell=cell, values=values)


def _shown_rows(whole: DiffTree, shown: CutTree) -> IntArray:
    """Return the position in ``shown`` of each row, or that of the row into which it was merged."""
    merged = shown.tree.symbol == OTHER
    place = np.full(len(whole), -1, np.int64)
    place[shown.row[~merged]] = np.flatnonzero(~merged)
    if not merged.any():
        return place
    other = np.full(len(shown.tree), -1, np.int64)
    other[shown.tree.parent[merged]] = np.flatnonzero(merged)
    above = np.where(place >= 0, np.arange(len(whole)), whole.parent)
    while np.any((further := above[above]) != above):
        above = further
    return np.where(place >= 0, place, other[place[above]])
