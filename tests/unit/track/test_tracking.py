from itertools import pairwise

import pytest

from profgate.track.tracking import coarse_to_fine, next_to_refine


def test_bisection_order() -> None:
    assert coarse_to_fine(9) == [8, 0, 4, 2, 6, 1, 3, 5, 7]


@pytest.mark.parametrize("count", range(40))
def test_bisection_order_has_every_version_once(count: int) -> None:
    assert sorted(coarse_to_fine(count)) == list(range(count))


def walked(count: int, change: int, failing: frozenset[int] = frozenset()) -> list[int]:
    """The versions that are measured when one change lies between ``change`` - 1 and ``change``."""
    tried: list[int] = []
    while True:
        known = sorted(number for number in tried if number not in failing)
        jumps = [pair for pair in pairwise(known) if pair[0] < change <= pair[1]]
        following = next_to_refine(count, tried, jumps)
        if following is None:
            return tried
        tried.append(following)


def test_jump_is_narrowed_down_to_neighbours() -> None:
    tried = walked(100, 37)
    assert {36, 37} <= set(tried)
    assert len(tried) <= 9


def test_refining_skips_failing_versions() -> None:
    tried = walked(100, 37, frozenset(range(30, 45)))
    assert {29, 45} <= set(tried)
    assert len(tried) == len(set(tried))


def test_refining_without_jump_measures_both_ends() -> None:
    assert walked(100, 200) == [99, 0]
    assert walked(1, 1) == [0]
    assert next_to_refine(0, [], []) is None
