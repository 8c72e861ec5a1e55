"""Draw the flame graph as a static SVG: the layout of the page, and the colours of flamegraph.pl.

Source: B. Gregg, "Differential Flame Graphs", 2014.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from profgate.flamegraph.page_columns import OTHER, CutTree, NamedTree, PageHeader, uncut, visible_page
from profgate.model.visible_text import cut
from profgate.report import numbers
from profgate.report.assets import escaped

if TYPE_CHECKING:
    from profgate.model.arrays import FloatArray, IntArray
    from profgate.model.comparison import DiffTree

_WIDTH = 1200
_MARGIN = 10
_ROW = 18
_TOP = 46
_PATTERNS = """\
<defs><pattern id="pg-new" width="4" height="4" patternUnits="userSpaceOnUse">\
<circle class="m" cx="1" cy="1" r=".8"/></pattern>\
<pattern id="pg-gone" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
<path class="n" d="M0 0V6"/></pattern></defs>"""
# the Content-Security-Policy of a page must contain the hash of this text
SVG_STYLE = """\
.pg text{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}\
.pg .t{font-size:14px;font-weight:600}\
.pg .b{fill:#eceef0}.pg .t{fill:#1a1e23}.pg .q{fill:#4c545d}.pg .o{fill:#d5d9de}\
.pg .m{fill:#1a1e23;opacity:.5}.pg .n{stroke:#1a1e23;opacity:.5}\
@media(prefers-color-scheme:dark){.pg .b{fill:#1b1e22}.pg .t{fill:#e7e9ec}.pg .q{fill:#9ba4ae}}"""


def build_svg(tree: NamedTree, header: PageHeader, max_boxes: int = 4000) -> str:
    """Return the flame graph as an SVG image, 1,200 pixels wide, with the `max_boxes` widest boxes."""
    tree, header = visible_page(tree, header)
    return draw_svg(tree, uncut(tree.tree), header, max_boxes)


def draw_svg(named: NamedTree, shown: CutTree, header: PageHeader, max_boxes: int) -> str:
    """Draw a part of a tree. The tree and the header must come from `visible_page`."""
    tree = shown.tree
    values = tree.target_total if tree.target_total[0] else tree.baseline_total
    side = "after" if tree.target_total[0] else "before"
    before, after = float(tree.baseline_total[0]), float(tree.target_total[0])
    ratio = header.runs[1] / header.runs[0]  # the factor by which the before side is scaled
    if header.normalisation == "total" and before and after:
        ratio = after / before
    deltas: FloatArray = np.asarray(tree.target_self - tree.baseline_self * ratio, np.float64)
    if header.judged:  # the report found no change in the other functions
        deltas *= np.isin(tree.symbol, [finding.symbol for finding in header.findings])
    largest = max(float(np.abs(deltas).max()), 1.0)
    total = float(values[0])
    scale = (_WIDTH - 2 * _MARGIN) / total if total else 0.0
    widths: FloatArray = np.asarray(values * scale, np.float64)
    left: FloatArray = np.asarray(_MARGIN + _before(tree, side) * scale, np.float64)
    # boxes below half a pixel are left out, as by flamegraph.pl
    drawn = np.flatnonzero(widths >= 0.5)
    if len(drawn) > max_boxes:
        # a parent is at least as wide as its children, so the parent of each row is drawn, too
        drawn = np.sort(drawn[np.argsort(-widths[drawn], kind="stable")[:max_boxes]])
    boxes = [
        _box(named, shown, header, row, ratio, _colour(float(deltas[row]), largest, header), left[row], widths[row])
        for row in drawn.tolist()
    ]
    height = _TOP + (int(tree.depth[drawn].max(initial=0)) + 1) * _ROW + 30
    title, short, summary = (
        escaped(text)
        for text in (header.full_title, cut(header.full_title, 140), cut(_summary(tree, header, side), 175))
    )
    shapes = "".join(f"{box}\n" for box in boxes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}"'
        f' height="{height}" role="img" aria-label="{title}">\n<style>{SVG_STYLE}</style>\n{_PATTERNS}\n'
        f'<rect class="b" width="{_WIDTH}" height="{height}"/>\n'
        f'<text class="t" x="{_MARGIN}" y="19">{short}</text>\n<text class="q" x="{_MARGIN}" y="36">{summary}</text>\n'
        f"{shapes}{_legend(header, height)}</svg>\n"
    )


def _legend(header: PageHeader, height: int) -> str:
    if header.alone:
        return ""
    more, less = ("red", "blue") if header.better == "lower" else ("blue", "red")
    meaning = f"{more} = more, {less} = less after the change, by the function's own cost"
    return f'<text class="q" x="{_MARGIN}" y="{height - 11}">{meaning}; dots and + = only after</text>\n'


def _colour(delta: float, largest: float, header: PageHeader) -> tuple[int, int, int]:
    """Return a colour between white and red or blue, as flamegraph.pl does: linear in the largest change."""
    pale = int(210 * (largest - abs(delta)) / largest)
    if not delta:
        return 255, 255, 255
    return (255, pale, pale) if (delta > 0) == (header.better == "lower") else (pale, pale, 255)


def _before(tree: DiffTree, side: str) -> IntArray:
    """Return each row's offset: the sum of the self values of all preceding rows in preorder, except ancestors."""
    own = tree.target_self if side == "after" else tree.baseline_self
    steps = np.r_[0, own]  # the value of a row is added before the next rows,
    np.subtract.at(steps, tree.end, own)  # and subtracted at the end of its subtree
    before: IntArray = np.cumsum(own) - own - np.cumsum(steps)[:-1]
    return before


def _box(
    named: NamedTree,
    shown: CutTree,
    header: PageHeader,
    row: int,
    ratio: float,
    rgb: tuple[int, int, int],
    left: float,
    width: float,
) -> str:
    tree = shown.tree
    before, after = int(tree.baseline_total[row]), int(tree.target_total[row])
    name = row_name(named, shown, row)
    state = ("new" if not before else "gone" if not after else "") if tree.symbol[row] >= 0 else ""
    glyph = {"new": "+ ", "gone": "× "}.get(state, "")
    delta = after - before * ratio
    title = (
        f"{name}: {header.quantity(after, 1)}"
        if header.alone
        else f"{name}: {header.quantity(before, 0)} → {header.quantity(after, 1)}, {header.change(delta)}"
        f" ({numbers.signed_percent(delta / (before * ratio)) if before else 'new' if after else '-'})"
    )
    x, y = f"{left:.1f}", _TOP + int(tree.depth[row]) * _ROW
    shape = f'x="{x}" y="{y}" width="{max(width - 0.5, 0.3):.1f}" height="{_ROW - 1}"'
    dotted = f'<rect fill="url(#pg-{state})" {shape}/>' if state else ""
    label, room = glyph + name, int((width - 6) / 6.6)  # width of a character
    label = cut(label, room) if room >= min(3, len(label)) else ""
    # by the relative luminance of WCAG 2, white is better only on blue from rgb(95, 95, 255) to rgb(0, 0, 255)
    ink = ' fill="#fff"' if rgb[0] < 96 else ""
    text = f'<text{ink} x="{left + 3:.1f}" y="{y + 12}">{_escaped(label)}</text>' if label else ""
    colour = 'class="o"' if tree.symbol[row] == OTHER else f'fill="rgb({",".join(map(str, rgb))})"'
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
    return f"{header.metric}: {header.quantity(before, 0)} → {header.quantity(after, 1)}, width = {side}"
