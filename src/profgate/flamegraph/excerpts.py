"""Select what a report quotes from the call tree and the sources of a page, to explain its most important findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from profgate.model.call_tree import added_at
from profgate.model.comparison import WHOLE, DiffTree
from profgate.model.excerpt import Excerpt, Frame, Hunk

if TYPE_CHECKING:
    from profgate.flamegraph.page_columns import NamedTree, PageHeader, PageSource
    from profgate.model.arrays import IntArray

MOST_FINDINGS = 5
PATH_ENDS = 6  # maximum number of frames at the root of a path, before the function, and below it
MOST_CALLERS = 4
MOST_HUNKS, LONGEST_HUNK, LONGEST_LINE = 3, 60, 200  # in hunks, lines and characters
CONTEXT = 3  # unchanged lines around the changed ones


def excerpts_of(named: NamedTree, header: PageHeader) -> tuple[Excerpt, ...]:
    """Return what explains the most important functions of a page or, if there are none, a change of the total."""
    functions = [(mark.key or "", mark.symbol) for mark in header.findings if not mark.part][:MOST_FINDINGS]
    return tuple(_excerpt(*one, named, header) for one in functions or [("", WHOLE)] * header.total_changed)


def _excerpt(key: str, symbol: int, named: NamedTree, header: PageHeader) -> Excerpt:
    tree = named.tree
    rows = tree.topmost(np.flatnonzero(tree.symbol == symbol))  # row 0 for `WHOLE`
    paths = [_path(tree, rows, costs) for costs in (tree.baseline_total, tree.target_total)]
    distances: dict[int, int] = {}
    for path in paths:
        symbols = tree.symbol[path].tolist()
        place = symbols.index(symbol) if symbol in symbols else 0
        distances |= {own: abs(at - place) for at, own in enumerate(symbols)}
    growth = tree.target_self * header.runs[0] - tree.baseline_self * header.runs[1]
    changes = added_at(len(named.names), tree.symbol[1:], growth[1:])
    nearest = sorted(
        header.sources, key=lambda one: (distances.get(one["symbol"], len(tree)), -abs(changes[one["symbol"]]))
    )
    hunks = dict.fromkeys(hunk for one in nearest for hunk in _hunks(one, named.names))
    before, after = (_frames(path, named, header) for path in paths)
    return Excerpt(key, before, after, _callers(rows, named, header), tuple(hunks)[:MOST_HUNKS])


def _path(tree: DiffTree, rows: IntArray, costs: IntArray) -> list[int]:
    """Return the rows of the most expensive path through one of ``rows``, root first.

    Below this row, the path follows the most expensive callee while it takes at least half of the cost.
    """
    if not costs[rows].any():
        return []
    row = int(rows[np.argmax(costs[rows])])
    path = [row] * (row > 0)
    while path and (above := int(tree.parent[path[0]])) > 0:
        path.insert(0, above)
    for _ in range(PATH_ENDS):
        below = row + 1 + np.flatnonzero(tree.parent[row + 1 : tree.end[row]] == row)
        if not len(below) or 2 * costs[below].max() < costs[row]:
            break
        row = int(below[np.argmax(costs[below])])
        path.append(row)
    return path


def _frames(path: Sequence[int], named: NamedTree, header: PageHeader) -> tuple[Frame, ...]:
    tree = named.tree
    frames = [_frame(tree.symbol[row], tree.baseline_total[row], tree.target_total[row], named, header) for row in path]
    omitted = slice(PATH_ENDS, max(PATH_ENDS, len(frames) - 2 * PATH_ENDS))
    frames[omitted] = [replace(one, name=f"({len(frames[omitted])} frames)", file=None) for one in frames[omitted][:1]]
    return tuple(frames)


def _frame(symbol: int, before: int, after: int, named: NamedTree, header: PageHeader) -> Frame:
    """Return a frame. ``before`` and ``after`` are sums over the runs of each side."""
    return _costs(Frame(named.names[symbol], named.files[symbol], named.lines[symbol]), before, after, header)


def _costs(frame: Frame, before: int, after: int, header: PageHeader) -> Frame:
    return replace(
        frame,
        from_value=float(before * 10.0**header.exponent / header.runs[0]),
        to_value=float(after * 10.0**header.exponent / header.runs[1]),
    )


def _callers(rows: IntArray, named: NamedTree, header: PageHeader) -> tuple[Frame, ...]:
    """Return the direct callers with the cost of the calls in ``rows``, most expensive first."""
    tree, called, symbols = named.tree, rows[named.tree.parent[rows] > 0], len(named.names)
    before, after = (
        added_at(symbols, tree.symbol[tree.parent[called]], costs[called])
        for costs in (tree.baseline_total, tree.target_total)
    )
    largest = np.argsort(-np.maximum(before, after), kind="stable")[:MOST_CALLERS]
    return tuple(_frame(one, before[one], after[one], named, header) for one in largest if before[one] or after[one])


def _hunks(source: PageSource, names: Sequence[str]) -> Iterator[Hunk]:
    for first_from, first_to, lines in source["hunks"]:
        lefts = accumulate((line[:1] != "+" for line in lines), initial=first_from)
        rights = accumulate((line[:1] != "-" for line in lines), initial=first_to)
        numbered = [
            f"{left * (line[:1] != '+') or '':>5} {right * (line[:1] != '-') or '':>5} {line[:LONGEST_LINE]}".rstrip()
            for left, right, line in zip(lefts, rights, lines, strict=False)
        ]
        changed = [at for at, line in enumerate(lines) if line[:1] in {"+", "-"}] or [0]
        shown = tuple(numbered[max(changed[0] - CONTEXT, 0) : changed[-1] + CONTEXT + 1])
        yield Hunk(names[source["symbol"]], *source["paths"], shown[:LONGEST_HUNK], len(shown[LONGEST_HUNK:]))
