"""Each promise in docs/security.md names an existing test."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))
PROMISES = re.findall(r"^- .*(?:\n  .*)*", PAGE.partition("## What is not promised")[0], re.MULTILINE)


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_each_named_test_exists(path: str, name: str) -> None:
    module = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert name in {node.name for node in module.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("promise", PROMISES)
def test_each_promise_names_a_test(promise: str) -> None:
    assert "::test_" in promise


def test_each_reference_to_a_test_is_complete() -> None:
    assert PAGE.count("::") == len(re.findall(r"`tests/[\w/]+\.py::\w+`", PAGE))


def test_named_javascript_tests_exist() -> None:
    named = re.findall(r"`(tests/js/[\w.]+)`", PAGE)
    assert named
    assert all((ROOT / path).is_file() for path in named)
