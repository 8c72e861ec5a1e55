import numpy as np
import pytest

from profgate.readers.callgrind import components_of


def components(edges: list[tuple[int, int]], count: int) -> set[frozenset[int]]:
    columns = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    component, sizes = components_of(columns[0], columns[1], count)
    found = {frozenset(np.flatnonzero(component == number).tolist()) for number in range(len(sizes))}
    assert sorted(map(len, found)) == sorted(sizes.tolist())
    return found


@pytest.mark.parametrize(
    ("edges", "count", "expected"),
    [
        ([], 0, []),
        ([], 2, [{0}, {1}]),
        ([(0, 0)], 1, [{0}]),
        ([(0, 1), (1, 2)], 3, [{0}, {1}, {2}]),
        ([(0, 1), (1, 0), (1, 2)], 3, [{0, 1}, {2}]),
        ([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3)], 5, [{0, 1, 2}, {3, 4}]),
        ([(1, 0), (2, 1), (0, 2), (3, 0)], 4, [{0, 1, 2}, {3}]),
        ([(0, 1), (0, 2), (1, 3), (2, 3), (3, 1)], 4, [{0}, {2}, {1, 3}]),
    ],
)
def test_functions_that_reach_each_other_are_one_component(
    edges: list[tuple[int, int]], count: int, expected: list[set[int]]
) -> None:
    assert components(edges, count) == set(map(frozenset, expected))
