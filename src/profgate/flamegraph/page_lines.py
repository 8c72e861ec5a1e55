"""Select the source lines whose costs a page shows, and pair the lines of both sides."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NotRequired, TypedDict

import numpy as np

from profgate.compare.columns import ENOUGH_RUNS, significant
from profgate.model.arrays import distinct

if TYPE_CHECKING:
    from profgate.model.attribution import ChangedFile, Edit, LineRange, SourceDiff, SourceStates, SourceTexts
    from profgate.model.comparison import Comparison, LineCosts

MOST_FUNCTIONS = 50
MOST_LINES = 200  # maximum number of rows of one function
LONGEST_FUNCTION = 400  # in lines per side; of longer functions, only the changed parts are shown
SELF, TOTAL = 1, 2

LineRow = tuple[int, ...]


class PageLines(TypedDict):
    """The line costs of one symbol.

    Each row contains the line number before and after (0: there is no such line), the self and total value before, and
    the self and total value after. If there are enough runs for a test, a bit set of the significant changes (`SELF`,
    `TOTAL`) follows. ``omitted`` is the number of rows beyond the limit.
    """

    symbol: int
    rows: list[LineRow]
    omitted: NotRequired[int]


def page_lines(
    comparison: Comparison, first: Collection[int], states: SourceStates | None, diff: SourceDiff | None
) -> list[PageLines]:
    """Return the line costs for the symbols in ``first`` and for the symbols with the largest changes.

    At most `MOST_FUNCTIONS` symbols are returned, with at most `MOST_LINES` rows each.
    """
    costs = comparison.lines
    if costs is None:
        return []
    files, found = files_of(diff), []
    chosen = _chosen(comparison, costs, first)
    functions = {symbol: files.get(states.paths[symbol] or "") if states else None for symbol in chosen}
    for symbol, rows in line_rows(comparison, functions).items():
        largest = sorted(rows, key=lambda row: (-max(row[2:6]), row[:2]))[:MOST_LINES]
        lines = PageLines(symbol=symbol, rows=sorted(largest, key=partial(_position, file=functions[symbol])))
        if len(rows) > MOST_LINES:
            lines["omitted"] = len(rows) - MOST_LINES
        found.append(lines)
    return found


def _chosen(comparison: Comparison, costs: LineCosts, first: Collection[int]) -> list[int]:
    """Return the symbols whose lines are shown: ``first``, then the largest changes, then the largest costs."""
    known = distinct(costs.symbol)
    largest = comparison.self_value.max(axis=0)[known]
    changes = [
        np.abs(np.subtract(*comparison.runs.means(values)))[known].astype(np.float64)
        for values in (comparison.self_value, comparison.total_value)
    ]
    order = np.lexsort((known, -largest, -changes[1], -changes[0], ~np.isin(known, list(first))))
    chosen: list[int] = known[order][:MOST_FUNCTIONS].tolist()
    return chosen


def _position(row: LineRow, file: ChangedFile | None) -> tuple[int, bool]:
    """Return the sort key of a row. A removed line comes before the lines that replaced it."""
    if row[1]:
        return row[1], True
    removed = next(edit for edit in edits_of(file) if row[0] in edit.baseline)
    return removed.target.first + min(row[0] - removed.baseline.first, max(removed.target.size - 1, 0)), False


def edits_of(file: ChangedFile | None) -> list[Edit]:
    """Return the edits of a file, first to last."""
    return [edit for hunk in (file.hunks if file else ()) for edit in hunk.edits]


def files_of(diff: SourceDiff | None) -> dict[str, ChangedFile]:
    """Return the changed files by both paths."""
    return {path: file for file in (diff.files if diff else ()) for path in (file.previous_path, file.path)}


def line_rows(comparison: Comparison, functions: Mapping[int, ChangedFile | None]) -> dict[int, list[LineRow]]:
    """Return one row, as in `PageLines`, for each line with a cost of each function, which is given with its file.

    A baseline line shares its row with the same line of the target.
    """
    rows = {symbol: list[LineRow]() for symbol in functions}
    if comparison.lines is None:
        return rows
    chosen = np.isin(comparison.lines.symbol, list(functions))
    symbols, line, own, total = (values[..., chosen] for values in comparison.lines)
    split, runs = comparison.runs.baseline, len(own)
    places: dict[tuple[int, int, int], int] = {}
    columns = np.zeros((runs, 2, 2 * len(line)), np.int64)
    for side, part in enumerate((slice(split), slice(split, None))):
        for at in np.flatnonzero(total[part].any(axis=0)).tolist():
            symbol = int(symbols[at])
            numbers = _both_numbers(int(line[at]), side, functions[symbol])
            place = places.setdefault((symbol, *numbers), len(places))
            columns[part, 0, place], columns[part, 1, place] = own[part, at], total[part, at]
    columns = columns[:, :, : len(places)]
    sums = [*columns[:split].sum(axis=0), *columns[split:].sum(axis=0)]
    if min(split, runs - split) >= ENOUGH_RUNS:
        passed = significant(columns, split, comparison.sampling.period)
        sums.append(passed[0] * SELF + passed[1] * TOTAL)
    for (symbol, *both), values in zip(places, np.transpose(sums).tolist(), strict=True):
        rows[symbol].append((*both, *values))
    return rows


def _both_numbers(number: int, side: int, file: ChangedFile | None) -> tuple[int, int]:
    """Return a line's number before and after, according to the edits. 0 means that there is no such line."""
    shift = 0
    for edit in edits_of(file):
        if number in edit[side]:
            return (0, number) if side else (number, 0)
        if edit[side].first > number:
            break
        shift += edit.target.size - edit.baseline.size
    return (number - shift, number) if side else (number, number + shift)


def whole_function(
    texts: SourceTexts | None, file: ChangedFile, spans: tuple[LineRange | None, LineRange | None]
) -> tuple[int, int, list[str]] | None:
    """Return both versions of a function as one hunk, or None if the texts are unknown or too long."""
    if texts is None or spans == (None, None):
        return None
    sides = []
    for text, span in ((texts.baseline.get(file.previous_path), spans[0]), (texts.target.get(file.path), spans[1])):
        if span is not None and (text is None or span.size > LONGEST_FUNCTION):
            return None
        shown = [] if span is None or text is None else text.split("\n")[span.first - 1 : span.last]
        sides.append([line.removesuffix("\r") for line in shown])
    lines = _unified(*sides)
    return spans[0].first if spans[0] else 0, spans[1].first if spans[1] else 0, lines


def _unified(before: Sequence[str], after: Sequence[str]) -> list[str]:
    import difflib  # imported only if there are sources

    lines: list[str] = []
    for kind, *places in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        old, new = before[places[0] : places[1]], after[places[2] : places[3]]
        for sign, part in ((" ", new),) if kind == "equal" else (("-", old), ("+", new)):
            lines += [f"{sign}{text}" for text in part]
    return lines
