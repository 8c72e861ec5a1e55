import base64
import json
import zlib
from collections.abc import Iterator

import numpy as np
import pytest

from profgate.flamegraph.page_columns import (
    OTHER_NAME,
    OrderedTree,
    PageHeader,
    PageTree,
    cut_tree,
    exact_sum,
    order_tree,
)
from profgate.flamegraph.page_encoding import encode_page

HEADER = PageHeader("base → head", "demo", "cpu", "samples")


def tree_of(*rows: tuple[int, int, int, int], names: tuple[str, ...] = ("main", "b", "a", "c")) -> PageTree:
    """Rows of (parent, symbol, baseline, target) below the root."""
    columns = np.array([(-1, -1, 0, 0), *rows], np.int64).T
    return PageTree(columns[0].astype(np.int32), columns[1].astype(np.int32), columns[2], columns[3], names)


def random_tree(seed: int, rows: int) -> PageTree:
    random = np.random.default_rng(seed)
    names = tuple(f"f{number:02}" for number in random.permutation(40))
    seen: dict[tuple[int, int], None] = {}
    while len(seen) < rows:
        seen.setdefault((int(random.integers(0, len(seen) + 1)), int(random.integers(0, 40))))
    values = random.integers(0, 1000, (rows, 2))
    return tree_of(*((p, s, int(b), int(a)) for (p, s), (b, a) in zip(seen, values, strict=True)), names=names)


def paths(parent: list[int], names: list[str]) -> Iterator[str]:
    known: list[str] = []
    for above, name in zip(parent, names, strict=True):
        known.append(f"{known[above]};{name}" if above >= 0 else name)
        yield known[-1]


def stacks(tree: OrderedTree, names: list[str]) -> dict[str, tuple[int, int]]:
    labels = [names[number] if number >= 0 else "*" for number in tree.name.tolist()]
    values = zip(tree.before_self.tolist(), tree.after_self.tolist(), strict=True)
    return dict(zip(paths(tree.parent.tolist(), labels), values, strict=True))


def test_preorder_with_siblings_by_name() -> None:
    ordered = order_tree(tree_of((0, 0, 1, 2), (0, 1, 3, 4), (1, 3, 5, 6), (1, 2, 7, 8)))
    assert ordered.name.tolist() == [-1, 1, 0, 2, 3]
    assert ordered.end.tolist() == [5, 2, 5, 4, 5]
    assert ordered.before.tolist() == [16, 3, 13, 7, 5]
    assert ordered.after.tolist() == [20, 4, 16, 8, 6]


@pytest.mark.parametrize("seed", range(5))
def test_order_has_every_path_and_value(seed: int) -> None:
    tree = random_tree(seed, 300)
    given = dict(
        zip(
            paths(tree.parent.tolist(), ["*", *(tree.names[s] for s in tree.symbol[1:].tolist())]),
            zip(tree.baseline_self.tolist(), tree.target_self.tolist(), strict=True),
            strict=True,
        )
    )
    ordered = order_tree(tree)
    assert stacks(ordered, list(tree.names)) == given
    assert np.all(ordered.end > np.arange(ordered.size))
    assert int(ordered.before[0]) == exact_sum(tree.baseline_self)


def read_varints(content: bytes) -> list[int]:
    values, value, shift = [], 0, 0
    for byte in content:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value = shift = 0
    return values


def columns_of(tree: PageTree) -> tuple[dict[str, bytes], dict[str, object]]:
    page = encode_page(tree, order_tree(tree), HEADER, None)
    stream = zlib.decompress(base64.b64decode(page.data))
    columns, at = {}, 0
    for name, length in page.header["columns"]:
        columns[name] = stream[at : at + length]
        at += length
    assert at == len(stream)
    return columns, page.header


@pytest.mark.parametrize("seed", range(4))
def test_columns_decode_to_the_tree(seed: int) -> None:
    tree = random_tree(seed, 200)
    columns, header = columns_of(tree)
    names = json.loads(columns["names"])
    parent, open_rows = [], [-1]
    for pops in read_varints(columns["pops"]):
        del open_rows[len(open_rows) - pops :]
        parent.append(open_rows[-1])
        open_rows.append(len(parent) - 1)
    divisor = header["g"]
    assert isinstance(divisor, int)
    before = read_varints(columns["before"])
    change = [(value >> 1) ^ -(value & 1) for value in read_varints(columns["change"])]
    labels = ["*" if number == 0 else names[number - 2] for number in read_varints(columns["name"])]
    values = ((b * divisor, (b + c) * divisor) for b, c in zip(before, change, strict=True))
    decoded = dict(zip(paths(parent, labels), values, strict=True))
    assert decoded == stacks(order_tree(tree), list(tree.names))


def test_values_are_divided_by_common_divisor() -> None:
    _, header = columns_of(tree_of((0, 0, 3000, 0), (1, 1, 9000, 12000)))
    assert (header["g"], header["before"], header["after"]) == (3000, "12000", "12000")


def test_values_beyond_a_double() -> None:
    columns, _ = columns_of(tree_of((0, 0, 2**60 + 1, 1)))
    assert "change" not in columns
    assert read_varints(columns["after"]) == [0, 1]


def test_most_frequent_name_has_smallest_number() -> None:
    columns, _ = columns_of(tree_of((0, 0, 1, 1), (1, 3, 1, 1), (1, 2, 1, 1), (2, 2, 1, 1)))
    assert json.loads(columns["names"]) == ["a", "c", "main"]


@pytest.mark.parametrize("threshold", [0.001, 0.01, 0.2, 1.1])
def test_cut_keeps_totals_and_marked_rows(threshold: float) -> None:
    tree = random_tree(9, 400)
    whole = order_tree(tree)
    keep = {7}
    cut = cut_tree(whole, threshold, keep)
    assert (int(cut.before[0]), int(cut.after[0])) == (int(whole.before[0]), int(whole.after[0]))
    assert int(cut.hidden.sum()) == whole.size - int((cut.name != OTHER_NAME).sum())
    assert int((cut.name == 7).sum()) == int((whole.name == 7).sum()) > 0
    per_parent = cut.parent[cut.name == OTHER_NAME]
    assert len(set(per_parent.tolist())) == len(per_parent)


def test_cut_uses_larger_share_of_both_sides() -> None:
    tree = tree_of((0, 0, 1000, 10), (0, 1, 1, 9), (0, 2, 1, 0), (0, 3, 2, 0))
    cut = cut_tree(order_tree(tree), 0.05, set())
    assert stacks(cut, list(tree.names)) == {"*": (0, 0), "*;b": (1, 9), "*;main": (1000, 10), "*;*": (3, 0)}
    assert cut.hidden.tolist() == [0, 0, 0, 2]


def test_deep_tree_needs_no_recursion() -> None:
    rows = [(row, 0, 1, 2) for row in range(30_000)]
    ordered = order_tree(tree_of(*rows))
    assert int(ordered.after[0]) == 60_000
    assert int(ordered.depth[-1]) == 30_000


def test_sums_do_not_wrap() -> None:
    assert exact_sum(np.array([2**62, 2**62, 2**62], np.int64)) == 3 * 2**62
    with pytest.raises(ValueError, match="63 bits"):
        order_tree(tree_of((0, 0, 2**62, 0), (0, 1, 2**62, 0)))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(1, 0, 1, 1)], "parent must come before"),
        ([(-1, 0, 1, 1)], "parent must come before"),
        ([(0, 9, 1, 1)], "symbol has no name"),
        ([(0, 0, -1, 1)], "negative"),
    ],
)
def test_invalid_tree_is_refused(rows: list[tuple[int, int, int, int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tree_of(*rows)


def test_side_without_run_is_refused() -> None:
    with pytest.raises(ValueError, match="no run"):
        PageHeader("t", "w", "m", "samples", runs=(0, 1))


def test_order_and_sums_of_deep_stack() -> None:
    parent = np.arange(-1, 20_000, dtype=np.int32)
    own = np.zeros(20_001, np.int64)
    own[-1] = 7
    deep = PageTree(parent, parent, own, own[::-1].copy(), [f"f{number:05}" for number in range(20_000)])
    ordered = order_tree(deep)
    assert ordered.depth.tolist() == list(range(20_001))
    assert ordered.end.tolist() == [20_001] * 20_001
    assert ordered.before.tolist() == [7] * 20_001
    assert ordered.after.tolist() == [7] + [0] * 20_000
