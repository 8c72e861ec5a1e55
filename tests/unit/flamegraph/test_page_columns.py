from collections.abc import Iterator

import numpy as np
import pytest

from page_trees import columns_in, page_tree
from profgate.flamegraph.page_columns import OTHER, NamedTree, PageHeader, cut_tree, encode_page, packed, uncut
from profgate.model.comparison import DiffTree

HEADER = PageHeader("base → head", "demo", "cpu", "samples")


def tree_of(*rows: tuple[int, int, int, int], names: tuple[str, ...] = ("main", "b", "a", "c")) -> NamedTree:
    """Rows of (parent, symbol, baseline, target) below the root."""
    return page_tree([(-1, -1, 0, 0), *rows], names)


def random_tree(seed: int, rows: int) -> NamedTree:
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


def stacks(tree: DiffTree, names: list[str]) -> dict[str, tuple[int, int]]:
    labels = [names[number] if number >= 0 else "*" for number in tree.symbol.tolist()]
    values = zip(tree.baseline_self.tolist(), tree.target_self.tolist(), strict=True)
    return dict(zip(paths(tree.parent.tolist(), labels), values, strict=True))


def columns_of(tree: NamedTree) -> tuple[dict[str, bytes], dict[str, object]]:
    header, columns = encode_page(tree, uncut(tree.tree), HEADER, None)
    return columns_in(header, packed(columns)), header


@pytest.mark.parametrize("threshold", [0.001, 0.01, 0.2, 1.1])
def test_cut_keeps_totals_and_marked_rows(threshold: float) -> None:
    whole = random_tree(9, 400).tree
    keep = {7}
    shown = cut_tree(whole, threshold, keep)
    cut = shown.tree
    assert cut.baseline_total.tolist() == cut.totals(cut.baseline_self).tolist()
    assert cut.target_total.tolist() == cut.totals(cut.target_self).tolist()
    assert (cut.baseline_total[0], cut.target_total[0]) == (whole.baseline_total[0], whole.target_total[0])
    assert int(shown.hidden.sum()) == len(whole) - int((cut.symbol != OTHER).sum())
    assert int((cut.symbol == 7).sum()) == int((whole.symbol == 7).sum()) > 0
    per_parent = cut.parent[cut.symbol == OTHER]
    assert len(set(per_parent.tolist())) == len(per_parent)
    above = [[row] for row in range(len(cut))]
    for row in range(len(cut) - 1, 0, -1):
        above[cut.parent[row]] += above[row]
    assert [sorted(rows) for rows in above] == [list(range(row, end)) for row, end in enumerate(cut.end.tolist())]
