"""Pictures of a change as text in code blocks: its lines with their costs, and bars before and after."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import TYPE_CHECKING

from profgate.model.visible_text import brief_name, columns_of, full_name, plain, visible
from profgate.report import numbers
from profgate.report.rows import only_share_changed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from profgate.model.excerpt import LineCost, Place
    from profgate.report.rows import Row

# a code block on a phone has room for 40 columns
NAME_COLUMNS, BAR_COLUMNS, VALUE_COLUMNS = 18, 10, 20
LONGEST_LINE = 120


def changed_lines(row: Row) -> str:
    """Return the source lines of a change with their costs, as a block in the format of a diff; "" if unknown."""
    place = _place(row)
    if place is None or not place.lines:
        return ""
    texts = dedent("\n".join(visible(line.text or "") for line in place.lines)).split("\n")
    shown = list[str]()
    for line, text in zip(place.lines, texts, strict=True):
        if not shown or line.to_value is not None:
            shown.append(_heading(line, place, row.metric.unit))
        if line.text is not None:
            sign = "+" if line.before is None else "-" if line.after is None else " "
            shown.append(f"{sign} {text[:LONGEST_LINE]}")
    return _block(shown, "diff")


def _heading(line: LineCost, place: Place, unit: str) -> str:
    where = f"{plain(place.location.file or 'line')}:{line.after or line.before}"
    if line.from_value is None or line.to_value is None:
        return f"@@ {where} @@"
    # the cost comes first, because a long path does not fit on a phone
    return f"@@ {numbers.signed(line.to_value - line.from_value, unit)} at {where} @@"


def bars(row: Row) -> str:
    """Return bars for the cost before and after, and for each function of the changed call path; "" if unknown."""
    finding, unit, place = row.shown, row.metric.unit, _place(row)
    by_share = only_share_changed(finding)
    before, after = (finding.share_from, finding.share_to) if by_share else (finding.from_value, finding.to_value)
    if before is None or after is None or min(before, after) < 0:
        return ""
    lines = list[str]()
    for side, value in (("before", before), ("after", after)):
        text = numbers.percent(value) if by_share else numbers.quantity(value, unit)
        lines.append(f"{side:7}{_bar(value, max(before, after), VALUE_COLUMNS)} {text}")
    total = row.metric.total
    if place is not None and place.path and total.baseline and total.target:
        steps = [("whole run", total.baseline, total.target)]
        steps += ((step.name, step.from_value, step.to_value) for step in place.path)
        most = max(max(values) for _, *values in steps)
        lines += ["", f"{'call path':{NAME_COLUMNS}} {'before':{BAR_COLUMNS}} after"]
        for depth, (name, *costs) in enumerate(steps):
            shown = " " * depth + brief_name(full_name(name), NAME_COLUMNS - depth)
            shown += " " * (NAME_COLUMNS - columns_of(shown))
            first, second = (_bar(cost, most) for cost in costs)
            lines.append(f"{shown} {first:{BAR_COLUMNS}} {second}")
    return _block(lines)


def _place(row: Row) -> Place | None:
    here = row.shown.location
    return next((place for place in row.metric.places if place.location == here), None)


def _bar(value: float, most: float, columns: int = BAR_COLUMNS) -> str:
    """Return a bar with a length in proportion to the value, in eighths of a column."""
    eighths = max(round(8 * columns * (value / most)), 1) if most and value > 0 else 0
    return f"{'█' * (eighths // 8)}{' ▏▎▍▌▋▊▉'[eighths % 8]}".rstrip()


def _block(lines: Sequence[str], language: str = "") -> str:
    """Return lines as a code block. Its fence is longer than any in the lines."""
    if not lines:
        return ""
    longest = max(map(len, re.findall("`+", "\n".join(lines))), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join((f"{fence}{language}", *(line.rstrip() for line in lines), fence))
