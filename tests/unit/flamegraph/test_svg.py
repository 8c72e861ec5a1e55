import xml.etree.ElementTree as ET

import pytest

from page_trees import page_tree
from profgate.flamegraph.page_columns import NamedTree, PageHeader
from profgate.flamegraph.svg import build_svg

HEADER = PageHeader("base → head", "demo", "cpu", "samples")
SVG = "{http://www.w3.org/2000/svg}"


def tree(values: list[tuple[int, int]], names: list[str] | None = None, parents: list[int] | None = None) -> NamedTree:
    parent = parents or [0] * len(values)
    rows = [(-1, -1, 0, 0), *((parent[row], row, *sides) for row, sides in enumerate(values))]
    return page_tree(rows, names or [f"f{row}" for row in range(len(values))])


def boxes(text: str) -> dict[str, tuple[float, str]]:
    """Width and colour of each box by the name in its title."""
    found = {}
    for group in ET.fromstring(text).iter(f"{SVG}g"):  # noqa: S314 -- our own output
        title, rect = group.find(f"{SVG}title"), group.find(f"{SVG}rect")
        assert title is not None
        assert rect is not None
        found[(title.text or "").partition(": ")[0]] = (float(rect.get("width", "0")), rect.get("fill", ""))
    return found


def test_more_is_red_and_less_is_blue() -> None:
    found = boxes(build_svg(tree([(10000, 20000), (20000, 10000), (100, 100)]), HEADER))
    assert {name: colour for name, (_, colour) in found.items()} == {
        "all": "rgb(255,255,255)",
        "f0": "rgb(255,0,0)",
        "f1": "rgb(0,0,255)",
        "f2": "rgb(255,255,255)",
    }


def test_new_and_vanished_have_glyph_and_pattern() -> None:
    text = build_svg(tree([(0, 500), (100, 500)]), HEADER)
    assert "+ f0" in text
    assert 'fill="url(#pg-new)"' in text
    gone = build_svg(tree([(500, 0)]), HEADER)
    assert "× f0" in gone
    assert "width = before" in gone


@pytest.mark.parametrize("values", [[], [(0, 0)], [(0, 5)], [(5, 0)], [(7, 7)]])
def test_empty_sides_have_a_picture(values: list[tuple[int, int]]) -> None:
    ET.fromstring(build_svg(tree(values), HEADER))  # noqa: S314 -- our own output


def test_hostile_names_are_text() -> None:
    name = '</title><script>alert("x")</script>\x00\x1b\ud800&'
    text = build_svg(tree([(1, 1)], [name]), HEADER)
    assert "<script" not in text
    assert any(found.startswith("</title><script>") for found in boxes(text))
