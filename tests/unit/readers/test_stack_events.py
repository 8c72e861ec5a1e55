import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profgate.errors import ProfileError
from profgate.model.arrays import IntArray
from profgate.model.profile import Stacks
from profgate.readers.stack_events import stacks_from_parents, stacks_from_paths
from stack_rows import paths_of

Path = tuple[int, ...]


def ints(numbers: list[int]) -> IntArray:
    return np.array(numbers, dtype=np.int64)


def paths(stacks: Stacks) -> list[tuple[Path, int]]:
    return [(path, value) for path, (value,) in paths_of(stacks, range(10_000))]


def test_paths_beyond_the_greatest_depth_are_refused() -> None:
    frames = ints([0] * 65_536)
    assert len(stacks_from_paths(frames[:-1], ints([0, 65_535]), ints([1]).reshape(1, 1)).depth) == 65_535
    with pytest.raises(ProfileError, match="65536 frames deep"):
        stacks_from_paths(frames, ints([0, 65_536]), ints([1]).reshape(1, 1), where="x.pb")


@given(st.lists(st.integers(-1, 6), max_size=7), st.randoms(use_true_random=False))
def test_trees_give_the_path_of_each_node(seeds: list[int], shuffle: "object") -> None:
    count = len(seeds)
    parents = [min(seed, node - 1) for node, seed in enumerate(seeds)]
    names = list(range(count))
    shuffle.shuffle(names)  # type: ignore[attr-defined]
    parent, value = [0] * count, [0] * count
    expected = []
    for node, direct in enumerate(parents):
        above = direct
        parent[names[node]] = -1 if above < 0 else names[above]
        value[names[node]] = node % 3
        path = [names[node]]
        while above >= 0:
            path.insert(0, names[above])
            above = parents[above]
        if node % 3:
            expected.append((tuple(path), node % 3))
    stacks = stacks_from_parents(ints(parent), ints(list(range(count))), ints(value).reshape(1, -1))
    assert sorted(paths(stacks)) == sorted(expected)


def test_a_called_node_without_value_ends_a_stack() -> None:
    stacks = stacks_from_parents(ints([-1, 0]), ints([4, 5]), ints([0, 0]).reshape(1, -1), ints([0, 3]))
    assert paths(stacks) == [((4, 5), 0)]
    assert stacks.calls is not None
    assert stacks.calls.tolist() == [3]


@pytest.mark.parametrize(("parent", "message"), [([1, 0], "circle"), ([-1, 2], "does not exist"), ([-2], "not exist")])
def test_what_is_no_tree_is_refused(parent: list[int], message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        stacks_from_parents(ints(parent), ints([0] * len(parent)), ints([1] * len(parent)).reshape(1, -1))
