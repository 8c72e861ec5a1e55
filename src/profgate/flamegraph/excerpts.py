"""Select what a report quotes from the callers and the sources of a page, to explain its most important findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from profgate.model.call_tree import added_at
from profgate.model.comparison import WHOLE
from profgate.model.excerpt import Excerpt, Frame, Hunk
from profgate.model.record import replace

if TYPE_CHECKING:
    from profgate.flamegraph.page_columns import NamedTree, PageHeader, PageSource
    from profgate.model.arrays import IntArray

MOST_FINDINGS = 5
MOST_CALLERS = 4
MOST_HUNKS, LONGEST_HUNK, LONGEST_LINE = 3, 60, 200  # in hunks, lines and characters
CONTEXT = 3  # unchanged lines around the changed ones


def excerpts_of(named: NamedTree, header: PageHeader) -> tuple[Excerpt, ...]:
    """Return what explains the most important functions of a page or, if there are none, a change of the total."""
    functions = [(mark.key or "", mark.symbol) for mark in header.findings if not mark.part][:MOST_FINDINGS]
    return tuple(_excerpt(*one, named, header) for one in functions or [("", WHOLE)] * header.total_changed)


def _excerpt(key: str, symbol: int, named: NamedTree, header: PageHeader) -> Excerpt:
    tree = named.tree
    growth = tree.target_self * header.runs[0] - tree.baseline_self * header.runs[1]
    changes = added_at(len(named.names), tree.symbol[1:], growth[1:])
    nearest = sorted(header.sources, key=lambda one: (one["symbol"] != symbol, -abs(changes[one["symbol"]])))
    hunks = dict[Hunk, Hunk]()
    for one in nearest:
        for hunk in _hunks(one, named.names):  # functions whose sources are unknown share the parts of the diff
            hunks.setdefault(replace(hunk, name=""), hunk)
    rows = tree.topmost(np.flatnonzero(tree.symbol == symbol))  # row 0 for `WHOLE`
    return Excerpt(key, _callers(rows, named, header), tuple(hunks.values())[:MOST_HUNKS])


def _frame(symbol: int, before: int, after: int, named: NamedTree, header: PageHeader) -> Frame:
    """Return a frame. ``before`` and ``after`` are sums over the runs of each side."""
    scale, place = 10.0**header.exponent, (named.names[symbol], named.files[symbol], named.lines[symbol])
    return Frame(*place, float(before * scale / header.runs[0]), float(after * scale / header.runs[1]))


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
