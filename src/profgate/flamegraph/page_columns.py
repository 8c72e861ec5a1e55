"""The input of a page, the part of a call tree that fits in it, and the encoding of its columns.

Names and texts come from untrusted profiles. Columns are bytes in one zlib stream, with a separate JSON header.
"""

from __future__ import annotations

import json
import re
import zlib
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from profgate.model.call_tree import added_at, inverse
from profgate.model.comparison import DiffTree
from profgate.model.record import Record, field, replace, to_builtins
from profgate.model.visible_text import full_name, full_names, plain, visible
from profgate.report import numbers

if TYPE_CHECKING:
    from profgate.flamegraph.page_lines import PageLines
    from profgate.flamegraph.page_runs import PageRuns
    from profgate.model.arrays import BoolArray, FloatArray, IntArray
    from profgate.model.attribution import SourceState, SourceStates
    from profgate.report.metric_headline import MetricHeadline

OTHER = -2  # symbol of a row that stands for merged rows
CUT_ALL = 1.1  # a threshold above any share: all rows that need not be shown are merged
_COMMIT = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
# the index of a state is stored in a column, so new states must be added at the end
SOURCE_STATES: tuple[SourceState, ...] = ("unknown", "same", "changed", "added", "removed", "renamed")
HEADER_FIELDS = (
    *("unit", "exponent", "better", "runs", "normalisation", "explanation"),
    *("total_changed", "total_certain", "total_doubt", "judged", "alone", "estimated"),
)


class PageFinding(Record):
    """A finding that is marked on the page.

    ``tag`` is the name of its kind in reports, such as ``new`` or ``much better``. ``key`` identifies it in URLs.
    ``reasons`` is the text of its reasons. ``reach`` describes how the pull request affects the function. ``rows``
    contains the rows of the call path. ``judged`` is the cost on which the judgement is based. ``new`` names the new
    functions that the function calls. ``parts`` contains the callees that explain the change, from `parts_of`.
    ``change`` is the change as all reports write it, from `amounts` and `growth_and_share`, ``delta`` the difference in
    base units, and ``facts`` contains the texts of further facts. ``part`` is true if the finding belongs to the
    change of another finding. The script does not get fields that are None.
    """

    symbol: int
    severity: str
    direction: str
    key: str | None = None
    tag: str | None = None
    reasons: str | None = None
    reach: str | None = None
    rows: Sequence[int] = ()
    judged: Literal["self", "total"] | None = None
    new: str | None = None
    parts: tuple[str, Sequence[tuple[str, str]]] | None = None
    change: tuple[str, ...] | None = None
    delta: float | None = None
    facts: Sequence[str] = ()
    part: bool = False


class PageSource(TypedDict):
    """The source change of one symbol.

    Each hunk consists of its first line before, its first line after, and the lines of a unified diff.
    """

    symbol: int
    origin: str
    paths: tuple[str | None, str | None]
    hunks: list[tuple[int, int, list[str]]]


class NamedTree(Record):
    """A call tree of both sides and its functions.

    Names, files, lines, source states and ``libraries``, which marks functions of other projects, have one element per
    symbol. ``former`` maps renamed symbols to their old names. If the call paths are estimated, ``symbol_totals``
    contains the exact inclusive values of each symbol, in one line for each side, because sums over estimated call
    paths differ from them.
    """

    tree: DiffTree
    names: Sequence[str]
    files: Sequence[str | None] = ()
    lines: Sequence[int | None] = ()
    source: SourceStates | None = None
    former: Mapping[int, str] = {}
    symbol_totals: IntArray | None = None
    libraries: Sequence[bool] = ()


class PageHeader(Record):
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
    total_certain: bool = True  # whether the change in the total has a colour
    headline: MetricHeadline | None = None
    warnings: Sequence[str] = ()
    notes: Sequence[str] = ()
    keep: Collection[int] = field(default_factory=frozenset)
    sample_value: int | None = None
    sources: Sequence[PageSource] = ()
    lines: Sequence[PageLines] = ()
    single_runs: PageRuns | None = None
    estimated: bool = False  # the profile contains no stacks, so the call paths are estimated from call edges
    blueprint: bool = False  # the page has an evolution blueprint
    alone: bool = False  # the page shows one profile: both sides of the tree are equal, and nothing is compared
    explanation: str = ""  # text that a reader can copy for a program

    @property
    def full_title(self) -> str:
        """Title of the page, with the name of the workload."""
        return self.title if self.title.startswith(self.workload) else f"{self.workload}: {self.title}"

    @property
    def eyebrow(self) -> str:
        """Text above the name of the workload."""
        return "Differential flame graph" if self.title.startswith(self.workload) else self.title

    @property
    def judged(self) -> bool:
        """Whether the comparison was judged, so that only its findings and their calls have a colour."""
        return self.headline is not None

    @property
    def total_doubt(self) -> str:
        """Word for doubt about the change of the total, or "" if it is certain or was not judged."""
        return self.headline.doubt if self.headline else ""

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


class CutTree(Record):
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


def visible_page(tree: NamedTree, header: PageHeader) -> tuple[NamedTree, PageHeader]:
    """Replace the invisible characters in all names and texts. A name without visible characters gets a placeholder."""
    return (
        replace(
            tree,
            names=full_names(tree.names),
            former={symbol: full_name(name) for symbol, name in tree.former.items()},
            files=[_plain(file) for file in tree.files] if any(tree.files) else tree.files,
        ),
        replace(
            header,
            title=plain(header.title),
            workload=full_name(header.workload),
            metric=full_name(header.metric),
            unit=plain(header.unit),
            labels=(_plain(header.labels[0]), _plain(header.labels[1])),
            headline=header.headline and type(header.headline)(*map(plain, header.headline)),
            warnings=[plain(note) for note in header.warnings],
            notes=[plain(note) for note in header.notes],
            findings=[_visible_finding(finding) for finding in header.findings],
            sources=[_visible_source(source) for source in header.sources],
        ),
    )


def _visible_finding(finding: PageFinding) -> PageFinding:
    word, parts = finding.parts or ("", [])
    return replace(
        finding,
        reasons=_plain(finding.reasons),
        new=finding.new and full_name(finding.new),
        parts=finding.parts and (word, [(full_name(name), text) for name, text in parts]),
    )


def _visible_source(source: PageSource) -> PageSource:
    first, second = source["paths"]
    hunks = [(before, after, [visible(line) for line in lines]) for before, after, lines in source["hunks"]]
    return {**source, "origin": plain(source["origin"]), "paths": (_plain(first), _plain(second)), "hunks": hunks}


def _plain(text: str | None) -> str | None:
    return None if text is None else plain(text)


def packed(data: bytes) -> str:
    """Compress bytes, and write each four of them as five characters, as Ascii85 does, but "v" instead of "<"."""
    # compared with level 6, level 5 takes two thirds of the time and produces 1.4 % more data
    stream = zlib.compress(data, 5)
    words = np.frombuffer(stream + bytes(-len(stream) % 4), ">u4")
    digits = words[:, None] // np.array([85**4, 85**3, 85**2, 85, 1], np.uint32) % 85
    text = (digits + ord("!")).astype(np.uint8).tobytes()[: len(stream) + -(-len(stream) // 4)]
    return text.decode("ascii").replace("<", "v")  # "v" is no digit, and "<" could end a script element


def encode_page(
    named: NamedTree, shown: CutTree, header: PageHeader, cut: dict[str, Any] | None
) -> tuple[dict[str, Any], bytes]:
    """Return the JSON header of a page, and its columns one after another, with numbers encoded by `planes`.

    `shown` is the part of the tree that the page shows, and `cut` describes what is left out.
    """
    tree, names = shown.tree, named.names
    # the symbols that occur in the tree; siblings are sorted by symbol
    used = np.flatnonzero(np.bincount(tree.symbol[tree.symbol >= 0], minlength=len(names)))
    symbols: list[int] = used.tolist()
    place_of = np.full(len(names), -1, np.int64)  # -1 for symbols that do not occur in the tree
    place_of[used] = np.arange(len(symbols))
    values = [tree.baseline_self, tree.target_self, *(() if named.symbol_totals is None else named.symbol_totals)]
    # values are often multiples of a sampling period, and small numbers need fewer bytes
    divisor = max(int(np.gcd.reduce(list(map(np.gcd.reduce, values)))), 1)
    # rows without children come first, because most other rows have no cost of their own
    order = np.argsort(tree.end > np.arange(1, len(tree) + 1), kind="stable")
    before, after = tree.baseline_self[order] // divisor, tree.target_self[order] // divisor
    # a difference of larger numbers would not be exact in the script, which has only doubles
    wide = max(int(before.max()), int(after.max())) >= 2**53
    columns = [
        # the number of levels that end before each row
        ("pops", planes(np.concatenate([[0], tree.depth[:-1] + 1 - tree.depth[1:]]))),
        *_names_of_rows(tree, np.append(place_of + 2, [1, 0])),  # the last two elements are for `OTHER` and the root
        ("before", planes(before)),
        ("after", planes(after)) if wide else ("change", planes(_zigzag(after - before))),
        ("other", planes(shown.hidden[tree.symbol == OTHER])),
        *_row_columns(tree),
        *_front_coded([names[symbol] for symbol in symbols]),
        *_text_columns("files", "file", _chosen(named.files, symbols)),
        ("line", planes(np.array([line or 0 for line in _chosen(named.lines, symbols)], np.int64))),
        *_symbol_columns(named, symbols, divisor),
        *_sources(header, place_of),
    ]
    stated = {name: getattr(header, name) for name in HEADER_FIELDS}
    page_header = {
        **stated,
        "sample_value": header.value_of_one_sample,
        "g": divisor,
        "nodes": len(tree),
        "cut": cut,
        "findings": _findings(header.findings, place_of, shown),
        "source_states": list(SOURCE_STATES),
        "columns": [[name, len(content)] for name, content in columns],
    }
    return page_header, b"".join(content for _, content in columns)


Column = tuple[str, bytes]


_Value = TypeVar("_Value")


def _names_of_rows(tree: DiffTree, number: IntArray) -> Iterator[Column]:
    """Yield the numbers of the first children, and the differences between other children and their siblings before.

    The difference of `OTHER`, which is the last child, is stored as 0.
    """
    rows, own = np.arange(len(tree)), number[tree.symbol]
    before = np.flatnonzero(tree.end < len(tree))
    before = before[tree.depth[tree.end[before]] == tree.depth[before]]  # rows with a sibling after them
    sibling = np.full(len(tree), -1, np.int64)
    sibling[tree.end[before]] = before
    steps = np.where(tree.symbol == OTHER, 0, own - own[sibling])[sibling >= 0]
    yield "first", planes(own[(sibling < 0) & (rows > 0)])
    yield "next", planes(_zigzag(steps))


def _front_coded(names: Sequence[str]) -> Iterator[Column]:
    """Yield each name without the characters at its start that the name before also has, and their number."""
    shared, rest = list[int](), list[str]()
    texts = [b"", *(name.encode(errors="surrogatepass") for name in names)]
    for name, before, text in zip(names, texts, texts[1:], strict=False):
        most = min(len(text), len(before))
        unequal = int.from_bytes(text[:most]) ^ int.from_bytes(before[:most])
        # the script counts some other characters as two
        shared.append(most - -(-unequal.bit_length() // 8) if name.isascii() else 0)
        rest.append(name[shared[-1] :])
    yield "names", _json_bytes(rest)
    yield "shared", planes(np.array(shared, np.int64))


def _chosen(values: Sequence[_Value | None], symbols: list[int]) -> list[_Value | None]:
    return [values[symbol] if values else None for symbol in symbols]


def _row_columns(tree: DiffTree) -> Iterator[Column]:
    """Yield the optional columns: the calls on both sides, and the results of the test of repeated runs."""
    if tree.baseline_calls is not None and tree.target_calls is not None:
        yield "calls", planes(tree.baseline_calls)
        yield "calls_change", planes(_zigzag(tree.target_calls - tree.baseline_calls))
    if tree.evidence is not None:
        for name, passed in zip(("evidence", "evidence_self"), tree.evidence, strict=True):
            yield name, np.packbits(passed, bitorder="little").tobytes()


def _symbol_columns(tree: NamedTree, symbols: list[int], divisor: int) -> Iterator[Column]:
    if tree.symbol_totals is not None:
        for name, totals in zip(("total_before", "total_after"), tree.symbol_totals, strict=True):
            yield name, planes(totals[symbols] // divisor)
    if any(tree.libraries):
        yield "outside", planes(np.array(tree.libraries, np.int64)[symbols])
    if tree.former:
        yield from _text_columns("formers", "former", list(map(tree.former.get, symbols)))
    source = tree.source
    if source is None or set(source.states) <= {SOURCE_STATES[0]}:
        return
    yield "source", planes(np.array([SOURCE_STATES.index(source.states[symbol]) for symbol in symbols], np.int64))
    links = [link if link and link.startswith(("https://", "http://")) else None for link in source.links]
    yield from _text_columns("links", "link", _chosen(links, symbols))


def _text_columns(texts: str, column: str, values: Sequence[str | None]) -> Iterator[Column]:
    """Yield the sorted unique texts and the index of each value among these texts, counted from 1.

    Index 0 means no text.
    """
    different = sorted({value for value in values if value})
    places = {text: place for place, text in enumerate(different, 1)}
    numbers = [places.get(value or "", 0) for value in values] if different else [0] * len(values)
    yield texts, _json_bytes(different)
    yield column, planes(np.array(numbers, np.int64))


def _sources(header: PageHeader, place_of: IntArray) -> Iterator[Column]:
    """Yield columns with the source changes, the line costs and the single runs of the functions in the tree."""
    found = [source for source in header.sources if place_of[source["symbol"]] >= 0]
    found.sort(key=lambda source: place_of[source["symbol"]])
    if found:
        yield "sources", _json_bytes([{**source, "symbol": int(place_of[source["symbol"]])} for source in found])
    lines = [
        {**lines, "symbol": int(place_of[lines["symbol"]])} for lines in header.lines if place_of[lines["symbol"]] >= 0
    ]
    if lines:
        yield "lines", _json_bytes(lines)
    if header.single_runs is not None:
        rows = [
            [int(place_of[symbol]) if symbol >= 0 else symbol, *rest]
            for symbol, *rest in header.single_runs["rows"]
            if symbol < 0 or place_of[symbol] >= 0
        ]
        yield "single_runs", _json_bytes([{**header.single_runs, "rows": rows}])


def _findings(findings: Sequence[PageFinding], place_of: IntArray, shown: CutTree) -> list[dict[str, Any]]:
    """Return the findings about functions in the tree, with renumbered symbols and rows."""
    unmerged = np.flatnonzero(shown.tree.symbol != OTHER)
    placed = []
    for finding in findings:
        place = int(place_of[finding.symbol])
        if place < 0:
            continue
        rows = unmerged[np.isin(shown.row[unmerged], finding.rows)].tolist()
        fields = to_builtins(replace(finding, symbol=place, rows=rows))
        placed.append({name: value for name, value in fields.items() if value is not None})
    return placed


def _zigzag(values: IntArray) -> NDArray[np.uint64]:
    # signs go to the lowest bit, as in protobuf, so that small negative numbers need one byte
    return ((values << 1) ^ (values >> 63)).view(np.uint64)


def planes(values: NDArray[Any]) -> bytes:
    """Encode non-negative integers as the lowest bytes of all values, then the next bytes, as many as the largest has.

    Bytes of the same place compress better side by side.
    """
    places = max(-(-int(values.max(initial=0)).bit_length() // 8), 1)
    return values.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :places].T.tobytes()


def _json_bytes(texts: Sequence[object]) -> bytes:
    return json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
