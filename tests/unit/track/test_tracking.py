from itertools import pairwise

import pytest

from profgate.track.tracking import coarse_to_fine, duration_text, next_to_refine


def test_the_ends_come_first_and_then_the_middles() -> None:
    assert coarse_to_fine(9) == [8, 0, 4, 2, 6, 1, 3, 5, 7]


@pytest.mark.parametrize("count", range(40))
def test_every_version_comes_once(count: int) -> None:
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


def test_a_jump_is_narrowed_down_to_two_neighbours() -> None:
    tried = walked(100, 37)
    assert {36, 37} <= set(tried)
    assert len(tried) <= 9


def test_failing_versions_are_gone_around() -> None:
    tried = walked(100, 37, frozenset(range(30, 45)))
    assert {29, 45} <= set(tried)
    assert len(tried) == len(set(tried))


def test_without_a_jump_both_ends_are_enough() -> None:
    assert walked(100, 200) == [99, 0]
    assert walked(1, 1) == [0]
    assert next_to_refine(0, [], []) is None


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 s"), (45, "45 s"), (100, "2 min"), (3600, "60 min"), (11_100, "3 h 05 min")]
)
def test_durations_read_well(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text
