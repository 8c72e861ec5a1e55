"""Every output shows the same numbers for a finding: comment, terminal, report.json, CSV, and all parts of the page."""

import io
import json
import marshal
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import pytest

from e2e.conftest import OpenFile, squeezed
from profgate import api
from profgate.model.report import Document
from profgate.report.terminal_report import terminal_lines

if TYPE_CHECKING:
    from playwright.sync_api import FloatRect, Locator, Page

EXAMPLES = Path(__file__).parents[2] / "examples"
STORED = {
    "shop": ("shop/profiles/baseline/pyspy", "shop/profiles/target/pyspy"),
    "shop-calls": ("shop/profiles/baseline/cprofile", "shop/profiles/target/cprofile"),
    "go-runewidth": ("upgrades/go-runewidth-0.0.9", "upgrades/go-runewidth-0.0.13"),
    "immer": ("upgrades/immer-9.0.21", "upgrades/immer-10.0.0"),
}
RUNS = 5
MOST_FUNCTIONS = 12  # whose colours are compared
Stacks = Mapping[str, tuple[int, int]]  # samples of each stack on both sides
# `walk` is recursive and has two callers; `copy` calls itself, so that its self and total costs differ
RECURSIVE: Stacks = {
    "main;load;walk": (40, 40),
    "main;load;walk;walk": (30, 90),
    "main;load;walk;walk;copy": (100, 100),
    "main;save;walk": (20, 60),
    "main;save;walk;read": (10, 10),
    "main;save;copy;copy": (60, 200),
    "main;save;copy;copy;read": (150, 150),
    "main;render": (700, 700),
    "main;check": (500, 500),
}


class Expected(NamedTuple):
    """What all outputs show for one finding. ``basis`` is "self " if its total cost differs."""

    name: str
    basis: str
    amounts: str
    growth: str
    costs: tuple[float, float]
    self_costs: str
    row: tuple[str, str]
    means: tuple[str, str]

    @property
    def change(self) -> str:
        return f"{self.basis}{self.amounts} ({self.growth})"


# the rows of the table contain total costs
FINDINGS = {
    "shop": [
        Expected(
            "find_duplicates",
            "",
            "14 → 103 samples",
            "7.4x",
            (14, 103.2),
            "",
            ("14", "103"),
            ("14 samples", "103 samples"),
        )
    ],
    "recursive": [
        Expected(
            "walk",
            "self ",
            "90 → 190 samples",
            "2.1x",
            (90, 190),
            "90 → 190 samples",
            ("200", "300"),
            ("90 samples", "190 samples"),
        ),
        Expected(
            "copy",
            "self ",
            "160 → 300 samples",
            "+87.5 %",
            (160, 300),
            "160 → 300 samples",
            ("310", "450"),
            ("160 samples", "300 samples"),
        ),
    ],
    "calls": [
        Expected(
            "parse",
            "",
            "0.70 → 1.55 s",
            "2.2x",
            (0.7e9, 1.55e9),
            "300 → 900 ms",
            ("700 ms", "1.55 s"),
            ("700 ms", "1.55 s"),
        ),
        Expected(
            "scan",
            "self ",
            "200 → 500 ms",
            "2.5x",
            (0.2e9, 0.5e9),
            "200 → 500 ms",
            ("1.10 s", "1.40 s"),
            ("200 ms", "500 ms"),
        ),
    ],
}


def noisy(value: int, run: int) -> int:
    """Vary a value between runs by up to one percent, with the mean of all runs unchanged."""
    return value + (run - RUNS // 2) * (value // 200)


def folded(side: int, run: int) -> bytes:
    return "".join(f"{path} {noisy(sides[side], run)}\n" for path, sides in RECURSIVE.items()).encode()


def calls(side: int, run: int) -> bytes:
    """A cProfile recording: `main` calls `scan` and `parse`, which calls `token` and, after the change, `fresh`."""
    costs = {"scan": (200, 500)[side], "parse": (300, 900)[side], "token": 400, "fresh": 250 * side, "leaf": 900}
    callers = {"scan": "main", "parse": "main", "token": "parse", "fresh": "parse", "leaf": "scan"}
    own = {name: noisy(1000 * cost, run) / 1e6 for name, cost in costs.items() if cost} | {"main": 0.1}
    total = dict(own)
    for name in ("fresh", "token", "leaf", "parse", "scan"):
        if name in own:
            total[callers[name]] += total[name]
    place = {name: ("app.py", line, name) for line, name in enumerate(own)}
    table = {}
    for name, cost in own.items():
        numbers = (1, 1, cost, total[name])
        table[place[name]] = (*numbers, {place[callers[name]]: numbers} if name in callers else {})
    return marshal.dumps(table)


def recorded(folder: Path, kind: str) -> api.Report:
    if kind in STORED:
        before, after = STORED[kind]
        return api.compare(str(EXAMPLES / before), str(EXAMPLES / after))
    for side, name in enumerate(("before", "after")):
        for run in range(RUNS):
            place = folder / name / "app" / (f"run-{run}.pstats" if kind == "calls" else f"run-{run}.folded")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(calls(side, run) if kind == "calls" else folded(side, run))
    return api.compare(str(folder / "before"), str(folder / "after"))


@pytest.fixture(params=FINDINGS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def report(tmp_path: Path, kind: str) -> api.Report:
    return recorded(tmp_path, kind)


@pytest.fixture
def page(report: api.Report, tmp_path: Path, open_file: OpenFile) -> "Page":
    path = tmp_path / "page.html"
    path.write_text(report.pages[0].document.text, encoding="utf-8")
    page = open_file(path)
    page.wait_for_selector("#found-list li", state="attached")
    return page


def test_reports_agree(report: api.Report, kind: str) -> None:
    comment, terminal = squeezed(report.markdown()), squeezed(report.text())
    metric = json.loads(report.json())["workloads"][0]["metrics"][0]
    for finding in FINDINGS[kind]:
        assert re.search(
            rf"{finding.name}` (is )?{re.escape(finding.growth)} (slower )?\({finding.basis}{finding.amounts}\)",
            comment,
        )
        assert f"{finding.name} {finding.basis}{finding.amounts} {finding.growth}" in terminal
        stored = next(one for one in metric["findings"] if one["location"]["name"] == finding.name)
        assert (stored["from_value"], stored["to_value"]) == pytest.approx(finding.costs)


def test_page_agrees_with_the_reports(page: "Page", kind: str) -> None:
    for finding in FINDINGS[kind]:
        entry = page.locator("#found-list li", has=page.get_by_role("button", name=finding.name, include_hidden=True))
        assert finding.change in squeezed(entry.text_content())
        chip = page.locator("#findings button", has_text=finding.name)
        assert f"{finding.basis}{finding.growth}" in squeezed(chip.inner_text())
        assert finding.change in (chip.get_attribute("title") or "")
        if kind != "calls":  # no bar is drawn for estimated call paths
            bar = squeezed(page.locator("#waterfall button", has_text=finding.name).text_content())
            assert f"+{finding.costs[1] - finding.costs[0]:.3g} samples" in bar
        chip.click()
        shown = squeezed(page.locator("#details").inner_text())
        assert finding.change in shown
        mean = page.locator(".bottom .dots").get_attribute("aria-label")
        assert re.findall(r"mean ([^,]*)", mean or "") == list(finding.means)


@pytest.mark.parametrize("kind", [*STORED, "recursive"])
def test_colours_agree(report: api.Report, page: "Page") -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    (metric,) = (metric for _, metric in report.data.metrics)
    known = Counter(one.location.name for one in metric.findings)
    found = {
        one.location.name: one.direction for one in metric.findings if one.colour != "neutral" and not one.is_total
    }
    related = names_of_paths_through(report.pages[0].stacks, found)
    page.get_by_role("tab", name="Table").click()
    rows = {row.locator("bdi").inner_text(): row for row in page.locator("#rows tr").all()[:MOST_FUNCTIONS]}
    tones = {name: tone_of(row.locator("td[data-title=Change]")) for name, row in rows.items() if known[name] <= 1}
    assert tones == {name: found.get(name, tone if name in related else "") for name, tone in tones.items()}
    assert tones_of_terminal(report, tones) == {name: tone for name, tone in found.items() if name in tones}
    assert tones_of_comment(report, tones).items() <= found.items()
    assert tones_of_comment(report, found)
    for chip in page.locator("#findings button").all():
        assert tone_of(chip) == found[(chip.get_attribute("title") or "").partition(";")[0]]
    for entry in page.locator("#found-list li").all():
        name, sign = entry.locator("button").first.get_attribute("title") or "", entry.locator("i")
        assert (tone_of(sign), sign.text_content() in {"‼", "!"}) in {(found[name], False), ("worse", True)}
    for bar in page.locator("#waterfall button").all():
        name = (bar.get_attribute("title") or "").partition(": ")[0]
        assert tone_of(bar) == found.get(name, tone_of(bar) if name in related else "")
    if page.get_by_role("tab", name="Graph").count():
        assert colours_in_graph(page, [name for name in tones if " (was: " not in name], image).items() <= tones.items()


def names_of_paths_through(stacks: Document | None, found: Mapping[str, str]) -> set[str]:
    """The functions of all call paths that contain a finding: its callers, its callees and itself."""
    paths = [line.rsplit(" ", 2)[0].split(";") for line in (stacks.text if stacks else "").splitlines()]
    return {name for path in paths if not found.keys().isdisjoint(path) for name in path}


def tones_of_terminal(report: api.Report, names: Collection[str]) -> dict[str, str]:
    """The colours of these functions in the terminal report."""
    words = {"bad": "worse", "warn": "worse", "good": "better"}
    lines = [(words[tone], f"{line} ") for tone, line in terminal_lines(report.view, width=400) if tone in words]
    return {name: tone for tone, line in lines for name in names if f"  {report.view.names.get(name, name)} " in line}


def tones_of_comment(report: api.Report, names: Collection[str]) -> dict[str, str]:
    """The colours of these functions in the comment, where the heading of a list and the signs of its rows agree."""
    full, signs = (
        {report.view.names.get(name, name): name for name in names},
        {"🔴": "worse", "🟡": "worse", "⚡": "better"},
    )
    read, tone = dict[str, str](), ""
    for line in report.markdown().splitlines():
        if line.startswith("**"):
            tone = "better" if "improvement" in line else "worse" if re.match(r"\*\*\d+ changes?\b", line) else ""
        elif tone and (row := re.match(r"- (?:(\S) )?`([^`]+)`", line)):
            assert row[1] is None or signs[row[1]] == tone
            read |= {full[row[2]]: tone} if row[2] in full else {}
    return read


def colours_in_graph(page: "Page", names: Iterable[str], image: Any) -> dict[str, str]:
    """The colours of the frames of these functions, without those that are too narrow or have several places."""
    read = {}
    for name in names:
        page.evaluate("(hash) => { location.hash = hash; }", f"#frame={quote(name)}")
        page.locator("#details bdi", has_text=name).wait_for()
        page.locator(".graph").first.focus()
        ring = page.locator(".pane.after .ring.chosen")
        box = ring.bounding_box() if ring.count() else None
        if box is None or box["width"] < 12 or "all calls" in page.locator("#details").inner_text():
            continue  # too narrow to see, or another frame of the function may have the colour
        # the label is at the left, and the border of a finding has two pixels
        spot: FloatRect = {"x": box["x"] + box["width"] - 6, "y": box["y"] + 5, "width": 1, "height": 1}
        with image.open(io.BytesIO(page.screenshot(clip=spot))) as picture:
            red, _, blue = picture.convert("RGB").getpixel((0, 0))
        read[name] = "worse" if red > blue + 8 else "better" if blue > red + 8 else ""
    assert read
    return read


def tone_of(element: "Locator") -> str:
    names = (element.get_attribute("class") or "").split()
    return next((tone for tone in ("worse", "better") if tone in names), "")


def test_table_and_sandwich_have_the_cost_of_all_calls(page: "Page", kind: str) -> None:
    page.get_by_role("tab", name="Table").click()
    heads = [squeezed(head) for head in page.locator("#columns th").all_inner_texts()]
    for finding in FINDINGS[kind]:
        row = page.locator("#rows tr", has=page.locator("bdi", has_text=finding.name)).first
        cells = dict(zip(heads, row.locator("th, td").all_inner_texts(), strict=True))
        assert cells["Finding"].endswith(f" {finding.basis}{finding.growth}")
        assert (cells["Before"], cells["After"]) == finding.row
        if kind == "recursive":
            row.get_by_role("button", name="callers and callees").click()
            page.wait_for_selector(".pane.after canvas[data-painted]", state="attached")
            assert f"self {finding.self_costs}" in squeezed(page.locator("#details").inner_text())
            page.get_by_role("tab", name="Table").click()
