"""Each promise in docs/security.md names an existing test."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE))
PROMISES = re.findall(r"^- .*(?:\n  .*)*", PAGE.partition("## What is not promised")[0], re.MULTILINE)


def test_each_named_test_exists() -> None:
    modules = {path: ast.parse((ROOT / path).read_text(encoding="utf-8")) for path, _ in NAMED}
    existing = {(path, node.name) for path, module in modules.items() for node in module.body if hasattr(node, "name")}
    assert NAMED - existing == set()


def test_each_promise_names_a_test() -> None:
    assert [promise for promise in PROMISES if "::test_" not in promise] == []


def test_each_prevented_attack_names_a_test() -> None:
    rows = [row for row in re.findall(r"^\| .*", PAGE, re.MULTILINE) if "prevented" in row]
    assert len(rows) > 10
    assert [row for row in rows if "::test_" not in row] == []


def test_each_reference_to_a_test_is_complete() -> None:
    assert PAGE.count("::") == len(re.findall(r"`tests/[\w/]+\.py::\w+`", PAGE))


def test_named_javascript_tests_exist() -> None:
    named = re.findall(r"`(tests/js/[\w.]+)`", PAGE)
    assert named
    assert all((ROOT / path).is_file() for path in named)
