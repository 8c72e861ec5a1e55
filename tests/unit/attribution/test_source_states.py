import re
from hashlib import sha256

import pytest

from comparisons import from_exclusive
from profgate.attribution.function_changes import FunctionChanges
from profgate.attribution.source_states import Sides, source_states
from profgate.attribution.unified_diff import parse_diff
from profgate.model.attribution import SourceDiff
from profgate.model.comparison import Comparison, Symbols
from profgate.model.record import replace
from profgate.pipeline import states_of

FILES = frozenset({"src/shop/cart.py", "src/shop/stock.py", "src/shop/__init__.py"})
PULL = "https://github.example/octo/shop/pull/7/files"
COMMITS = ("https://github.example/octo/shop/blob/base", "https://github.example/octo/shop/blob/head")
CART = sha256(b"src/shop/cart.py").hexdigest()


def comparison(*functions: str, gone: tuple[str, ...] = (), new: tuple[str, ...] = ()) -> Comparison:
    """Functions as ``name (file:line)`` on both sides, on the baseline's only, or on the target's only."""
    texts = [*functions, *gone, *new]
    numbers = [f"f{place:03}" for place in range(len(texts))]
    sides = [
        dict.fromkeys([number for number, text in zip(numbers, texts, strict=True) if text not in absent], 10)
        for absent in (new, gone)
    ]
    parts = [re.fullmatch(r"(.*?)(?: \((.*?)(?::(\d+))?\))?", text) for text in texts]
    names = [part[1] for part in parts if part]
    symbols = Symbols(
        names,
        [part[2] for part in parts if part],
        [int(part[3]) if part[3] else None for part in parts if part],
        [None] * len(names),
        names,
    )
    return replace(from_exclusive([sides[0]], [sides[1]]), symbols=symbols)


def diff_of(
    body: str, *, head: str = "--- a/src/shop/cart.py\n+++ b/src/shop/cart.py\n", whole: bool = True
) -> SourceDiff:
    parsed = parse_diff(head + body, "x.diff")
    return replace(parsed, complete=whole, repository_files=FILES, diff_link=PULL, file_links=COMMITS)


def states(compared: Comparison, diff: SourceDiff) -> list[str]:
    return list(source_states(Sides(compared, diff)).states)


BODY = """\
@@ -20,7 +20,7 @@ def total(items):
     result = 0
     for item in items:
-        result += item.price
+        result += price_of(item)
     return result


 def discount(items):
"""
FOUR = ("add (shop/cart.py:5)", "total (shop/cart.py:21)", "discount (shop/cart.py:30)", "save (shop/cart.py:60)")


def test_hunk_changes_the_functions_that_it_names() -> None:
    assert states(comparison(*FOUR), diff_of(BODY)) == ["unknown", "changed", "unknown", "unknown"]
    body = BODY.replace(",7 +20,7", ",7 +20,8") + "+    count = 1\n"
    assert states(comparison(*FOUR), diff_of(body)) == ["unknown", "changed", "changed", "unknown"]
    named = comparison("of_a_sample (shop/cart.py:22)", "shop.Cart.total(int) (shop/cart.py)", "old (shop/cart.py:21)")
    assert states(named, diff_of(BODY)) == ["changed", "changed", "unknown"]


def test_files_that_the_diff_leaves_alone() -> None:
    compared = comparison("count (shop/stock.py:3)", "get (requests/api.py:9)", "built-in sum (~)", "[kernel]")
    assert states(compared, diff_of(BODY)) == ["same", "unknown", "unknown", "unknown"]
    assert states(compared, diff_of(BODY, whole=False)) == ["unknown"] * 4
    assert states(compared, replace(diff_of(BODY), repository_files=None)) == ["unknown"] * 4


@pytest.mark.parametrize(
    ("function", "reach"), [("total (docs/cart.py:20)", "changed here"), ("save (docs/cart.py:60)", "unknown")]
)
def test_file_that_runs_affects_the_program(function: str, reach: str) -> None:
    diff = diff_of(BODY, head="--- a/docs/cart.py\n+++ b/docs/cart.py\n")
    assert states_of(comparison(function), diff, FunctionChanges()).reach == (reach,)


def test_incomplete_diffs_leave_functions_unknown() -> None:
    diff = diff_of(BODY)
    cut = replace(diff, files=tuple(replace(item, complete=False) for item in diff.files))
    assert states(comparison(*FOUR), cut) == ["unknown", "changed", "unknown", "unknown"]


def test_files_that_came_went_and_moved() -> None:
    came = diff_of(
        "@@ -0,0 +1 @@\n+a\n", head="diff --git a/src/new.py b/src/new.py\n--- /dev/null\n+++ b/src/new.py\n"
    )
    went = diff_of(
        "@@ -1 +0,0 @@\n-a\n", head="diff --git a/src/old.py b/src/old.py\n--- a/src/old.py\n+++ /dev/null\n"
    )
    moved = diff_of("", head="diff --git a/src/a.py b/src/b.py\nrename from src/a.py\nrename to src/b.py\n")
    assert states(comparison(new=("f (src/new.py:1)",)), came) == ["added"]
    assert states(comparison(gone=("f (src/old.py:1)",)), went) == ["removed"]
    assert states(comparison(gone=("f (src/a.py:1)",), new=("f (src/b.py:1)",)), moved) == ["renamed", "renamed"]


def test_links_lead_to_the_diff_or_the_commit() -> None:
    compared = comparison(*FOUR, "count (shop/stock.py:3)", "get (requests/api.py)", gone=("old (shop/cart.py:21)",))
    found = source_states(Sides(compared, diff_of(BODY)))
    assert found.links == (
        f"{COMMITS[1]}/src/shop/cart.py#L5",
        f"{PULL}#diff-{CART}R21",
        f"{COMMITS[1]}/src/shop/cart.py#L30",
        f"{COMMITS[1]}/src/shop/cart.py#L60",
        f"{COMMITS[1]}/src/shop/stock.py#L3",
        None,
        f"{COMMITS[0]}/src/shop/cart.py#L21",
    )
    assert found.paths[0] == "src/shop/cart.py"
    without = source_states(Sides(compared, replace(diff_of(BODY), diff_link=None, file_links=(None, None))))
    assert set(without.links) == {None}


def test_a_path_cannot_leave_its_place_in_a_link() -> None:
    path = 'x"><img src=x>#?/é.py'
    diff = replace(diff_of(BODY), repository_files=frozenset({path}))
    (link,) = source_states(Sides(comparison(f"f ({path}:2)"), diff)).links
    assert link == f"{COMMITS[1]}/x%22%3E%3Cimg%20src%3Dx%3E%23%3F/%C3%A9.py#L2"


@pytest.mark.parametrize(
    ("root", "files", "state"),
    [
        ("/some/where/walk", ("/some/where/walk/parse.py", "/some/where/walk/unknown.py"), "changed"),
        ("/home/me/walk", ("walk/parse.py", "walk/untracked.py"), "changed"),
        ("/some/where/walk", ("walk/parse.py",), "changed"),
        ("/home/me/walk", ("walk/parse.py", "walk/tree.py"), "unknown"),  # a library of the same name
        ("/some/where/walk", ("/some/where/walk/main.py", "walk/parse.py"), "unknown"),
        ("/some/where/walk", ("/some/where/else/parse.py",), "unknown"),
        ("/some/where/walk", ("/usr/lib/python3.11/parse.py",), "unknown"),
        ("/some/where/walk", ("other/parse.py", "walk/main.py"), "unknown"),
        ("/some/where/walk", ("/some/where/walk/vendor/parse.py",), "unknown"),
    ],
)
def test_top_level_file_is_found_below_the_checkout(root: str, files: tuple[str, ...], state: str) -> None:
    head = "--- a/parse.py\n+++ b/parse.py\n"
    entries = frozenset({"main.py", "parse.py", "untracked.py", "vendor"})
    diff = replace(
        diff_of(BODY, head=head), repository_files=frozenset({"main.py", "parse.py"}), checkout=(root, entries)
    )
    functions = [f"total ({file}:20)" if file.endswith("parse.py") else f"f ({file}:1)" for file in files]
    found = dict(zip(functions, states(comparison(*functions), diff), strict=True))
    assert [found[function] for function in functions if function.startswith("total")] == [state]
