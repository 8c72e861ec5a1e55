"""The calling context tree, stored in arrays and built level by level from front-coded streams."""

from dataclasses import dataclass

import numpy as np

from profgate.model.arrays import BoolArray, IntArray, RowArray, read_only

MAX_DEPTH = 65_535
NARROW = 50  # mean number of rows per level below which a loop over all rows is faster than numpy calls for each level


@dataclass(frozen=True, slots=True, eq=False)
class TreeShape:
    """A tree in level order. Row 0 is the root (parent -1, symbol -1). Siblings are adjacent and sorted by symbol.

    ``level_start`` is an int64 array with one element per level, plus a final element. Level d contains the rows from
    ``level_start[d]`` to ``level_start[d + 1]`` (exclusive). Level 0 is the root.
    """

    parent: RowArray
    symbol: RowArray
    level_start: IntArray

    def __len__(self) -> int:
        return len(self.parent)


def build_shape(depth: IntArray, symbol: IntArray) -> tuple[TreeShape, IntArray]:
    """Return the tree of all paths in a stream, and an int64 array with the row of each event.

    The parent of an event at depth d is the last preceding event at depth d - 1, or the root for depth 0. Streams of
    several profiles can be concatenated, because each stream starts at depth 0.
    """
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
    shape = TreeShape(
        read_only(np.concatenate(parents).astype(np.int32)),
        read_only(np.concatenate(symbols).astype(np.int32)),
        read_only(np.array(starts, np.int64)),
    )
    return shape, rows


def with_children(shape: TreeShape, own: IntArray) -> IntArray:
    """Return the sum of each row's own value and the values of all its descendants as an exact int64 array."""
    if len(shape) < NARROW * len(shape.level_start):
        sums, above = own.tolist(), shape.parent.tolist()
        for row in range(len(sums) - 1, 0, -1):
            sums[above[row]] += sums[row]
        return np.array(sums, np.int64)
    total = own.copy()
    for level in range(len(shape.level_start) - 2, 0, -1):
        start, stop = shape.level_start[level], shape.level_start[level + 1]
        parent = shape.parent[start:stop]
        first = np.flatnonzero(np.concatenate([[True], parent[1:] != parent[:-1]]))
        total[parent[first]] += np.add.reduceat(total[start:stop], first)
    return total


def pre_order(shape: TreeShape, size: IntArray) -> IntArray:
    """Return the position of each row in pre-order, with siblings ordered by symbol, as an int64 array."""
    if len(shape) < NARROW * len(shape.level_start):
        return _pre_order_by_rows(shape.parent.tolist(), size.tolist())
    number = np.zeros(len(shape), np.int64)
    for level in range(1, len(shape.level_start) - 1):
        start, stop = shape.level_start[level], shape.level_start[level + 1]
        parent = shape.parent[start:stop]
        before = np.cumsum(size[start:stop]) - size[start:stop]
        starts_family = np.concatenate([[True], parent[1:] != parent[:-1]])
        family_start = before[np.flatnonzero(starts_family)][np.cumsum(starts_family) - 1]
        number[start:stop] = number[parent] + 1 + before - family_start
    return number


def _pre_order_by_rows(parent: list[int], size: list[int]) -> IntArray:
    numbers, free = [0] * len(parent), [1] * len(parent)  # free contains the position of the next child of each row
    for row in range(1, len(parent)):
        number = numbers[row] = free[parent[row]]
        free[row] = number + 1
        free[parent[row]] = number + size[row]
    return np.array(numbers, np.int64)


def topmost_rows(symbol: RowArray, number: IntArray, size: IntArray) -> IntArray:
    """Return the rows that have no ancestor with the same symbol, so that recursive calls are counted only once."""
    # sorting integers that combine both keys is ten times as fast as sorting rows by two keys
    row_of = np.empty(len(symbol), np.int64)
    row_of[number] = np.arange(len(symbol))
    start = np.sort(symbol[1:].astype(np.int64) * (len(symbol) + 1) + number[1:])
    order = row_of[start % (len(symbol) + 1)]
    end = np.maximum.accumulate(start + size[order])
    topmost = np.concatenate([[True], end[:-1] <= start[1:]])[: len(order)]
    found: IntArray = order[topmost]
    return found


def below(rows: IntArray, number: IntArray, size: IntArray) -> BoolArray:
    """Return a mask in pre-order that marks the given rows and all rows below them."""
    marks = np.zeros(len(number) + 1, np.int64)
    np.add.at(marks, number[rows], 1)
    np.add.at(marks, number[rows] + size[rows], -1)
    return np.asarray(np.cumsum(marks)[:-1] > 0)


def levels_of(shape: TreeShape) -> RowArray:
    """Return the depth of each row as an int32 array. The root has depth 0."""
    return np.repeat(np.arange(len(shape.level_start) - 1), np.diff(shape.level_start)).astype(np.int32)


def added_at(count: int, rows: IntArray, values: IntArray) -> IntArray:
    """Return the exact sum of each row's values as int64. ``numpy.bincount`` would round sums above 2**53."""
    out = np.zeros(count, np.int64)
    np.add.at(out, rows, values)
    return out


def stream_of(shape: TreeShape, keep: BoolArray) -> tuple[IntArray, IntArray, BoolArray, IntArray]:
    """Return the tree as a stream in pre-order: the depth, symbol and leaf arrays, and the rows of the leaves.

    ``keep`` is a boolean array that marks the rows at which a stack ends.
    """
    size = with_children(shape, np.ones(len(shape), np.int64))
    order = np.argsort(pre_order(shape, size))[1:]
    depth = levels_of(shape)[order].astype(np.int64) - 1
    return depth, shape.symbol[order].astype(np.int64), keep[order], order[keep[order]]
