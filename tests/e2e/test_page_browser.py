"""The page in a real browser, with the network off."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from e2e.conftest import SCREENS, OpenFile, axe_violations, squeezed, written_address
from page_trees import page_tree
from profgate.flamegraph.page import build_page
from profgate.flamegraph.page_columns import NamedTree, PageFinding, PageHeader, PageSource
from profgate.flamegraph.page_lines import PageLines
from profgate.model.attribution import SourceStates
from profgate.model.record import replace
from profgate.report.metric_headline import MetricHeadline
from slow_cases import quick_first

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

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
    findings=[PageFinding(symbol=2, severity="severe", direction="worse", change=("", "300 → 900 samples", "3.0x"))],
    warnings=["The runner changed."],
    notes=["The sampling rate is unknown.", "Stacks without a frame count for the root."],
)

OpenPage = Callable[..., "Page"]


def tree_of(rows: list[tuple[int, int, int, int]], names: list[str]) -> NamedTree:
    return page_tree([(-1, -1, 0, 0), *rows], names)


DEMO = tree_of(STACKS, FUNCTIONS)


@pytest.fixture
def open_page(open_file: OpenFile, tmp_path: Path) -> OpenPage:
    def opener(tree: NamedTree = DEMO, header: PageHeader = HEADER, fragment: str = "", **options: Any) -> "Page":
        path = tmp_path / "page.html"
        path.write_text(build_page(tree, header), encoding="utf-8")
        return open_file(path, fragment, **{"width": 1080, **options})

    return opener


def painted(page: "Page", view: str = "after") -> "Page":
    page.wait_for_selector(f'canvas[data-painted="{view}"]', state="attached")
    return page


def selected(page: "Page") -> str:
    """The name of the selected frame, from the line below the picture."""
    name: str = page.locator("#details bdi").inner_text()
    return name


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


def test_page_opens_without_network(open_page: OpenPage) -> None:
    page = painted(open_page())
    assert page.get_by_role("heading", level=1).inner_text() == "demo cpu"
    facts = page.locator(".facts").inner_text()
    assert "1,010 samples" in facts
    assert "1,700 samples" in facts
    assert page.locator("#static").count() == 0
    assert page.get_by_text("The runner changed.").is_visible()
    assert page.title() == "demo: base → head"
    assert page.locator("#ticks span").first.inner_text() == "−41 %"
    assert page.locator("#more").inner_text() == "more after the change"


def test_keys_move_zoom_and_change_the_view(open_page: OpenPage) -> None:
    page = painted(open_page())
    page.locator(".graph").first.focus()
    item = page.locator("#item-0")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert item.inner_text().startswith("load;")
    page.keyboard.press("Enter")
    assert page.locator("#trail [aria-current]").inner_text() == "load"
    page.keyboard.press("ArrowDown")
    assert "finding: severe" in item.inner_text()
    assert "300 samples → 900 samples, +600 samples (3.0x)" in item.inner_text()
    page.keyboard.press("Enter")
    page.keyboard.press("Backspace")
    assert page.locator("#trail [aria-current]").inner_text() == "load"
    page.keyboard.press("Escape")
    assert page.locator("#trail [aria-current]").inner_text() == "all"
    for view in ("before", "after"):
        page.keyboard.press("v")
        painted(page, view)
        assert page.locator(f'#views input[value="{view}"]').is_checked()
    page.keyboard.press("t")
    assert page.locator("#rows").is_visible()


def test_search_shows_shares_of_both_sides(open_page: OpenPage) -> None:
    page = painted(open_page())
    page.keyboard.press("/")
    page.keyboard.type("pars2i")
    page.locator("#query").fill("PARSE")
    assert page.locator("#matched").inner_text() == "1 frame matches: 29.7 % of before, 52.9 % of after"
    page.locator("#query").press("Enter")
    assert page.locator("#item-0").inner_text().startswith("parse;")
    page.locator("#query").fill("(")
    page.locator("#regex").click()
    assert "not a pattern" in page.locator("#matched").inner_text()


@pytest.mark.parametrize("zoomed", quick_first([True, False]))
def test_link_restores_the_state(open_page: OpenPage, zoomed: bool) -> None:
    page = painted(open_page())
    page.locator("#findings button").first.click()
    if zoomed:
        page.locator(".graph").first.press("Enter")
    page.locator("#settings-open").click()
    page.get_by_role("radio", name="Self").check()
    page.keyboard.press("v")
    fragment = written_address(page)
    again = painted(open_page(fragment=fragment), "before")
    assert selected(again) == "parse"
    assert again.locator("#trail [aria-current]").inner_text() == ("parse" if zoomed else "all")
    assert again.locator('#bases input[value="self"]').is_checked()


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "Both sides are empty"),
        ([(0, 0, 0, 7)], "The before side is empty"),
        ([(0, 0, 7, 0)], "The after side is empty"),
        ([(0, 0, 7, 7)], "Both sides are identical"),
    ],
)
def test_small_input_has_a_page(open_page: OpenPage, rows: list[tuple[int, int, int, int]], sentence: str) -> None:
    tree = tree_of(rows, FUNCTIONS)
    page = painted(
        open_page(tree, PageHeader("t", "w", "m", "samples")), "after" if tree.tree.target_self.sum() else "before"
    )
    assert sentence in page.locator("#aside").inner_text()


@pytest.mark.parametrize("width", quick_first([320, 1280, 360, 2560], 2))
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_window(open_page: OpenPage, width: int, scheme: Literal["light", "dark"]) -> None:
    page = painted(open_page(width=width, color_scheme=scheme))
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    bright = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (bright == "rgb(247, 247, 245)") == (scheme == "light")
    page.locator("#settings-open").click()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != bright


def test_static_picture_without_script(open_page: OpenPage) -> None:
    page = open_page(java_script_enabled=False)
    assert page.locator("#static svg").is_visible()
    assert page.locator("#app").is_hidden()


@pytest.mark.parametrize("part", ["script", "data"])
def test_damaged_page_shows_the_static_picture(open_file: OpenFile, tmp_path: Path, part: str) -> None:
    path = tmp_path / "page.html"
    path.write_text(build_page(DEMO, HEADER).replace(f'id="{part}">', f'id="{part}">!!!!!'), encoding="utf-8")
    page = open_file(path)
    page.locator("p.message", has_text="could not be opened").wait_for()
    assert page.locator("#static svg").is_visible()


def test_pointing_marks_both_pictures_and_a_click_zooms(open_page: OpenPage) -> None:
    page = painted(open_page(width=1280), "diff")
    assert [pane.get_attribute("class") for pane in page.locator(".pane").all()] == ["pane after", "pane diff"]
    after = page.locator(".pane .graph").first.bounding_box()
    assert after is not None
    page.mouse.move(after["x"] + after["width"] * 0.4, after["y"] + 19 * 3 + 9)
    assert "parse" in page.locator("#tip").inner_text()
    assert page.locator(".ring:not(.chosen):visible").count() == 2
    page.mouse.click(after["x"] + after["width"] * 0.4, after["y"] + 19 * 3 + 9)
    assert page.locator("#trail [aria-current]").inner_text() == "parse"
    page.locator(".pane.after figcaption", has_text="900 samples").wait_for()  # it changes in the next frame
    page.locator("#query").fill("parse")
    assert page.locator("#matched").inner_text() == "1 frame matches: 100 % of before, 100 % of after"


@pytest.mark.parametrize("reduced", [False, True])
def test_before_moves_into_after_unless_motion_is_reduced(open_page: OpenPage, reduced: bool) -> None:
    page = painted(open_page())
    page.emulate_media(reduced_motion="reduce" if reduced else "no-preference")
    page.evaluate("""() => {
        window.drawn = 0;
        const fill = CanvasRenderingContext2D.prototype.setTransform;
        CanvasRenderingContext2D.prototype.setTransform = function (...given) {
            window.drawn += 1;
            return fill.apply(this, given);
        };
        window.now = performance.now.bind(performance);
        performance.now = () => window.drawn * 60;
    }""")
    page.keyboard.press("v")
    painted(page, "before")
    page.evaluate(
        """async (least) => {
        for (let tries = 0; window.drawn < least && tries < 500; tries++) await new Promise(requestAnimationFrame);
    }""",
        2 if reduced else 5,
    )
    assert (2 if reduced else 5) <= page.evaluate("window.drawn") <= (2 if reduced else 8)


def test_frames_outside_of_the_repository_become_grey(open_page: OpenPage) -> None:
    tree = tree_of([(0, 0, 1000, 3000), (0, 1, 3000, 1000)], FUNCTIONS)
    page = painted(open_page(replace(tree, libraries=[False, True, *[False] * 6]), replace(HEADER, findings=[])))
    page.keyboard.press("m")
    page.wait_for_function("() => document.getElementById('mine').getAttribute('aria-pressed') === 'true'")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert {(0xB2, 0x18, 0x2B), (0x21, 0x66, 0xAC), (0xDF, 0xE2, 0xE6)} & colours(page) == {
        (0xB2, 0x18, 0x2B),
        (0xDF, 0xE2, 0xE6),
    }


def test_higher_is_better_swaps_texts_and_colours(open_page: OpenPage) -> None:
    header = PageHeader("t", "w", "requests", "count", better="higher")
    page = painted(open_page(tree_of([(0, 0, 1000, 3000), (0, 1, 3000, 1000)], FUNCTIONS), header))
    assert page.locator("#more").inner_text() == "more after the change: better"
    found = colours(page)
    swatches = page.evaluate("[...document.querySelectorAll('#swatches i')].map((one) => one.style.background)")
    assert (swatches[0], swatches[-1]) == ("rgb(178, 24, 43)", "rgb(33, 102, 172)")
    assert {(0xB2, 0x18, 0x2B), (0x21, 0x66, 0xAC)} <= found


def test_a_sandwich_shows_callers_and_callees(open_page: OpenPage) -> None:
    page = painted(open_page())
    page.get_by_role("tab", name="Table").click()
    page.get_by_role("button", name="Show callers and callees of load").click()
    page.locator(".pane figcaption b").nth(1).wait_for()  # the panes appear with the next frame
    assert page.locator(".pane figcaption b").all_inner_texts() == ["Callers", "Callees"]
    assert page.locator("#trail").inner_text() == "load"
    assert "sandwich=load" in written_address(page)
    again = painted(open_page(fragment=written_address(page)))
    assert again.locator(".pane").count() == 2
    again.keyboard.press("s")
    again.locator(".pane figcaption b", has_text="Differences").wait_for()
    assert again.locator(".pane figcaption b").all_inner_texts() == ["After", "Differences"]
    unknown = painted(open_page(fragment="#sandwich=nobody"))
    assert unknown.locator("#message").inner_text() == "nobody is not in this profile."


def test_call_paths_are_edited_and_restored(open_page: OpenPage) -> None:
    names = ["main", "load", "parse", "walk", "item"]
    rows = [
        (0, 0, 0, 0),
        (1, 1, 10, 10),
        (2, 3, 100, 150),
        (3, 4, 40, 40),
        (4, 3, 200, 320),
        (1, 2, 5, 5),
        (6, 3, 30, 80),
    ]
    finding = PageFinding(symbol=3, severity="severe", direction="worse", change=("", "330 → 550 samples", "1.7x"))
    page = painted(open_page(tree_of(rows, names), replace(HEADER, findings=[finding])))
    chips, item, edits = page.locator("#chips button"), page.locator("#item-0"), page.locator("#edits")
    assert selected(page) == "walk"
    page.keyboard.press("k")  # the nested calls of walk count for the outermost ones
    assert "self 300 samples → 470 samples" in item.inner_text()
    written_address(page)  # each step is an entry of the browser's history
    page.keyboard.press("o")  # both places of walk are one box
    assert "total 370 samples → 590 samples" in item.inner_text()
    assert "self 330 samples → 550 samples" in item.inner_text()
    assert "100 % of before" in item.inner_text()
    assert edits.get_by_role("button", name="Collapse recursion").is_hidden()
    assert chips.all_inner_texts() == ["Collapsed: walk", "Only calls of walk"]
    fragment = written_address(page)
    again = painted(open_page(tree_of(rows, names), replace(HEADER, findings=[finding]), fragment=fragment))
    assert again.locator("#chips button").all_inner_texts() == chips.all_inner_texts()
    assert again.locator("#item-0").inner_text() == item.inner_text()
    page.go_back()
    page.wait_for_function("() => document.querySelectorAll('#chips button').length === 1")
    page.get_by_role("button", name="Undo: Collapse recursion walk").click()
    assert page.locator("#chips").is_hidden()
    assert written_address(page).count("edits") == 0


@pytest.mark.parametrize("width", [390, 1440])
def test_first_finding_below_a_deep_trunk_is_visible_on_open(open_page: OpenPage, width: int) -> None:
    trunk = [(row, row, 0, 0) for row in range(188)]
    names = [*(f"trunk{row}" for row in range(188)), "work", "other"]
    finding = PageFinding(symbol=188, severity="severe", direction="worse")
    tree = tree_of([*trunk, (188, 188, 50, 150), (188, 189, 500, 500)], names)
    page = painted(open_page(tree, replace(HEADER, findings=[finding]), width=width))
    assert selected(page) == "work"
    page.locator(".graph").first.focus()
    page.locator(".ring.chosen").first.wait_for()
    ring, graph = (page.locator(part).first.bounding_box() for part in (".ring.chosen", ".graph"))
    assert ring is not None
    assert graph is not None
    assert graph["x"] <= ring["x"] < ring["x"] + ring["width"] <= graph["x"] + graph["width"]
    assert graph["y"] <= ring["y"] < ring["y"] + ring["height"] <= min(graph["y"] + graph["height"], 900)


def test_parts_of_the_waterfall_add_up_and_open_their_function(open_page: OpenPage) -> None:
    page = painted(open_page(header=replace(HEADER, warnings=[])))
    texts = page.locator("#waterfall > :not(b, p)").all_text_contents()
    changes = [int(text.split()[-2].replace("−", "-")) for text in texts]
    assert len(changes) > 2
    assert sum(changes) == 690
    assert page.locator(".facts b").get_attribute("title") == "+690 samples"
    assert page.locator("#waterfall > b").all_inner_texts() == ["1,010", "1,700 samples"]
    for name in ("fresh", "parse", "vanished"):
        page.locator("#waterfall button", has_text=name).click()
        assert selected(page) == name
    painted(page, "before")


def test_card_names_the_cost_of_all_calls(open_page: OpenPage) -> None:
    rows = [(0, 0, 0, 0), (1, 1, 100, 100), (2, 2, 50, 90), (1, 3, 100, 100), (4, 2, 10, 90)]
    header = replace(HEADER, findings=[PageFinding(symbol=2, severity="severe", direction="worse")])
    page = painted(open_page(tree_of(rows, FUNCTIONS), header, fragment="#frame=parse"))
    details = squeezed(page.locator("#details").inner_text())
    assert "all calls 60 → 180 samples (3.0x) · place 2 of 2: 50 → 90 samples (+80.0 %)" in details
    page.locator("#findings button").first.click()
    assert "place 1 of 2: 10 → 90 samples (9.0x)" in squeezed(page.locator("#details").inner_text())
    page = painted(open_page(tree_of(rows, FUNCTIONS), fragment="#frame=load"))
    assert "all calls" not in page.locator("#details").inner_text()
    assert "place" not in page.locator("#details").inner_text()


def test_finding_opens_where_it_changed_with_recursion_collapsed(open_page: OpenPage) -> None:
    # main > load > parse > load > parse: parse grew in the innermost call only
    rows = [(0, 0, 0, 0), (1, 3, 500, 500), (2, 2, 220, 200), (3, 3, 10, 10), (4, 2, 20, 200)]
    found = PageFinding(symbol=2, severity="severe", direction="worse", judged="self", delta=160.0)
    page = painted(open_page(tree_of(rows, FUNCTIONS), replace(HEADER, findings=[found])))
    assert selected(page) == "parse"
    assert "240 → 400 samples" in squeezed(page.locator("#details").inner_text())
    assert page.locator("#chips button").count() == 1


def test_places_without_half_of_a_finding_open_together(open_page: OpenPage) -> None:
    rows = [(0, 0, 0, 0), *((1, 3, 100, 100), (2, 2, 50, 90)), *((1, 5, 100, 100), (4, 2, 50, 90)), (1, 2, 50, 90)]
    found = PageFinding(symbol=2, severity="severe", direction="worse", delta=120.0)
    page = open_page(tree_of(rows, FUNCTIONS), replace(HEADER, findings=[found]))
    page.wait_for_selector("#tab-sandwich[aria-selected=true]")


PARTS = [("fresh" * 10, "+9 samples (new)"), ("other", "+5 samples")]
JUDGED = replace(
    HEADER,
    findings=[
        PageFinding(symbol=6, severity="degraded", direction="worse", tag="degraded"),
        PageFinding(symbol=2, severity="severe", direction="worse", tag="severe", parts=("mostly in", PARTS)),
    ],
    headline=MetricHeadline(
        "fails", "vanished is 26.5 % slower (121 → 153 ms)", "total 1.64 → 1.48 s, −9.7 % (within noise)"
    ),
    total_changed=False,
    warnings=[],
)


@pytest.mark.parametrize(
    ("verdict", "scheme"), quick_first(itertools.product(("fails", "review", "better", "unchanged"), ("light", "dark")))
)
def test_axe_finds_nothing_on_a_judged_page(
    open_page: OpenPage, verdict: str, scheme: Literal["light", "dark"]
) -> None:
    header = replace(JUDGED, headline=MetricHeadline(verdict, "text", "total +1 %"))
    page = painted(open_page(header=header, color_scheme=scheme), "before")
    page.locator("#overview-open").click()
    assert axe_violations(page) == []


def test_findings_are_listed_before_other_changes(open_page: OpenPage) -> None:
    page = painted(open_page(header=JUDGED), "before")
    page.get_by_role("button", name="All changes").click()
    found = [entry.split("\n") for entry in page.locator("#found-list li").all_inner_texts()]
    assert [entry[:3] for entry in found] == [["!", "vanished", "degraded"], ["‼", "parse", "severe"]]
    assert page.locator("#changed").is_hidden()  # all other differences are within noise


def test_table_begins_with_the_findings(open_page: OpenPage) -> None:
    page = open_page(header=JUDGED, fragment="#tab=symbols")
    page.wait_for_selector("#rows tr")
    names = [name.split("\n")[0] for name in page.locator("#rows th").all_inner_texts()]
    assert names[:4] == ["! vanished", "‼ parse", "main", "load"]
    assert page.locator("th[aria-sort]").inner_text() == "Finding"
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"
    assert page.get_by_role("button", name="Responsibility").count() == 0


def test_back_returns_to_the_previous_frame(open_page: OpenPage) -> None:
    more = PageFinding(symbol=5, severity="maybe", direction="worse")
    page = painted(open_page(header=replace(HEADER, findings=[*HEADER.findings, more])))
    page.locator("#findings button").nth(1).click()
    written_address(page)
    page.get_by_role("tab", name="Table").click()
    written_address(page)
    page.go_back()
    assert page.locator("#panel-graph").is_visible()
    assert selected(page) == "fresh"
    page.go_back()
    assert selected(page) == "parse"
    page.go_forward()
    assert selected(page) == "fresh"


def test_first_finding_marks_a_function(open_page: OpenPage) -> None:
    findings = [
        PageFinding(symbol=2, severity="severe", direction="worse", reach="changed here"),
        PageFinding(symbol=2, severity="maybe", direction="better", rows=[4]),
    ]
    page = painted(open_page(header=replace(HEADER, findings=findings)))
    assert page.locator("#findings button").count() == 2
    page.locator("#findings button").first.click()
    assert selected(page) == "parse"
    details = page.locator("#details").inner_text()
    assert "‼" in details
    for text in (details, page.locator("#item-0").inner_text()):
        assert "finding: severe, finding: maybe, better in a call path, changed here" in text
    page.get_by_role("tab", name="Table").click()
    row = page.locator("#rows tr", has_text="parse").first
    assert "severe" in row.inner_text()
    assert "changed here" in row.inner_text()
    page.get_by_role("button", name="Reach").click()
    assert "changed here" in page.locator("#rows tr").first.inner_text()  # who has one comes first


def test_findings_open_by_their_key(open_page: OpenPage) -> None:
    key = "0123456789abcdef"
    finding = PageFinding(symbol=2, severity="severe", direction="worse", key=key)
    header = PageHeader("t", "w", "m", "samples", findings=[finding])
    page = painted(open_page(header=header, fragment=f"#finding={key}~parse"))
    assert selected(page) == "parse"
    assert "finding: severe" in page.locator("#item-0").inner_text()
    other = painted(open_page(header=header, fragment="#finding=ffffffffffffffff~load"))
    assert selected(other) == "load"
    unknown = painted(open_page(header=header, fragment="#finding=ffffffffffffffff"))
    assert "The linked finding is not in this profile" in unknown.locator("#message").inner_text()


def test_changed_functions_are_marked_and_linked(open_page: OpenPage) -> None:
    link = "https://example.test/o/r/pull/1/files#diff-0R7"
    states = SourceStates(
        ("unknown", "same", "changed", "unknown", "unknown", "unknown", "unknown", "unknown"),
        (None, "a.py", "a.py", *[None] * 5),
        (None, None, link, *[None] * 5),
    )
    page = painted(open_page(replace(DEMO, files=["a.py"] * 8, lines=[7] * 8, source=states)))
    assert "◆ source changed" in page.locator("#marks").inner_text()
    assert page.locator("#marks li").count() <= 4
    page.locator("#findings button").first.click()
    assert page.locator("#details b").inner_text() == "‼◆▲ parse"
    assert page.locator("#details a").get_attribute("href") == link
    assert "its source changed" in page.locator("#details").inner_text()
    page.get_by_role("tab", name="Table").click()
    assert "changed" in page.locator("#rows tr", has_text="parse").locator("td").nth(-2).inner_text()


def test_a_renamed_function_is_one_box_with_both_names(open_page: OpenPage) -> None:
    page = painted(open_page(replace(DEMO, former={2: "parse_old\u202e"}), fragment="#frame=parse"))
    assert selected(page) == "parse (was: parse_old)"
    page.get_by_role("tab", name="Table").click()
    assert page.get_by_role("button", name="Show callers and callees of parse (was: parse_old)").count() == 1


def test_tabs_by_arrow_keys(open_page: OpenPage) -> None:
    page = painted(open_page())
    graph = page.get_by_role("tab", name="Graph")
    assert graph.get_attribute("aria-selected") == "true"
    graph.focus()
    page.keyboard.press("End")
    last = page.get_by_role("tab").last
    assert last.get_attribute("aria-selected") == "true"
    assert page.locator(f"#{last.get_attribute('aria-controls')}").is_visible()
    page.keyboard.press("Home")
    assert page.locator("#panel-graph").is_visible()
    table = open_page(fragment="#tab=symbols")
    table.wait_for_selector("#rows tr")
    assert table.get_by_role("tab", name="Table").get_attribute("aria-selected") == "true"


@pytest.mark.parametrize("zoomed", quick_first([True, False]))
def test_unknown_paths_open_their_nearest_known_caller(open_page: OpenPage, zoomed: bool) -> None:
    page = painted(open_page())
    page.locator("#findings button").first.click()
    if zoomed:
        page.locator(".graph").first.press("Enter")
    fragment = written_address(page)
    rebuilt = tree_of([(0, 0, 0, 0), (1, 1, 40, 40), (1, 3, 500, 510), (1, 7, 3, 0)], FUNCTIONS)
    again = painted(open_page(rebuilt, PageHeader("t", "w", "m", "samples"), fragment=fragment))
    assert selected(again) == "load"
    assert again.locator("#trail [aria-current]").inner_text() == ("load" if zoomed else "all")
    assert again.locator("#message").inner_text() == "parse is not in this profile; its nearest known caller is shown."


ATTACKS = [
    "<script>document.title='hit'</script>",
    "</script><script>document.title='hit'</script>",
    "<!--<script>",
    "<svg onload=alert(1)>",
    "javascript:alert(1)",
    "'\"><iframe src=//example.test>",
    "{{ 7 * 7 }}",
    "{% raw %}",
    "&lt;b&gt;",
    "]]>",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "\u202egnp.exe",
    "\u2066hidden\u2069",
    "half\ud800pair",
    "null\0byte",
    "line\nbreak\rtab\t",
    "",
    "   ",
    "x" * 100_000,
    "💥" * 30_000,
    "a;b;c 12",
    "(?:(a+)+)+$",
]


def test_a_corpus_of_attacks_stays_text(open_page: OpenPage) -> None:
    rows = [(0, number, 50 + number, 90 + 3 * number) for number in range(len(ATTACKS))]
    findings = [
        PageFinding(symbol=number, severity="severe", direction="worse", key=f"{number:016x}")
        for number in range(len(ATTACKS))
    ]
    tree = replace(tree_of(rows, ATTACKS), files=ATTACKS, lines=[1] * len(ATTACKS))
    header = PageHeader(
        ATTACKS[0],
        ATTACKS[1],
        ATTACKS[2],
        "samples",
        labels=(ATTACKS[3], ATTACKS[14]),
        findings=findings,
        warnings=ATTACKS[:9],
        notes=ATTACKS[9:],
    )
    page = painted(open_page(tree, header))
    edge = page.locator(".graph").first.bounding_box()
    assert edge is not None
    for place in range(1, 40):
        page.mouse.move(edge["x"] + edge["width"] * place / 40, edge["y"] + 19 + 9)
    page.locator(".graph").first.focus()
    page.keyboard.press("ArrowDown")
    for _ in ATTACKS:
        page.keyboard.press("Enter")
        page.keyboard.press("Backspace")
        page.keyboard.press("ArrowRight")
    page.keyboard.press("s")
    page.keyboard.press("s")
    page.locator("#query").fill("__proto__")
    assert page.locator("#matched").inner_text().startswith("1 frame matches")
    page.get_by_role("tab", name="Table").click()
    assert page.locator("#rows tr").count() == len(ATTACKS)
    page.get_by_role("button", name="Show callers and callees of __proto__").click()
    assert page.title() != "hit"
    assert page.locator("iframe, img, #panels script, #app svg:not(.blueprint .frame > svg, .dots > svg)").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert "\u202e" not in page.locator("body").inner_text()


def test_the_policy_forbids_the_network(browser: "Browser", tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(build_page(DEMO, HEADER), encoding="utf-8")
    page = browser.new_context(offline=True).new_page()
    page.goto(path.as_uri())
    blocked = page.evaluate(
        """async () => {
          const heard = [];
          document.addEventListener("securitypolicyviolation", (event) => heard.push(event.effectiveDirective));
          await fetch("https://example.test/").catch(() => {});
          const image = new Image();
          image.src = "https://example.test/x.png";
          await new Promise((done) => setTimeout(done, 100));
          return heard.sort();
        }"""
    )
    page.context.close()
    assert blocked == ["connect-src", "img-src"]


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_axe_finds_nothing_against_wcag_aa(open_page: OpenPage, width: int, scheme: Literal["light", "dark"]) -> None:
    page = painted(open_page(width=width, color_scheme=scheme))
    assert axe_violations(page) == []
    for menu in ("overview", "notes", "settings"):
        page.locator(f"#{menu}-open").click()
        assert axe_violations(page, within=f"#{menu}") == []
        page.keyboard.press("Escape")
    for key in ("?", "s"):
        page.keyboard.press(key)
    page.locator("#query").fill("a")
    assert axe_violations(page) == []
    page.get_by_role("tab", name="Table").click()
    assert axe_violations(page) == []


def test_chosen_frame_in_forced_colours(open_page: OpenPage) -> None:
    page = painted(open_page())
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    page.locator(".graph").first.focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("getComputedStyle(document.querySelector('.ring.chosen')).outlineStyle") == "solid"


def test_unchanged_calls_without_stacks_open_at_the_table(open_page: OpenPage) -> None:
    page = open_page(header=replace(HEADER, findings=[], total_changed=False, estimated=True))
    page.locator("#rows tr").first.wait_for()
    assert page.get_by_role("tab").all_inner_texts() == ["Table"]
    assert not page.locator("#panel-graph").is_visible()
    assert "no stacks" in page.locator("#table-note").inner_text()
    assert page.get_by_role("button", name="Show callers and callees").count() == 0


def test_table_without_stacks_shows_the_first_finding(open_page: OpenPage) -> None:
    page = open_page(header=replace(HEADER, estimated=True))
    page.locator("#rows tr").first.wait_for()
    first = page.locator("#findings button").first.inner_text().split()
    assert set(page.locator("#details").inner_text().split()) & set(first)
    top = "element => element.getBoundingClientRect().top"
    assert page.locator("#rows").evaluate(top) < page.locator("#details").evaluate(top)


def test_one_profile_has_no_comparison(open_page: OpenPage) -> None:
    tree = tree_of([(*row[:2], row[3], row[3]) for row in STACKS], FUNCTIONS)
    header = PageHeader("demo", "demo", "cpu", "samples", runs=(3, 3), total_changed=False, alone=True)
    page = painted(open_page(tree, header, width=1440))
    assert page.locator(".pane").count() == 1
    assert page.get_by_role("tab").all_inner_texts() == ["Graph", "Sandwich", "Table"]
    assert squeezed(page.locator("#details").inner_text()) == "all 567 samples (100 % of the run)"
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("searchbox", name="Search").fill("parse")
    assert page.locator("#matched").inner_text() == "1 frame matches: 52.9 % of the run"
    assert not [word for word in ("before", "after", "Change ") if word in page.locator("body").inner_text()]
    page.get_by_role("tab", name="Table").click()
    assert page.locator("#columns th:has(button)").all_inner_texts() == ["Function", "Total", "Self"]
    assert page.locator("#rows tr").nth(1).inner_text().split("\t")[:3] == ["load", "313", "13.3"]
    assert page.locator("#rows th .link").count() > 0
    page = open_page(tree, replace(header, estimated=True))
    page.locator("#rows tr").first.wait_for()
    assert page.get_by_role("tab").all_inner_texts() == ["Table"]


def test_print_without_controls(open_page: OpenPage) -> None:
    page = painted(open_page(color_scheme="dark"))
    page.emulate_media(media="print", color_scheme="dark")
    page.locator("#rows tr").first.wait_for()
    assert page.locator(".pane canvas").first.is_visible()
    assert page.locator(".legend.compares").is_visible()
    assert page.locator("#findings").get_by_text("parse").is_visible()
    shown = page.locator("button:visible, input:visible, select:visible, [role=tab]:visible")
    assert set(
        shown.evaluate_all("found => found.map((one) => one.closest('#findings, thead, tbody')?.id ?? '?')")
    ) <= {
        "findings",
        "rows",
        "",  # the titles of the columns
    }
    assert (255, 255, 255) in colours(page)
    page.emulate_media(media="screen", color_scheme="dark")
    page.wait_for_function("() => getComputedStyle(document.getElementById('panel-symbols')).display === 'none'")


LINES = PageHeader(
    "base → head",
    "demo",
    "cpu",
    "count",
    findings=HEADER.findings,
    sources=[
        PageSource(
            symbol=2,
            origin="pull request",
            paths=("parse.py", "parse.py"),
            hunks=[(10, 10, [" def parse(line):", "-    return fast(line)", f"+    return {HOSTILE}"])],
        )
    ],
    lines=[PageLines(symbol=2, rows=[(10, 10, 5, 5, 5, 5), (11, 0, 20, 295, 0, 0), (0, 11, 0, 0, 30, 895)])],
)


def cells(page: "Page", text: str) -> list[str]:
    row = page.locator("#source tbody tr", has_text=text)
    row.locator("td.cost").first.wait_for()  # the source appears with the next frame
    found: list[str] = row.locator("td.cost").all_inner_texts()
    return found


def test_source_has_the_cost_of_each_line(open_page: OpenPage) -> None:
    page = painted(open_page(header=LINES, fragment="#frame=parse"))
    page.locator("#source td.cost").first.wait_for()
    assert cells(page, "def parse") == ["5", "5", "0"]
    assert cells(page, "return fast") == ["295", "", "▼ −295"]
    assert cells(page, "onerror") == ["", "895", "▲ +895"]
    assert "mean per run" in page.locator("#source").inner_text()
    page.keyboard.press("b")
    page.locator("#source td.cost", has_text="+30").wait_for()
    assert cells(page, "return fast") == ["20", "", "▼ −20"]
    assert page.locator("img").count() == 0
    assert page.title() == "demo: base → head"


def test_lines_and_boxes_are_linked_both_ways(open_page: OpenPage) -> None:
    names = ["main", "Shop.load", "parse", "unused"]
    tree = tree_of([(0, 0, 0, 0), (1, 1, 10, 10), (2, 2, 300, 900), (1, 3, 50, 50)], names)
    hunks = [(10, 10, [" def load(self):", "-    return parse(fast)", "+    return parse(slow)"])]
    paths = ("load.py", "load.py")
    sources = [PageSource(symbol=each, origin="from the diff", paths=paths, hunks=hunks) for each in (1, 3)]
    rows: list[tuple[int, ...]] = [(11, 0, 10, 310, 0, 0), (0, 11, 0, 0, 10, 910)]
    page = painted(
        open_page(tree, replace(LINES, sources=sources, lines=[PageLines(symbol=1, rows=rows)], findings=[]))
    )
    source = page.locator("#source")
    page.locator("#query").fill("Shop")
    page.locator("#query").press("Enter")
    assert selected(page) == "Shop.load"
    assert cells(page, "slow") == ["", "910", "▲ +910"]
    link = source.get_by_role("button", name="parse").last
    link.hover()
    page.locator(".ring:not(.chosen)").first.wait_for()
    page.locator(".graph").first.hover(position={"x": 100, "y": 3 * 19 + 9})
    source.locator("tr.calls").first.wait_for()
    link.click()
    assert selected(page) == "parse"


def test_callers_show_that_they_lead_to_a_red_frame(open_page: OpenPage) -> None:
    rows = [(0, 0, 0, 0), (1, 3, 0, 0), (2, 1, 4000, 500), (2, 2, 500, 4000), (1, 5, 100, 100)]
    page = painted(open_page(tree_of(rows, FUNCTIONS), fragment="#frame=main", width=1000))
    assert "calls a frame that grew" in page.locator("#details").inner_text()
