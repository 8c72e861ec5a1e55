"""The evolution blueprint in a real browser, with the network off."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from e2e.conftest import OpenFile, written_address
from page_trees import page_tree
from profgate.flamegraph.page import build_page
from profgate.flamegraph.page_columns import NamedTree, PageFinding, PageHeader, PageSource
from profgate.model.attribution import SourceState, SourceStates
from profgate.model.record import replace

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.slow

HOSTILE = '<img src=x onerror="document.title=1">'
NAMES = ["main", "load", "parse", "render", HOSTILE, "fresh", "vanished", "helper", "leaf"]
STATES: tuple[SourceState, ...] = ("same", "same", "changed", "unknown", "unknown", "added", "removed", "same", "same")
ROWS = [  # parent, symbol, before, after, calls before, calls after
    (0, 0, 0, 0, 1, 1),
    (1, 1, 40, 40, 1, 1),
    (2, 2, 300, 900, 100, 1100),
    (1, 3, 500, 200, 5, 5),
    (4, 4, 80, 60, 5, 5),
    (1, 5, 0, 200, 0, 10),
    (1, 6, 90, 0, 10, 0),
    (4, 7, 100, 0, 7, 0),
    (2, 7, 0, 95, 0, 7),
    (3, 8, 3, 2, 9, 9),
]
SOURCE = PageSource(
    symbol=2,
    origin="pull request",
    paths=("shop/parse.py", "shop/parse.py"),
    hunks=[
        (
            10,
            10,
            [" def parse(line):", "-    return fast(line)", f"+    return slow(line)  # {HOSTILE}", "+    # twice"],
        )
    ],
)
HEADER = PageHeader(
    "base → head",
    "demo",
    "cpu",
    "nanoseconds",
    findings=[PageFinding(symbol=2, severity="severe", direction="worse")],
    sources=[SOURCE],
    blueprint=True,
)

OpenPage = Callable[..., "Page"]


def tree_of(rows: Sequence[tuple[int, ...]], names: Sequence[str] = NAMES, *, counted: bool = True) -> NamedTree:
    """A tree of these rows. Symbols without a name get one, because siblings differ in their symbols."""
    more = range(len(names), max(row[1] for row in rows) + 1)
    all_names = [*names, *(f"branch {symbol}" for symbol in more)]
    states = None
    if names is NAMES:
        count = len(all_names)
        known: tuple[SourceState, ...] = (*STATES, *(STATES[0] for _ in more))
        states = SourceStates(known, (None,) * count, ("https://forge.example/pull/7",) * count)
    return page_tree([row[: 6 if counted else 4] for row in ((-1, -1, 0, 0, 0, 0), *rows)], all_names, source=states)


@pytest.fixture
def open_page(open_file: OpenFile, tmp_path: Path) -> OpenPage:
    def opener(
        tree: NamedTree | None = None, header: PageHeader = HEADER, fragment: str = "#tab=blueprint", **options: Any
    ) -> "Page":
        path = tmp_path / "page.html"
        path.write_text(build_page(tree or tree_of(ROWS), header), encoding="utf-8")
        page = open_file(path, fragment, **options)
        page.wait_for_selector("[data-node='0']", state="attached")
        return page

    return opener


def box(page: "Page", name: str) -> "Locator":
    return page.locator(f'.blueprint [role="treeitem"][aria-label^="{name},"]').first


def kind(page: "Page", name: str) -> set[str]:
    return set((box(page, name).get_attribute("class") or "").split()) - {"box", "selected", "thick"}


def size(page: "Page", name: str) -> tuple[float, float]:
    shape = box(page, name).locator(".shape")
    return float(shape.get_attribute("width") or 0), float(shape.get_attribute("height") or 0)


def frame(page: "Page") -> "Locator":
    return page.locator(".blueprint .frame")


def chosen(page: "Page") -> str:
    return page.locator(".blueprint [aria-selected='true']").get_attribute("aria-label") or ""


def test_every_state_has_colour_and_glyph(open_page: OpenPage) -> None:
    page = open_page()
    frame(page).focus()
    page.keyboard.press("Home")
    page.keyboard.press("a")
    expected = {
        "main": {"unchanged", "leads"},
        "parse": {"slower"},
        "render": {"faster"},
        "fresh": {"added"},
        "vanished": {"removed"},
        "leaf": {"unchanged"},
    }
    assert {name: kind(page, name) for name in expected} == expected
    fill = "e => getComputedStyle(e).fill"
    assert box(page, "parse").locator(".shape").evaluate(fill) == "rgb(178, 24, 43)"
    assert box(page, "render").locator(".shape").evaluate(fill) == "rgb(33, 102, 172)"
    assert (box(page, "parse").locator("text").text_content() or "").startswith("▲‼")
    assert [box(page, name).locator(".edited").count() for name in ("parse", "fresh", "load")] == [1, 1, 0]
    assert "↷" in (box(page, "helper").locator("text").text_content() or "")


def test_keys_move_expand_and_hide(open_page: OpenPage) -> None:
    page = open_page(header=PageHeader("t", "demo", "cpu", "nanoseconds", blueprint=True))
    frame(page).focus()
    assert chosen(page) == "all, unchanged, calls a slower function"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert chosen(page).startswith("load, slower")
    page.keyboard.press("ArrowRight")
    first = chosen(page)
    page.keyboard.press("ArrowLeft")
    assert chosen(page).startswith("load")
    assert first != chosen(page)
    page.keyboard.press("ArrowDown")
    assert chosen(page).startswith("parse")
    assert box(page, "leaf").count() == 0
    assert "thick" in (box(page, "parse").get_attribute("class") or "")
    page.keyboard.press("Enter")
    assert box(page, "leaf").count() == 1
    assert "thick" not in (box(page, "parse").get_attribute("class") or "")
    page.keyboard.press("x")
    assert box(page, "leaf").count() == 0
    page.keyboard.press("Home")
    page.keyboard.press("x")
    assert page.locator(".blueprint [role='treeitem']").count() == 1
    page.keyboard.press("h")
    assert chosen(page).startswith("parse")
    assert page.locator(".blueprint [role='treeitem']").count() == 4
    page.keyboard.press("Home")
    page.keyboard.press("a")
    assert page.locator(".blueprint [role='treeitem']").count() == len(ROWS) + 1
    assert frame(page).get_attribute("aria-activedescendant") == "box-0"


def test_popup_and_lower_pane_show_the_figures(open_page: OpenPage) -> None:
    page = open_page()
    box(page, "parse").locator(".shape").hover()
    popup = page.locator(".blueprint > .tip")
    text = popup.inner_text()
    for words in ("parse", "27.2 %", "60.3 %", "+33.0 pp", "100", "1,100", "+1,000", "its source changed"):
        assert words in text
    assert "finding: severe" in text
    assert "call_context" not in text
    box(page, "parse").locator(".shape").click()
    pane = page.locator(".blueprint .figures").inner_text()
    assert "+599 ns (3.0x)" in pane


def test_the_source_is_shown_as_text(open_page: OpenPage) -> None:
    page = open_page()
    source = page.locator(".blueprint .source")
    assert source.locator("tr.removed code").inner_text() == "    return fast(line)"
    assert source.locator("tr.added code").first.inner_text() == f"    return slow(line)  # {HOSTILE}"
    marks = source.locator("tr:is(.removed, .added) .mark")
    assert set(marks.all_inner_texts()) == {"−", "+"}
    assert [row.strip() for row in source.locator("tr.added .number:nth-child(2)").all_inner_texts()] == ["11", "12"]
    assert page.locator("img").count() == 0
    assert page.title() == "demo: base → head"
    box(page, "render").locator(".shape").click()
    assert source.locator("h2").inner_text() == "Source of parse"  # render has none


def test_print_has_picture_and_figures(open_page: OpenPage) -> None:
    page = open_page()
    box(page, "parse").locator(".shape").click()
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 300, "height": 800})
    assert page.locator(".blueprint .figures .buttons").evaluate_all(
        "found => found.every((one) => getComputedStyle(one).display === 'none')"
    )
    assert page.locator(".blueprint .figures td:last-child").first.is_visible()
    assert page.locator(".blueprint .diff td.line").last.is_visible()
    assert page.evaluate("document.querySelector('.blueprint svg').getBoundingClientRect().right <= innerWidth")


def test_a_link_opens_the_chosen_context(open_page: OpenPage) -> None:
    page = open_page()
    frame(page).focus()
    box(page, "parse").locator(".shape").click()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    fragment = written_address(page)
    assert re.search(r"box=[0-9a-f]{16}\.", fragment)
    again = open_page(fragment=fragment)
    assert chosen(again).startswith("leaf")
    unknown = open_page(fragment="#tab=blueprint&box=0123456789abcdef~nobody")
    assert "nobody is not in this profile" in unknown.locator(".blueprint").inner_text()


def test_the_flame_graph_opens_at_the_box(open_page: OpenPage) -> None:
    page = open_page()
    frame(page).focus()
    box(page, "render").locator(".shape").click()
    page.keyboard.press("g")
    assert page.locator("#panel-graph").is_visible()
    assert page.locator("#details bdi").inner_text() == "render"


def test_zoom_and_pan(open_page: OpenPage) -> None:
    wide = tree_of([(0, 0, 0, 0, 1, 1), *((1, 1, n * 50, n * 90, n, 3 * n) for n in range(1, 41))])
    page = open_page(wide)
    svg = page.locator(".blueprint svg")
    frame(page).focus()
    page.keyboard.press("Home")
    page.keyboard.press("a")
    before = svg.evaluate("e => e.getBoundingClientRect().width")
    page.get_by_role("button", name="Larger (+)").click()
    assert svg.evaluate("e => e.getBoundingClientRect().width") == pytest.approx(before * 1.25, rel=0.01)
    page.get_by_role("button", name="Fit the whole picture (0)").click()
    assert svg.evaluate("e => e.getBoundingClientRect().width") <= frame(page).evaluate("e => e.clientWidth") + 1
    for _ in range(6):
        page.keyboard.press("+")
        page.get_by_role("button", name="Larger (+)").click()
    left = frame(page).evaluate("e => (e.scrollLeft = 200, e.scrollLeft)")
    edge = frame(page).bounding_box()
    assert edge is not None
    page.mouse.move(edge["x"] + 300, edge["y"] + 60)
    page.mouse.down()
    page.mouse.move(edge["x"] + 220, edge["y"] + 60, steps=4)
    page.mouse.up()
    assert frame(page).evaluate("e => e.scrollLeft") == pytest.approx(left + 80, abs=2)


def test_calls_without_stacks_are_estimated(open_page: OpenPage) -> None:
    header = PageHeader("t", "demo", "time", "nanoseconds", estimated=True, blueprint=True)
    page = open_page(header=header)
    assert "Estimated from edges" in page.locator("#panel-blueprint").inner_text()
    assert "This call path, estimated" in page.locator("#panel-blueprint").inner_text()
    assert page.get_by_role("tab").all_inner_texts() == ["Table", "Blueprint"]


TWICE = [  # `parse` is called by `load` and by `render`; 60 wide branches separate its boxes
    (0, 0, 0, 0, 1, 1),
    (1, 1, 40, 40, 1, 1),
    (2, 2, 300, 900, 100, 1100),
    *((1, len(NAMES) + branch, 100, 200, 1, 9) for branch in range(60)),
    (1, 3, 50, 90, 5, 5),
    (64, 2, 200, 500, 90, 900),
]


def is_centred(page: "Page", name: str) -> bool:
    """Whether the selected box has this name and is in the visible part of the frame."""
    inside = """e => {
      const [box, frame] = [e.getBoundingClientRect(), e.closest('.frame').getBoundingClientRect()];
      return box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= innerHeight;
    }"""
    selected = page.locator(".blueprint [aria-selected='true']")
    return chosen(page).startswith(f"{name},") and bool(selected.locator(".shape").evaluate(inside))


def test_cause_opens_its_box_and_the_next_one(open_page: OpenPage) -> None:
    page = open_page(tree_of(TWICE))
    frame(page).focus()
    page.keyboard.press("Home")
    frame(page).evaluate("e => (e.scrollLeft = 0)")
    cause = page.locator("#findings button").first
    cause.click()
    assert page.locator("#panel-blueprint").is_visible()
    first = page.locator(".blueprint [aria-selected='true']").get_attribute("data-node")
    assert is_centred(page, "parse")
    assert page.locator(".blueprint .halos .same").count() == 1
    assert "parse has 2 boxes" in page.locator(".blueprint").inner_text()
    assert "All calls 0.50 → 1.40 µs (2.8x)" in page.locator(".blueprint .figures").inner_text()
    written_address(page)
    cause.click()
    assert page.locator(".blueprint [aria-selected='true']").get_attribute("data-node") != first
    assert is_centred(page, "parse")
    written_address(page)
    page.go_back()
    page.wait_for_function(f"document.querySelector('.blueprint .selected').dataset.node === '{first}'")
    assert is_centred(page, "parse")


@pytest.mark.parametrize("width", [1280, 1440])
def test_finding_and_legend_are_in_the_first_screen(open_page: OpenPage, width: int) -> None:
    names = ["main", "load", "a_long_name_of_a_function_that_labels_must_not_cut", *NAMES[3:]]
    header = replace(HEADER, estimated=True)
    page = open_page(tree_of(TWICE, names), header, "#tab=blueprint", width=width)
    assert is_centred(page, names[2])
    label = page.locator(".blueprint .selected text")
    assert (label.text_content() or "").endswith(names[2])
    sizes = [
        float(
            page.locator(f".blueprint .box{kind} text").first.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
        )
        for kind in (".selected", ":not(.selected):not(.same)")
    ]
    assert sizes[0] > sizes[1]
    assert page.locator(".blueprint .legend").evaluate("e => e.getBoundingClientRect().bottom <= innerHeight")
    assert "call paths are shown" in page.locator(".blueprint .count").inner_text()
