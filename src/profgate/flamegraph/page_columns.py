"""Represent both sides of a comparison as columns, sort the columns in preorder, and limit their size."""

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import lt
from typing import Literal, NotRequired, TypedDict

import numpy as np

from profgate.flamegraph.page_lines import PageLines
from profgate.flamegraph.page_runs import PageRuns
from profgate.model.arrays import BoolArray, FloatArray, IntArray, RowArray
from profgate.model.attribution import SourceStates
from profgate.model.call_tree import TreeShape, added_at, pre_order, with_children
from profgate.model.timeline import Timeline
from profgate.report import numbers
from profgate.report.metric_headline import MetricHeadline

ROOT_NAME = -1
OTHER_NAME = -2
CUT_ALL = 1.1  # a threshold above any share: all rows that need not be shown are merged
_COMMIT = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")


class PageFinding(TypedDict):
    """A finding that is marked on the page.

    ``tag`` is the name of its kind in reports, such as ``new`` or ``much better``. ``key`` identifies it in URLs.
    ``story`` is the text of its reasons. ``reach`` describes how the pull request affects the function. ``rows``
    contains the rows of the call path. ``judged`` is the cost on which the judgement is based. ``new`` names the new
    functions that the function calls. ``parts`` contains the callees that explain the change, from `parts_of`.
    """

    symbol: int
    severity: str
    direction: str
    key: NotRequired[str]
    tag: NotRequired[str]
    strategies: NotRequired[list[str]]
    story: NotRequired[str]
    reach: NotRequired[str]
    rows: NotRequired[list[int]]
    judged: NotRequired[Literal["self", "total"]]
    new: NotRequired[str]
    parts: NotRequired[tuple[str, list[tuple[str, str]]]]


class PageSource(TypedDict):
    """The source change of one symbol.

    Each hunk consists of its first line before, its first line after, and the lines of a unified diff.
    """

    symbol: int
    origin: str
    paths: tuple[str | None, str | None]
    hunks: list[tuple[int, int, list[str]]]


@dataclass(frozen=True, slots=True)
class BlueprintRules:
    """Thresholds above which a calling context counts as slower or faster.

    ``min_shift`` is the minimum change of the share, and ``sigma`` is the minimum change in standard errors. If the
    profile contains no stacks, ``estimated`` names the data from which the tree was estimated.
    """

    min_shift: float = 0.005
    sigma: float = 3.0
    estimated: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PageTree:
    """The union of both calling context trees.

    Row 0 is the root, whose parent and symbol are -1. Parents precede their children. The self values are non-negative
    integers, summed over the runs of a side. Calls are exact counts, or None if they are unknown. ``evidence`` is a
    boolean array that marks the rows whose change passes the test of repeated runs. Its first line belongs to inclusive
    values, and its second line to self values. Names, files, lines and source states have one element per symbol.
    ``former`` maps renamed symbols to their old names. ``timelines`` contains the self values of each side by thread
    and time, if they are known. If the call paths are estimated, ``symbol_totals`` contains the exact inclusive values
    of each symbol, in one line for each side, because sums over estimated call paths differ from them.
    """

    parent: RowArray
    symbol: RowArray
    baseline_self: IntArray
    target_self: IntArray
    names: Sequence[str]
    files: Sequence[str | None] = ()
    lines: Sequence[int | None] = ()
    baseline_calls: IntArray | None = None
    target_calls: IntArray | None = None
    evidence: BoolArray | None = None
    source: SourceStates | None = None
    former: Mapping[int, str] = field(default_factory=dict)
    timelines: tuple[Timeline | None, Timeline | None] = (None, None)
    symbol_totals: IntArray | None = None

    def __post_init__(self) -> None:
        """Raise `ValueError` if the columns are not a valid tree."""
        size = len(self.parent)
        if not size or self.parent[0] != -1 or self.symbol[0] != -1:
            raise ValueError("page tree: row 0 must be the root; add a row with parent -1 and symbol -1")
        children = self.parent[1:]
        if size > 1 and (children.min() < 0 or np.any(children >= np.arange(1, size))):
            raise ValueError("page tree: a parent must come before its children; sort the rows")
        if size > 1 and (self.symbol[1:].min() < 0 or self.symbol[1:].max() >= len(self.names)):
            raise ValueError("page tree: a symbol has no name; pass a name for each symbol")
        if self.baseline_self.min() < 0 or self.target_self.min() < 0:
            raise ValueError("page tree: a self value is negative; pass the two sides, not their difference")
        for own, side in zip((self.baseline_self, self.target_self), self.timelines, strict=True):
            if side is not None and not np.array_equal(added_at(size, side.row, side.values[0]), own):
                raise ValueError("page tree: a timeline differs from the self values; pass the timeline of this metric")


@dataclass(frozen=True, slots=True)
class PageHeader:
    """The data of a page that is not part of the tree. Values are integers times ten to the power of ``exponent``.

    ``headline`` is the result of the comparison, if it was judged. ``warnings`` are the notes that cast doubt on it.
    """

    title: str
    workload: str
    metric: str
    unit: str
    exponent: int = 0
    better: Literal["lower", "higher"] = "lower"
    runs: tuple[int, int] = (1, 1)
    normalisation: Literal["none", "total"] = "none"
    labels: tuple[str | None, str | None] = (None, None)
    findings: Sequence[PageFinding] = ()
    total_changed: bool = True  # false if the totals differ only by noise or were not judged
    headline: MetricHeadline | None = None
    warnings: Sequence[str] = ()
    notes: Sequence[str] = ()
    keep: Collection[int] = field(default_factory=frozenset)
    sample_value: int | None = None
    sources: Sequence[PageSource] = ()
    lines: Sequence[PageLines] = ()
    single_runs: PageRuns | None = None
    blueprint: BlueprintRules = field(default_factory=BlueprintRules)
    alone: bool = False  # the page shows one profile: both sides of the tree are equal, and nothing is compared

    def __post_init__(self) -> None:
        """Raise `ValueError` if a side has no run."""
        if min(self.runs) < 1:
            raise ValueError("page header: a side has no run; pass at least 1 for each side")

    @property
    def full_title(self) -> str:
        """Title of the page, with the name of the workload."""
        return self.title if self.title.startswith(self.workload) else f"{self.workload}: {self.title}"

    @property
    def eyebrow(self) -> str:
        """Text above the name of the workload."""
        return "Differential flame graph" if self.title.startswith(self.workload) else self.title

    @property
    def short_labels(self) -> tuple[str, str]:
        """Labels of the sides, with commits shortened to ten characters, or "" if they are unknown."""
        first, second = (label[:10] if label and _COMMIT.fullmatch(label) else label or "" for label in self.labels)
        return first, second

    @property
    def value_of_one_sample(self) -> int | None:
        """Value of one sample, or None if the values are not based on samples."""
        if self.sample_value:
            return self.sample_value
        return 1 if self.unit == "samples" and self.exponent == 0 else None

    def quantity(self, value: float, side: int) -> str:
        """Format a sum over the runs of a side (0: before, 1: after) as the mean per run."""
        return numbers.quantity(value / self.runs[side] * 10.0**self.exponent, self.unit)

    def change(self, value: float) -> str:
        """Format a difference of sums as the mean per run of the after side. Scaled sample counts have no unit."""
        scaled = self.normalisation != "none"
        unit = self.unit if not scaled or self.unit in {"nanoseconds", "bytes"} else "count"
        return numbers.signed(value / self.runs[1] * 10.0**self.exponent, unit) + (" (scaled)" if scaled else "")


@dataclass(frozen=True, slots=True, eq=False)
class OrderedTree:
    """The tree in preorder, with siblings sorted by name.

    `before` and `after` are inclusive values. `name` is a symbol, `ROOT_NAME` or `OTHER_NAME`. `row` is the row in the
    `PageTree` or, for merged rows, the first of these rows. All arrays except `ranks`, the result of `name_ranks`, have
    one element per row.
    """

    parent: IntArray
    depth: IntArray
    end: IntArray
    name: IntArray
    before_self: IntArray
    after_self: IntArray
    before: IntArray
    after: IntArray
    hidden: IntArray
    row: IntArray
    ranks: IntArray

    @property
    def size(self) -> int:
        """Number of rows, including the root."""
        return len(self.parent)


def exact_sum(values: IntArray) -> int:
    """Return the exact sum as a Python integer because it may exceed 64 bits."""
    return (int((values >> 32).sum()) << 32) + int((values & 0xFFFFFFFF).sum())


def order_tree(tree: PageTree) -> OrderedTree:
    """Sort the tree in preorder, with siblings sorted by (name, file).

    Raises `ValueError` if a total needs more than 63 bits.
    """
    for values in (tree.baseline_self, tree.target_self):
        if exact_sum(values) >= 2**63:
            raise ValueError("page tree: a total is beyond 63 bits; use a larger exponent")
    hidden, row = np.zeros(len(tree.parent), np.int64), np.arange(len(tree.parent))
    columns = (tree.symbol.astype(np.int64), tree.baseline_self, tree.target_self, hidden, row)
    return _in_preorder(tree.parent.astype(np.int64), columns, name_ranks(tree))


def cut_tree(ordered: OrderedTree, threshold: float, keep: Collection[int]) -> OrderedTree:
    """Merge subtrees whose share is below `threshold` on both sides into one `other` row per parent.

    Rows of symbols in `keep` and the ancestors of these rows are not merged.
    """
    remains = _unmerged(_shares(ordered), _rows_with(ordered, keep), threshold)
    parent = np.maximum(ordered.parent, 0)
    cut = np.flatnonzero(~remains & remains[parent])
    rows = np.flatnonzero(remains)
    place = np.full(ordered.size, -1, np.int64)
    place[rows] = np.arange(len(rows))
    owners, first, group = np.unique(parent[cut], return_index=True, return_inverse=True)
    others = np.zeros((3, len(owners)), np.int64)
    for line, values in enumerate((ordered.before, ordered.after, ordered.end - np.arange(ordered.size))):
        np.add.at(others[line], group, values[cut])
    own_parent = np.where(ordered.parent[rows] < 0, -1, place[parent[rows]])
    own = (ordered.name, ordered.before_self, ordered.after_self, ordered.hidden, ordered.row)
    merged = (np.full(len(owners), OTHER_NAME, np.int64), *others, ordered.row[cut[first]])
    columns = [np.concatenate([column[rows], more]) for column, more in zip(own, merged, strict=True)]
    return _in_preorder(np.concatenate([own_parent, place[owners]]), columns, ordered.ranks)


def threshold_for(ordered: OrderedTree, keep: Collection[int], most_rows: int) -> float:
    """Return the smallest threshold for `cut_tree` that leaves at most `most_rows` rows.

    If more than `most_rows` rows must be shown, there is no such threshold, and `CUT_ALL` is returned.
    """
    share, marked, parent = _shares(ordered), _rows_with(ordered, keep), np.maximum(ordered.parent, 0)

    def fits(threshold: float) -> bool:
        remains = _unmerged(share, marked, threshold)
        owners = np.zeros(ordered.size, np.bool_)  # parents that get an `other` row
        owners[parent[~remains & remains[parent]]] = True
        return int(remains.sum()) + int(owners.sum()) <= most_rows

    steps = np.unique(share)
    place = bisect_left(steps, True, key=fits)  # a higher threshold never leaves more rows
    return float(steps[place]) if place < len(steps) else CUT_ALL


def _shares(ordered: OrderedTree) -> FloatArray:
    """Return each row's share of the total on the side where this share is larger."""
    return np.maximum(*(values / max(int(values[0]), 1) for values in (ordered.before, ordered.after)))


def _rows_with(ordered: OrderedTree, symbols: Collection[int]) -> BoolArray:
    """Return a mask of the rows that belong to these symbols and of the ancestors of these rows."""
    own = np.isin(ordered.name, np.fromiter(symbols, np.int64, len(symbols)))
    return np.asarray(_sums_of_subtrees(ordered.end, own.astype(np.int64)) > 0)


def _unmerged(share: FloatArray, marked: BoolArray, threshold: float) -> BoolArray:
    """Return a mask of the rows that are not merged: large rows, marked rows and the root."""
    remains = (share >= threshold) | marked
    remains[0] = True
    return remains


def one_sided_shares(ordered: OrderedTree) -> tuple[float, float]:
    """Return the share of each side that has no counterpart on the other side, or 0 for an empty side."""
    gone = exact_sum(ordered.before_self[ordered.after == 0])
    fresh = exact_sum(ordered.after_self[ordered.before == 0])
    return gone / max(int(ordered.before[0]), 1), fresh / max(int(ordered.after[0]), 1)


def _sums_of_subtrees(end: IntArray, values: IntArray) -> IntArray:
    """Return the sum of the values in the subtree of each row. In preorder, a subtree ends before the row ``end``."""
    sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(values)])
    return np.asarray(sums[end] - sums[:-1])


def _in_preorder(parent: IntArray, columns: Sequence[IntArray], ranks: IntArray) -> OrderedTree:
    """Sort a tree in preorder.

    ``columns`` contains five int64 arrays with one element per row: name, self value before, self value after, number
    of hidden rows, and row in the `PageTree`.
    """
    depth, rank = _depths(parent), ranks[columns[0]]
    # one integer combines both keys; a stable sort is fast here, because most trees are already in this order
    by_family = np.argsort((parent + 1) * (int(rank.max()) + 3) + rank + 2, kind="stable")
    by_level = by_family[np.argsort(depth[by_family].astype(np.uint16), kind="stable")]
    level = np.empty(len(parent), np.int64)
    level[by_level] = np.arange(len(parent))
    shape = TreeShape(
        np.where(parent < 0, -1, level[parent])[by_level].astype(np.int32),
        rank[by_level].astype(np.int32),
        np.concatenate([[0], np.cumsum(np.bincount(depth))]),
    )
    sizes = with_children(shape, np.ones(len(parent), np.int64))
    number = pre_order(shape, sizes)
    place = number[level]
    order = np.empty(len(parent), np.int64)
    order[place] = np.arange(len(parent))
    end = np.empty(len(parent), np.int64)
    end[number] = number + sizes
    del by_family, by_level, level, shape, sizes, number, rank  # a large tree takes a lot of memory
    name, before, after, hidden, row = (column[order] for column in columns)
    return OrderedTree(
        parent=np.where(parent < 0, -1, place[parent])[order],
        depth=depth[order],
        end=end,
        name=name,
        before_self=before,
        after_self=after,
        before=_sums_of_subtrees(end, before),
        after=_sums_of_subtrees(end, after),
        hidden=hidden,
        row=row,
        ranks=ranks,
    )


def _depths(parent: IntArray) -> IntArray:
    """Return the depth of each row by pointer doubling."""
    above, depth = np.maximum(parent, 0), (parent >= 0).astype(np.int64)
    while (further := depth[above]).any():
        depth += further
        above = above[above]
    return depth


def name_ranks(tree: PageTree) -> IntArray:
    """Return the rank of each symbol by (name, file, number).

    Two additional elements contain the ranks of `other`, which is last, and of the root, which is first.
    """
    ranks = np.empty(len(tree.names) + 2, np.int64)
    ranks[_by_name(tree)] = np.arange(len(tree.names))
    ranks[OTHER_NAME], ranks[ROOT_NAME] = len(tree.names), -1
    return ranks


def _by_name(tree: PageTree) -> Sequence[int]:
    names, numbers = tree.names, range(len(tree.names))
    # symbols are usually already in this order
    if all(map(lt, names, islice(names, 1, None))):
        return numbers
    files = [file or "" for file in tree.files] or [""] * len(names)
    return sorted(numbers, key=list(zip(names, files, strict=True)).__getitem__)
