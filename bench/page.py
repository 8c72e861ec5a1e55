"""Measure one flame graph page in Chromium: ./run bench page [--size 10k,100k] [--repeat N] [--json FILE].

The page is built from a generated pair of folded files; the size 100k has about 300,000 nodes. For the first picture
and for each interaction, the table shows the CPU time of the page's main thread: scripts and layout, and all tasks.
Playwright and Chromium must be installed. The exit code is 1 if a target is missed.
"""

import argparse
import json
import shutil
import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
from bench.files import RECIPES, make_pair

from profgate.flamegraph.page import build_page
from profgate.flamegraph.page_columns import PageFinding
from profgate.flamegraph.page_input import page_input
from profgate.model.comparison import Comparison
from profgate.model.policy import Policy
from profgate.model.record import replace
from profgate.pipeline import overlays, two_sides

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"
FIRST_PICTURE, INTERACTION = 500.0, 16.0  # milliseconds
Action = str | Callable[[], object]
OVERHEAD = "(the measurement itself)"
FINDINGS = 12
WIDTH, HEIGHT = 1440, 900
QUERY = "merge"
CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline", "blink.user_timing"]
TASK = "RunTask"
PAINTING = frozenset({"Paint", "Layerize", "Commit", "RasterTask", "ImageDecodeTask"})
# scripts, styles and layout; the browser also draws canvases in tasks, which is rasterisation
COUNTED = frozenset(
    {
        *("EvaluateScript", "v8.evaluateModule", "FunctionCall", "EventDispatch", "FireAnimationFrame", "TimerFire"),
        *("FireIdleCallback", "RunMicrotasks", "BlinkScheduler_PerformMicrotaskCheckpoint"),
        *("UpdateLayoutTree", "Layout", "PrePaint", "HitTest"),
    }
)
PAINTED = """
new MutationObserver((_, observer) => {
  if (!document.querySelector("canvas[data-painted]")) return;
  observer.disconnect();
  window.firstPicture = performance.now();
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-painted"] });
"""
CORNER = "(selector) => { const b = document.querySelector(selector).getBoundingClientRect(); return [b.left, b.top]; }"
CENTRE = """(selector) => {
  const box = document.querySelector(selector).getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}"""
CLEAR = """() => {
  const query = document.getElementById("query");
  query.value = "";
  query.dispatchEvent(new InputEvent("input", { bubbles: true }));
}"""
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: CPU milliseconds of the main thread for each repetition, and the limit of the median.

    ``spent`` is the time of scripts and layout, and ``tasks`` is the time of all tasks.
    """

    name: str
    spent: tuple[float, ...]
    tasks: tuple[float, ...]
    limit: float

    @property
    def median(self) -> float:
        """Median of the repetitions."""
        return median(self.spent)


class Recorder:
    """Records the tasks of one opened page between marks, with the tracing of the browser."""

    def __init__(self, browser: "Browser") -> None:
        self.browser = browser
        context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, offline=True)
        context.add_init_script(PAINTED)
        self.page = context.new_page()
        self.names = ["first picture"]
        browser.start_tracing(page=self.page, categories=CATEGORIES)

    def open(self, path: Path) -> None:
        """Open the page and wait for its first picture."""
        self.page.goto(path.as_uri())
        self.page.wait_for_function("() => window.firstPicture")

    def perform(self, name: str, action: Action) -> None:
        """Perform an interaction and wait for its picture. A text selects an element that is clicked."""
        if isinstance(action, str):
            action = partial(self.page.mouse.click, *self.page.evaluate(CENTRE, action))
        self.page.evaluate("() => performance.mark('bench')")
        self.names.append(name)
        action()
        self.page.evaluate(TWO_FRAMES)

    def spent(self) -> list[tuple[str, float, float]]:
        """Return each measured name with two CPU times in milliseconds: scripts and layout, and all tasks.

        The scripts that decode the page run in tasks without a name, so the first number of the first picture is the
        time of all tasks without painting.
        """
        events = json.loads(self.browser.stop_tracing())["traceEvents"]
        self.page.context.close()
        marks = [event for event in events if event.get("name") == "bench" and "blink.user_timing" in event["cat"]]
        thread = {(event["pid"], event["tid"]) for event in marks}
        starts = [event["ts"] for event in marks]
        own = [event for event in events if event["ph"] == "X" and (event["pid"], event["tid"]) in thread]
        counted, tasks, painting = ([0.0] * len(self.names) for _ in range(3))
        end = 0.0
        for event in sorted(own, key=lambda event: (event["ts"], -event["dur"])):
            place, time = bisect_right(starts, event["ts"]), event.get("tdur", 0) / 1000.0
            if event["name"] == TASK:
                tasks[place] += time
            elif event["name"] in PAINTING:
                painting[place] += time
            elif event["name"] in COUNTED and event["ts"] >= end:  # inner events are part of the outer event
                end = event["ts"] + event["dur"]
                counted[place] += time
        counted[0] = tasks[0] - painting[0]
        return list(zip(self.names, counted, tasks, strict=True))


def write_page(size: str, folder: Path) -> tuple[Path, int]:
    """Write the page of a generated pair, with findings for the largest changes. Return its path and its nodes."""
    pair = make_pair(RECIPES[size], folder)
    comparison = overlays(two_sides(str(pair.base), str(pair.target), Policy()))[0]
    tree, header = page_input(comparison)
    path = folder / f"page-{size}.html"
    path.write_text(build_page(tree, replace(header, findings=_findings(comparison))), encoding="utf-8")
    return path, len(tree.tree)


def _findings(comparison: Comparison) -> list[PageFinding]:
    before, after = comparison.runs.means(comparison.self_value)
    largest = np.argsort(-np.abs(after - before))[:FINDINGS].tolist()
    return [
        PageFinding(
            symbol=symbol,
            severity="degraded",
            direction="worse" if after[symbol] > before[symbol] else "better",
            key=f"finding-{symbol}",
            judged="self",
        )
        for symbol in largest
    ]


def measure(path: Path, repeat: int) -> list[Row]:
    """Open the page several times and return the measured rows."""
    from playwright.sync_api import sync_playwright

    found: dict[str, list[tuple[float, float]]] = {}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for _ in range(repeat):
            recorder = Recorder(browser)
            recorder.open(path)
            for name, action in _interactions(recorder.page):
                recorder.perform(name, action)
            for name, spent, tasks in recorder.spent():
                found.setdefault(name, []).append((spent, tasks))
        browser.close()
    limits = {"first picture": FIRST_PICTURE}
    return [
        Row(name, tuple(time for time, _ in times), tuple(tasks for _, tasks in times), limits.get(name, INTERACTION))
        for name, times in found.items()
    ]


def _interactions(page: "Page") -> list[tuple[str, Action]]:
    """Return the measured interactions in their order. Entries with the same name are repetitions."""
    left, top = page.evaluate(CORNER, ".graph")
    press = page.keyboard.press
    hovered = [(left + 40 + 61 * step, top + 19 * (2 + 2 * (step % 9)) + 9) for step in range(10)]
    actions: list[tuple[str, Action]] = [(OVERHEAD, partial(page.evaluate, "0"))] * 3
    actions += [("hover", partial(page.mouse.move, *place)) for place in hovered]
    for row in (3, 6, 9):
        zoom = partial(page.mouse.click, left + 120, top + 19 * row + 9)
        actions += [("zoom in", zoom), ("zoom out", partial(press, "Escape"))]
    actions.append(("focus the search", "#query"))
    actions += [("search, one letter", partial(press, letter)) for letter in QUERY]
    actions.append(("next match", "#next"))
    actions.append(("clear the search", partial(page.evaluate, CLEAR)))
    actions += [("cause chip", f"#findings button:nth-child({place})") for place in (1, 2, 3)]
    actions.append(("show everything", partial(press, "Escape")))
    for tab in ("symbols", "graph", "sandwich", "graph", "symbols", "graph", "sandwich", "graph"):
        actions.append((f"tab {tab}", f"#tab-{tab}"))
    actions += [("tab sandwich", "#tab-sandwich"), ("tab graph", "#tab-graph")] * 2
    actions += [(f"view {view}", f"input[name=view][value={view}]") for view in ("before", "after")] * 2
    actions += [("self or total", partial(press, "b"))] * 4
    return actions


def as_table(nodes: int, size: int, rows: Sequence[Row]) -> str:
    """Return the rows as a Markdown table."""
    lines = [
        f"{nodes:,} nodes, {size / 1e6:.1f} MB",
        "",
        "| | median ms | slowest ms | median ms with painting | wanted ms |",
        "|:--|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {row.name} | {row.median:.1f} | {max(row.spent):.1f} | {median(row.tasks):.1f} | {row.limit:.0f} |"
        for row in rows
    ]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Print a table for each size. The exit code is 1 if a median is above its limit."""
    parser = argparse.ArgumentParser(prog="bench page", description=__doc__)
    parser.add_argument("--size", default="100k", metavar="LIST", help="10k (30,000 nodes) or 100k (300,000 nodes)")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="number of times the page is opened")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every measurement there")
    chosen = parser.parse_args(arguments)
    missed, found = False, {}
    for size in chosen.size.split(","):
        path, nodes = write_page(size, FOLDER)
        rows = measure(path, chosen.repeat)
        print(as_table(nodes, path.stat().st_size, rows))
        missed |= any(row.median > row.limit for row in rows)
        found[size] = {row.name: row.spent for row in rows}
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
