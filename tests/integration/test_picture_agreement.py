"""The static picture has the widths and colours of flamegraph.pl."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from page_trees import page_tree
from profgate.flamegraph.folded_export import two_column_folded
from profgate.flamegraph.page_columns import NamedTree, PageHeader
from profgate.flamegraph.svg import build_svg

FLAMEGRAPH = shutil.which("flamegraph.pl")
SVG = "{http://www.w3.org/2000/svg}"
Boxes = dict[str, tuple[float, str]]


def random_tree(seed: int) -> NamedTree:
    """Every path has a name of its own, so that boxes are found by it."""
    random = np.random.default_rng(seed)
    rows = 60
    parent = [-1, *(int(random.integers(0, row)) for row in range(1, rows + 1))]
    before, after = random.integers(0, 2000, (2, rows + 1)) * random.integers(0, 2, (2, rows + 1))
    before[0] = after[0] = 0
    columns = np.array([parent, range(-1, rows), before, after]).T
    return page_tree(columns, [f"f{row:02}" for row in range(rows)])


def by_rule_of_flamegraph_pl(lines: list[str]) -> Boxes:
    """Widths and colours as flamegraph.pl documents and computes them from two-column folded lines.

    1,200 pixels with 10 on either side; a box as wide as the after values below it; its colour by the difference of the
    lines that end in it, linear in the largest difference of one line, at least 1.
    """
    after: dict[tuple[str, ...], int] = {}
    delta: dict[tuple[str, ...], int] = {}
    for line in lines:
        stack, first, second = line.rsplit(" ", 2)
        path = tuple(stack.split(";"))
        delta[path] = delta.get(path, 0) + int(second) - int(first)
        for depth in range(len(path) + 1):
            after[path[:depth]] = after.get(path[:depth], 0) + int(second)
    largest = max(1, *(abs(change) for change in delta.values()))
    scale = (1200 - 2 * 10) / after[()]
    found: Boxes = {}
    for path, value in after.items():
        change = delta.get(path, 0)
        pale = int(210 * (largest - abs(change)) / largest)
        rgb = (255, pale, pale) if change > 0 else (pale, pale, 255) if change < 0 else (255, 255, 255)
        found[path[-1] if path else "all"] = (value * scale, "rgb({},{},{})".format(*rgb))
    return found


def drawn(text: str, attribute: str) -> Boxes:
    found = {}
    for group in ET.fromstring(text).iter(f"{SVG}g"):  # noqa: S314 -- drawn here
        title, rect = group.find(f"{SVG}title"), group.find(f"{SVG}rect")
        if title is not None and rect is not None:
            name = re.split(r"[:(]", title.text or "")[0].strip()
            found[name] = (float(rect.get("width", "0")), rect.get(attribute, "").replace(" ", ""))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_picture_equals_the_rules_of_flamegraph_pl(seed: int) -> None:
    tree = random_tree(seed)
    text = build_svg(tree, PageHeader("t", "w", "m", "samples"))
    expected = by_rule_of_flamegraph_pl(two_column_folded(tree.tree, tree.names)[0].splitlines())
    found = drawn(text, "fill")
    assert len(found) > 30
    for name, (width, colour) in found.items():
        assert width == pytest.approx(expected[name][0], abs=0.56), name  # boxes have a gap of half a pixel
        assert colour == expected[name][1], name
    wide = {name for name, (width, _) in expected.items() if width >= 0.5}
    assert set(found) == wide


@pytest.mark.skipif(FLAMEGRAPH is None, reason="flamegraph.pl is not installed")
def test_picture_equals_the_output_of_flamegraph_pl() -> None:
    assert FLAMEGRAPH is not None
    tree = random_tree(9)
    lines = two_column_folded(tree.tree, tree.names)[0]
    run = subprocess.run([FLAMEGRAPH], input=lines, capture_output=True, text=True, check=True, timeout=60)
    theirs = drawn(run.stdout, "fill")
    for name, (width, colour) in drawn(build_svg(tree, PageHeader("t", "w", "m", "samples")), "fill").items():
        assert width == pytest.approx(theirs[name][0], abs=0.65), name
        assert colour == theirs[name][1], name
