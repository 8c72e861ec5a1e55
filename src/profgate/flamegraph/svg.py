"""Draw the flame graph as a static SVG with the layout and the colours of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import markupsafe
import numpy as np

from profgate.flamegraph.page_columns import (
    OTHER,
    CutTree,
    NamedTree,
    PageHeader,
    one_sided_shares,
    uncut,
)
from profgate.flamegraph.page_texts import visible_page
from profgate.flamegraph.shading import FIRST_LEVEL, LEVELS, USUAL, Colouring, Shading, classic_colour, shade
from profgate.model.visible_text import cut
from profgate.report import numbers

if TYPE_CHECKING:
    from profgate.model.arrays import FloatArray, IntArray
    from profgate.model.comparison import DiffTree

_WIDTH = 1200
_MARGIN = 10
_ROW = 18
_TOP = 46
_SMALLEST = 0.5
_CHARACTER = 6.6
_PATTERNS = """\
<defs><pattern id="pg-new" width="4" height="4" patternUnits="userSpaceOnUse">\
<circle class="m" cx="1" cy="1" r=".8"/></pattern>\
<pattern id="pg-gone" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
<path class="n" d="M0 0V6"/></pattern></defs>"""
_CLASSIC = "white to red = more, to blue = less after the change, by the function's own cost; widths = after"
_PALETTES = {
    "light": ((0x21, 0x66, 0xAC), (0xF4, 0xF4, 0xF4), (0xB2, 0x18, 0x2B)),
    "dark": ((0x43, 0x93, 0xC3), (0x3A, 0x3D, 0x42), (0xD6, 0x60, 0x4D)),
}


def build_svg(tree: NamedTree, header: PageHeader, max_boxes: int = 4000, style: Colouring = USUAL) -> str:
    """Return the flame graph as an SVG image, 1,200 pixels wide, with the `max_boxes` widest boxes."""
    tree, header = visible_page(tree, header)
    return draw_svg(tree, uncut(tree.tree), header, max_boxes, style)


def svg_style(header: PageHeader) -> str:
    """Return the image's style sheet. The Content-Security-Policy of a page must contain the hash of this text."""
    light, dark = (_scheme(theme, header) for theme in ("light", "dark"))
    return (
        ".pg text{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
        ".pg .t{font-size:14px;font-weight:600}"
        f"{light}@media(prefers-color-scheme:dark){{{dark}}}"
    )


def draw_svg(named: NamedTree, shown: CutTree, header: PageHeader, max_boxes: int, style: Colouring = USUAL) -> str:
    """Draw a part of a tree. The tree and the header must come from `visible_page`."""
    tree = shown.tree
    values = tree.target_total if tree.target_total[0] else tree.baseline_total
    side = "after" if tree.target_total[0] else "before"
    shading = shade(tree, header, style)
    largest = max(float(np.abs(shading.delta).max()), 1.0)
    fills = [classic_colour(delta, largest) for delta in shading.delta.tolist()] if style.classic else None
    total = float(values[0])
    scale = (_WIDTH - 2 * _MARGIN) / total if total else 0.0
    widths: FloatArray = np.asarray(values * scale, np.float64)
    left: FloatArray = np.asarray(_MARGIN + _before(tree, side) * scale, np.float64)
    drawn = _widest(widths, max_boxes)
    boxes = [
        _box(named, shown, header, shading, row, float(left[row]), float(widths[row]), fills) for row in drawn.tolist()
    ]
    height = _TOP + (int(tree.depth[drawn].max(initial=0)) + 1) * _ROW + 30
    title, short, summary = (
        markupsafe.escape(text)
        for text in (header.full_title, cut(header.full_title, 140), cut(_summary(tree, header, side), 175))
    )
    shapes = "".join(f"{shape}\n" for shape in [*boxes, *_slivers(tree, left, widths, drawn)])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}"'
        f' height="{height}" role="img" aria-label="{title}">\n<style>{svg_style(header)}</style>\n{_PATTERNS}\n'
        f'<rect class="b" width="{_WIDTH}" height="{height}"/>\n'
        f'<text class="t" x="{_MARGIN}" y="19">{short}</text>\n<text class="q" x="{_MARGIN}" y="36">{summary}</text>\n'
        f"{shapes}{_legend(header, style, height)}</svg>\n"
    )


def _legend(header: PageHeader, style: Colouring, height: int) -> str:
    if header.alone:
        return ""
    if style.classic:
        return f'<text class="q" x="{_MARGIN}" y="{height - 11}">{_CLASSIC}</text>\n'
    levels = "".join(
        f'<rect class="l{level}" x="{_MARGIN + 12 * place}" y="{height - 20}" width="12" height="10"/>\n'
        for place, level in enumerate(range(0, 65, 8))
    )
    meaning = "blue = less, red = more" if header.better == "lower" else "red = less"
    return f"""{levels}<text class="q" x="{_MARGIN + 118}" y="{height - 11}">{meaning} after the change; \
neutral = below 0.1 % of the whole or within chance; dots and + = only after</text>\n"""


def _before(tree: DiffTree, side: str) -> IntArray:
    """Return each row's offset: the sum of the self values of all preceding rows in preorder, except ancestors."""
    own = tree.target_self if side == "after" else tree.baseline_self
    steps = np.r_[0, own]  # the value of a row is added before the next rows,
    np.subtract.at(steps, tree.end, own)  # and subtracted at the end of its subtree
    before: IntArray = np.cumsum(own) - own - np.cumsum(steps)[:-1]
    return before


def _widest(widths: FloatArray, limit: int) -> IntArray:
    """Return the widest rows in preorder.

    The parent of an included row is also included, because it is at least as wide.
    """
    rows = np.flatnonzero(widths >= _SMALLEST)
    if len(rows) > limit:
        rows = np.sort(rows[np.argsort(-widths[rows], kind="stable")[:limit]])
    return rows


def _slivers(tree: DiffTree, left: FloatArray, widths: FloatArray, drawn: IntArray) -> list[str]:
    """Return grey rectangles, which replace adjacent boxes that are too small to draw."""
    shown = np.zeros(len(tree), np.bool_)
    shown[drawn] = True
    rows = np.flatnonzero(~shown & shown[np.maximum(tree.parent, 0)] & (widths > 0))
    rows = rows[np.lexsort((left[rows], tree.depth[rows]))]
    depth, start, end = tree.depth[rows], left[rows], left[rows] + widths[rows]
    apart = (depth[1:] != depth[:-1]) | (start[1:] - end[:-1] >= 0.01)
    first, last = np.flatnonzero(np.r_[True, apart][: len(rows)]), np.flatnonzero(np.r_[apart, True][: len(rows)])
    return [
        f'<rect class="s" x="{x:.1f}" y="{_TOP + level * _ROW}" width="{right - x:.1f}" height="{_ROW - 1}"/>'
        for level, x, right in zip(depth[first].tolist(), start[first].tolist(), end[last].tolist(), strict=True)
        if right - x >= _SMALLEST
    ]


def _box(
    named: NamedTree,
    shown: CutTree,
    header: PageHeader,
    shading: Shading,
    row: int,
    left: float,
    width: float,
    fills: list[tuple[int, int, int]] | None,
) -> str:
    tree = shown.tree
    before, after = int(tree.baseline_total[row]), int(tree.target_total[row])
    level = int(shading.level[row])
    name = row_name(named, shown, row)
    state = ("new" if not before else "gone" if not after else "") if tree.symbol[row] >= 0 else ""
    glyph = {"new": "+ ", "gone": "× "}.get(state) or ("▲ " if level > 0 else "▼ " if level < 0 else "")
    delta = after - before * shading.ratio
    share = f"{numbers.percent(after / float(tree.target_total[0]) if after else 0.0)} of"
    title = (
        f"{name}: {header.quantity(after, 1)}, {share} the run"
        if header.alone
        else f"{name}: {header.quantity(before, 0)} → {header.quantity(after, 1)}, {header.change(delta)}"
        f" ({numbers.signed_percent(delta / (before * shading.ratio)) if before else 'new' if after else '-'}), "
        f"{numbers.percent(before / float(tree.baseline_total[0]) if before else 0.0)} of before, "
        f"{share} after"
    )
    x, y = f"{left:.1f}", _TOP + int(tree.depth[row]) * _ROW
    drawn = width if fills else max(width - 0.5, 0.3)
    shape = f'x="{x}" y="{y}" width="{drawn:.1f}" height="{_ROW - 1}"'
    fill = "o" if tree.symbol[row] == OTHER else f"l{level + LEVELS}"
    dotted = f'<rect fill="url(#pg-{state})" {shape}/>' if state else ""
    label, room = glyph + name, int((width - 6) / _CHARACTER)
    label = cut(label, room) if room >= min(3, len(label)) else ""
    ink = f'style="fill:{_ink_on(list(fills[row]))}"' if fills else f'class="x{level + LEVELS}"'
    text = f'<text {ink} x="{left + 3:.1f}" y="{y + 12}">{_escaped(label)}</text>' if label else ""
    colour = f'fill="rgb({",".join(map(str, fills[row]))})"' if fills else f'class="{fill}"'
    return f"<g><title>{_escaped(title)}</title><rect {colour} {shape}/>{dotted}{text}</g>"


def _escaped(text: str) -> str:
    # html.escape would import a list of entities, and str.translate is slower
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def row_name(named: NamedTree, shown: CutTree, row: int) -> str:
    """Return a row's label: its function, `all` for the root, or the number of merged rows."""
    symbol = int(shown.tree.symbol[row])
    if symbol == OTHER:
        count = int(shown.hidden[row])
        return f"other ({count:,} {'node' if count == 1 else 'nodes'})"
    return named.names[symbol] if symbol >= 0 else "all"


def _summary(tree: DiffTree, header: PageHeader, side: str) -> str:
    before, after = int(tree.baseline_total[0]), int(tree.target_total[0])
    if not before and not after:
        return f"{header.metric}: both sides are empty"
    if header.alone:
        return f"{header.metric}: {header.quantity(after, 1)}"
    parts = [f"{header.metric}: {header.quantity(before, 0)} → {header.quantity(after, 1)}", f"width = {side}"]
    if gone := one_sided_shares(tree)[0]:
        parts.append(f"{numbers.percent(gone)} of before is gone")
    return ", ".join(parts)


def _scheme(theme: str, header: PageHeader) -> str:
    less, none, more = _PALETTES[theme]
    back, ink, quiet, sliver, other = (
        ("#fff", "#1a1e23", "#5a636d", "#c9ced4", "#dfe2e6")
        if theme == "light"
        else ("#1b1e22", "#e7e9ec", "#9ba4ae", "#4c5259", "#2b2f34")
    )
    rules = [
        f".pg .b{{fill:{back}}}.pg .t{{fill:{ink}}}.pg .q{{fill:{quiet}}}.pg .s{{fill:{sliver}}}.pg .o{{fill:{other}}}",
        f".pg .m{{fill:{ink};opacity:.5}}.pg .n{{stroke:{ink};opacity:.5}}",
    ]
    for level in range(-LEVELS, LEVELS + 1):
        goal = less if (level < 0) == (header.better == "lower") else more
        part = abs(level) / LEVELS
        rgb = [round(start + (end - start) * part) for start, end in zip(none, goal, strict=True)]
        if level == 0 or abs(level) >= FIRST_LEVEL:
            place = level + LEVELS
            colour = "".join(f"{channel:02x}" for channel in rgb)
            rules.append(f".pg .l{place}{{fill:#{colour}}}.pg .x{place}{{fill:{_ink_on(rgb)}}}")
    return "".join(rules)


def _ink_on(rgb: list[int]) -> str:
    parts = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb]
    light = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    return "#fff" if 1.05 / (light + 0.05) > (light + 0.05) / 0.05 else "#000"
