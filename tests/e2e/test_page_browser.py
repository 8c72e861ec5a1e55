"""The page in a real browser, with the network off."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest

from profgate.report.page import build_page
from profgate.report.page_columns import PageFinding, PageHeader, PageTree

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HOSTILE = '<img src=x onerror="document.title=1">'
FUNCTIONS = ["main", "load", "parse", "render", HOSTILE, "fresh", "vanished", "a;b"]
STACKS = [
    (0, 0, 0, 0),
    (1, 1, 40, 40),
    (2, 2, 300, 900),
    (1, 3, 500, 500),
    (4, 4, 80, 60),
    (1, 5, 0, 200),
    (1, 6, 90, 0),
]
HEADER = PageHeader(
    "base → head",
    "demo",
    "cpu",
    "samples",
    findings=[PageFinding(symbol=2, severity="severe", direction="worse")],
    notes=["The runner changed."],
)

OpenPage = Callable[..., "Page"]


def tree_of(rows: list[tuple[int, int, int, int]], names: list[str]) -> PageTree:
    columns = np.array([(-1, -1, 0, 0), *rows], np.int64).T
    return PageTree(columns[0].astype(np.int32), columns[1].astype(np.int32), columns[2], columns[3], names)


DEMO = tree_of(STACKS, FUNCTIONS)


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture
def open_page(browser: "Browser", tmp_path: Path) -> Iterator[OpenPage]:
    opened = []
    told: list[str] = []

    def opener(
        tree: PageTree = DEMO,
        header: PageHeader = HEADER,
        fragment: str = "",
        width: int = 1080,
        *,
        java_script_enabled: bool = True,
        color_scheme: Literal["light", "dark"] = "light",
    ) -> "Page":
        path = tmp_path / "page.html"
        path.write_text(build_page(tree, header), encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            offline=True,
            java_script_enabled=java_script_enabled,
            color_scheme=color_scheme,
        )
        opened.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: told.append(f"error: {error}"))
        page.on("console", lambda message: told.append(f"console: {message.text}"))
        page.on("request", lambda request: told.append(request.url) if request.url != path.as_uri() else None)
        page.goto(path.as_uri() + fragment)
        return page

    yield opener
    for context in opened:
        context.close()
    assert told == [], "the page fetched something, or said something on the console"


def painted(page: "Page", view: str = "after") -> "Page":
    page.wait_for_selector(f'canvas[data-painted="{view}"]', state="attached")
    return page


def colours(page: "Page") -> set[tuple[int, int, int]]:
    """The colours of the canvas that cover at least a little of it."""
    counts = page.evaluate(
        """() => {
          const canvas = document.querySelector(".pane canvas");
          const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
          const counts = {};
          for (let i = 0; i < data.length; i += 4) {
            const key = `${data[i]},${data[i + 1]},${data[i + 2]}`;
            counts[key] = (counts[key] ?? 0) + 1;
          }
          return counts;
        }"""
    )
    found = set()
    for key, count in counts.items():
        if count > 300:
            red, green, blue = map(int, key.split(","))
            found.add((red, green, blue))
    return found


def test_the_page_opens_without_network_and_shows_the_facts(open_page: OpenPage) -> None:
    page = painted(open_page())
    assert page.get_by_role("heading", level=1).inner_text() == "demo"
    facts = page.locator(".facts").inner_text()
    assert "1\u202f010 samples" in facts
    assert "1\u202f700 samples" in facts
    assert page.locator("#static").count() == 0
    assert page.get_by_text("The runner changed.").is_visible()
    assert page.title() == "demo: base → head"


def test_the_canvas_has_the_size_of_what_is_visible(open_page: OpenPage) -> None:
    deep = tree_of([(row, row % 8, 1, 2) for row in range(3000)], FUNCTIONS)
    page = painted(open_page(deep))
    assert page.evaluate("document.querySelector('.pane canvas').height") < 800
    assert page.evaluate("document.querySelector('.spacer').offsetHeight") > 50_000
    page.locator(".graph").first.focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    assert page.locator("#item-0").get_attribute("aria-level") == "4"


def test_keys_walk_zoom_and_change_the_view(open_page: OpenPage) -> None:
    page = painted(open_page())
    page.locator(".graph").first.focus()
    item = page.locator("#item-0")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert item.inner_text().startswith("load;")
    page.keyboard.press("Enter")
    assert page.locator("#trail [aria-current]").inner_text() == "load"
    page.keyboard.press("ArrowDown")
    assert "finding: severe, worse" in item.inner_text()
    assert "300 samples → 900 samples, +600 samples (+200.00 %)" in item.inner_text()
    page.keyboard.press("Enter")
    page.keyboard.press("Backspace")
    assert page.locator("#trail [aria-current]").inner_text() == "load"
    page.keyboard.press("Escape")
    assert page.locator("#trail [aria-current]").inner_text() == "all"
    for key, view in zip("2345", ("before", "union", "diff", "elided"), strict=True):
        page.keyboard.press(key)
        painted(page, view)
        assert page.locator(f'#views input[value="{view}"]').is_checked()
    page.keyboard.press("i")
    assert page.locator("#flip").is_checked()
    page.keyboard.press("t")
    assert page.locator("#rows").is_visible()


def test_siblings_are_reached_and_told(open_page: OpenPage) -> None:
    page = painted(open_page())
    page.locator(".graph").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    item = page.locator("#item-0")
    assert [item.get_attribute(f"aria-{name}") for name in ("level", "posinset", "setsize")] == ["3", "2", "3"]
    page.keyboard.press("ArrowRight")
    assert item.inner_text().startswith("render;")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert item.inner_text().startswith("fresh;")
    assert "new" in item.inner_text()


def test_search_tells_both_shares_and_takes_no_keys(open_page: OpenPage) -> None:
    page = painted(open_page())
    page.keyboard.press("/")
    page.keyboard.type("pars2i")
    assert not page.locator("#flip").is_checked()
    page.locator("#query").fill("PARSE")
    assert page.locator("#matched").inner_text() == "1 frame matches: 29.70 % of before, 52.94 % of after"
    page.locator("#query").press("Enter")
    assert page.locator("#item-0").inner_text().startswith("parse;")
    page.locator("#query").fill("(")
    page.locator("#regex").click()
    assert "not a pattern" in page.locator("#matched").inner_text()


def test_the_link_opens_what_was_shown(open_page: OpenPage) -> None:
    page = painted(open_page())
    page.get_by_role("button", name=re.compile("parse.*severe", re.DOTALL)).click()
    page.locator("#compare-open").click()
    page.get_by_role("radio", name="Equal totals").check()
    page.keyboard.press("3")
    fragment = page.evaluate("location.hash")
    again = painted(open_page(fragment=fragment), "union")
    assert again.locator("#trail [aria-current]").inner_text() == "parse"
    assert again.locator('#norms input[value="total"]').is_checked()


def test_a_frame_is_opened_by_its_name(open_page: OpenPage) -> None:
    page = painted(open_page(fragment="#frame=parse"))
    assert page.locator("#trail [aria-current]").inner_text() == "parse"
    vanished = painted(open_page(fragment="#frame=vanished"), "union")
    assert vanished.locator("#trail [aria-current]").inner_text() == "vanished"
    unknown = painted(open_page(fragment="#frame=nobody"))
    assert "nobody is not in this profile" in unknown.locator("#message").inner_text()


def test_hovering_and_clicking_find_the_right_box(open_page: OpenPage) -> None:
    page = painted(open_page())
    edge = page.locator(".graph").first.bounding_box()
    assert edge is not None
    page.mouse.move(edge["x"] + edge["width"] * 0.4, edge["y"] + 19 * 3 + 9)
    tip = page.locator("#tip")
    assert "parse" in tip.inner_text()
    assert "86.96 % of the whole change" in tip.inner_text()
    page.mouse.click(edge["x"] + edge["width"] * 0.4, edge["y"] + 19 * 3 + 9)
    assert page.locator("#trail [aria-current]").inner_text() == "parse"


def test_the_table_sorts_filters_and_pivots(open_page: OpenPage) -> None:
    page = painted(open_page())
    page.get_by_role("tab", name="Functions").click()
    page.get_by_role("button", name="After", exact=True).click()
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"
    assert page.locator("#rows th").first.inner_text() == "main"
    page.locator("#filter").fill("parse")
    assert page.locator("#rows tr").count() == 1
    page.get_by_role("button", name="Leave out stacks through parse").click()
    assert page.locator("#rows tr").count() == 0
    page.locator("#filter").fill("")
    assert "710 samples" in page.locator("#rows tr").first.inner_text()
    page.get_by_role("button", name="Bring back parse").click()
    assert "1\u202f010 samples" in page.locator("#rows tr").first.inner_text()


def test_identical_sides_have_no_colour(open_page: OpenPage) -> None:
    same = tree_of([(parent, symbol, after, after) for parent, symbol, _, after in STACKS[:5]], FUNCTIONS)
    page = painted(open_page(same, PageHeader("t", "w", "m", "nanoseconds")))
    assert "Both sides are identical." in page.locator("#aside").inner_text()
    assert all(max(colour) - min(colour) < 12 for colour in colours(page))


def test_a_grown_frame_is_red_and_a_shrunk_one_blue(open_page: OpenPage) -> None:
    changed = tree_of([(0, 0, 1000, 3000), (0, 1, 3000, 1000)], FUNCTIONS)
    found = colours(painted(open_page(changed)))
    assert (0xB2, 0x18, 0x2B) in found
    assert (0x21, 0x66, 0xAC) in found


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "Both sides are empty"),
        ([(0, 0, 0, 7)], "The before side is empty"),
        ([(0, 0, 7, 0)], "The after side is empty"),
        ([(0, 0, 7, 7)], "Both sides are identical"),
    ],
)
def test_little_input_has_a_page_too(open_page: OpenPage, rows: list[tuple[int, int, int, int]], sentence: str) -> None:
    tree = tree_of(rows, FUNCTIONS)
    page = painted(
        open_page(tree, PageHeader("t", "w", "m", "samples")), "after" if tree.target_self.sum() else "before"
    )
    assert sentence in page.locator("#aside").inner_text()
    if not (tree.baseline_self.any() and tree.target_self.any()):
        assert page.locator('#norms input[value="total"]').is_disabled()


@pytest.mark.parametrize("width", [320, 360, 1280, 2560])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_window(open_page: OpenPage, width: int, scheme: Literal["light", "dark"]) -> None:
    page = painted(open_page(width=width, color_scheme=scheme))
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    bright = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (bright == "rgb(247, 247, 245)") == (scheme == "light")
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != bright


def test_hostile_names_stay_text(open_page: OpenPage) -> None:
    page = painted(open_page())
    assert page.locator("img").count() == 0
    page.get_by_role("tab", name="Functions").click()
    page.locator("#light-rows").click()
    assert page.get_by_role("button", name=HOSTILE, exact=True).count() == 1
    assert page.title() == "demo: base → head"


def test_without_script_the_picture_and_the_table_remain(open_page: OpenPage) -> None:
    page = open_page(java_script_enabled=False)
    assert page.locator("#static svg").is_visible()
    assert page.locator("#app").is_hidden()
    assert "+600 samples" in page.locator("#static table").inner_text()
