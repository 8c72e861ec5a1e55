"""A real browser with the network off, for pages that need no server."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from slow_cases import quick_first

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

OpenFile = Callable[..., "Page"]
Scheme = Literal["light", "dark", "null"]


SCREENS = quick_first([(390, "dark"), (1280, "light")])
WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa")
ADDRESS_PAUSE = 150  # milliseconds; the page writes its address in a pause after the interactions


def written_address(page: "Page") -> str:
    """Return the URL fragment after the page has written it, which takes longer on a busy machine."""
    written = None
    while written != (written := str(page.evaluate("location.hash"))):
        page.wait_for_timeout(2 * ADDRESS_PAUSE)
    return written


def axe_violations(page: "Page", *more_rules: str, within: str | None = None) -> list[str]:
    """Return what axe finds against the guidelines for accessible pages, in the whole page or one of its parts."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    options = {"runOnly": [*WCAG, *more_rules], "resultTypes": ["violations"]}
    found = axe.Axe().run(page, within, options).response["violations"]
    return [f"{one['id']}: {node['html']} {node.get('failureSummary')}" for one in found for node in one["nodes"]]


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield running
        running.close()


class PagePool:
    """Pages that the tests of a module use one after the other, because a new page starts processes of the browser."""

    def __init__(self, browser: "Browser") -> None:
        self._browser = browser
        self._idle: dict[str, list[Page]] = {}
        self._used: list[tuple[str, Page]] = []
        self._allowed: dict[Page, str] = {}
        self._problems: list[str] = []

    def open(self, address: str, allowed: str, width: int, color_scheme: Scheme = "null", **options: Any) -> "Page":
        """Open a page that may request what begins with ``allowed``."""
        idle = self._idle.setdefault(str(options), [])
        page = idle.pop() if idle else self._new(options)
        self._used.append((str(options), page))
        self._allowed[page] = allowed
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=color_scheme)
        page.goto(address)
        return page

    def _new(self, options: dict[str, Any]) -> "Page":
        context, problems = self._browser.new_context(offline=True, **options), self._problems
        context.set_default_timeout(10_000)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("console", lambda message: problems.append(f"console: {message.text}"))
        page.on("request", lambda one: None if one.url.startswith(self._allowed[page]) else problems.append(one.url))
        return page

    def empty(self) -> list[str]:
        """Make all pages blank for the next test; return what they fetched or said on the console."""
        while self._used:
            key, page = self._used.pop()
            for other in page.context.pages[1:]:
                other.close()
            self._allowed[page] = "about:blank"
            page.goto("about:blank")
            page.mouse.move(0, 0)
            page.emulate_media(media="null", reduced_motion="null", forced_colors="null")
            self._idle[key].append(page)
        problems = self._problems.copy()
        self._problems.clear()
        return problems


@pytest.fixture(scope="module")
def page_pool(browser: "Browser") -> PagePool:
    return PagePool(browser)


def squeezed(text: str | None) -> str:
    """Return a text with single spaces."""
    return " ".join((text or "").split())


@pytest.fixture
def open_file(page_pool: PagePool) -> Iterator[OpenFile]:
    """Opens a file as a page; at the end no page may have fetched anything, or said something on the console.

    A page that links to others may open the files ``beside`` it.
    """

    def opener(path: Path, fragment: str = "", width: int = 1280, *, beside: bool = False, **options: Any) -> "Page":
        return page_pool.open(path.as_uri() + fragment, (path.parent if beside else path).as_uri(), width, **options)

    yield opener
    assert page_pool.empty() == [], "the page fetched something, or said something on the console"
