"""Find where the findings of a report happened: the call path with the largest change, and the costliest lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from profgate.flamegraph.page_lines import edits_of, files_of, line_rows
from profgate.model.excerpt import Frame, LineCost, Place
from profgate.model.record import replace
from profgate.report.rows import Row, whole_change

if TYPE_CHECKING:
    from profgate.flamegraph.page_input import Embed
    from profgate.model.attribution import ChangedFile, SourceDiff, SourceStates
    from profgate.model.comparison import Comparison
    from profgate.model.report import Finding, MetricReport, Report, WorkloadReport

MOST_PLACES = 3  # of one metric
MOST_LINES = 3  # of one finding
LEAST_LINE = 0.1  # smallest part of a finding's change that a line explains
MOST_STEPS = 5  # functions of a path
LONGEST_LINE = 200  # characters
NEARLY_EQUAL = 0.99  # share of the caller's cost from which a function is left out of a path


def with_places(
    report: Report,
    comparisons: Sequence[Comparison],
    states: Sequence[SourceStates | None],
    diff: SourceDiff | None,
    embed: Embed,
) -> Report:
    """Return the report with the places of the first findings of each metric.

    ``states`` contains the source states of each comparison. ``embed`` states which source lines may be shown.
    """
    pairs = zip(comparisons, states, strict=True)
    known = {(comparison.workload, comparison.metric.name): (comparison, state) for comparison, state in pairs}

    def placed(load: WorkloadReport, metric: MetricReport) -> MetricReport:
        found = [one for one in metric.findings if one.colour != "neutral" and not one.is_total]
        if not found or (load.name, metric.name) not in known:
            return metric
        comparison, state = known[load.name, metric.name]
        symbols = comparison.symbols
        numbers = {pair: at for at, pair in enumerate(zip(symbols.names, symbols.files, strict=True))}
        places = []
        for finding in sorted(found, key=lambda one: one.importance)[:MOST_PLACES]:
            shown = Row(load.name, metric, finding).shown
            symbol = numbers.get((shown.location.name, shown.location.file))
            if symbol is not None:
                path = _path(comparison, shown, symbol)
                places.append(Place(shown.location, path, _lines(comparison, shown, symbol, state, diff, embed)))
        return replace(metric, places=tuple(places))

    return report.with_metrics(placed)


def _path(comparison: Comparison, finding: Finding, symbol: int) -> tuple[Frame, ...]:
    """Return the call path with at least half of a finding's change, or nothing if there is none."""
    tree = comparison.tree
    nodes = np.flatnonzero(tree.symbol == symbol) if tree is not None else ()
    if tree is None or not len(nodes):
        return ()
    costs = [tree.baseline_total, tree.target_total]
    if finding.result.judged != "subtree":
        costs = [tree.baseline_self, tree.target_self]
    counts = comparison.runs.baseline, comparison.runs.target
    changes = np.copysign(1.0, finding.delta or 1.0) * (costs[1][nodes] / counts[1] - costs[0][nodes] / counts[0])
    if 2 * changes.max() < changes.sum():
        return ()
    row, chosen = int(nodes[changes.argmax()]), list[int]()
    while row > 0:
        above = int(tree.parent[row])
        sides = tree.baseline_total, tree.target_total
        if not chosen or any(values[row] < NEARLY_EQUAL * values[above] for values in sides):
            chosen.append(row)
        row = above
    scale, symbols = comparison.metric.scale, comparison.symbols
    steps = []
    for row in reversed(chosen[:MOST_STEPS]):
        before, after = (float(values[row]) * scale / count for values, count in zip(sides, counts, strict=True))
        at = int(tree.symbol[row])
        steps.append(Frame(symbols.names[at], symbols.files[at], symbols.lines[at], before, after))
    return tuple(steps)


def _lines(
    comparison: Comparison,
    finding: Finding,
    symbol: int,
    states: SourceStates | None,
    diff: SourceDiff | None,
    embed: Embed,
) -> tuple[LineCost, ...]:
    """Return the lines of a function that changed most in the direction of its finding, in the order of the source.

    If no line has a known cost, they are its first new lines.
    """
    file = files_of(diff).get(states.paths[symbol] or "") if states is not None else None
    readable = embed == "all" or (
        embed == "changed" and states is not None and states.states[symbol] not in {"same", "unknown"}
    )
    texts = _texts(file) if readable and file is not None else ({}, {})
    factors = [comparison.metric.scale / count for count in (comparison.runs.baseline, comparison.runs.target)]
    sign, least = np.copysign(1.0, finding.delta or 1.0), LEAST_LINE * abs(finding.delta or 0.0)
    found = []
    for before, after, _, first, _, second, *_ in line_rows(comparison, {symbol: file})[symbol]:
        change = sign * (second * factors[1] - first * factors[0])
        if change >= least:
            text = texts[1].get(after) if after else texts[0].get(before)
            line = LineCost(before or None, after or None, first * factors[0], second * factors[1], text)
            found.append((change, line))
    if not found and states is not None and states.spans and (span := states.spans[symbol][1]) is not None:
        new = [number for edit in edits_of(file) for number in range(edit.target.first, edit.target.last + 1)]
        own = [number for number in new if number in span and texts[1].get(number, "").strip()]
        return tuple(LineCost(None, number, None, None, texts[1][number]) for number in own[:MOST_LINES])
    shown, rest = list[LineCost](), whole_change(finding)
    for change, line in sorted(found, key=lambda pair: -pair[0])[:MOST_LINES]:
        if change <= rest or not shown:  # the lines are parts of the change
            shown.append(line)
            rest -= change
    return tuple(line for _, line in found if line in shown)


def _texts(file: ChangedFile) -> tuple[Mapping[int, str], Mapping[int, str]]:
    """Return the lines in the diff of a file before and after by their numbers."""
    sides: tuple[dict[int, str], dict[int, str]] = ({}, {})
    for hunk in file.hunks:
        numbers = [hunk.baseline.first, hunk.target.first]
        for line in hunk.text.split("\n"):
            for side, absent in enumerate("+-"):
                if line[:1] != absent:
                    sides[side][numbers[side]] = line[1 : LONGEST_LINE + 1]
                    numbers[side] += 1
    return sides
