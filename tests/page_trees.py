"""Call trees from rows in any order."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from profgate.flamegraph.page_columns import NamedTree
from profgate.model.arrays import BoolArray, IntArray
from profgate.model.call_tree import inverse, tree_of
from profgate.model.comparison import DiffTree
from profgate.model.timeline import Timeline, summed

Timelines = tuple[Timeline | None, Timeline | None]


def page_tree(
    rows: Sequence[Sequence[int]] | IntArray,
    names: Sequence[str],
    *,
    evidence: BoolArray | None = None,
    timelines: Timelines = (None, None),
    **functions: Any,
) -> NamedTree:
    """Rows of parent, symbol, value before, value after and, optionally, calls before and after. Row 0 is the root.

    Siblings are sorted by name. ``functions`` contains further fields of `NamedTree`.
    """
    columns = np.array(rows, np.int64).T
    rank = np.append(inverse(np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)), -1)
    tree, order = tree_of(columns[0], rank[columns[1]])
    _, symbol, before, after, *calls = columns[:, order]
    calls_before, calls_after = calls or (None, None)
    place = inverse(order)
    shown = DiffTree(
        *(tree.parent, symbol.astype(np.int32), tree.depth, tree.end),
        *(before, after, tree.totals(before), tree.totals(after)),
        calls_before,
        calls_after,
        evidence=None if evidence is None else evidence[:, order],
        timelines=(_placed(timelines[0], place), _placed(timelines[1], place)),
    )
    return NamedTree(shown, names, **functions)


def _placed(side: Timeline | None, place: IntArray) -> Timeline | None:
    if side is None:
        return None
    row, cell, values = summed(place[side.row], side.cell, side.values)
    return side._replace(row=row, cell=cell, values=values)
