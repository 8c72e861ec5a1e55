"""The page's own script reads what Python wrote, on random trees with every optional column."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from page_trees import page_tree
from profgate.flamegraph.page_columns import (
    SOURCE_STATES,
    CutTree,
    NamedTree,
    PageFinding,
    PageHeader,
    PageSource,
    cut_tree,
    encode_page,
    packed,
    uncut,
)
from profgate.model.attribution import SourceStates
from profgate.model.record import replace

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")
SCRIPT = Path(__file__).parents[1] / "js" / "decode_page.mjs"
SYMBOLS = 30
HOSTILE = "</script>\ud800;\u2028"


def random_tree(seed: int, *, optional: bool) -> NamedTree:
    random = np.random.default_rng(seed)
    names = [f"f{number:02}" for number in random.permutation(SYMBOLS)]
    names[3] = HOSTILE
    seen: dict[tuple[int, int], None] = {}
    while len(seen) < 250:
        seen.setdefault((int(random.integers(0, len(seen) + 1)), int(random.integers(0, SYMBOLS))))
    values = random.integers(0, 2**40, (4, 251)) * random.integers(0, 2, (4, 251))
    rows = np.concatenate([np.array([(-1, -1), *seen], np.int64), values.T], axis=1)
    files = [f"src/{number % 4}.py" if number % 3 else None for number in range(SYMBOLS)]
    lines = [number * 7 if number % 2 else None for number in range(SYMBOLS)]
    if not optional:
        return page_tree(rows[:, :4], names, files=files, lines=lines)
    source = SourceStates(
        states=tuple(SOURCE_STATES[number % len(SOURCE_STATES)] for number in range(SYMBOLS)),
        paths=tuple(f"a/{number % 5}.py" if number % 4 else None for number in range(SYMBOLS)),
        links=tuple(f"https://forge.example/{number % 6}" if number % 5 else None for number in range(SYMBOLS)),
    )
    evidence = random.integers(0, 2, (2, 251)).astype(np.bool_)
    return page_tree(rows, names, evidence=evidence, files=files, lines=lines, source=source)


def decoded(tree: NamedTree, shown: CutTree, header: PageHeader) -> tuple[dict[str, Any], dict[str, Any]]:
    stated, columns = encode_page(tree, shown, header, None)
    assert NODE is not None
    given = json.dumps({"header": stated, "data": packed(columns)})
    run = subprocess.run([NODE, SCRIPT], input=given.encode(), capture_output=True, check=True, timeout=60)
    return json.loads(run.stdout), stated


def by_symbol(columns: dict[str, Any], values: list[Any]) -> list[Any]:
    return [values[symbol] if symbol >= 0 else None for symbol in columns["symbol"]]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("threshold", [0.0, 0.02])
def test_column_round_trip(seed: int, threshold: float) -> None:
    tree = random_tree(seed, optional=True)
    cut = cut_tree(tree.tree, threshold, {3}) if threshold else uncut(tree.tree)
    columns, header = decoded(tree, cut, PageHeader("t", "w", "m", "ns"))
    divisor, shown = header["g"], cut.tree
    assert columns["totalBefore"] is columns["totalAfter"] is None  # the sums over the call paths are exact
    for key, values in (
        ("parent", shown.parent),
        ("end", shown.end),
        ("callsBefore", shown.baseline_calls),
        ("callsAfter", shown.target_calls),
    ):
        assert values is not None
        assert columns[key] == values.tolist()
    assert [value * divisor for value in columns["beforeSelf"]] == shown.baseline_self.tolist()
    assert [value * divisor for value in columns["afterSelf"]] == shown.target_self.tolist()
    assert shown.evidence is not None
    assert [columns["evidence"], columns["evidenceSelf"]] == shown.evidence.tolist()
    name = shown.symbol.tolist()
    assert tree.source is not None
    by_number = [columns["links"][place - 1] if place else None for place in columns["linkOf"]]
    assert by_symbol(columns, by_number) == [tree.source.links[symbol] if symbol >= 0 else None for symbol in name]
    states = by_symbol(columns, columns["sources"])
    assert states == [tree.source.states[symbol] if symbol >= 0 else None for symbol in name]


def test_findings_and_sources_have_their_functions() -> None:
    tree = random_tree(6, optional=True)
    finding = PageFinding(symbol=3, severity="severe", direction="worse", rows=[7, 200])
    source = PageSource(symbol=3, origin="folders", paths=("a.py", "b.py"), hunks=[(1, 2, ["-a", "+<b>"])])
    columns, header = decoded(
        tree, uncut(tree.tree), PageHeader("t", "w", "m", "ns", findings=[finding], sources=[source])
    )
    (message,) = header["findings"]
    assert message["rows"] == [7, 200]
    assert columns["names"][message["symbol"]] == HOSTILE.replace("\ud800", "?")
    ((symbol, shown),) = columns["sourceDiffs"]
    assert symbol == message["symbol"]
    assert shown["hunks"] == [[1, 2, ["-a", "+<b>"]]]


def test_only_web_links_are_stored() -> None:
    tree = random_tree(7, optional=True)
    assert tree.source is not None
    hostile = replace(tree.source, links=("javascript:alert(1)",) * SYMBOLS)
    columns, _ = decoded(replace(tree, source=hostile), uncut(tree.tree), PageHeader("t", "w", "m", "ns"))
    assert columns["links"] == []


def test_estimated_tree_has_the_exact_totals_of_functions() -> None:
    tree = random_tree(1, optional=False)
    totals = np.arange(2 * SYMBOLS).reshape(2, SYMBOLS)
    estimated = replace(tree, symbol_totals=totals)
    columns, header = decoded(estimated, uncut(estimated.tree), PageHeader("t", "w", "m", "ns"))
    places = [tree.names.index(name.replace("?", "\ud800")) for name in columns["names"]]
    for key, line in (("totalBefore", totals[0]), ("totalAfter", totals[1])):
        assert [value * header["g"] for value in columns[key]] == line[places].tolist()
