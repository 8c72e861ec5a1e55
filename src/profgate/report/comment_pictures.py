"""Pictures of a change as text in code blocks: its lines with their costs, and bars before and after."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import TYPE_CHECKING

from profgate.model.visible_text import visible
from profgate.report import numbers
from profgate.report.rows import whole_change

if TYPE_CHECKING:
    from collections.abc import Sequence

    from profgate.model.excerpt import LineCost
    from profgate.report.rows import Row

# a code block on a phone has room for 40 columns
BAR_COLUMNS = 16
LONGEST_LINE = 120


def changed_lines(row: Row) -> str:
    """Return the source lines of a change with their costs, as a block in the format of a diff; "" if unknown."""
    place = next((place for place in row.metric.places if place.location == row.shown.location), None)
    if place is None or not place.lines:
        return ""
    whole = whole_change(row.shown)
    texts = dedent("\n".join(visible(line.text or "") for line in place.lines)).split("\n")
    shown = list[str]()
    for line, text in zip(place.lines, texts, strict=True):
        if not shown or line.to_value is not None:
            shown.append(_heading(line, whole))
        if line.text is not None:
            sign = "+" if line.before is None else "-" if line.after is None else " "
            shown.append(f"{sign} {text[:LONGEST_LINE]}")
    return _block(shown, "diff")


def _heading(line: LineCost, whole: float) -> str:
    """Return the number of a line, and which part of the change of its function it explains."""
    change = abs((line.to_value or 0.0) - (line.from_value or 0.0))
    part = f": {100 * min(1.0, change / whole):.0f} % of the change" if change and whole else ""
    return f"@@ line {line.after or line.before}{part} @@"


def bars(row: Row) -> str:
    """Return bars for the cost before and after; "" if unknown."""
    finding, unit = row.shown, row.metric.unit
    by_share = finding.only_share
    before, after = (finding.share_from, finding.share_to) if by_share else (finding.from_value, finding.to_value)
    if before is None or after is None or min(before, after) < 0:
        return ""
    lines = list[str]()
    for side, value in (("before", before), ("after", after)):
        text = numbers.percent(value) if by_share else numbers.quantity(value, unit)
        lines.append(f"{side:7}{_bar(value, max(before, after))} {text}")
    return _block(lines)


def _bar(value: float, most: float) -> str:
    """Return a bar with a length in proportion to the value, in eighths of a column."""
    eighths = max(round(8 * BAR_COLUMNS * (value / most)), 1) if most and value > 0 else 0
    return f"{'█' * (eighths // 8)}{' ▏▎▍▌▋▊▉'[eighths % 8]}".rstrip()


def _block(lines: Sequence[str], language: str = "") -> str:
    """Return lines as a code block. Its fence is longer than any in the lines."""
    if not lines:
        return ""
    longest = max(map(len, re.findall("`+", "\n".join(lines))), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join((f"{fence}{language}", *(line.rstrip() for line in lines), fence))
