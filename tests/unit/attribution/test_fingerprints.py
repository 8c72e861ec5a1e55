"""Fingerprints: what changes a function, and what only changes how it looks."""

import json
from pathlib import Path

import pytest

from profgate.attribution.fingerprints import LARGEST_SOURCE, SourceFunction, parsed_source

SAMPLES: dict[str, str] = json.loads((Path(__file__).parents[2] / "data" / "fingerprints.json").read_text())
COMMENTS = {"a.py": "# said\n", "a.go": "// said\n", "a.rs": "// said\n"}


def named(path: str, text: str, name: str = "total") -> SourceFunction:
    parsed = parsed_source(path, text)
    assert parsed is not None
    (found,) = (item for item in parsed.functions if item.name == name)
    return found


@pytest.mark.parametrize("path", SAMPLES)
def test_layout_comments_and_place_leave_a_fingerprint(path: str) -> None:
    text = SAMPLES[path]
    before = named(path, text)
    comment = COMMENTS.get(path, "/* said */")
    for other in (
        f"\n\n{text}",
        text.replace("* tax", f"  *   tax  {comment if path not in COMMENTS else ''}"),
        text.replace("return", f"{comment}    return", 1) if path == "a.py" else text.replace("{\n", f"{{ {comment}\n"),
        text.replace("items, tax", "items,\n      tax").replace("items: ", "items:\n "),
    ):
        after = named(path, other)
        assert (after.fingerprint, after.broken) == (before.fingerprint, False), other
    assert before.tokens >= 12


@pytest.mark.parametrize("path", SAMPLES)
def test_another_operation_is_another_fingerprint(path: str) -> None:
    text = SAMPLES[path]
    assert named(path, text.replace("* tax", "+ tax")).fingerprint != named(path, text).fingerprint


@pytest.mark.parametrize("path", SAMPLES)
def test_another_name_alone_leaves_a_fingerprint(path: str) -> None:
    text = SAMPLES[path]
    assert named(path, text.replace("total", "amount"), "amount").fingerprint == named(path, text).fingerprint


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", "def f(a):\n    return a\n", "@cache\ndef f(a):\n    return a\n"),
        ("a.py", "def f(a=1):\n    return a\n", "def f(a=2):\n    return a\n"),
        ("a.py", "def f(a):\n    if a:\n        g()\n    h()\n", "def f(a):\n    if a:\n        g()\n        h()\n"),
        ("a.py", "def f(a):\n    return (a)\n", "def f(a):\n    return (a,)\n"),
        ("a.py", "def f(a):\n    return 'a b'\n", "def f(a):\n    return 'a  b'\n"),
        ("a.js", "function f(a) { return\n g(a) }", "function f(a) { return g(a) }"),
        ("a.js", "const f = (a) => [a,,]", "const f = (a) => [a,]"),
        ("A.java", "class A { int f() { return 1; } }", "class A { synchronized int f() { return 1; } }"),
        ("a.rs", "fn f() -> i32 { 1 }", "#[inline(never)]\nfn f() -> i32 { 1 }"),
        ("a.cc", "template<class T> int f(T a) { return 1; }", "template<int T> int f(T a) { return 1; }"),
    ],
)
def test_what_looks_small_and_is_a_change(path: str, before: str, after: str) -> None:
    assert named(path, before, "f").fingerprint != named(path, after, "f").fingerprint


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (
            "a.py",
            "def f(a):\n    return g('a', [1])\n",
            'def f(a):\n    """Says."""\n    return g(\n        "a",\n        [1],\n    )\n',
        ),
        ("a.js", "function f(a) { g('a'); return [1] }", 'function f(a) {\n  g("a")\n  return [\n    1,\n  ];\n}'),
        (
            "a.go",
            "package a\nfunc f() []int { return []int{1} }",
            "package a\nfunc f() []int {\n\treturn []int{\n\t\t1,\n\t}\n}",
        ),
    ],
)
def test_what_formatters_do_is_no_change(path: str, before: str, after: str) -> None:
    assert named(path, before, "f").fingerprint == named(path, after, "f").fingerprint


def test_a_syntax_error_makes_its_function_unknown() -> None:
    text = "def f():\n    return 1\n\ndef total():\n    return ((1\n"
    assert named("a.py", text).broken
    assert not named("a.py", text, "f").broken


@pytest.mark.parametrize("opening", ["(", "[", "f(", "-", "{", "lambda: ", 'f"{'])
def test_hostile_nesting_is_refused_or_broken(opening: str) -> None:
    parsed = parsed_source("a.py", f"def f():\n    return {opening * 60_000}")
    assert parsed is None or all(item.broken for item in parsed.functions if item.name == "f")


def test_names_repeated_by_nested_functions_are_limited() -> None:
    inner = "() => 1;" * 20_000
    assert parsed_source("a.js", "function f() {" * 3 + inner + "}" * 3) is not None
    assert parsed_source("a.js", "function f() {" * 200 + inner + "}" * 200) is None


def test_deep_and_long_sources_are_refused() -> None:
    assert parsed_source("a.py", "x = " + "[" * 5_000 + "]" * 5_000) is None
    assert parsed_source("a.py", "x = 1\n" * LARGEST_SOURCE) is None
    assert parsed_source("a.py", "x = '\0'\n") is None
    assert parsed_source("a.sql", "select 1") is None
