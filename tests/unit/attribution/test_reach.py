"""How a change can have come to a function."""

import re
from collections.abc import Mapping

import numpy as np
import pytest

from comparisons import from_stacks
from folder_diffs import folder_diff
from profgate.attribution.fingerprints import parsed_source
from profgate.attribution.function_changes import function_changes
from profgate.attribution.reach import with_reach
from profgate.attribution.source_states import Sides, source_states
from profgate.model.attribution import SourceDiff, SourceStates
from profgate.model.comparison import CallEdges, Comparison
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import replace

CART = "import json\n\ndef total(items):\n    return sum(items)\n\ndef count(items):\n    return len(items)\n"
SLOW = CART.replace("sum(items)", "sum(sorted(items))")
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


RUST = "fn read() { step(); }\npub fn next() { read(); }\npub fn other() { skip(); }\n"


@pytest.mark.parametrize(
    ("stacks", "caller"),
    [
        ({"main (b/run.rs:1);next (src/csv.rs:2)": 5, "main (b/run.rs:1);other (src/csv.rs:3)": 5}, "next"),
        (
            {"main (b/run.rs:1);iterate (src/it.rs:2);step (src/step.rs:2)": 5, "main (b/run.rs:1);idle (c.rs:1)": 5},
            "iterate",
        ),
    ],
    ids=["calls it", "calls what it calls"],
)
def test_changed_function_without_a_symbol_was_inlined(stacks: Mapping[str, int], caller: str) -> None:
    after = RUST.replace("{ step(); }", "{ step(); step(); }")
    made = compared(stacks)
    found = reached(made, folder_diff({"src/csv.rs": RUST}, {"src/csv.rs": after}, frozenset({"src/csv.rs"})))
    result = dict(zip(made.symbols.names, zip(found.reach, found.through, strict=True), strict=True))
    assert result[caller] == ("calls a changed function", "read")
    assert {name for name, (reach, _) in result.items() if reach == "calls a changed function"} == {caller, "main"}


@pytest.mark.parametrize(
    ("other", "expected"), [("shop/bench/main.py", "changed here"), ("elsewhere/tool.py", "unknown")]
)
def test_changed_top_level_file_is_never_out_of_reach(other: str, expected: str) -> None:
    stacks = {f"main ({other}:1);total (shop/cart.py:4)": 5}
    diff = folder_diff({"cart.py": CART}, {"cart.py": SLOW}, frozenset({"cart.py", "bench/main.py"}))
    found = reached(compared(stacks), diff)
    assert dict(zip(compared(stacks).symbols.names, found.reach, strict=True))["total"] == expected


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


def claimed(stacks: Mapping[str, int]) -> Comparison:
    """A comparison in which a source map names each function."""
    made = compared(stacks)
    origins: list[str | None] = [f"source-map://{file}" for file in made.symbols.files]
    return replace(made, symbols=replace(made.symbols, origins=origins))


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("README.md", "a", "b"),
        ("web/readme.rst", "a", "b"),
        ("docs/how-to/start.md", "a", "b"),
        (".github/contributing.md", "a", "b"),
        ("CHANGES.rst", "a", None),
        ("LICENSE", None, "b"),
        ("web/LICENSE.txt", "a", "b"),
        (".github/CODEOWNERS", "a", "b"),
        ("docs/a.PNG", "a", "b"),
        ("src/cart.py", f"# Sums.\n{CART}", f"# Adds.\n{CART}"),
    ],
)
def test_change_without_effect_reaches_nothing(path: str, before: str | None, after: str | None) -> None:
    texts = [{path: text} if text is not None else {} for text in (before, after)]
    assert set(words(compared(), *texts).values()) == {"not reachable"}
    assert set(words(compared(), {**texts[0], "a.txt": "1"}, {**texts[1], "a.txt": "2"}).values()) == {"unknown"}


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("src/cart.py", CART, CART + "\ndef export(items):\n    return json.dumps(items)\n"),
        ("src/cart.py", CART, CART + "K = 1\n"),
        ("src/cart.py", CART, f"# Adds.\n{CART}"),
        ("src/cart.py", CART, CART),  # its mode changed
        ("src/json.py", None, "def dumps(items): return ''\n"),
        ("a.json", "1", "2"),
        ("Dockerfile", "1", "2"),
        (".gitattributes", "a", "b"),
        (".gitignore", "a", "b"),
        ("requirements.txt", "a>=1\n", "a>=2\n"),
        ("package-lock.json", '{"packages": {"node_modules/a": {"resolved": "b"}}}', "{}"),
        ("src/x.py", "def f(): pass", "def f(:"),
        ("notice.py", "def f(): pass", "def f(): g()"),
        ("docs/conf.py", "a = 1", "a = 2"),
        ("docs/a.txt", "a", "b"),
        ("data/authors.txt", "a", "b"),
        ("bench/samples/large.md", "a", "b"),
        ("src/view.md", "a", "b"),
    ],
)
def test_nothing_is_out_of_reach_after_another_change(path: str, before: str | None, after: str | None) -> None:
    texts = [{path: text} if text is not None else {} for text in (before, after)]
    assert "not reachable" not in words(compared(), *texts).values()


def test_unknown_changes_may_reach_everything() -> None:
    diff = folder_diff({"README.md": "a"}, {"README.md": "b"}, FILES)
    gap = Reason(ReasonCode.DIFF_INCOMPLETE, {"case": "commit_files_limited"})
    moved = replace(diff.files[0], previous_path="src/view.py", status="renamed")
    for other in (
        replace(diff, complete=False),
        replace(diff, gaps=(gap,)),
        replace(diff, repository_files=None),
        replace(diff, files=()),
        replace(diff, files=(moved,)),
    ):
        assert "not reachable" not in reached(compared(), other).reach


def test_text_in_the_profile_is_code() -> None:
    diff = folder_diff({"README.md": "a"}, {"README.md": "b"}, FILES | {"README.md"})
    assert set(reached(compared({"test_1 (README.md:1)": 1}), diff).reach) == {"changed here"}


def test_source_map_proves_nothing() -> None:
    diff = folder_diff({"src/cart.py": CART}, {"src/cart.py": SLOW}, FILES)
    for stack in ("count (src/view.py:1)", "count (src/cart.py:6)"):
        assert reached(compared({stack: 1}), diff).states == ("same",)
        found = reached(claimed({stack: 1}), diff)
        assert (found.states, found.reach) == (("unknown",), ("unknown",))


def test_other_projects_have_files_beside_the_repository() -> None:
    files = {"main": "/ci/repo/src/view.py", "built": "/ci/repo/dist/cart.js", "dumps": "/ci/other/json.py", "f": None}
    made = compared({";".join(files): 5})
    origins = [files[name] for name in made.symbols.names]
    keys = ["src/view.py" if name == "main" else file for name, file in zip(made.symbols.names, origins, strict=True)]
    made = replace(made, symbols=replace(made.symbols, files=keys, origins=origins))
    found = reached(made, folder_diff({"src/cart.py": CART}, {"src/cart.py": SLOW}, FILES))
    assert {name for name, library in zip(made.symbols.names, found.library, strict=True) if library} == {"dumps"}
