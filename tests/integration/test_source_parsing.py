"""Untrusted sources are parsed in a child process, whose end leaves a reason and not an exception."""

import sys
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import pytest

from folder_diffs import folder_diff
from profgate.attribution.fingerprints import parsed_source
from profgate.attribution.function_changes import function_changes
from profgate.io import limited_process
from profgate.io.limited_process import LimitedProcess
from profgate.source_parsing import changed_functions
from slow_cases import quick_first

CHANGES = Path(__file__).parents[1] / "data" / "changes"
QUADRATIC = {  # the memory that these inputs need grows with the square of their size
    "Bad.java": "class A { int f() { return " + "a<" * 18_000,  # needs 2.6 GB
    "bad.ts": "a" + "<a>" * 24_000,  # needs 3 GB
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of the child")
def test_source_that_needs_much_memory_is_not_parsed() -> None:
    good = {"a.ts": "function f() {}\n", "z.ts": "function g() {}\n"}
    before = getrusage(RUSAGE_SELF).ru_maxrss
    changes = changed_functions(folder_diff({}, good | QUADRATIC, frozenset()))
    assert changes.unread == ["Bad.java", "bad.ts"]
    assert sorted(changes.functions[1]) == ["a.ts", "z.ts"]
    assert getrusage(RUSAGE_SELF).ru_maxrss - before < 100 << 10


@pytest.mark.parametrize(
    ("path", "prefix", "unit"),
    quick_first(
        [
            ("a.js", "a", "++;"),
            ("a.ts", "", "--;"),
            ("a.py", "def f():\n x = ", "-->"),
            ("A.java", "", "}-"),
            ("a.go", "a", "|&"),
            ("a.rs", "fn f() { let x = ", "-,"),
            ("a.c", "int f() { x = ", "*,"),
            ("a.cc", "", "/*,"),
            ("a.tsx", "x = ", "{a!"),
        ],
        3,
    ),
)
def test_source_that_takes_much_time_is_not_parsed(
    path: str, prefix: str, unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time that each of these inputs takes grows at least with the square of its size."""
    monkeypatch.setattr(limited_process, "SECONDS", 1)
    assert changed_functions(folder_diff({}, {path: prefix + unit * 20_000}, frozenset())).unread == [path]


@pytest.mark.parametrize("folder", sorted(path.name for path in CHANGES.iterdir()))
def test_child_finds_what_this_process_finds(folder: str) -> None:
    before, after = (
        {path.relative_to(side).as_posix(): path.read_text() for path in side.rglob("*.*")}
        for side in (CHANGES / folder / "before", CHANGES / folder / "after")
    )
    diff = folder_diff(before, after, frozenset())
    assert diff.files
    assert changed_functions(diff) == function_changes(diff, parsed_source)


@pytest.mark.parametrize("response", [b"", b"0", b"{}", b"[" * 5000, b'{"language": "c", "functions": [1]}', None])
def test_damaged_response_leaves_the_file_unparsed(response: bytes | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LimitedProcess, "responses", lambda _: [response] * 2)
    assert changed_functions(folder_diff({}, {"a.py": "x = 1\n"}, frozenset())).unread == ["a.py"]
