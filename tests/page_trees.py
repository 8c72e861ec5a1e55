"""Call trees from rows in any order."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from profgate.flamegraph.page_columns import NamedTree
from profgate.model.arrays import BoolArray, IntArray
from profgate.model.call_tree import inverse, tree_of
from profgate.model.comparison import DiffTree


def page_tree(
    rows: Sequence[Sequence[int]] | IntArray,
    names: Sequence[str],
    *,
    evidence: BoolArray | None = None,
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
    shown = DiffTree(
        *(tree.parent, symbol.astype(np.int32), tree.depth, tree.end),
        *(before, after, tree.totals(before), tree.totals(after)),
        calls_before,
        calls_after,
        evidence=None if evidence is None else evidence[:, order],
    )
    return NamedTree(shown, names, **functions)
