"""Describe the findings that a page marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from profgate.flamegraph.page_columns import PageFinding
from profgate.model.kinds import Kind
from profgate.model.report import Attribution
from profgate.report.finding_text import TAGS, finding_key, shown_change, tag_of, whose_text
from profgate.report.markdown_text import limited
from profgate.report.wording import reason_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from profgate.flamegraph.page_input import PageContext
    from profgate.model.comparison import Comparison, DiffTree


def marks_of(context: PageContext, comparison: Comparison) -> list[PageFinding]:
    """Return the non-neutral findings whose function is in the tree, in the given order."""
    symbols, findings = comparison.symbols, context.findings or ()
    names = {finding.location.name for finding in findings}
    place_of = {(name, symbols.files[place]): place for place, name in enumerate(symbols.names) if name in names}
    marks = []
    for finding in findings:
        symbol = place_of.get((finding.location.name, finding.location.file))
        if finding.colour == "neutral" or symbol is None or finding.is_total:
            continue
        tag = tag_of(finding)
        mark = PageFinding(
            symbol=symbol,
            severity="maybe" if tag == TAGS[Kind.MAYBE_DEGRADATION] else finding.severity,
            direction=finding.direction,
            key=finding_key(finding.location),
            tag=tag,
            judged="total" if finding.result.judged == "subtree" else "self",
            strategies=[change.strategy for change in finding.agreeing],
        )
        shown = shown_change(finding, comparison.metric.unit)
        mark["change"] = shown[:3]
        mark["delta"] = finding.delta
        mark["facts"] = shown.further
        if finding.explained_by is not None:
            mark["part"] = True
        if finding.reasons:
            mark["story"] = "; ".join(reason_text(reason, str) for reason in finding.reasons)
        if finding.result.new_callees:
            mark["new"] = ", ".join(limited(finding.result.new_callees, 3, "function", ""))
        word, parts = context.parts.get(finding.location, ("", []))
        if parts:
            mark["parts"] = (word, parts)
        if finding.attribution != Attribution():
            mark["reach"] = whose_text(finding)
        if finding.location.context and comparison.tree is not None:
            mark["rows"] = _rows_of_path(comparison.tree, symbols.names, finding.location.context)
        marks.append(mark)
    return marks


def _rows_of_path(tree: DiffTree, names: Sequence[str], path: Sequence[str]) -> list[int]:
    """Return the rows of a call path, given as function names from the root.

    Several rows match if different files contain functions with the same name.
    """
    rows = np.zeros(1, np.int64)
    for name in path:
        children = np.flatnonzero(np.isin(tree.parent, rows))
        rows = children[[names[symbol] == name for symbol in tree.symbol[children].tolist()]]
    found: list[int] = rows.tolist()
    return found
