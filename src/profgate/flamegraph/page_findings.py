"""Describe the findings that a page marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from profgate.flamegraph.page_columns import PageFinding
from profgate.model.change import Kind
from profgate.report.markdown_text import limited
from profgate.report.rows import TAGS, amounts, finding_key, growth_and_share, tag_of, whose_text
from profgate.report.wording import reason_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from profgate.model.change import Location
    from profgate.model.comparison import Comparison, DiffTree
    from profgate.model.report import Finding


def marks_of(
    findings: Sequence[Finding], parts: Mapping[Location, tuple[str, list[tuple[str, str]]]], comparison: Comparison
) -> list[PageFinding]:
    """Return the non-neutral findings whose function is in the tree, in the given order.

    ``parts`` contains the results of `parts_of`.
    """
    symbols = comparison.symbols
    names = {finding.location.name for finding in findings}
    place_of = {(name, symbols.files[place]): place for place, name in enumerate(symbols.names) if name in names}
    marks = []
    for finding in findings:
        symbol = place_of.get((finding.location.name, finding.location.file))
        if finding.colour != "neutral" and symbol is not None and not finding.is_total:
            marks.append(_mark(finding, symbol, parts.get(finding.location, ("", [])), comparison))
    return marks


def _mark(
    finding: Finding, symbol: int, parts: tuple[str, list[tuple[str, str]]], comparison: Comparison
) -> PageFinding:
    tag, new = tag_of(finding), finding.result.new_callees
    growth, share = growth_and_share(finding)
    return PageFinding(
        symbol=symbol,
        severity="maybe" if tag == TAGS[Kind.MAYBE_DEGRADATION] else finding.severity,
        direction=finding.direction,
        key=finding_key(finding.location),
        tag=tag,
        judged="total" if finding.result.judged == "subtree" else "self",
        change=(*amounts(finding, comparison.metric.unit), growth),
        delta=finding.delta,
        facts=[f"{share} of the run"] if share else [],
        part=finding.explained_by is not None,
        reasons="; ".join(reason_text(reason, str) for reason in finding.reasons) or None,
        new=", ".join(limited(new, 3, "function", "")) if new else None,
        parts=parts if parts[1] else None,
        reach=whose_text(finding) or None,
        rows=_rows_of_path(comparison.tree, comparison.symbols.names, finding.location.context or ()),
    )


def _rows_of_path(tree: DiffTree | None, names: Sequence[str], path: Sequence[str]) -> list[int]:
    """Return the rows of a call path, given as function names from the root. An empty path has no rows.

    Several rows match if different files contain functions with the same name.
    """
    if tree is None or not path:
        return []
    rows = np.zeros(1, np.int64)
    for name in path:
        children = np.flatnonzero(np.isin(tree.parent, rows))
        rows = children[[names[symbol] == name for symbol in tree.symbol[children].tolist()]]
    found: list[int] = rows.tolist()
    return found
