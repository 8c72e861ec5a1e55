import pytest

from profgate.model.name_aliases import Aliases, mistake_in


@pytest.mark.parametrize(
    ("pairs", "name", "expected"),
    [
        ((("a", "b"),), "a", "b"),
        ((("a", "b"),), "aa", "aa"),
        ((("old_*", "new_*"),), "old_total", "new_total"),
        ((("*_v*_*", "*-*-*"),), "f_v2_x", "f-2-x"),
        ((("*_v*", "f"),), "total_v3", "f"),
        ((("a*a", "b*"),), "a", "a"),  # the two ends may not share a letter
        ((("x", "1"), ("x*", "2")), "x", "1"),
        ((("*a*a*a*", "z"),), "a" * 50_000 + "b", "z"),
        ((("*a*a*ab*c", "z"),), "a" * 50_000, "a" * 50_000),
    ],
)
def test_the_first_pattern_that_fits_the_whole_name_decides(
    pairs: tuple[tuple[str, str], ...], name: str, expected: str
) -> None:
    assert Aliases(pairs).applied_to(name) == expected


@pytest.mark.parametrize(
    ("pairs", "what"),
    [
        ([("a", "a")], "another one"),
        ([("", "a")], "another one"),
        ([("*****x", "a")], "too many stars"),
        ([("*", "a")], "too many stars"),
        ([("a*", "b**")], "more or fewer stars"),
        ([("a*", "ab")], "renamed again"),
        ([("a", "b"), ("c", "a")], "renamed again"),
        ([("a", "b"), ("b", "c")], "what another alias leads to"),
    ],
)
def test_an_alias_that_comes_to_no_rest_is_a_mistake(pairs: list[tuple[str, str]], what: str) -> None:
    assert what in mistake_in(pairs)


def test_a_plain_alias_is_none() -> None:
    assert mistake_in([("a", "b"), ("old_*", "new_*")]) == ""
