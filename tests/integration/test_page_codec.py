"""The page's own script reads what Python wrote, on random trees with every optional column."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from profgate.flamegraph.page_columns import (
    OTHER_NAME,
    OrderedTree,
    PageFinding,
    PageHeader,
    PageSource,
    PageTree,
    cut_tree,
    order_tree,
)
from profgate.flamegraph.page_encoding import encode_page
from profgate.model.attribution import SOURCE_STATES, SourceStates

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")
SCRIPT = Path(__file__).parents[1] / "js" / "decode_page.mjs"
SYMBOLS = 30
HOSTILE = "</script>\ud800;\u2028"


def random_tree(seed: int, *, optional: bool) -> PageTree:
    random = np.random.default_rng(seed)
    names = [f"f{number:02}" for number in random.permutation(SYMBOLS)]
    names[3] = HOSTILE
    seen: dict[tuple[int, int], None] = {}
    while len(seen) < 250:
        seen.setdefault((int(random.integers(0, len(seen) + 1)), int(random.integers(0, SYMBOLS))))
    parent, symbol = (np.array([-1, *column], np.int32) for column in zip(*seen, strict=True))
    before, after, calls_before, calls_after = random.integers(0, 2**40, (4, 251)) * random.integers(0, 2, (4, 251))
    files = [f"src/{number % 4}.py" if number % 3 else None for number in range(SYMBOLS)]
    lines = [number * 7 if number % 2 else None for number in range(SYMBOLS)]
    if not optional:
        return PageTree(parent, symbol, before, after, names, files, lines)
    source = SourceStates(
        states=tuple(SOURCE_STATES[number % len(SOURCE_STATES)] for number in range(SYMBOLS)),
        paths=tuple(f"a/{number % 5}.py" if number % 4 else None for number in range(SYMBOLS)),
        links=tuple(f"https://forge.example/{number % 6}" if number % 5 else None for number in range(SYMBOLS)),
    )
    evidence = random.integers(0, 2, (2, 251)).astype(np.bool_)
    return PageTree(parent, symbol, before, after, names, files, lines, calls_before, calls_after, evidence, source)


def decoded(tree: PageTree, ordered: OrderedTree, header: PageHeader) -> tuple[dict[str, Any], dict[str, Any]]:
    page = encode_page(tree, ordered, header, None)
    assert NODE is not None
    given = json.dumps({"header": page.header, "data": page.data})
    run = subprocess.run([NODE, SCRIPT], input=given.encode(), capture_output=True, check=True, timeout=60)
    return json.loads(run.stdout), page.header


def by_symbol(columns: dict[str, Any], values: list[Any]) -> list[Any]:
    return [values[symbol] if symbol >= 0 else None for symbol in columns["symbol"]]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("threshold", [0.0, 0.02])
def test_column_round_trip(seed: int, threshold: float) -> None:
    tree = random_tree(seed, optional=True)
    whole = order_tree(tree)
    ordered = cut_tree(whole, threshold, {3}) if threshold else whole
    columns, header = decoded(tree, ordered, PageHeader("t", "w", "m", "ns"))
    divisor = header["g"]
    other = ordered.name == OTHER_NAME
    assert columns["totalBefore"] is columns["totalAfter"] is None  # the sums over the call paths are exact
    assert columns["parent"] == ordered.parent.tolist()
    assert columns["end"] == ordered.end.tolist()
    assert [value * divisor for value in columns["beforeSelf"]] == ordered.before_self.tolist()
    assert [value * divisor for value in columns["afterSelf"]] == ordered.after_self.tolist()
    assert tree.baseline_calls is not None
    assert tree.target_calls is not None
    assert tree.evidence is not None
    assert columns["callsBefore"] == np.where(other, 0, tree.baseline_calls[ordered.row]).tolist()
    assert columns["callsAfter"] == np.where(other, 0, tree.target_calls[ordered.row]).tolist()
    assert columns["evidence"] == (tree.evidence[0][ordered.row] & ~other).tolist()
    assert columns["evidenceSelf"] == (tree.evidence[1][ordered.row] & ~other).tolist()
    name = ordered.name.tolist()
    assert tree.source is not None
    for given, texts, places in (
        (tree.source.paths, "paths", "pathOf"),
        (tree.source.links, "links", "linkOf"),
    ):
        shown = [columns[texts][place - 1] if place else None for place in columns[places]]
        assert by_symbol(columns, shown) == [given[symbol] if symbol >= 0 else None for symbol in name]
    states = by_symbol(columns, columns["sources"])
    assert states == [tree.source.states[symbol] if symbol >= 0 else None for symbol in name]


def test_unknown_values_are_null() -> None:
    tree = random_tree(5, optional=False)
    columns, _ = decoded(tree, order_tree(tree), PageHeader("t", "w", "m", "ns"))
    assert (columns["callsBefore"], columns["evidence"], columns["sources"]) == (None, None, None)
    assert "?;\u2028" in "".join(columns["names"])


def test_findings_and_sources_have_their_functions() -> None:
    tree = random_tree(6, optional=True)
    ordered = order_tree(tree)
    finding = PageFinding(symbol=3, severity="severe", direction="worse", strategies=["ctx"], rows=[7, 200])
    source = PageSource(symbol=3, origin="folders", paths=("a.py", "b.py"), hunks=[(1, 2, ["-a", "+<b>"])])
    columns, header = decoded(tree, ordered, PageHeader("t", "w", "m", "ns", findings=[finding], sources=[source]))
    (message,) = header["findings"]
    assert sorted(ordered.row[message["rows"]].tolist()) == [7, 200]
    assert columns["names"][message["symbol"]] == HOSTILE.replace("\ud800", "?")
    ((symbol, shown),) = columns["sourceDiffs"]
    assert symbol == message["symbol"]
    assert shown["hunks"] == [[1, 2, ["-a", "+<b>"]]]


def test_only_web_links_are_stored() -> None:
    tree = random_tree(7, optional=True)
    assert tree.source is not None
    hostile = replace(tree.source, links=("javascript:alert(1)",) * SYMBOLS)
    columns, _ = decoded(replace(tree, source=hostile), order_tree(tree), PageHeader("t", "w", "m", "ns"))
    assert columns["links"] == []


def test_estimated_tree_has_the_exact_totals_of_functions() -> None:
    tree = random_tree(1, optional=False)
    totals = np.arange(2 * SYMBOLS).reshape(2, SYMBOLS)
    estimated = replace(tree, symbol_totals=totals)
    columns, header = decoded(estimated, order_tree(estimated), PageHeader("t", "w", "m", "ns"))
    places = [tree.names.index(name.replace("?", "\ud800")) for name in columns["names"]]
    for key, line in (("totalBefore", totals[0]), ("totalAfter", totals[1])):
        assert [value * header["g"] for value in columns[key]] == line[places].tolist()
