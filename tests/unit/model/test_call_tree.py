"""The columnar tree against a dictionary of paths, in wide and in deep trees."""

import random

import numpy as np
import pytest

from profgate.model import call_tree
from profgate.model.call_tree import build_shape, levels_of, pre_order, topmost_rows, with_children

Path = tuple[int, ...]


def random_paths(seed: int, depth: int, names: int) -> dict[Path, int]:
    source = random.Random(seed)
    return {
        tuple(source.randrange(names) for _ in range(source.randint(1, depth))): source.randint(1, 99)
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


@pytest.mark.parametrize("narrow", [0, 10**6])
@pytest.mark.parametrize("seed", range(60))
def test_the_tree_says_what_a_dictionary_of_paths_says(seed: int, narrow: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_tree, "NARROW", narrow)
    paths = random_paths(seed, depth=1 + seed % 9, names=1 + seed % 5)
    depth, symbol, ends = stream(paths)
    shape, rows = build_shape(depth, symbol)
    own = np.zeros(len(shape), np.int64)
    own[rows[ends]] = list(paths.values())
    of_row: list[Path] = [()]
    for parent, name in zip(shape.parent[1:].tolist(), shape.symbol[1:].tolist(), strict=True):
        of_row.append((*of_row[parent], name))
    sums = sums_of(paths)
    assert dict(zip(of_row, with_children(shape, own).tolist(), strict=True)) == sums
    assert levels_of(shape).tolist() == [len(path) for path in of_row]
    size = with_children(shape, np.ones(len(shape), np.int64))
    number = pre_order(shape, size)
    assert [of_row[row] for row in np.argsort(number).tolist()] == sorted(sums)
    topmost = {of_row[row] for row in topmost_rows(shape.symbol, number, size).tolist()}
    assert topmost == {path for path in sums if path and path[-1] not in path[:-1]}
