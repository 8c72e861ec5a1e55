"""The digest of the benchmark at a line, in languages with methods, functions and anonymous functions."""

from pathlib import Path

import pytest

from profgate.measuring.track.benchmark_sources import digest_at_line

BENCHMARKS = Path(__file__).parents[3] / "data" / "benchmarks"
PYTHON = """import os

@fast
def one():
    return sum(map(lambda x: x, [1]))

class Two:
    def inner(self):
        return 2

    async def other(self): ...
"""
JAVASCRIPT = (BENCHMARKS / "bench.js").read_text()
GO = (BENCHMARKS / "bench_test.go").read_text()
LANGUAGES = [
    ("bench.py", PYTHON, 5, "[1]", "return 2"),
    ("bench.js", JAVASCRIPT, 3, "parse(small)", "parse(large)"),
    ("bench_test.go", GO, 3, "parse(small)", "parse(large)"),
]


@pytest.mark.parametrize(("path", "text", "line", "own", "other"), LANGUAGES)
def test_digest_of_definition(path: str, text: str, line: int, own: str, other: str) -> None:
    before = digest_at_line(path, line, text)
    assert digest_at_line(path, line, text.replace(own, "something_else")) != before
    assert digest_at_line(path, line, text.replace(other, "something_else")) == before


@pytest.mark.parametrize(("path", "text", "line"), [one[:3] for one in LANGUAGES])
def test_layout_does_not_change_the_digest(path: str, text: str, line: int) -> None:
    comment = "# more" if path.endswith(".py") else "// more"
    assert digest_at_line(path, line + 2, f"{comment}\n\n{text}") == digest_at_line(path, line, text)
    assert digest_at_line(path, line, text.replace("\n", f" {comment}\n")) == digest_at_line(path, line, text)


@pytest.mark.parametrize("line", [3, 4, 5])
def test_decorators_and_nested_functions_count(line: int) -> None:
    same = digest_at_line("bench.py", 4, PYTHON)
    assert digest_at_line("bench.py", line, PYTHON) == same
    assert digest_at_line("bench.py", line, PYTHON.replace("@fast", "@slow")) != same
    assert digest_at_line("bench.py", line, PYTHON.replace("lambda x: x", "lambda x: x * x")) != same


def test_class_has_all_its_functions() -> None:
    before = digest_at_line("bench.py", 7, PYTHON)
    assert digest_at_line("bench.py", 7, PYTHON.replace("return 2", "return 3")) != before
    assert digest_at_line("bench.py", 7, PYTHON.replace("[1]", "[2]")) == before


def test_whole_file_without_definition() -> None:
    for line in (None, 1, 400):
        before = digest_at_line("bench.py", line, PYTHON)
        assert digest_at_line("bench.py", line, PYTHON.replace("return 2", "return 3")) != before
        assert digest_at_line("bench.py", line, PYTHON.replace("import os", "import sys")) != before
        assert digest_at_line("bench.py", line, PYTHON.replace("import os", "import os  # why")) == before


def test_plain_text_without_grammar() -> None:
    assert digest_at_line("bench.rb", 1, "def one; end\n") != digest_at_line("bench.rb", 1, "def one; end # why\n")


@pytest.mark.parametrize("text", ["x\0y", "(" * 5000, "def one(:\n  pass  # why\n"])
def test_plain_text_after_parser_error(text: str) -> None:
    assert digest_at_line("bench.py", 1, text) == digest_at_line("bench.py", 1, text)
    assert digest_at_line("bench.py", 1, text) != digest_at_line("bench.py", 1, f"{text[0]} {text[1:]}")
