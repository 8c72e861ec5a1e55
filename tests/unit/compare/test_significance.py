import numpy as np
import pytest

from comparisons import folded, overlaid
from profgate.model.comparison import Comparison, DiffTree

Run = dict[str, int]


def compared(before: list[Run], after: list[Run]) -> Comparison:
    return overlaid(folded(before), folded(after))


def tree_of(comparison: Comparison) -> DiffTree:
    assert comparison.tree is not None
    return comparison.tree


def passes(before: list[int], after: list[int]) -> bool:
    comparison = compared([{"f": n, "g": 5000} for n in before], [{"f": n, "g": 5000} for n in after])
    evidence = tree_of(comparison).evidence
    assert evidence is not None
    row = int(np.flatnonzero(tree_of(comparison).symbol == comparison.symbols.names.index("f"))[0])
    assert evidence[0, row] == evidence[1, row]  # it has no callees
    return bool(evidence[0, row])


def test_only_steady_changes_pass() -> None:
    assert passes([1000, 1010, 990], [2000, 1990, 2010])
    assert not passes([1000, 400, 1900], [2000, 900, 2600])


@pytest.mark.parametrize(("by", "passed"), [(4320, False), (4321, True)])
def test_a_change_must_exceed_four_standard_errors(by: int, passed: bool) -> None:
    before, after = np.array([99_000, 101_000, 98_000, 102_000]), np.array([99_000, 101_000, 100_000])
    assert 4320 < 4 * np.sqrt(before.var(ddof=1) / 4 + after.var(ddof=1) / 3) < 4321
    assert passes(before.tolist(), (after + by).tolist()) == passed


def test_two_runs_have_no_spread() -> None:
    assert tree_of(compared([{"f": 1}] * 2, [{"f": 1}] * 5)).evidence is None


def test_samples_that_agree_by_luck_are_held_to_counting() -> None:
    assert not passes([10, 10, 10], [14, 14, 14])
    assert passes([10, 10, 10], [140, 140, 140])
