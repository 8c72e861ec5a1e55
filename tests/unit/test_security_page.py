"""docs/security.md names a test for each promise, and each of them exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))
PROMISES = re.findall(r"^- .*(?:\n  .*)*", PAGE.partition("## Not held by a test")[0], re.MULTILINE)


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_each_named_test_exists(path: str, name: str) -> None:
    module = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert name in {one.name for one in module.body if isinstance(one, ast.FunctionDef)}


@pytest.mark.parametrize("promise", PROMISES)
def test_each_promise_names_a_test_that_holds_it(promise: str) -> None:
    assert "::test_" in promise


def test_nothing_that_looks_like_a_test_is_passed_over() -> None:
    assert PAGE.count("::") == len(re.findall(r"`tests/[\w/]+\.py::\w+`", PAGE))


def test_the_tests_of_the_page_that_are_named_exist() -> None:
    named = re.findall(r"`(tests/js/[\w.]+)`", PAGE)
    assert named
    assert all((ROOT / path).is_file() for path in named)
