"""How much of a tree fits into a page: the smallest threshold that keeps it within its bytes."""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from profgate.report.page_columns import OrderedTree, rows_with, shares_of, stays_above

CUT_ALL = 1.1  # of a side: nothing is left but what is always kept


def threshold_for(ordered: OrderedTree, keep: Collection[int], most_rows: int) -> float:
    """The smallest share of a side below which subtrees must be merged to leave at most `most_rows` rows.

    `CUT_ALL` where no threshold is enough, because more rows are always kept.
    """
    share, marked = shares_of(ordered), rows_with(ordered, keep)
    steps = np.unique(share)
    low, high = 0, len(steps)
    while low < high:  # a higher threshold never leaves more rows
        middle = (low + high) // 2
        if _rows_left(ordered, stays_above(share, marked, float(steps[middle]))) <= most_rows:
            high = middle
        else:
            low = middle + 1
    return float(steps[low]) if low < len(steps) else CUT_ALL


def _rows_left(ordered: OrderedTree, stays: NDArray[np.bool_]) -> int:
    """The rows that stay, and one for each parent whose children are merged."""
    parent = np.maximum(ordered.parent, 0)
    owners = np.zeros(ordered.size, bool)
    owners[parent[~stays & stays[parent]]] = True
    return int(stays.sum()) + int(owners.sum())
