"""Call trees as columns in preorder: each row is followed by the rows of its subtree."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, starmap

import numpy as np

from profgate.model.arrays import BoolArray, IntArray, RowArray, read_only
from profgate.model.kernels import Kernels
from profgate.model.record import Record

MAX_DEPTH = 65_535


class CallTree(Record, eq=False):
    """A call tree in preorder. Row 0 is the root (parent -1, symbol -1), and siblings are sorted by symbol.

    Each array has one element per row. The root has depth 0. ``end`` is the row after the last row of the subtree.
    ``end`` is int64, and the others are int32.
    """

    parent: RowArray
    symbol: RowArray
    depth: RowArray
    end: IntArray

    def __len__(self) -> int:
        return len(self.parent)

    def totals(self, own: IntArray) -> IntArray:
        """Return the sum of each row's own value and the values of all rows below it as an exact int64 array."""
        sums = np.zeros(len(own) + 1, np.int64)
        np.cumsum(own, out=sums[1:])
        return np.asarray(sums[self.end] - sums[:-1])

    def topmost(self, rows: IntArray | None = None) -> IntArray:
        """Return the rows (by default all) that are not below another one of the same symbol, sorted by symbol."""
        rows = np.arange(1, len(self)) if rows is None else np.sort(rows)
        symbol = self.symbol[rows]
        # numpy sorts integers of 16 bits in linear time
        by_symbol = np.argsort(symbol.astype(np.uint16), kind="stable")
        if symbol.max(initial=0) >> 16:
            by_symbol = by_symbol[np.argsort((symbol >> 16).astype(np.uint16)[by_symbol], kind="stable")]
        order = rows[by_symbol]
        start = symbol[by_symbol].astype(np.int64) * (len(self) + 1) + order
        end = np.maximum.accumulate(start + self.end[order] - order)
        return np.asarray(order[np.concatenate([[True], end[:-1] <= start[1:]])[: len(order)]])

    def below(self, rows: IntArray) -> BoolArray:
        """Return a mask that marks the given rows and all rows below them."""
        marks = np.zeros(len(self) + 1, np.int64)
        np.add.at(marks, rows, 1)
        np.add.at(marks, self.end[rows], -1)
        return np.asarray(np.cumsum(marks)[:-1] > 0)

    def below_symbols(self, chosen: Sequence[bool]) -> BoolArray:
        """Return a mask that marks the rows of the chosen symbols and all rows below them."""
        return self.below(np.flatnonzero(np.array(chosen, bool)[self.symbol[1:]]) + 1)

    def levels(self) -> Iterator[IntArray]:
        """Yield the rows of each depth, beginning with the root."""
        order = np.argsort(self.depth.astype(np.uint16), kind="stable")
        yield from np.split(order, np.cumsum(np.bincount(self.depth))[:-1])


def merged_paths(depth: IntArray, symbol: IntArray, kernels: Kernels | None = None) -> tuple[CallTree, IntArray]:
    """Return the tree of all paths in a stream, and an int64 array with the row of each event.

    The parent of an event at depth d is the last preceding event at depth d - 1, or the root for depth 0. Streams of
    several profiles can be concatenated, because each stream starts at depth 0.
    """
    if kernels is not None and (found := _merged_by(kernels, depth, symbol)) is not None:
        return found
    rows = np.zeros(len(depth), np.int64)
    parents, symbols, starts = [np.array([-1], np.int64)], [np.array([-1], np.int64)], [0, 1]
    order = np.argsort(depth.astype(np.uint16), kind="stable")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(depth))]) if len(depth) else np.zeros(1, np.int64)
    width = int(symbol.max()) + 1 if len(symbol) else 1
    count, above, above_rows = 1, order[:0], rows[:0]
    for level in range(len(bounds) - 1):
        events = order[bounds[level] : bounds[level + 1]]
        below = above_rows[np.searchsorted(above, events) - 1] if level else np.zeros(len(events), np.int64)
        key = below * width + symbol[events]
        by_key = np.argsort(key)
        ordered = key[by_key]
        first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
        level_rows = np.empty(len(events), np.int64)
        level_rows[by_key] = np.cumsum(first) - 1 + count
        rows[events] = level_rows
        parents.append(ordered[first] // width)
        symbols.append(ordered[first] % width)
        count += len(parents[-1])
        starts.append(count)
        above, above_rows = events, level_rows
    tree, order = in_preorder(np.concatenate(parents), np.concatenate(symbols), np.array(starts, np.int64))
    return tree, inverse(order)[rows]


def _merged_by(kernels: Kernels, depth: IntArray, symbol: IntArray) -> tuple[CallTree, IntArray] | None:
    """Return the same result as `merged_paths` with compiled code, or None if that is not possible."""
    rows, end = np.empty(len(depth), np.int64), np.empty(len(depth) + 1, np.int64)
    parent, own, level = (np.empty(len(depth) + 1, np.int32) for _ in range(3))
    columns = [column.data for column in (rows, parent, own, level, end)]
    given = depth.astype(np.uint16).data, np.array(symbol, np.int64).data
    count = kernels.merged_paths(*given, int(symbol.max(initial=-1)) + 1, columns)
    if count is None:
        return None
    parent, own, level = (read_only(column[:count].copy()) for column in (parent, own, level))
    return CallTree(parent, own, level, read_only(end[:count].copy())), rows


def tree_of(parent: IntArray, symbol: IntArray) -> tuple[CallTree, IntArray]:
    """Return the tree of rows in any order, and the given row of each row of the tree. The first row is the root."""
    above, depth = np.maximum(parent, 0), (parent >= 0).astype(np.int64)
    while (further := depth[above]).any():
        depth += further
        above = above[above]
    order = np.lexsort((symbol, parent, depth))
    place = inverse(order)
    by_level = np.where(parent < 0, -1, place[parent])[order]
    tree, rows = in_preorder(by_level, symbol[order], np.cumsum([0, *np.bincount(depth)]))
    return tree, order[rows]


def in_preorder(parent: IntArray, symbol: IntArray, level_start: IntArray) -> tuple[CallTree, IntArray]:
    """Return the tree of rows in level order, and the given row of each row of the tree. Siblings keep their order.

    Siblings must be adjacent. Level d contains the rows from ``level_start[d]`` to ``level_start[d + 1]`` (exclusive).
    """
    number, size = _numbers_and_sizes(parent, level_start)
    order = inverse(number)
    tree = CallTree(
        read_only(np.where(parent < 0, -1, number[parent])[order].astype(np.int32)),
        read_only(symbol[order].astype(np.int32)),
        read_only(np.repeat(np.arange(len(level_start) - 1), np.diff(level_start)).astype(np.int32)[order]),
        read_only((number + size)[order]),
    )
    return tree, order


def inverse(order: IntArray) -> IntArray:
    """Return the position of each number in a permutation."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return place


def _numbers_and_sizes(parent: IntArray, level_start: IntArray) -> tuple[IntArray, IntArray]:
    """Return the position of each row in preorder, and the number of rows in its subtree, for rows in level order."""
    levels = list(starmap(slice, pairwise(level_start[1:].tolist())))
    first = [np.flatnonzero(np.diff(parent[level], prepend=-1)) for level in levels]
    size, number = np.ones(len(parent), np.int64), np.zeros(len(parent), np.int64)
    for level, families in zip(reversed(levels), reversed(first), strict=True):
        size[parent[level][families]] += np.add.reduceat(size[level], families)
    for level, families in zip(levels, first, strict=True):
        before = np.cumsum(size[level]) - size[level]
        of_family = np.repeat(before[families], np.diff(families, append=len(before)))
        number[level] = number[parent[level]] + 1 + before - of_family
    return number, size


def added_at(count: int, rows: IntArray | RowArray, values: IntArray) -> IntArray:
    """Return the exact sum of each row's values as int64. ``numpy.bincount`` would round sums above 2**53."""
    out = np.zeros(count, np.int64)
    np.add.at(out, rows, values)
    return out
