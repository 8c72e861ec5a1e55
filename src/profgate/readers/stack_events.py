"""Conversion of call paths and call trees to the front-coded events of `Stacks`, with numpy arrays.

The functions raise ProfileError with location ``where`` if a path has more than 65,535 frames or parents form a cycle.
"""

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from profgate.errors import ProfileError
from profgate.model.arrays import BoolArray, IntArray, RowArray, read_only
from profgate.model.call_tree import MAX_DEPTH, in_preorder
from profgate.model.profile import Stacks
from profgate.readers.quantities import NOT_READ

# number of paths that are compared at once, so that intermediate arrays fit in the processor cache
_CHUNK = 2048


def ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    """Return the ranges, concatenated. Range ``k`` is ``lengths[k]`` numbers from ``starts[k]``."""
    before = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(int(lengths.sum()), dtype=np.int64) + np.repeat(starts - before, lengths))


def stacks_from_paths(
    flat_frames: IntArray | RowArray, offsets: IntArray, values: IntArray, where: str = "profile"
) -> Stacks:
    """Build stacks from ``n`` paths.

    ``flat_frames`` contains the frames of all paths, each starting at the root. Path ``k`` is the slice
    ``offsets[k]:offsets[k + 1]``, so ``offsets`` has n + 1 elements. ``values`` has one row per metric and one column
    per path. Frames may be int32; all other arrays are int64. The values of paths without frames are added to
    ``root_values``; every other path has a leaf.
    """
    lengths = np.diff(offsets)
    filled = lengths > 0
    first, lengths = offsets[:-1][filled], lengths[filled]
    if len(lengths):
        _refuse_depth(int(lengths.max()), where)
    # a path stores only the frames that differ from the path before it
    new = lengths - _shared_prefixes(flat_frames, first, lengths)
    starts = first + lengths - new
    at = ranges(starts, new)
    fresh = np.zeros(len(filled), np.int64)
    fresh[filled] = new
    return stacks_from_events(at - np.repeat(first, new), flat_frames[at], fresh, values)


def stacks_from_events(depth: NDArray[Any], frame: IntArray | RowArray, fresh: IntArray, values: IntArray) -> Stacks:
    """Build stacks from the new frames of all paths, of which path ``k`` has ``fresh[k]``, or none if it is empty."""
    filled = fresh > 0
    leaf = np.zeros(len(depth), dtype=np.bool_)
    leaf[np.cumsum(fresh[filled]) - 1] = True
    return _stacks(depth, frame, leaf, values[:, filled], values[:, ~filled].sum(axis=1), None)


def stacks_from_parents(
    parent: IntArray,
    frame: IntArray,
    self_values: IntArray,
    calls: IntArray | None = None,
    where: str = "profile",
) -> Stacks:
    """Build stacks from the nodes of call trees, which may be in any order.

    ``parent``, ``frame`` and ``calls`` have one int64 element per node. ``parent`` is -1 for children of the root.
    ``self_values`` has one int64 row per metric. A node ends a stack if its call count or one of its values is not 0.
    """
    if np.any((parent < -1) | (parent >= len(parent))):
        raise ProfileError(where, f"a call tree names a parent that does not exist; {NOT_READ}")
    levels = _levels(parent, where)
    order = np.concatenate([np.zeros(0, np.int64), *levels])
    row = np.zeros(len(parent) + 1, np.int64)  # the last row belongs to the root, whose number is -1
    row[order] = np.arange(1, len(parent) + 1)
    starts = np.cumsum([0, 1, *map(len, levels)])
    tree, rows = in_preorder(np.append(-1, row[parent[order]]), np.append(-1, frame[order]), starts)
    ends_stack = np.any(self_values != 0, axis=0)
    if calls is not None:
        ends_stack |= calls != 0
    nodes = order[rows[1:] - 1]
    leaf = ends_stack[nodes]
    ending = nodes[leaf]
    root_values = np.zeros(len(self_values), dtype=np.int64)
    counted = None if calls is None else calls[ending]
    depth = tree.depth[1:].astype(np.int64) - 1
    return _stacks(depth, frame[nodes], leaf, self_values[:, ending], root_values, counted)


def _stacks(
    depth: NDArray[Any],
    frame: IntArray | RowArray,
    leaf: BoolArray,
    values: IntArray,
    root_values: IntArray,
    calls: IntArray | None,
) -> Stacks:
    return Stacks(
        cast("IntArray", read_only(depth.astype(np.uint16))),
        read_only(np.array(frame, dtype=np.int64)),
        read_only(leaf),
        read_only(np.array(values, dtype=np.int64)),
        read_only(np.array(root_values, dtype=np.int64)),
        None if calls is None else read_only(np.array(calls, dtype=np.int64)),
    )


def _refuse_depth(depth: int, where: str) -> None:
    if depth > MAX_DEPTH:
        raise ProfileError(
            where, f"a stack is {depth} frames deep, but at most {MAX_DEPTH} can be read; limit the depth"
        )


def _shared_prefixes(flat: IntArray | RowArray, first: IntArray, lengths: IntArray) -> IntArray:
    """Return the number of frames, except the last, that each path shares with the beginning of the previous one."""
    before: IntArray = np.append(0, lengths)[:-1]
    shared: IntArray = np.minimum(before, lengths - 1)
    for begin in range(0, len(first), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        start, length = int(first[begin]), int(lengths[part].sum())
        # paths are adjacent, so the distance between frames of the same depth is the length of the previous path;
        # deeper frames are compared with unrelated frames, but the results of these comparisons are not used
        opposite = np.arange(start, start + length) - np.repeat(before[part], lengths[part])
        different = np.append(np.flatnonzero(flat[start : start + length] != flat[opposite]), length)
        own = first[part] - start
        shared[part] = np.minimum(shared[part], different[np.searchsorted(different, own)] - own)
    return shared


def _levels(parent: IntArray, where: str) -> list[NDArray[np.int64]]:
    """Return one array of nodes per depth. Nodes with the same parent are adjacent."""
    by_parent = np.argsort(parent, kind="stable")
    first = np.searchsorted(parent[by_parent], np.arange(-1, len(parent) + 1))
    level = by_parent[: first[1]]
    levels, seen = [], 0
    while len(level):
        levels.append(level)
        seen += len(level)
        _refuse_depth(len(levels), where)
        level = by_parent[ranges(first[level + 1], first[level + 2] - first[level + 1])]
    if seen != len(parent):
        raise ProfileError(where, f"the parents of a call tree form a circle; {NOT_READ}")
    return levels
