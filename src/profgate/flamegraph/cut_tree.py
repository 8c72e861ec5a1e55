"""Merge the small subtrees of a call tree, so that the rest fits in a page."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from profgate.model.call_tree import added_at, inverse
from profgate.model.comparison import DiffTree

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from profgate.model.arrays import BoolArray, FloatArray, IntArray

OTHER = -2  # symbol of a row that stands for merged rows
CUT_ALL = 1.1  # a threshold above any share: all rows that need not be shown are merged


class CutTree(NamedTuple):
    """The part of a tree that a page shows.

    A row with the symbol `OTHER` stands for merged rows, and ``hidden`` is the number of these rows (otherwise 0).
    ``row`` is the row in the whole tree or, for merged rows, the first of these rows.
    """

    tree: DiffTree
    hidden: IntArray
    row: IntArray


def uncut(tree: DiffTree) -> CutTree:
    """Return the whole tree."""
    return CutTree(tree, np.zeros(len(tree), np.int64), np.arange(len(tree)))


def cut_tree(tree: DiffTree, threshold: float, keep: Collection[int]) -> CutTree:
    """Merge subtrees whose share is below `threshold` on both sides into one `other` row per parent.

    Rows of symbols in `keep` and the ancestors of these rows are not merged. Each `other` row is the last child.
    """
    remains = _unmerged(_shares(tree), _rows_with(tree, keep), threshold)
    cut, rows = np.flatnonzero(~remains & remains[np.maximum(tree.parent, 0)]), np.flatnonzero(remains)
    owners, first, group = np.unique(tree.parent[cut], return_index=True, return_inverse=True)
    others = [
        added_at(len(owners), group, values[cut])
        for values in (tree.baseline_total, tree.target_total, tree.end - np.arange(len(tree)))
    ]
    # an `other` row comes before the row at which the subtree of its parent ends, and innermost rows come first
    levels = int(tree.depth.max()) + 2
    ends = tree.end * levels + levels - 2 - tree.depth
    keys = np.concatenate([rows * levels + levels - 1, ends[owners]])
    order = np.argsort(keys)
    is_other, source = order >= len(rows), np.concatenate([rows, cut[first]])[order]
    number = np.full(len(tree), -1, np.int64)
    number[rows] = inverse(order)[: len(rows)]

    def merged(values: NDArray[Any], of_others: NDArray[Any]) -> NDArray[Any]:
        return np.concatenate([values[rows], of_others]).astype(values.dtype)[order]

    shown = DiffTree(
        parent=np.where(tree.parent[source] < 0, -1, number[tree.parent[source]]).astype(np.int32),
        symbol=merged(tree.symbol, np.full(len(owners), OTHER)),
        depth=tree.depth[source],
        end=np.where(is_other, np.arange(1, len(order) + 1), np.searchsorted(keys[order], ends[source], "right")),
        baseline_self=merged(tree.baseline_self, others[0]),
        target_self=merged(tree.target_self, others[1]),
        baseline_total=merged(tree.baseline_total, others[0]),
        target_total=merged(tree.target_total, others[1]),
        baseline_calls=None if tree.baseline_calls is None else np.where(is_other, 0, tree.baseline_calls[source]),
        target_calls=None if tree.target_calls is None else np.where(is_other, 0, tree.target_calls[source]),
        evidence=None if tree.evidence is None else tree.evidence[:, source] & ~is_other,
    )
    return CutTree(shown, merged(np.zeros(len(tree), np.int64), others[2]), source)


def threshold_for(tree: DiffTree, keep: Collection[int], most_rows: int) -> float:
    """Return the smallest threshold for `cut_tree` that leaves at most `most_rows` rows.

    If more than `most_rows` rows must be shown, there is no such threshold, and `CUT_ALL` is returned.
    """
    share, marked, parent = _shares(tree), _rows_with(tree, keep), np.maximum(tree.parent, 0)

    def fits(threshold: float) -> bool:
        remains = _unmerged(share, marked, threshold)
        owners = np.zeros(len(tree), np.bool_)  # parents that get an `other` row
        owners[parent[~remains & remains[parent]]] = True
        return int(remains.sum()) + int(owners.sum()) <= most_rows

    steps = np.sort(share)  # numpy.unique imports numpy.ma, which takes longer
    place = bisect_left(steps, True, key=fits)  # a higher threshold never leaves more rows
    return float(steps[place]) if place < len(steps) else CUT_ALL


def _shares(tree: DiffTree) -> FloatArray:
    """Return each row's share of the total on the side where this share is larger."""
    return np.maximum(*(values / max(int(values[0]), 1) for values in (tree.baseline_total, tree.target_total)))


def _rows_with(tree: DiffTree, symbols: Collection[int]) -> BoolArray:
    """Return a mask of the rows that belong to these symbols and of the ancestors of these rows."""
    own = np.isin(tree.symbol, np.fromiter(symbols, np.int64, len(symbols)))
    return np.asarray(tree.totals(own.astype(np.int64)) > 0)


def _unmerged(share: FloatArray, marked: BoolArray, threshold: float) -> BoolArray:
    """Return a mask of the rows that are not merged: large rows, marked rows and the root."""
    remains = (share >= threshold) | marked
    remains[0] = True
    return remains
