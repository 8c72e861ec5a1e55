"""The evolution page in a real browser, with the network off."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from e2e.conftest import OpenFile
from profgate.measuring.track.evolution import evolution_of
from profgate.measuring.track.evolution_page import build_evolution_page
from profgate.measuring.track.versions import BenchmarkValue, Evolution, MeasuredVersion, Version
from profgate.model.units import Metric, MetricKind

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

HOSTILE = '<img src=x onerror="document.title=1">'
CALLS = Metric("calls", "count", kind=MetricKind.COUNTED)
TIME = Metric("time", "nanoseconds", kind=MetricKind.TIMED)
FAILED = 3

OpenPage = Callable[..., "Page"]


def evolution(benchmarks: int = 20, versions: int = 10) -> Evolution:
    """Benchmark number n jumps up by n tenths at version n, modulo the number of versions; the first one stays."""
    names = [HOSTILE, *(f"bench {number:03d}" for number in range(1, benchmarks))]
    measured = []
    for number in range(versions):
        version = Version(f"v{number}", f"{number:040x}", f"Change {HOSTILE}")
        if number == FAILED:
            measured.append(MeasuredVersion(version, problem=f"make failed: {HOSTILE}"))
            continue
        values = [1000 * (1 + (place / 10 if number >= place % versions else 0)) for place in range(benchmarks)]
        runs = tuple(
            tuple(
                value
                for name, level in zip(names, values, strict=True)
                for value in (
                    BenchmarkValue(name, CALLS, level, source="same"),
                    BenchmarkValue(name, TIME, level * 1e3 * (1 + run / 100), source="same"),
                )
            )
            for run in range(2)
        )
        measured.append(MeasuredVersion(version, runs, machine="one" if number < 8 else "other"))
    return evolution_of(f"bench {HOSTILE}", measured)


LEVELS: dict[str, Callable[[int], float]] = {
    "up": lambda number: 1.3 if number >= 6 else 1.0,
    "down": lambda number: 0.7 if number >= 6 else 1.0,
    "up and back": lambda number: 1.3 if 4 <= number < 8 else 1.0,
    "noise": lambda _: 1.0,
}


def steps() -> Evolution:
    """Benchmarks in three groups of each shape of `LEVELS`, with a noise of less than one percent."""
    measured = []
    for number in range(12):
        runs = tuple(
            tuple(
                BenchmarkValue(f"{name} {copy}", TIME, 1e6 * level(number) * (1 + ((number + run * copy) % 5) / 1000))
                for name, level in LEVELS.items()
                for copy in (1, 2, 3)
            )
            for run in range(3)
        )
        measured.append(MeasuredVersion(Version(f"v{number}", f"{number:040x}", "Change"), runs))
    return evolution_of("bench", measured)


@pytest.fixture
def open_page(open_file: OpenFile, tmp_path: Path) -> OpenPage:
    def opener(shown: Evolution | None = None, fragment: str = "", *, every: int = 2, **options: Any) -> "Page":
        shown = shown or evolution()
        links = {number: f"jumps/{number}.html" for number in range(0, len(shown.jumps), every)}
        path = tmp_path / "evolution.html"
        path.write_text(build_evolution_page(shown, links), encoding="utf-8")
        (tmp_path / "jumps").mkdir(exist_ok=True)
        for link in links.values():
            (tmp_path / link).write_text("<!doctype html><title>difference</title>", encoding="utf-8")
        page = open_file(path, fragment, beside=True, **options)
        if options.get("java_script_enabled", True):
            page.wait_for_selector("#chart svg", state="attached")
        return page

    return opener


def shown(page: "Page") -> list[str]:
    return list(page.locator("#shown bdi").all_text_contents())


def details(page: "Page") -> str:
    return page.locator("#details").text_content() or ""


def test_a_dozen_lines_with_the_largest_jumps_are_drawn(open_page: OpenPage) -> None:
    page = open_page()
    assert len(shown(page)) == page.locator("#chart .line").count() == 12
    assert shown(page)[0] == "bench 019"
    assert "8 more match" in (page.locator("#chart-hint").text_content() or "")
    assert page.locator("#chart .jump.worse").count() == page.locator("#chart .jump").count() > 0
    assert page.locator("#chart .missing").count() == 1
    assert page.locator("#chart .machine").count() == 1
    assert page.title() == f"Evolution of bench {HOSTILE}, 10 versions"
    assert page.locator("img").count() == 0


def test_filter_selects_lines_and_rows(open_page: OpenPage) -> None:
    page = open_page()
    page.keyboard.press("/")
    page.keyboard.type("00")
    assert set(shown(page)) == {f"bench 00{number}" for number in range(1, 10)}
    assert page.locator("#benchmark-count").text_content() == "9 benchmarks"
    assert page.locator("#benchmarks tbody tr").count() == 9
    assert page.evaluate("location.hash") == "#q=00"
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert len(shown(page)) == 12


def test_keyboard_opens_flame_graph_of_jump(open_page: OpenPage) -> None:
    page = open_page()
    page.locator("#chart").focus()
    page.keyboard.press("ArrowRight")
    assert details(page).startswith("v0")
    assert "bench 019: " in details(page)
    page.keyboard.press("n")
    jump = re.search(r"▲ (\+[\d.]+ %) against (v\d)", details(page))
    assert jump is not None
    assert page.locator("#live").text_content() == details(page)
    for _ in range(30):
        if "Open the difference" in details(page):
            break
        page.keyboard.press("n")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/jumps/\d+\.html$"))


def test_nearest_of_overlapping_marks_is_selected(open_page: OpenPage) -> None:
    before = {"one": 1000, "two": 2000, "three": 4000, "far": 1000}
    after = {"one": 1500, "two": 3000, "three": 6040, "far": 3000}  # one and two in one place, three a few pixels above
    versions = [
        MeasuredVersion(
            Version(name, place * 40),
            (tuple(BenchmarkValue(one, CALLS, value, source="same") for one, value in values.items()),),
            machine="here",
        )
        for place, (name, values) in zip("abc", (("v1", before), ("v2", before), ("v3", after)), strict=True)
    ]
    for touched, choose in (("one", True), ("two", True), ("three", False)):
        page = open_page(evolution_of("bench", versions), every=1)
        if choose:
            page.locator("#shown").get_by_role("button", name=touched, exact=True).click()
        mark = page.locator(f"#chart a.jump[aria-label^='{touched},']")
        expected = mark.get_attribute("href") or "?"
        box = mark.locator(".target").bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        assert page.locator("#tip tr.lit bdi").text_content() == touched
        page.mouse.click(x, y)
        page.wait_for_url(re.compile(re.escape(expected)))


def test_metric_and_scale_are_in_the_address(open_page: OpenPage) -> None:
    page = open_page()
    page.get_by_role("radio", name="time").check(force=True)
    page.get_by_role("radio", name="Linear").check(force=True)
    assert page.locator("#chart .band").count() > 0
    assert "ms" in (page.locator("#chart .tick text").last.text_content() or "")
    assert page.evaluate("location.hash") == "#metric=time&scale=linear"
    again = open_page(fragment="#metric=time&scale=log&show=bench+001")
    assert shown(again) == ["bench 001"]
    assert again.get_by_role("radio", name="Log").is_checked()


def test_tables_sort_and_select_lines(open_page: OpenPage) -> None:
    page = open_page()
    page.locator("#benchmarks thead").get_by_role("button", name="Benchmark").click()
    assert page.locator("#benchmarks th[aria-sort='ascending']").count() == 1
    first = page.locator("#benchmarks tbody tr").first
    assert first.locator("bdi").text_content() == HOSTILE
    toggle = first.locator("button[aria-pressed]")
    assert toggle.get_attribute("aria-pressed") == "false"
    toggle.click()
    assert HOSTILE in shown(page)
    assert len(shown(page)) == 12
    page.locator("#benchmarks tbody tr").first.get_by_role("button", name=HOSTILE, exact=True).click()
    assert shown(page) == [HOSTILE]
    page.get_by_role("button", name="Largest jumps").click()
    assert HOSTILE not in shown(page)


def test_largest_jumps_without_script(open_page: OpenPage) -> None:
    page = open_page(java_script_enabled=False)
    assert page.locator("#static tbody tr").count() == 18
    assert page.locator("#static a").first.get_attribute("href") == "jumps/0.html"
    assert page.locator("#app").is_hidden()


TONES = """(cells) => Object.fromEntries(cells.map((cell) => {
  const [red, , blue] = getComputedStyle(cell).color.match(/\\d+/g).map(Number);
  const name = cell.closest("tr, li").querySelector("bdi").textContent;
  return [`${name} ${cell.textContent.slice(0, 1)}`, red > blue + 40 ? "worse" : blue > red + 40 ? "better" : ""];
}))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_only_changes_beyond_noise_have_a_colour(open_page: OpenPage, scheme: Literal["light", "dark"]) -> None:
    page = open_page(steps(), color_scheme=scheme)
    known = {"▲": "worse", "▼": "better"}
    jumps = page.locator("#jumps tbody td:nth-child(2)").evaluate_all(TONES)
    assert jumps == {name: known[name[-1]] for name in jumps}
    assert len(jumps) == 12
    directions = {"up": "worse", "down": "better"}
    column = page.locator("#benchmarks thead th").all_inner_texts().index("Whole change")
    for cells in (f"#benchmarks tbody tr > :nth-child({column + 1})", "#shown li > span"):
        tones = page.locator(cells).evaluate_all(TONES)
        assert tones == {name: directions.get(name[:-4], "") for name in tones}
        assert len(tones) == 12


def test_hundreds_of_versions_and_benchmarks_are_drawn_in_part(open_page: OpenPage) -> None:
    page = open_page(evolution(300, 200))
    assert page.locator("#chart .line").count() == 12
    assert page.locator("#benchmarks tbody tr").count() == 25
    assert page.locator("#chart *").count() < 1500
    page.locator("#more-benchmarks").click()
    assert page.locator("#benchmarks tbody tr").count() == 125
