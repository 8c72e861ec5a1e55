from fractions import Fraction

import numpy as np
import pytest

from page_trees import page_tree
from profgate.flamegraph.folded_export import one_column_folded, two_column_folded
from profgate.flamegraph.page_columns import NamedTree


def tree(names: list[str], values: list[tuple[int, int]], parents: list[int] | None = None) -> NamedTree:
    parent = parents or range(len(values))
    return page_tree([(-1, -1, 0, 0), *((parent[row], row, *sides) for row, sides in enumerate(values))], names)


def test_one_sorted_line_for_each_path() -> None:
    given = tree(["main", "ü", "z", "idle"], [(0, 0), (3, 4), (5, 0), (0, 0)], [0, 1, 1, 1])
    assert two_column_folded(given.tree, given.names) == ("main;z 5 0\nmain;ü 3 4\n", 0)


def test_replaced_names_are_counted() -> None:
    given = tree(["a;b", "two\r\nlines", "", "fine"], [(1, 1), (1, 1), (1, 1), (1, 1)])
    text, repairs = two_column_folded(given.tree, given.names)
    assert text.splitlines()[-1] == "a:b;two lines;[unknown];fine 1 1"
    assert repairs == 3


def test_names_that_end_in_digits() -> None:
    given = tree(["foo 12"], [(1, 2)])
    assert two_column_folded(given.tree, given.names) == ("foo 12 1 2\n", 0)
    assert one_column_folded(given.tree, given.tree.target_self, given.names) == ("foo_12 2\n", 1)


@pytest.mark.parametrize(
    ("exponent", "text"), [(0, "1250 7"), (2, "125000 700"), (-3, "1.25 0.007"), (-6, "0.00125 0.000007")]
)
def test_values_are_exact_decimals(exponent: int, text: str) -> None:
    given = tree(["f"], [(1250, 7)])
    assert two_column_folded(given.tree, given.names, exponent)[0] == f"f {text}\n"


def test_scaled_side_has_four_decimals() -> None:
    random = np.random.default_rng(4)
    values = [(int(before), int(after)) for before, after in random.integers(0, 10**6, (200, 2))]
    given = tree([f"f{number}" for number in range(200)], values, [0] * 200)
    before, after = (sum(side) for side in zip(*values, strict=True))
    for ratio in (Fraction(after, before), Fraction(before, after), Fraction(after * 1000, before)):
        text, _ = two_column_folded(given.tree, given.names, ratio=ratio)
        scaled = [Fraction(line.split()[1]) for line in text.splitlines()]
        exact = [
            Fraction(line.split()[1]) * ratio for line in two_column_folded(given.tree, given.names)[0].splitlines()
        ]
        assert all(abs(one - other) <= Fraction(1, 20_000) for one, other in zip(scaled, exact, strict=True))
