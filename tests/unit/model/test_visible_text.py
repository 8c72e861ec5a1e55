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
    name_forms,
    name_text,
    plain,
    short_names,
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


VECTOR = "std::vector<int, std::allocator<int> >"


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("parse", "parse"),
        (f"void acme::Store<{VECTOR}>::put<int>({VECTOR} const&) const", "Store::put"),
        ("std::operator<< <char>(std::ostream&, char const*)", "std::operator<< <char>"),
        ("acme::Flag::operator bool() const", "Flag::operator bool"),
        ("acme::run(int)::{lambda(int)#1}::operator()(int) const", "run::{lambda#1}::operator()"),
        ("acme::(anonymous namespace)::run()", "acme::(anonymous namespace)::run"),
        ("java/lang/String.equals", "String.equals"),
        ("java.util.WeakHashMap.<init>(int, java.lang.Object)", "WeakHashMap.<init>"),
        ("github.com/acme/mux.(*Router).Match", "(*Router).Match"),
        ("slices.SortFunc[go.shape.[]int,go.shape.int]", "slices.SortFunc"),
        ("main.main.func1.2", "main.func1.2"),
        ("<alloc::vec::Vec<T> as core::iter::Extend<T>>::extend", "Vec::extend"),
        ("csv::read::{{closure}}", "read::{{closure}}"),
        ("Table.rows.<locals>.<listcomp>", "rows.<locals>.<listcomp>"),
        ("<built-in method builtins.any>", "<built-in method builtins.any>"),
        ("System.Collections.Dictionary`2[System.Int32].Add(int)", "Dictionary`2.Add"),
        ("lists:map/2", "lists:map/2"),
        ("/usr/lib/libc.so.6", "libc.so.6"),
        ("RegExp: ^((?:<|>)?)\\s", "RegExp: ^((?:<|>)?)\\s"),
        (")::(", ")::("),
        ("bench (a.b.c)", "bench (a.b.c)"),  # arguments tell one workload from another
    ],
)
def test_short_name_of_a_function(name: str, short: str) -> None:
    assert short_names([name]) == {name: short}


def test_equal_short_names_contain_what_is_around_them() -> None:
    names = ["a.Parser.parse", "b.Parser.parse", "x.y.Lexer.scan", "Parser.parse", "f<int>", "f<long>"]
    shown = ["a.Parser.parse", "b.Parser.parse", "Lexer.scan", "Parser.parse", "f<int>", "f<long>"]
    assert list(short_names(names).values()) == shown


@pytest.mark.parametrize(
    "name", ["", "..", "::", "a::", "(", "<" * 90, "a<b>::" * 20_000, ")" * 90 + "::", "{}", "x()()"]
)
def test_every_name_has_a_form(name: str) -> None:
    assert name_forms(name)[-1] == name
    assert len(name_forms(name)) <= 13
    assert len(name_text(name)) <= 80


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
