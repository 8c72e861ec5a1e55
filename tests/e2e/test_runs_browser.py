"""The dots of single runs in a real browser, with the network off."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from e2e.conftest import SCREENS, OpenFile, axe_violations
from page_trees import page_tree
from profgate.flamegraph.page import build_page
from profgate.flamegraph.page_columns import PageFinding, PageHeader
from profgate.flamegraph.page_runs import INCLUSIVE, OWN, TOTAL, PageRuns
from profgate.model.record import replace

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAMES = ["main", "work", "rest", "small"]
ROWS = [(-1, -1, 0, 0), (0, 0, 0, 0), (1, 1, 300, 900), (1, 2, 500, 510), (1, 3, 3, 3)]
EVIDENCE = "chance does this in at most 1 of 10 comparisons"
RUNS = PageRuns(
    shown=[0, 3, 2],
    all=[0, 3, 2],
    factors=(0.9, 1.1),
    reasons="another machine",
    waiting=False,
    rows=[
        [-1, TOTAL, 0, 800, 810, 799, 1400, 1410],
        [1, OWN, 0, 300, 310, 305, 880, 900],
        [1, INCLUSIVE, 0, 301, 311, 306, 881, 901],
        [2, OWN, 0, 500, 503, 505, 520, 511],
    ],
)
HEADER = PageHeader(
    "base → head",
    "demo",
    "cpu",
    "samples",
    runs=(3, 2),
    findings=[PageFinding(symbol=1, severity="severe", direction="worse", judged="self", reasons=EVIDENCE)],
    single_runs=RUNS,
)

OpenPage = Callable[..., "Page"]


@pytest.fixture
def open_page(open_file: OpenFile, tmp_path: Path) -> OpenPage:
    def opener(header: PageHeader = HEADER, fragment: str = "", **options: Any) -> "Page":
        path = tmp_path / "page.html"
        path.write_text(build_page(page_tree(ROWS, NAMES), header), encoding="utf-8")
        page = open_file(path, fragment, **options)
        page.wait_for_selector(".runs-box > *", state="attached")
        return page

    return opener


def alternative(page: "Page", within: str = ".bottom") -> str:
    return page.locator(f"{within} .dots").get_attribute("aria-label") or ""


def in_window(page: "Page", selector: str) -> bool:
    inside = "e => { const r = e.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight; }"
    return bool(page.locator(selector).evaluate(inside))


def test_runs_are_seen_at_once_and_without_a_selection_of_the_total(open_page: OpenPage) -> None:
    page = open_page()
    assert in_window(page, ".bottom .runs")
    assert alternative(page).startswith("All calls: self cost of each run.")
    page.keyboard.press("Escape")
    assert in_window(page, ".bottom .runs")
    assert page.locator(".bottom .before circle").count() == 3
    assert page.locator(".bottom .after circle").count() == 2
    assert alternative(page) == (
        "Total of each run. Before: 3 runs, minimum 799 samples, mean 803 samples, maximum 810 samples. "
        "After: 2 runs, minimum 1,400 samples, mean 1,405 samples, maximum 1,410 samples."
    )
    assert page.locator(".bottom .runs").inner_text().endswith("Another machine.")


def test_selected_function_shows_its_runs_and_evidence(open_page: OpenPage) -> None:
    page = open_page()
    height = page.locator(".bottom").evaluate("e => e.offsetHeight")
    page.locator("#findings button").first.click()
    assert alternative(page).startswith("All calls: self cost of each run. Before: 3 runs, minimum 300 samples")
    caption = page.locator(".bottom figcaption").inner_text()
    assert f"{EVIDENCE[0].upper()}{EVIDENCE[1:]}. Values as recorded; the verdict corrects each run for" in caption
    assert page.locator(".bottom .after circle").last.get_attribute("cx") == "100.00%"
    assert page.locator(".bottom").evaluate("e => e.offsetHeight") == height


def test_page_without_runs_has_no_empty_box(open_file: OpenFile, tmp_path: Path) -> None:
    tree = page_tree(ROWS, NAMES)
    path = tmp_path / "page.html"
    path.write_text(build_page(tree, replace(HEADER, single_runs=None)), encoding="utf-8")
    page = open_file(path)
    page.wait_for_selector("#details b")
    assert page.locator(".runs-box, .runs").count() == 0


def test_runs_are_reached_by_keyboard(open_page: OpenPage) -> None:
    page = open_page()
    page.locator(".graph").last.focus()
    page.keyboard.press("Tab")
    for _ in range(3):
        if page.evaluate("document.activeElement.className") == "dots":
            break
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "dots"


def test_blueprint_shows_the_runs_of_the_selected_box(open_page: OpenPage) -> None:
    page = open_page(replace(HEADER, estimated=True, blueprint=True), "#tab=blueprint")
    assert alternative(page, ".figures").startswith("All calls: self cost of each run.")
    assert in_window(page, ".figures .runs")
    page.locator(".blueprint .frame").focus()
    page.keyboard.press("Home")
    assert alternative(page, ".figures").startswith("Total of each run.")


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_axe_finds_nothing_and_nothing_is_too_wide(
    open_page: OpenPage, width: int, scheme: Literal["light", "dark"]
) -> None:
    earlier = PageRuns(shown=[1, 2, 2], all=[80, 2, 2], factors=(1.0, 1.0), reasons="", waiting=True, rows=RUNS["rows"])
    for fragment in ("", "#tab=blueprint"):
        page = open_page(
            replace(HEADER, single_runs=earlier, blueprint=True), fragment, width=width, color_scheme=scheme
        )
        assert page.locator(".runs .earlier:visible circle").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert axe_violations(page) == []
