"""A real browser with the network off, for pages that need no server."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

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


SCREENS = quick_first([(390, "dark"), (1280, "light")])
WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa")
ADDRESS_PAUSE = 150  # milliseconds; the page writes its address in a pause after the interactions


def written_address(page: "Page") -> str:
    """Return the URL fragment after the page has written it, which takes longer on a busy machine."""
    written = None
    while written != (written := str(page.evaluate("location.hash"))):
        page.wait_for_timeout(2 * ADDRESS_PAUSE)
    return written


def axe_violations(page: "Page", *more_rules: str) -> list[str]:
    """Return what axe finds against the guidelines for accessible pages."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    found = axe.Axe().run(page, options={"runOnly": [*WCAG, *more_rules]}).response["violations"]
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


@pytest.fixture
def open_file(browser: "Browser") -> Iterator[OpenFile]:
    """Opens a file as a page; at the end no page may have fetched anything, or said something on the console.

    A page that links to others may open the files ``beside`` it.
    """
    opened = []
    problems: list[str] = []

    def opener(path: Path, fragment: str = "", width: int = 1280, *, beside: bool = False, **options: Any) -> "Page":
        allowed = path.parent.as_uri() if beside else path.as_uri()
        context = browser.new_context(viewport={"width": width, "height": 900}, offline=True, **options)
        context.set_default_timeout(10_000)
        opened.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("console", lambda message: problems.append(f"console: {message.text}"))
        page.on("request", lambda request: None if request.url.startswith(allowed) else problems.append(request.url))
        page.goto(path.as_uri() + fragment)
        return page

    yield opener
    for context in opened:
        context.close()
    assert problems == [], "the page fetched something, or said something on the console"
