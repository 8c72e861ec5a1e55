"""Render a table as a self-contained HTML page in the style of the flame graphs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from markupsafe import Markup

from profgate.flamegraph.page import NO_WAY_OUT, hash_source
from profgate.model.visible_text import plain
from profgate.report.assets import read_asset
from profgate.report.numbers import counted
from profgate.report.templates import render_template

MOST_ROWS = 1000
WIDTH, HEIGHT = 220, 14  # size of a row of a picture in pixels
MARGIN = 4


class Heading(NamedTuple):
    """The heading of a column. ``words`` is True for text, which is left-aligned and may wrap."""

    title: str
    words: bool = False


class PictureRow(NamedTuple):
    """The mean as a bar and each value as a dot, in pixels."""

    kind: str
    mean: float
    dots: Sequence[float]


class Picture(NamedTuple):
    """Rows of bars and dots on one axis."""

    rows: Sequence[PictureRow]
    width: int
    height: int


class Cell(NamedTuple):
    """A table cell. ``detail`` is shown in a second line, and ``picture`` is shown instead of the text.

    ``badge`` is True if the text is a verdict, which is shown with its badge.
    """

    text: str
    detail: str = ""
    tone: str = ""
    href: str | None = None
    picture: Picture | None = None
    badge: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePage:
    """The content of a page. The first cell of each row is its heading.

    ``badge`` is the verdict whose badge precedes the title, such as "fails" or "review". ``origin`` contains pairs of a
    label and a code, such as a commit. ``remarks`` are shown above the table. ``empty`` is shown instead of a table
    without rows, ``omitted`` counts further rows, and ``elsewhere`` names the place that contains them. ``instead`` is
    the relative path of a page that browsers open instead of this one.
    """

    title: str
    label: str
    columns: Sequence[Heading]
    rows: Sequence[Sequence[Cell]]
    empty: str
    badge: str = ""
    origin: Sequence[tuple[str, str]] = ()
    remarks: Sequence[str] = ()
    omitted: int = 0
    elsewhere: str = ""
    instead: str = ""

    def render(self) -> str:
        """Return the page as HTML with at most 1,000 rows."""
        hidden = len(self.rows[MOST_ROWS:]) + self.omitted
        style = read_asset("page/page.css")
        page = render_template(
            "page/table.html.j2",
            **{name: getattr(self, name) for name in ("label", "columns", "empty", "badge", "instead")},
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


def runs_picture(sides: Sequence[Sequence[float]], tone: str = "") -> Picture | None:
    """Return a row for each side with values, from 0 to the largest value, or None without two sides.

    ``sides`` contains the finite totals of the earlier base jobs, of the baseline and of the target. ``tone`` is the
    style of the target's bar.
    """
    most = max((value for values in sides for value in values), default=0.0)
    if not most > 0 or not (sides[-2] and sides[-1]):
        return None
    drawn = [(kind, values) for kind, values in zip(("earlier", "before", f"after {tone}".strip()), sides, strict=True)]
    rows = [
        PictureRow(kind, _place(fmean(values), most), [_place(value, most) for value in values])
        for kind, values in drawn
        if values
    ]
    return Picture(rows, WIDTH, HEIGHT * len(rows))


def _place(value: float, most: float) -> float:
    return round(value / most * (WIDTH - 2 * MARGIN) + MARGIN, 1)
