"""The values of call paths by thread and time, which some profiles contain in addition to their stacks."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from profgate.model.arrays import BoolArray, IntArray, read_only

MOST_BINS = 128
"""Maximum number of bins of a timeline. A cell has the number ``thread * MOST_BINS + bin``."""


class Timeline(NamedTuple):
    """The nonzero values of call paths by thread and bin.

    A bin lasts ``2**scale`` nanoseconds, and the recording lasts ``span`` nanoseconds. ``row``, ``cell`` and each row
    of ``values`` are int64 arrays with one element per entry. In a profile, ``row`` is the number of a leaf of the
    stacks, or -1 for samples without frames, and ``values`` has one row per metric. In a comparison, ``row`` is a row
    of the call tree, and ``values`` has a single row. The entries of a row add up exactly to the row's own value.
    """

    span: int
    scale: int
    threads: tuple[str, ...]
    row: IntArray
    cell: IntArray
    values: IntArray

    @property
    def bins(self) -> int:
        """Number of bins of each thread."""
        return (self.span >> self.scale) + 1

    def chosen(self, mask: BoolArray, row: IntArray) -> "Timeline":
        """Return the marked entries. ``row`` contains the new row of each entry, including unmarked entries."""
        return Timeline(self.span, self.scale, self.threads, row[mask], self.cell[mask], self.values[:, mask])

    def coarser(self, steps: int) -> "Timeline":
        """Return the timeline with bins that are ``2**steps`` times as long."""
        bins = self.cell % MOST_BINS
        row, cell, values = summed(self.row, self.cell - bins + (bins >> steps), self.values)
        return Timeline(self.span, self.scale + steps, self.threads, row, cell, values)


def summed(row: IntArray, cell: IntArray, values: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Add the values of equal pairs of row and cell, and return the pairs sorted by row, then by cell."""
    if not len(row):
        return row, cell, values
    width = int(cell.max()) + 1
    key = (row + 1) * width + cell
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
    return (
        read_only(key[first] // width - 1),
        read_only(key[first] % width),
        read_only(np.add.reduceat(values[:, order], first, axis=1)),
    )


def joined_timeline(parts: Sequence[Timeline]) -> Timeline:
    """Add timelines in the longest bins, matching threads by name, then in order. Each needs at least one thread."""
    scale = max(part.scale for part in parts)
    names = list(max(parts, key=lambda part: len(part.threads)).threads)
    rows, cells, values = [], [], []
    for part in parts:
        wide = part.coarser(scale - part.scale) if part.scale < scale else part
        place = np.array(_matched(part.threads, names), np.int64)
        rows.append(wide.row)
        cells.append(place[wide.cell // MOST_BINS] * MOST_BINS + wide.cell % MOST_BINS)
        values.append(wide.values)
    row, cell, added = summed(np.concatenate(rows), np.concatenate(cells), np.concatenate(values, axis=1))
    return Timeline(max(part.span for part in parts), scale, tuple(names), row, cell, added)


def _matched(threads: Sequence[str], names: Sequence[str]) -> list[int]:
    """Match each thread to an equal name or else to the first unused name, and return the indices of these names."""
    free: dict[str, list[int]] = {}
    for place, name in reversed(list(enumerate(names))):
        free.setdefault(name, []).append(place)
    found = [free[name].pop() if free.get(name) else None for name in threads]
    rest = iter(sorted(place for places in free.values() for place in places))
    return [next(rest) if place is None else place for place in found]
