"""A name changes the text of a report, never its structure: the same elements as with a plain name, in order."""

import re
from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options
from hypothesis import given
from hypothesis import strategies as st

import report_samples as samples
from page_trees import page_tree
from profgate.flamegraph.page import build_page
from profgate.flamegraph.page_columns import PageFinding, PageHeader
from profgate.model.excerpt import Excerpt, Frame, Hunk, LineCost, Place
from profgate.model.links import Links
from profgate.model.plant import Plant
from profgate.model.reason import NotCompared, Side, as_reason
from profgate.model.record import replace
from profgate.model.visible_text import name_forms, plain
from profgate.report.comment import render_comment, render_summary
from profgate.report.explanation import explanation
from profgate.report.view import View

PIECES = (
    *("<i>", "</td>", "</script>", "<script>", "<!--", "-->", "]]>", "<img src=x onerror=alert(1)>", "&lt;", "&#60;"),
    *('"', "`", "```", "~~~", "|", "\\", "*a*", "__a__", "~~a~~", "$$a$$", "# ", "- ", "> ", "1. "),
    *("](https://x.example)", "![a]("),
    *("@octocat", "#1", "GH-1", "o/r#1", "www.x.example", "https://x.example", "a@x.example", "javascript:alert(1)"),
    *("{{ 7 * 7 }}", "{% raw %}", "::error::x", "##[error]x", "%0A", "\n", "\r\n", "\t", "\x00", "\x1b[2J", "\u2028"),
    *("\u202e", "\u200b", "\u2066", "\ufeff", "\ud800", "\U000e0041", "\u0301", "ä", "🔥", " ", "a", "main"),
)
SIGNS = st.sampled_from(PIECES) | st.text(st.characters(), max_size=3)
NAMES = st.lists(SIGNS, min_size=1, max_size=8).map("".join).filter(plain)
INVISIBLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


class Form(HTMLParser):
    """The elements in order, with the names of their attributes, and the text outside of code and links."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.loose = ""
        self.depth = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in {"b", "wbr"}:  # ours, and empty: they part what would be a mention, and long names
            self.elements.append(" ".join([tag, *(name for name, _ in attrs)]))
        self.depth += tag in {"code", "a"}

    def handle_endtag(self, tag: str) -> None:
        if tag != "b":
            self.elements.append(f"/{tag}")
        self.depth -= tag in {"code", "a"}
        self.loose += "\0"

    def handle_data(self, data: str) -> None:
        self.loose += "" if self.depth else data


def markdown(name: str) -> tuple[str, str, str]:
    """The comment, the summary and the explanation of a report in which everything has this name."""
    row = samples.finding(name, 1e9, 2e9, file=name)
    frames = (Frame(name, name, 1, 1e9, 2e9),) * 2
    excerpt = Excerpt("", frames, (Hunk(name, name, name, (name,), 1),))
    metric = replace(
        samples.metric(row, name=name),
        excerpts=(excerpt,),
        places=(Place(row.location, frames, lines=(LineCost(1, 2, 0.0, 1e9, name),)),),
    )
    load = samples.workload(metric, name=name, notes=(name,))
    missing = (NotCompared(name, name, "both", as_reason(f"cannot read {name}")),)
    report = samples.report(
        load, verdict=samples.verdict("fail", samples.text(name)), missing=missing, warnings=(name,)
    )
    report = replace(report, target=Side(name), proof=Plant(name, name, 0.12, caught="2026-11-03"))
    view, links = View(report), Links()
    return render_comment(view, links=links).text, render_summary(view, links=links).text, explanation(view)


def rendered(text: str) -> Form:
    html: str = cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE)
    return Form(html)


def page(name: str) -> str:
    tree = page_tree([(-1, -1, 0, 0), (0, 0, 5, 10)], [name], files=[name])
    finding = PageFinding(symbol=0, severity="severe", direction="worse", reach=name)
    header = PageHeader(name, name, name, name, labels=(name, name), notes=[name], findings=[finding])
    return build_page(tree, header)


@given(NAMES)
def test_a_comment_keeps_its_form(name: str) -> None:
    for text, sound in zip(markdown(name), PLAIN if name_forms(name)[0] == name else LONG, strict=True):
        assert not INVISIBLE.search(text)
        form = rendered(text)
        assert form.elements == sound.elements
        assert not re.search(r"@\w|#\d|\bGH-\d|\bwww\.|https?://", form.loose)


@given(NAMES)
def test_a_page_keeps_its_form(name: str) -> None:
    html = page(name)
    html.encode()
    assert Form(html).elements == PLAIN_PAGE.elements


PLAIN, LONG = (tuple(map(rendered, markdown(name))) for name in ("name", "name<int>"))  # details add the full name
PLAIN_PAGE = Form(page("name"))
