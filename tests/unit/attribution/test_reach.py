"""How a change can have come to a function."""

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from comparisons import from_stacks
from folder_diffs import folder_diff
from profgate.attribution.fingerprints import parsed_source
from profgate.attribution.function_changes import function_changes
from profgate.attribution.reach import leaves_alone, with_reach
from profgate.attribution.source_states import Sides, source_states
from profgate.model.attribution import SourceDiff, SourceStates
from profgate.model.comparison import CallEdges, Comparison

CART = "import json\n\ndef total(items):\n    return sum(items)\n\ndef count(items):\n    return len(items)\n"
SLOW = CART.replace("sum(items)", "sum(sorted(items))")
SETTINGS = "def cache(): return 64\nclass A:\n    def size(self): return 64\nclass B(A):\n    def k(self): return 1\n"
FILES = frozenset({"src/cart.py", "src/view.py"})
STACKS = {
    "main (src/view.py:1);total (src/cart.py:4);add (src/view.py:5)": 5,
    "main (src/view.py:1);count (src/cart.py:7)": 5,
    "main (src/view.py:1);dumps (/usr/lib/python3.11/json/encoder.py:9)": 5,
}


def compared(stacks: Mapping[str, int] = STACKS, *, baseline: Mapping[str, int] | None = None) -> Comparison:
    """Frames are ``name (file:line)``; a name is in one file only."""
    made = from_stacks([stacks if baseline is None else baseline], [stacks])
    parts = [re.fullmatch(r"(.*?)(?: \((.*?)(?::(\d+))?\))?", name) for name in made.symbols.names]
    found = [(part[1], part[2], int(part[3]) if part[3] else None) for part in parts if part]
    names, files, lines = (list(column) for column in zip(*found, strict=True))
    symbols = replace(made.symbols, names=names, files=files, lines=lines)
    return replace(made, symbols=symbols)


def reached(comparison: Comparison, diff: SourceDiff) -> SourceStates:
    sides = Sides(comparison, diff, function_changes(diff, parsed_source))
    return with_reach(source_states(sides), comparison, sides)


def words(comparison: Comparison, before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    found = reached(comparison, folder_diff(before, after, FILES))
    return dict(zip(comparison.symbols.names, found.reach, strict=True))


def test_callers_decide_how_the_change_reaches_a_function() -> None:
    found = reached(compared(), folder_diff({"src/cart.py": CART}, {"src/cart.py": SLOW}, FILES))
    result = dict(zip(compared().symbols.names, zip(found.reach, found.through, strict=True), strict=True))
    assert result == {
        "total": ("changed here", ""),
        "add": ("called by a changed function", "total › add"),
        # nothing changed calls these, and yet what changed runs beside them and may hand them more to do
        "main": ("unknown", ""),
        "count": ("unknown", ""),
        "dumps": ("unknown", ""),
    }
    assert found.doubt == "total changed and runs here"


@pytest.mark.parametrize(("suffix", "known"), [("js", True), ("py", False)])
def test_callers_of_a_changed_function_that_may_be_inlined(suffix: str, known: bool) -> None:
    before = {
        "js": "function mails(a) { return a.length; }\nfunction card(a) { return mails(a); }\n",
        "py": "def mails(a): return len(a)\ndef card(a): return mails(a)\n",
    }[suffix]
    path = f"src/people.{suffix}"
    stacks = {f"main (src/view.{suffix}:1);round ({path}:9);show ({path}:7);card ({path}:2);mails ({path}:1)": 5}
    after = before.replace("a.length", "a.length + 1").replace("len(a)", "len(a) + 1")
    diff = folder_diff({path: before}, {path: after}, frozenset({path}))
    made = compared(stacks)
    found = reached(made, diff)
    result = dict(zip(made.symbols.names, zip(found.reach, found.through, strict=True), strict=True))
    near = ("calls a changed function", "mails") if known else ("unknown", "")
    assert result == {
        "mails": ("changed here", ""),
        **dict.fromkeys(("card", "show", "round"), near),
        "main": ("unknown", ""),
    }


@pytest.mark.parametrize(
    ("other", "expected"), [("shop/bench/main.py", "changed here"), ("elsewhere/tool.py", "unknown")]
)
def test_changed_top_level_file_is_never_out_of_reach(other: str, expected: str) -> None:
    stacks = {f"main ({other}:1);total (shop/cart.py:4)": 5}
    diff = folder_diff({"cart.py": CART}, {"cart.py": SLOW}, frozenset({"cart.py", "bench/main.py"}))
    found = reached(compared(stacks), diff)
    assert dict(zip(compared(stacks).symbols.names, found.reach, strict=True))["total"] == expected


def test_a_change_that_does_not_run_reaches_nothing() -> None:
    after = CART + "\ndef export(items):\n    return json.dumps(items)\n"
    assert set(words(compared(), {"src/cart.py": CART}, {"src/cart.py": after}).values()) == {"not reachable"}
    assert set(words(compared(), {"README.md": "a"}, {"README.md": "b"}).values()) == {"not reachable"}
    assert set(words(compared(), {"src/cart.py": CART}, {"src/cart.py": f"# said\n{CART}"}).values()) == {
        "not reachable"
    }


@pytest.mark.parametrize(
    ("before", "after", "doubt"),
    [
        ({"src/cart.py": CART}, {"src/cart.py": CART + "K = 1\n"}, "code outside functions changed in src/cart.py"),
        ({"a.json": "1"}, {"a.json": "2"}, "a.json changed and is in a language whose functions are not recognized"),
        ({"Dockerfile": "1"}, {"Dockerfile": "2"}, "Dockerfile changed"),
        ({"requirements.txt": "a==1\n"}, {"requirements.txt": "a==2\n"}, "a dependency changed: a 1 → 2"),
        ({"src/x.py": "def f(): pass"}, {"src/x.py": "def f(:"}, "src/x.py holds what its grammar does not know"),
        ({"src/cart.py": CART}, {"src/cart.py": CART.replace("json", "ujson as sum")}, "mentions sum, which changed"),
        (
            {"src/cart.py": CART + "def sum(a): return 1\n"},
            {"src/cart.py": CART + "def sum(a): return 2\n"},
            "total runs here and mentions sum, which changed",
        ),
        ({"src/cart.py": CART}, {"src/cart.py": None}, "src/cart.py changed and could not be read"),
        ({"src/set.py": SETTINGS}, {"src/set.py": SETTINGS.replace("64", "0")}, "cache changed and may run without"),
        ({"src/set.py": SETTINGS}, {"src/set.py": SETTINGS[SETTINGS.index("class") :]}, "cache changed and may run"),
        ({"src/set.py": SETTINGS}, {"src/set.py": f"{SETTINGS}    def size(self): return 0\n"}, "B.size changed"),
    ],
)
def test_nothing_is_out_of_reach_while_anything_else_changed(
    before: dict[str, str], after: dict[str, str], doubt: str
) -> None:
    found = reached(compared(), folder_diff(before, after, FILES))
    assert "not reachable" not in found.reach
    assert doubt in found.doubt


def test_native_names_without_file_match_changed_functions() -> None:
    before, after = "int f(int a) { return a; }\n", "int f(int a) { return a + 1; }\n"
    stacks = {"main (src/view.py:1);ns::f(int)": 5, "main (src/view.py:1)": 1}
    found = reached(compared(stacks), folder_diff({"a.cc": before}, {"a.cc": after}, FILES))
    assert found.doubt == "ns::f(int) may have changed and runs here"


def test_functions_of_a_changed_dependency_are_reached() -> None:
    stacks = {**STACKS, "main (src/view.py:1);get (requests/api.py:3);dumps (json/encoder.py:9)": 9}
    diff = folder_diff({"requirements.txt": "requests==1\n"}, {"requirements.txt": "requests==2\n"}, FILES)
    found = reached(compared(stacks), diff)
    result = dict(zip(compared(stacks).symbols.names, zip(found.reach, found.through, strict=True), strict=True))
    assert result["get"] == ("dependency changed", "requests 1 → 2")
    assert result["dumps"] == ("dependency changed", "get › dumps")
    assert result["count"] == ("unknown", "")


def test_calls_without_stacks_are_followed_too() -> None:
    made = compared(
        {"total (src/cart.py:4)": 1, "a (src/view.py:1)": 1, "b (src/view.py:3)": 1, "c (src/view.py:5)": 1}
    )
    number = {name: place for place, name in enumerate(made.symbols.names)}
    calls = [("total", "a"), ("a", "b"), ("b", "a")]
    caller, callee = (np.array([number[pair[side]] for pair in calls], np.int64) for side in (0, 1))
    ones = np.ones(len(calls), np.int64)
    edges = CallEdges(caller, callee, ones, ones, ones, ones, np.ones(4, np.int64), np.ones(4, np.int64))
    diff = folder_diff({"src/cart.py": CART}, {"src/cart.py": SLOW}, FILES)
    found = reached(replace(made, tree=None, edges=edges), diff)
    assert dict(zip(made.symbols.names, found.through, strict=True)) == {
        "total": "",
        "a": "total › a",
        "b": "total › a › b",
        "c": "",
    }


OTHER = {"src/cart.py": CART}, {"src/cart.py": CART + "\ndef export(items):\n    return 1\n"}
LOCKS = ("uv.lock", "web/package-lock.json", "go.mod", "Cargo.lock")


def reach_of(origin: str, file: str | None = None, *, files: frozenset[str] = FILES) -> tuple[str, str]:
    """How a change that does not run can affect a function of this file, and the doubt about all functions."""
    made = compared({f"f ({file or origin}:1);count (src/cart.py:7)": 1})
    place = made.symbols.names.index("f")
    origins = [name and f"/ci/{name}" for name in made.symbols.files]
    origins[place] = origin
    found = reached(replace(made, symbols=replace(made.symbols, origins=origins)), folder_diff(*OTHER, files))
    return found.reach[place], found.doubt


@pytest.mark.parametrize(
    ("file", "reach", "built"),
    [
        # what is not tracked may be built from the change
        ("lib/app.js", "unknown", True),
        ("dist/main.mjs", "unknown", True),
        ("/other/work/folder/tool.ts", "unknown", True),
        ("webpack-internal:///./a.vue", "unknown", True),
        ("gen/a_pb2.py", "unknown", False),
        ("/other/work/folder/tool.py", "unknown", False),
        ("./malloc/./malloc/malloc.c", "unknown", False),
        ("fmt/print.go", "unknown", False),
        ("<string>", "unknown", False),
        ("<attrs generated init a.B>", "unknown", False),
        # the runtime is no part of the change
        ("node:internal/fs", "not reachable", False),
        ("<frozen importlib._bootstrap>", "not reachable", False),
        ("~", "not reachable", False),
        ("/usr/local/go/src/sort/sort.go", "not reachable", False),
        (r"C:\hostedtoolcache\windows\Python\3.12\Lib\json\decoder.py", "not reachable", False),
    ],
)
def test_files_outside_of_the_repository(file: str, reach: str, built: bool) -> None:
    doubt = f"{file} runs here and may be built from changed sources" if built else ""
    assert reach_of(file) == (reach, doubt)


@pytest.mark.parametrize(
    ("origin", "file", "known"),
    [
        ("/ci/src/view.py", "src/view.py", True),
        ("/ci/build/src/view.py", "src/view.py", False),
        ("dist/src/view.py", "src/view.py", False),
        ("/build/src/view.py", "src/view.py", True),
        ("file:///ci/src/view.py", "src/view.py", False),
        ("http://localhost:80/src/view.py", "src/view.py", False),
        ("view.py", "view.py", True),
        ("/ci/lib/view.js", "lib/view.js", False),
        ("/ci/src/lib/view.js", "src/lib/view.js", True),
    ],
)
def test_build_output_is_not_the_tracked_file(origin: str, file: str, known: bool) -> None:
    files = FILES | {"src/lib/view.js"}
    assert (reach_of(origin, file, files=files)[0] == "not reachable") is known


@pytest.mark.parametrize(
    ("file", "lock"),
    [
        ("/venv/lib/python3.12/site-packages/a/b.py", "uv.lock"),
        ("/ci/node_modules/a/b.js", "web/package-lock.json"),
        ("/home/user/go/pkg/mod/a.com/b@v1.2.3/c.go", "go.mod"),
        ("/home/user/.cargo/registry/src/index/a-1.0/src/lib.rs", "Cargo.lock"),
    ],
)
def test_package_is_out_of_reach_only_with_a_lock_file(file: str, lock: str) -> None:
    assert reach_of(file, files=FILES | {lock}) == ("not reachable", "")
    others = FILES | {other for other in LOCKS if other != lock} | {"requirements.txt"}
    assert reach_of(file, files=others) == ("unknown", "")


def claimed(stacks: Mapping[str, int]) -> Comparison:
    """A comparison in which a source map names each function."""
    made = compared(stacks)
    origins: list[str | None] = [f"source-map://{file}" for file in made.symbols.files]
    return replace(made, symbols=replace(made.symbols, origins=origins))


def test_source_map_proves_nothing() -> None:
    stacks = {"count (src/view.py:1)": 1}
    diff = folder_diff(*OTHER, FILES)
    assert reached(compared(stacks), diff).reach == ("not reachable",)
    found = reached(claimed(stacks), diff)
    assert (found.states, found.reach) == (("unknown",), ("unknown",))
    unchanged = folder_diff({"src/cart.py": CART}, {"src/cart.py": SLOW}, FILES)
    assert reached(claimed({"count (src/cart.py:6)": 1}), unchanged).states == ("unknown",)


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["README.md"], True),
        (["docs/a/b.txt", "src/notes.rst", "LICENSE"], True),
        (["README.md", "src/app.py"], False),
        (["requirements.txt"], False),
        (["README.md.py"], False),
        ([], False),
    ],
)
def test_texts_do_not_affect_the_program(paths: list[str], expected: bool) -> None:
    assert leaves_alone(paths) is expected
