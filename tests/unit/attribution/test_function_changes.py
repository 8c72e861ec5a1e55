"""What became of functions between two versions of their files."""

from comparisons import from_exclusive
from folder_diffs import folder_diff
from profgate.attribution.fingerprints import parsed_source
from profgate.attribution.function_changes import function_changes, unread
from profgate.attribution.identity import paired_functions
from profgate.attribution.source_states import Sides
from profgate.attribution.unified_diff import parse_diff
from profgate.model.attribution import ChangedFile, SourceDiff, SourceTexts
from profgate.model.comparison import Symbols
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import replace

LONG = "    result = {}\n    for one in items:\n        result[one] = one + 1\n    return result\n"


def states(before: dict[str, str], after: dict[str, str]) -> dict[str, str]:
    """State by ``path:name`` of the target's functions, and of the baseline's that have no such name in the target."""
    changes = function_changes(folder_diff(before, after, frozenset(after)), parsed_source)
    found: dict[str, str] = {}
    for side in (1, 0):
        for path, functions in changes.functions[side].items():
            for item in functions:
                if item.function.kind in {"function", "anonymous"}:
                    found.setdefault(f"{path}:{'.'.join(item.function.parts)}", item.state)
    return found


def test_ambiguous_equal_functions_are_not_paired() -> None:
    before = {"a.py": f"def a(items):\n{LONG}\ndef b(items):\n{LONG}"}
    after = {"a.py": f"def c(items):\n{LONG}\ndef d(items):\n{LONG}"}
    assert set(states(before, after).values()) == {"added", "removed"}


def test_nameless_functions_pair_by_their_tokens_before_their_order() -> None:
    before = {"a.js": "function f() { return [g(x => x + 1), g(x => x * 2)] }"}
    after = {"a.js": "function f() { return [g(y => y - 7), g(x => x + 1), g(x => x * 3)] }"}
    changes = function_changes(folder_diff(before, after, frozenset(after)), parsed_source)
    nameless = [item.state for item in changes.functions[1]["a.js"] if item.function.kind == "anonymous"]
    assert sorted(nameless) == ["added", "changed", "same"]


def test_overloads_are_paired_by_their_parameters() -> None:
    before = {"A.java": "class A { int f(int a) { return 1; } int f(String a) { return 2; } }"}
    after = {"A.java": "class A { int f(String a) { return 2; } int f(int a) { return 3; } }"}
    changes = function_changes(folder_diff(before, after, frozenset(after)), parsed_source)
    result = {
        item.function.signature: item.state
        for item in changes.functions[1]["A.java"]
        if item.function.kind == "function"
    }
    assert result == {"(Stringa)": "same", "(inta)": "changed"}


def test_unread_sources_are_reported() -> None:
    diff = SourceDiff(
        (
            ChangedFile("a.py", "a.py", "modified", complete=False),
            ChangedFile("b.py", "b.py", "added"),
            ChangedFile("c.txt", "c.txt", "added"),
        ),
        texts=SourceTexts({}, {"a.py": "", "b.py": "def f(): pass\n"}),
    )
    changes = function_changes(diff, parsed_source)
    assert changes.unread == ["a.py"]
    assert list(changes.functions[1]) == ["b.py"]
    assert unread(changes) == [Reason(ReasonCode.SOURCES_UNPARSED, {"files": "a.py", "more": 0})]


def test_files_with_unchanged_text_need_no_reading() -> None:
    moved = "diff --git a/a.py b/b.py\nsimilarity index 100%\nrename from a.py\nrename to b.py\n"
    runnable = "diff --git a/c.py b/c.py\nold mode 100644\nnew mode 100755\n"
    edited = "diff --git a/d.py b/d.py\nindex 1234567..89abcde 100644\n--- a/d.py\n+++ b/d.py\n@@ -1 +1 @@\n-a\n+b\n"
    diff = replace(parse_diff(moved + runnable + edited, "x.diff"), texts=SourceTexts({}, {}))
    assert [file.path for file in diff.files] == ["b.py", "c.py", "d.py"]
    assert function_changes(diff, parsed_source).unread == ["d.py"]


BEFORE = "def match(tokens):\n    return any(one.fits(tokens, here=True) for one in tokens)\n"
AFTER = "def matches(tokens):\n    return any(one.fits(tokens, here=True) for one in tokens)\n"


def pairs(old: str, new: str, *, line: int) -> dict[str, str]:
    """The names paired where the baseline has only ``old`` and the target only ``new``, at a line of the file."""
    made = from_exclusive([{"0": 10}], [{"1": 10}])
    symbols = Symbols([old, new], ["m.py", "m.py"], [line, line], [None, None], [old, new])
    made = replace(made, symbols=symbols)
    diff = folder_diff({"m.py": BEFORE}, {"m.py": AFTER}, frozenset({"m.py"}))
    found = paired_functions(made, Sides(made, diff, function_changes(diff, parsed_source)))
    return {item[0]: other[0] for item, other in found.items()}


def test_an_equal_body_under_another_name_is_one_function() -> None:
    assert pairs("match", "matches", line=2) == {"match": "matches"}


def test_a_comprehension_is_not_the_function_around_it() -> None:
    assert pairs("<genexpr>", "matches", line=2) == {}
    assert pairs("match", "<genexpr>", line=2) == {}
