"""The columnar tree against a dictionary of paths, in wide and in deep trees."""

import random

import numpy as np
import pytest

from profgate.model.call_tree import inverse, merged_paths, tree_of

Path = tuple[int, ...]


def random_paths(seed: int, depth: int, names: int) -> dict[Path, int]:
    source, step = random.Random(seed), 40_000 if seed % 2 else 1  # symbols of more than 16 bits
    return {
        tuple(step * source.randrange(names) for _ in range(source.randint(1, depth))): source.randint(1, 99)
        for _ in range(source.randint(1, 40))
    }


def stream(paths: dict[Path, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    depths = [depth for path in paths for depth in range(len(path))]
    symbols = [symbol for path in paths for symbol in path]
    ends = np.cumsum([len(path) for path in paths]) - 1
    return np.array(depths, np.int64), np.array(symbols, np.int64), ends


def sums_of(paths: dict[Path, int]) -> dict[Path, int]:
    sums: dict[Path, int] = {}
    for path, value in paths.items():
        for end in range(len(path) + 1):
            sums[path[:end]] = sums.get(path[:end], 0) + value
    return sums


@pytest.mark.parametrize("seed", range(60))
def test_the_tree_says_what_a_dictionary_of_paths_says(seed: int) -> None:
    paths = random_paths(seed, depth=1 + seed % 9, names=1 + seed % 5)
    depth, symbol, ends = stream(paths)
    tree, rows = merged_paths(depth, symbol)
    own = np.zeros(len(tree), np.int64)
    own[rows[ends]] = list(paths.values())
    of_row: list[Path] = [()]
    for parent, name in zip(tree.parent[1:].tolist(), tree.symbol[1:].tolist(), strict=True):
        of_row.append((*of_row[parent], name))
    sums = sums_of(paths)
    assert of_row == sorted(sums)
    assert tree.totals(own).tolist() == [sums[path] for path in of_row]
    assert tree.depth.tolist() == [len(path) for path in of_row]
    assert [sorted(level.tolist()) for level in tree.levels()] == [
        [row for row, path in enumerate(of_row) if len(path) == depth] for depth in range(max(map(len, of_row)) + 1)
    ]
    topmost = {of_row[row] for row in tree.topmost().tolist()}
    assert topmost == {path for path in sums if path and path[-1] not in path[:-1]}
    chosen = np.flatnonzero(tree.symbol == 0)
    assert tree.below(chosen).tolist() == [0 in path for path in of_row]
    assert {of_row[row] for row in tree.topmost(chosen).tolist()} == {
        path for path in sums if path and path[-1] == 0 not in path[:-1]
    }


@pytest.mark.parametrize("seed", range(20))
def test_rows_may_be_in_any_order(seed: int) -> None:
    depth, symbol, _ = stream(random_paths(seed, depth=1 + seed % 9, names=1 + seed % 5))
    given, _ = merged_paths(depth, symbol)
    shuffled = np.append(0, 1 + np.random.default_rng(seed).permutation(len(given) - 1))
    parent = np.append(-1, inverse(shuffled)[given.parent[shuffled[1:]]])
    tree, order = tree_of(parent, given.symbol[shuffled].astype(np.int64))
    assert shuffled[order].tolist() == list(range(len(given)))
    for name in ("parent", "symbol", "depth", "end"):
        assert getattr(tree, name).tolist() == getattr(given, name).tolist()
