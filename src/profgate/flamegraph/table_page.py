"""Render a table as a self-contained HTML page in the style of the flame graphs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from profgate.flamegraph.page import NO_WAY_OUT, hash_source
from profgate.model.visible_text import plain
from profgate.report.numbers import counted
from profgate.report.templates import read_asset, render_template

MOST_ROWS = 1000
WIDTH, HEIGHT = 120, 26  # size of a sparkline in pixels
MARGIN = 4
FLATTEST = 0.1  # minimum range of a sparkline as a fraction of its largest value, so that small changes look small


class Heading(NamedTuple):
    """The heading of a column. ``words`` is True for text, which is left-aligned and may wrap."""

    title: str
    words: bool = False


class Sparkline(NamedTuple):
    """A small line of values without axes, as an SVG path with a mark at the last value."""

    path: str
    x: float
    y: float
    tone: str
    width: int = WIDTH
    height: int = HEIGHT


class Cell(NamedTuple):
    """A table cell. ``detail`` is shown in a second line, and ``line`` is shown instead of the text.

    ``badge`` is True if the text is a verdict, which is shown with its badge.
    """

    text: str
    detail: str = ""
    tone: str = ""
    href: str | None = None
    line: Sparkline | None = None
    badge: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePage:
    """The content of a page. The first cell of each row is its heading.

    ``badge`` is the verdict whose badge precedes the title, such as "fails" or "review". ``origin`` contains pairs of a
    label and a code, such as a commit. ``remarks`` are shown above the table. ``empty`` is shown instead of a table
    without rows, and ``elsewhere`` names the place that contains the omitted rows.
    """

    title: str
    label: str
    columns: Sequence[Heading]
    rows: Sequence[Sequence[Cell]]
    empty: str
    badge: str = ""
    origin: Sequence[tuple[str, str]] = ()
    remarks: Sequence[str] = ()
    elsewhere: str = ""

    def render(self) -> str:
        """Return the page as HTML with at most 1,000 rows."""
        hidden = len(self.rows) - MOST_ROWS
        style = read_asset("page/page.css")
        page = render_template(
            "page/table.html.j2",
            **{name: getattr(self, name) for name in ("label", "columns", "empty", "badge")},
            title=plain(self.title),
            aside="",
            facts=(),
            rows=self.rows[:MOST_ROWS],
            more=f"{counted(hidden, 'more row')}{self.elsewhere}." if hidden > 0 else "",
            origin=[(text, plain(code)) for text, code in self.origin],
            notes=(),
            remarks=[plain(remark[:1].upper() + remark[1:]) for remark in self.remarks],
            style=Markup(style),  # noqa: S704 -- trusted file
            policy=f"default-src 'none'; style-src {hash_source(style)}; {NO_WAY_OUT}",
        )
        return page.encode("utf-8", "replace").decode("utf-8")  # a name may contain a lone surrogate


def check_links(hrefs: Iterable[str]) -> None:
    """Raise `ValueError` for a link that leaves the folder of the page."""
    for href in hrefs:
        if ":" in href.split("/", 1)[0] or href.startswith(("/", "\\")) or ".." in href.split("/"):
            raise ValueError(f"{href!r} is not a path inside the folder of the page; pass a relative path")


def sparkline(values: Sequence[float], tone: str = "") -> Sparkline:
    """Return a sparkline of at least two finite values, with a mark in this style at the last value."""
    low, high = min(values), max(values)
    spread = max(high - low, FLATTEST * max(abs(low), abs(high))) or 1.0
    bottom = (low + high - spread) / 2
    step = (WIDTH - 2 * MARGIN) / (len(values) - 1)
    points = [
        (
            round(MARGIN + number * step, 1),
            round(HEIGHT - MARGIN - (value - bottom) / spread * (HEIGHT - 2 * MARGIN), 1),
        )
        for number, value in enumerate(values)
    ]
    return Sparkline("M" + "L".join(f"{x} {y}" for x, y in points), *points[-1], tone)
