"""Every kind of page: valid HTML, accessible, readable on a phone, and printed without controls."""

import itertools
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from e2e.conftest import OpenFile, axe_violations
from e2e.test_evolution_browser import evolution
from e2e.test_page_browser import FUNCTIONS, HEADER, STACKS, tree_of
from profgate.flamegraph.page import build_page
from profgate.flamegraph.page_columns import PageSource
from profgate.flamegraph.pages import build_index
from profgate.measuring.track.evolution_page import build_evolution_page
from profgate.model.record import replace
from profgate.report.view import View
from report_samples import many, nothing_compared

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CHECKER = ROOT / ".ci/html-checker/node_modules/vnu-jar/build/dist/vnu.jar"
SCRIPT_TOOLS = ROOT / ".ci/page-scripts"
UNKNOWN = ".*(paint-order|@property|container).*"  # parts of CSS that the checker does not know
CONTROLS = "button, input, select, summary, [role=tablist]"
SHA = "4f2c1ab" + "0" * 33

DRAWN = {"flame-graph": "canvas[data-painted]", "evolution": "#chart svg"}
IMPORTANT_TEXT = {
    "flame-graph": "3.0x",
    "evolution": "+190 %",
    "index": "+3.0 %",
    "index-without-comparison": "no baseline profiles",
}
TEXTS = "h1, h2, p, li, th, td, button, legend, label, figcaption, code, small, span"
CUT_TEXTS = """(texts) => [...document.querySelectorAll(texts)]
  .filter((part) => part.checkVisibility() && !part.closest(".unseen") && getComputedStyle(part).display !== "inline")
  .filter((part) => part.scrollWidth > part.clientWidth + 1 && !/auto|scroll/.test(getComputedStyle(part).overflowX))
  .filter((part) => !(part.title && getComputedStyle(part).textOverflow === "ellipsis"))
  .map((part) => part.outerHTML)"""

SMALL_CONTROLS = """() => [...document.querySelectorAll("button, a, select, summary, label, input:not(label input)")]
  .filter((part) => part.checkVisibility() && !part.closest("p, svg, .unseen"))
  .filter((part) => Math.min(part.getBoundingClientRect().width, part.getBoundingClientRect().height) < 24)
  .map((part) => part.outerHTML)"""


def index() -> str:
    report = many(30)
    names = [(load.name, metric.name) for load, metric in report.metrics]
    return build_index(View(report), dict.fromkeys(names[:20], "a.html"))


LONG_NAME = f"json::{'basic_json<std::map, std::vector, std::string>::' * 6}scan"
FUNCTION = next(finding.symbol for finding in HEADER.findings)
LEXER = PageSource(symbol=FUNCTION, origin="from the diff", paths=("a.hpp",) * 2, hunks=[(1, 1, [" a", "-b", "+c"])])
TREE = tree_of(STACKS, [LONG_NAME if place == FUNCTION else name for place, name in enumerate(FUNCTIONS)])

PAGES: dict[str, Callable[[], str]] = {
    "flame-graph": lambda: build_page(TREE, replace(HEADER, sources=[LEXER])),
    "evolution": lambda: build_evolution_page(evolution(), {0: "jumps/a.html"}),
    "index": index,
    "index-without-comparison": lambda: build_index(View(nothing_compared()), {}),
}


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    def write(name: str) -> Path:
        path = tmp_path / f"{name}.html"
        path.write_text(PAGES[name](), encoding="utf-8")
        return path

    return write


def test_pages_are_valid_html(written: Callable[[str], Path], open_file: OpenFile, tmp_path: Path) -> None:
    java = shutil.which("java")
    if java is None or not CHECKER.is_file():
        pytest.skip("the HTML checker or Java is not installed; npm ci --prefix .ci/html-checker")
    paths = [written(name) for name in PAGES]
    page = open_file(paths[1])
    page.wait_for_selector("#chart svg")
    paths.append(tmp_path / "drawn-evolution.html")
    paths[-1].write_text(page.content(), encoding="utf-8")
    command = [java, "-jar", str(CHECKER), "--errors-only", "--format", "json", "--filterpattern", UNKNOWN]
    checked = subprocess.run([*command, *map(str, paths)], capture_output=True, text=True, timeout=300, check=False)
    messages = json.loads(checked.stderr)["messages"]
    assert [(message["url"], message["message"], message.get("extract")) for message in messages] == []


@pytest.mark.parametrize(
    "command",
    [
        ["typescript/bin/tsc", "-p", str(SCRIPT_TOOLS)],
        ["prettier/bin/prettier.cjs", "--check", "--config", str(SCRIPT_TOOLS / "package.json"), "templates/page/*.js"],
    ],
    ids=["types", "format"],
)
def test_page_scripts_have_valid_types_and_format(command: list[str]) -> None:
    node, tool = shutil.which("node"), SCRIPT_TOOLS / "node_modules" / command[0]
    if node is None or not tool.is_file():
        pytest.skip("the tools for the pages' scripts are not installed; npm ci --prefix .ci/page-scripts")
    checked = subprocess.run(
        [node, str(tool), *command[1:]], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize(("width", "scheme"), list(itertools.product((390, 1440), ("light", "dark"))))
@pytest.mark.parametrize("name", PAGES)
def test_pages_are_accessible_and_fit_their_width(
    written: Callable[[str], Path], open_file: OpenFile, name: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    page = open_file(written(name), width=width, color_scheme=scheme)
    if name in DRAWN:
        page.locator(DRAWN[name]).first.wait_for()
    if name == "evolution":
        page.keyboard.press("n")  # selects a jump
    for tab in ["Graph", "Sandwich", "Table"] if name == "flame-graph" else [""]:
        if tab:
            page.get_by_role("tab", name=tab).click()
            page.locator("#source").wait_for(state="hidden" if tab == "Table" else "visible")
        assert axe_violations(page, "wcag22aa", "best-practice") == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate(CUT_TEXTS, TEXTS) == []
    if width == 390:
        box = page.locator(".scroll:visible").first
        right = "part => part.getBoundingClientRect().right"
        important = box.locator("td", has_text=IMPORTANT_TEXT[name]).first
        assert important.evaluate(right) <= box.evaluate(right)


@pytest.mark.parametrize("name", PAGES)
def test_controls_are_large_enough_to_touch(written: Callable[[str], Path], open_file: OpenFile, name: str) -> None:
    page = open_file(written(name), width=390, has_touch=True, is_mobile=True)
    if name in DRAWN:
        page.locator(DRAWN[name]).first.wait_for()
    for opener in ["Table", "All changes", "Settings"] if name == "flame-graph" else [""]:
        if opener:
            page.locator("button", has_text=opener).or_(page.get_by_label(opener, exact=True)).first.tap()
        assert page.evaluate(SMALL_CONTROLS) == []


def visible_controls(page: "Page") -> list[str]:
    return [found.evaluate("part => part.outerHTML") for found in page.locator(CONTROLS).all() if found.is_visible()]


@pytest.mark.parametrize("name", PAGES)
def test_printed_pages_have_no_controls_and_are_not_cut(
    written: Callable[[str], Path], open_file: OpenFile, name: str
) -> None:
    page = open_file(written(name), width=794)  # A4
    if name in DRAWN:
        page.locator(DRAWN[name]).first.wait_for()
    page.emulate_media(media="print")
    assert page.locator("h1").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(CUT_TEXTS, TEXTS) == []
    if name != "flame-graph":
        found = [html for html in visible_controls(page) if 'class="link"' not in html and "data-key" not in html]
        assert found == []


def test_pages_have_the_same_header(written: Callable[[str], Path], open_file: OpenFile) -> None:
    styles = set()
    page = open_file(written("index"), beside=True)
    for name in PAGES:
        page.goto(written(name).as_uri())
        style = "heading => { const s = getComputedStyle(heading); return [s.font, s.color, s.letterSpacing]; }"
        styles.add(tuple(page.locator("h1").evaluate(style)))
        assert page.locator("main > header.masthead").count() == 1
    assert len(styles) == 1
