import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profgate.model.visible_text import (
    NO_NAME,
    brief_path,
    columns_of,
    cut,
    fitting,
    full_name,
    name_text,
    plain,
    visible,
)


@given(st.text(alphabet=st.characters(), max_size=40))
def test_nothing_invisible_is_left(text: str) -> None:
    shown = visible(text)
    assert shown.isprintable()
    assert not {unicodedata.category(sign) for sign in shown} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert visible(shown) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\r\nb\tc", "a  b c"),
        ("\u202eevil\u2066\u200b\ufeff", "evil"),
        ("\x1b[31mred\x00", "[31mred"),
        ("half \ud800", "half"),
        ("  wide\u3000", "wide"),
        ("na\N{COMBINING DIAERESIS}me", "na\N{COMBINING DIAERESIS}me"),
    ],
)
def test_plain(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize(("length", "text"), [(10, "abcdefghij"), (9, "abcd…ghij"), (4, "ab…j"), (2, "a…"), (1, "…")])
def test_cut_leaves_out_the_middle(length: int, text: str) -> None:
    assert cut("abcdefghij", length) == text
    assert len(text) <= length


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [
        ("abcdefghij", 10, "abcdefghij"),
        ("abcdefghij", 5, "ab…ij"),
        ("漢字漢字漢字", 5, "漢…字"),
        (
            "e\N{COMBINING ACUTE ACCENT}te\N{COMBINING ACUTE ACCENT}",
            3,
            "e\N{COMBINING ACUTE ACCENT}te\N{COMBINING ACUTE ACCENT}",
        ),
    ],
)
def test_a_text_is_made_to_fit_the_columns_of_a_terminal(text: str, columns: int, shown: str) -> None:
    assert fitting(text, columns) == shown
    assert columns_of(shown) <= columns


OUT, STORE = "std::__1::basic_ostream<char, std::__1::char_traits<char> >&", "acme::storage::Store"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (f"{STORE}<std::vector<int, std::allocator<int> >, acme::Comparer>::put(int)", None),
        (
            f"{STORE}<std::vector<int, std::allocator<int> >, acme::storage::Comparer>::put(int)",
            f"{STORE}<std::vector<…>, acme::storage::Comparer>::put(int)",
        ),
        (f"{OUT} {STORE}<int>::put(std::__1::vector<int> const&)", f"std::__1::basic_ostream<…>& {STORE}<…>::put(…)"),
        ("<alloc::vec::Vec<alloc::string::String> as core::iter::traits::Extend>::extend::rest", None),
        (f"bench ({'x' * 90})", f"bench ({'x' * 33}…{'x' * 38})"),  # arguments tell one workload from another
        (f"a::operator<<({'x' * 80})", f"a::operator<<({'x' * 26}…{'x' * 38})"),
        ("::" + "<" * 90, f"::{'<' * 38}…{'<' * 39}"),
        (")" * 90 + "::", None),
        ("::" + "(" * 50_000 + ")" * 50_000, f"::{'(' * 38}…{')' * 39}"),
    ],
)
def test_a_long_name_loses_first_what_stands_in_brackets(name: str, shown: str | None) -> None:
    assert len(name_text(name)) <= 80
    assert shown in {None, name_text(name)}


def test_what_nobody_can_see_is_called_so() -> None:
    assert full_name("\u200b\x00") == name_text(" \u2066 ") == NO_NAME


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("shop/orders.py", "shop/orders.py"),
        ("home/user/code/company/project/shop/orders.py", "…/code/company/project/shop/orders.py"),
        ("a/" + "long" * 12 + ".py", "…/" + "long" * 12 + ".py"),
    ],
)
def test_long_path_begins_at_a_folder(path: str, shown: str) -> None:
    assert brief_path(path) == shown
