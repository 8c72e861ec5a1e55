"""Stacks that a policy drops (``ignore``) or keeps (``focus``), by globs over symbol names."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

import numpy as np

from profgate.model.arrays import BoolArray
from profgate.model.call_tree import TreeShape
from profgate.model.comparison import Symbols


def _matching(symbols: Symbols, patterns: Sequence[str]) -> BoolArray:
    hits = [any(fnmatchcase(name, pattern) for pattern in patterns) for name in symbols.names]
    return np.array(hits, np.bool_)


def _on_path(shape: TreeShape, hit: BoolArray) -> BoolArray:
    """bool[row]: a symbol that matches stands on the row's path."""
    below = np.zeros(len(shape), np.bool_)
    for level in range(1, len(shape.level_start) - 1):
        rows = slice(int(shape.level_start[level]), int(shape.level_start[level + 1]))
        below[rows] = below[shape.parent[rows]] | hit[shape.symbol[rows]]
    return below


def kept_leaves(shape: TreeShape, symbols: Symbols, ignore: Sequence[str], focus: Sequence[str]) -> BoolArray:
    """bool[row]: whether stacks that end here are counted."""
    kept = np.ones(len(shape), np.bool_)
    if ignore:
        kept &= ~_on_path(shape, _matching(symbols, ignore))
    if focus:
        kept &= _on_path(shape, _matching(symbols, focus))
    return kept
