"""The activity above the graph in a real browser: a time range and threads are chosen with pointer and keyboard."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

from e2e.conftest import SCREENS, OpenFile, axe_violations, written_address
from page_trees import page_tree
from profgate.flamegraph.page import build_page
from profgate.flamegraph.page_columns import NamedTree, PageFinding, PageHeader
from profgate.model.timeline import MOST_BINS, Timeline

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.slow

OpenPage = Callable[..., "Page"]

BINS, SCALE = 100, 26  # 100 bins of 67 ms
MAIN, LOAD, PARSE = 1, 2, 3
HOSTILE = '<img src=x onerror="document.title=1">'
FINDING = PageFinding(symbol=2, severity="severe", direction="worse")
HEADER = PageHeader("base → head", "demo", "cpu", "samples", findings=[FINDING])


def side_of(speed: int) -> Timeline:
    """`load` runs in the first half of the main thread, `parse` in the second half, and a worker in all bins."""
    entries = [(LOAD if place < BINS // 2 else PARSE, place, speed * (1 + place)) for place in range(BINS)]
    entries += [(PARSE, MOST_BINS + place, 7) for place in range(BINS)]
    row, cell, value = np.array(sorted(entries), np.int64).T
    return Timeline((BINS << SCALE) - 1, SCALE, ("main", HOSTILE), row, cell, value.reshape(1, -1))


SLOW, FAST = side_of(1), side_of(3)


def timed_tree(before: Timeline | None = SLOW, after: Timeline | None = FAST) -> NamedTree:
    own = [np.zeros(4, np.int64) for _ in range(2)]
    for values, side in zip(own, (SLOW, FAST), strict=True):
        np.add.at(values, side.row, side.values[0])
    rows = np.array([[-1, 0, 1, 1], [-1, 0, 1, 2], *own]).T
    return page_tree(rows, ["main", "load", "parse"], timelines=(before, after))


def total_of(side: Timeline, first: int = 0, last: int = BINS, threads: tuple[int, ...] = (0, 1)) -> int:
    bins, thread = side.cell % MOST_BINS, side.cell // MOST_BINS
    return int(side.values[0][(bins >= first) & (bins < last) & np.isin(thread, threads)].sum())


@pytest.fixture
def open_page(open_file: OpenFile, tmp_path: Path) -> OpenPage:
    def opener(tree: NamedTree | None = None, fragment: str = "", width: int = 1300, **options: Any) -> "Page":
        path = tmp_path / "page.html"
        path.write_text(build_page(tree or timed_tree(), HEADER), encoding="utf-8")
        page = open_file(path, fragment, width=width, **options)
        page.wait_for_selector("canvas[data-painted]", state="attached")
        return page

    return opener


def lane(page: "Page", label: str) -> "Locator":
    return page.get_by_role("region", name=f"Activity {label}")


def brush(page: "Page", label: str, first: int, last: int, *, alone: bool = False) -> None:
    """Drag from the middle of a bin to the middle of another one, with Shift if only this side is limited."""
    plot = lane(page, label).locator(".plot")
    plot.scroll_into_view_if_needed()
    if alone:
        page.keyboard.down("Shift")
    box = plot.bounding_box()
    assert box is not None
    left, bin_width = box["x"] + 1, (box["width"] - 2) / BINS
    page.mouse.move(left + (first + 0.5) * bin_width, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(left + (first + last) / 2 * bin_width, box["y"] + 10)
    page.mouse.move(left + (last - 0.5) * bin_width, box["y"] + 22)
    page.mouse.up()
    page.keyboard.up("Shift")


def shown_totals(page: "Page") -> tuple[int, int]:
    """The totals of the graph, as its text for screen readers shows them."""
    page.locator(".graph").first.focus()
    page.keyboard.press("Home")
    text = page.locator("#item-0").inner_text()
    before, after = text.split("total ")[1].split(" samples, ")[0].replace(",", "").split(" samples → ")
    return int(before), int(after)


def test_a_brush_shows_the_same_share_of_both_sides(open_page: OpenPage) -> None:
    page, (before, after) = open_page(), (side_of(1), side_of(3))
    assert not page.locator("#part").is_visible()
    assert lane(page, "after").locator(".range").inner_text() == "6.71 s wall time"
    assert shown_totals(page) == (total_of(before), total_of(after))
    place = lane(page, "after").bounding_box()
    brush(page, "after", 20, 60)
    assert lane(page, "after").bounding_box() == place
    assert shown_totals(page) == (total_of(before, 20, 60), total_of(after, 20, 60))
    text = "Part shown: before: 1.34–4.03 s of 6.71 s, 2 threads; after: 1.34–4.03 s of 6.71 s, 2 threads. "
    assert page.locator("#part").inner_text().startswith(text + "Findings and totals concern the whole run.")
    assert f"{total_of(after):,} samples" in page.locator(".facts").inner_text()
    page.get_by_role("button", name="Show the whole run").click()
    assert shown_totals(page) == (total_of(before), total_of(after))
    assert "time" not in written_address(page)


def test_the_share_of_a_shorter_recording_is_shorter(open_page: OpenPage) -> None:
    before = side_of(1)
    short = before._replace(scale=SCALE - 1, span=(BINS << (SCALE - 1)) - 1)
    page = open_page(timed_tree(short, side_of(3)))
    brush(page, "after", 20, 60)
    assert "before: 0.67–2.01 s of 3.36 s" in page.locator("#part").inner_text()
    assert shown_totals(page)[0] == total_of(before, 20, 60)


def test_one_limited_side_is_not_compared(open_page: OpenPage) -> None:
    page, (before, after) = open_page(), (side_of(1), side_of(3))
    brush(page, "after", 50, 60, alone=True)
    assert shown_totals(page) == (total_of(before), total_of(after, 50, 60))
    assert "Only one side is limited, so changes have no colours." in page.locator("#part").inner_text()
    assert "(not compared)" in page.locator("#details").inner_text()
    page.keyboard.press("t")
    assert page.locator("td.worse, td.better").count() == 0
    page.get_by_role("tab", name="Blueprint").click()
    boxes = page.locator("#panel-blueprint [role=treeitem]").evaluate_all("all => all.map(box => box.ariaLabel)")
    assert boxes
    assert not [label for label in boxes if "slower" in label or "faster" in label]
    brush(page, "before", 50, 60, alone=True)
    assert shown_totals(page) == (total_of(before, 50, 60), total_of(after, 50, 60))
    assert "Only one side" not in page.locator("#part").inner_text()


def test_an_edge_is_dragged_and_a_click_shows_all(open_page: OpenPage) -> None:
    page, after = open_page(fragment="#view=side&timeAfter=1.34218-4.02653"), side_of(3)
    edge, plot = lane(page, "after").locator(".edge.end").bounding_box(), lane(page, "after").locator(".plot")
    box = plot.bounding_box()
    assert edge is not None
    assert box is not None
    page.mouse.move(edge["x"] + 12, edge["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 1 + (box["width"] - 2) * 0.8, edge["y"] + 20, steps=3)
    page.mouse.up()
    assert shown_totals(page)[1] == total_of(after, 20, 80)
    plot.click(position={"x": 5, "y": 20})
    assert shown_totals(page)[1] == total_of(after)


def test_keys_move_the_edges(open_page: OpenPage) -> None:
    page, after = open_page(), side_of(3)
    start = page.get_by_role("slider", name="After: start of the shown time")
    end = page.get_by_role("slider", name="After: end of the shown time")
    start.focus()
    for key in ("PageUp", "ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    assert (start.get_attribute("aria-valuenow"), start.get_attribute("aria-valuetext")) == ("11", "0.74 s")
    page.keyboard.press("Tab")
    assert end.evaluate("edge => edge === document.activeElement")
    page.keyboard.press("PageDown")
    assert end.get_attribute("aria-valuenow") == "90"
    assert shown_totals(page)[1] == total_of(after, 11, 90)
    end.focus()
    page.keyboard.press("Home")  # the end stays behind the start
    assert end.get_attribute("aria-valuenow") == "12"
    part = "0.74–0.81 s of 6.71 s, 2 threads"
    assert page.locator("#live").inner_text() == f"before: {part}; after: {part}"
    page.keyboard.press("Escape")
    assert shown_totals(page)[1] == total_of(after)
    assert not page.locator("#part").is_visible()


def test_threads_are_chosen_by_name(open_page: OpenPage) -> None:
    page, (before, after) = open_page(), (side_of(1), side_of(3))
    opener = lane(page, "after").get_by_role("button", name="2 threads")
    opener.press("Enter")
    page.get_by_role("checkbox", name="main").press("Space")
    assert lane(page, "after").locator(".opener").inner_text() == "1 of 2 threads"
    page.keyboard.press("Escape")
    assert not page.get_by_role("group", name="Threads after").is_visible()
    assert shown_totals(page) == (total_of(before, threads=(1,)), total_of(after, threads=(1,)))
    assert page.title() == "demo: base → head"
    brush(page, "after", 0, 30)
    assert shown_totals(page)[1] == total_of(after, 0, 30, (1,))
    assert "after: 0.00–2.01 s of 6.71 s, 1 of 2 threads" in page.locator("#part").inner_text()
    lane(page, "after").locator(".opener").click()
    page.get_by_role("button", name="All threads").click()
    assert shown_totals(page)[1] == total_of(after, 0, 30)


def test_the_link_and_the_history_contain_the_part(open_page: OpenPage) -> None:
    page, after = open_page(), side_of(3)
    brush(page, "after", 20, 60)
    written_address(page)
    brush(page, "after", 30, 40)
    link = written_address(page)
    page.go_back()
    assert shown_totals(page)[1] == total_of(after, 20, 60)
    page.go_back()
    assert shown_totals(page)[1] == total_of(after)
    page.go_forward()
    page.go_forward()
    assert shown_totals(page)[1] == total_of(after, 30, 40)
    assert shown_totals(open_page(fragment=link))[1] == total_of(after, 30, 40)


def test_the_part_applies_to_the_table_and_an_empty_part_is_named(open_page: OpenPage) -> None:
    page = open_page(fragment="#view=after&timeAfter=0-0.067109&threadsAfter=main")
    page.keyboard.press("t")
    row = page.locator("#rows tr", has_text="load")
    assert "\t3\t" in row.inner_text()
    none = side_of(3)._replace(cell=side_of(3).cell % MOST_BINS)
    tree = timed_tree(side_of(1), none)
    page = open_page(tree, "#view=after&threadsAfter=" + HOSTILE)
    assert page.locator("#message").inner_text() == "Nothing is left of the after side."


def test_a_page_without_times_has_no_activity(open_page: OpenPage) -> None:
    page = open_page(timed_tree(None, None), "#timeAfter=1-2&threadsBefore=main")
    assert page.locator("#activity, #part").count() == 0
    assert shown_totals(page) == (total_of(side_of(1)), total_of(side_of(3)))


def test_one_timed_side_is_drawn_alone(open_page: OpenPage) -> None:
    page = open_page(timed_tree(None, side_of(3)))
    assert page.locator(".lane").count() == 1
    brush(page, "after", 20, 60)
    text = "Part shown: after: 1.34–4.03 s of 6.71 s, 2 threads. Only one side is limited"
    assert page.locator("#part").inner_text().startswith(text)


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_axe_finds_nothing_and_nothing_is_too_wide(
    open_page: OpenPage, width: int, scheme: Literal["light", "dark"]
) -> None:
    page = open_page(width=width, color_scheme=scheme)
    brush(page, "after", 20, 60)
    lane(page, "after").locator(".opener").click()
    assert axe_violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
