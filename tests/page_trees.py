"""Call trees from rows in any order, and what pages contain of them."""

import base64
import json
import re
import zlib
from collections.abc import Mapping, Sequence
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


def unpacked(text: str) -> bytes:
    return zlib.decompress(base64.a85decode(text.replace("v", "<")))


def columns_in(header: Mapping[str, Any], data: str) -> dict[str, bytes]:
    """The bytes of each column."""
    columns, stream = {}, unpacked(data)
    for name, length in header["columns"]:
        columns[name], stream = stream[:length], stream[length:]
    assert not stream
    return columns


def parts_of_page(page: str) -> dict[str, str]:
    """The header and the packed data of a page, and its packed script; nothing of other files."""
    return dict(re.findall(r'<script type="application/[a-z-]+" id="(\w+)">([^<]*)</script>', page))


def data_of_page(page: str) -> tuple[Mapping[str, Any], dict[str, bytes]]:
    """The header of a page and its columns."""
    parts = parts_of_page(page)
    header = json.loads(parts["header"])
    return header, columns_in(header, parts["data"])
