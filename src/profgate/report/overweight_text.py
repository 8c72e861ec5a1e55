"""Overweight tables as text: what the ratios mean, the functions that matter, and what remains without the pivots."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from profgate.model.levels import GATE_SHARE, NEARLY_ALL
from profgate.model.visible_text import fitting, name_text
from profgate.report import numbers
from profgate.report.text_table import aligned

LONGEST_FUNCTION = 400
MEANING = (
    "Overweight is the share of the change divided by the share of the baseline. Above 100 %, a function changed more "
    "than the total."
)


def overweight_text(document: dict[str, Any], width: int) -> str:
    """Format the JSON data of an overweight table as text with at most 40 rows.

    Functions that changed by less than 0.5 % of the run or 5 % of the change are only counted. Long names are shortened
    to fit the width.
    """
    unit, whole, total = document["unit"], document["all_stacks"], document["total"]
    part = document["thresholds"]["responsibility"]
    least = max(GATE_SHARE * (total["baseline"] or 0.0), part * abs(total["delta"] or 0.0))
    large = [row for row in document["symbols"] if abs(row["delta"] or 0.0) >= least]
    cells = [_cells(row, unit) for row in large[:40]]
    lines = [f"Total {_sides(whole, unit)}", *_remaining(document, document["dropped"], total, width)]
    for side in ("baseline", "target"):  # these come first, because a new function may be the whole change
        lines += _only_in(side, document[f"only_{side}"], width)
    lines += [
        *_conclusion(document, width),
        MEANING,
        "",
        *aligned(
            [("baseline → target", "self", "share of change", "overweight", "function"), *cells],
            width,
            name=4,
            right=range(4),
        ),
        "",
    ]
    if cut := len(large) - len(cells):
        lines.append(f"and {cut:,} more; --format json prints all")
    if small := len(document["symbols"]) - len(large):
        bars = f"{numbers.percent(GATE_SHARE)} of the run or {numbers.percent(part)} of the change"
        lines.append(f"{numbers.counted(small, 'function')} changed by less than {bars}; --format json prints all")
    removed = list(document["dropped"])
    for pivot in document["pivots"]:
        removed.append(pivot)
        lines += _remaining(document, removed, pivot["without"], width)
    return "\n".join(lines).rstrip() + "\n"


def _cells(row: dict[str, Any], unit: str) -> tuple[str, ...]:
    return (
        numbers.from_to(row["baseline"], row["target"], unit),
        numbers.from_to(row["exclusive_baseline"], row["exclusive_target"], unit),
        numbers.percent(row["responsibility"]),
        numbers.percent(row["overweight"]),
        _name(row, LONGEST_FUNCTION),
    )


def _sides(total: dict[str, Any], unit: str) -> str:
    relative = total["delta"] / total["baseline"] if total["baseline"] else None
    return f"{numbers.from_to(total['baseline'], total['target'], unit)}{numbers.in_brackets(relative)}"


def _conclusion(document: dict[str, Any], width: int) -> Iterable[str]:
    """Yield what to conclude: the function that changed most for its size among those with half of the change.

    As in comparisons, functions of other projects and those of nearly the whole run come last.
    """
    total, noise = document["total"], document["thresholds"]["min_total_change"]
    if abs(total["delta"] or 0.0) < noise * (total["baseline"] or 0.0):
        yield f"The total changed by less than {numbers.percent(noise)}, so noise may be the only cause."
        return
    rows = [*document["only_target"], *document["only_baseline"], *document["symbols"]]
    causes = [row for row in rows if (row["responsibility"] or 0.0) >= 0.5]
    if not causes:
        yield "No function explains half of the change alone."
        return
    most = NEARLY_ALL * (total["baseline"] or math.inf)
    own = [row for row in causes if not row["library"] and (row.get("baseline") or 0.0) < most]
    cause = max(own or causes, key=lambda row: math.inf if row.get("overweight") is None else row["overweight"])
    yield f"Likely cause: {_name(cause, width // 2)}, with {numbers.percent(cause['responsibility'])} of the change."


def _only_in(side: str, functions: Sequence[dict[str, Any]], width: int) -> Iterable[str]:
    if functions:
        largest = f"{_name(functions[0], width // 2)}, {numbers.percent(functions[0]['responsibility'])} of the change"
        count = numbers.counted(len(functions), "function")
        yield f"{count} only in the {side}, without an overweight; the largest: {largest}"


def _remaining(
    document: dict[str, Any], removed: Sequence[dict[str, Any]], rest: dict[str, Any], width: int
) -> Iterable[str]:
    """Yield the total without the stacks of some functions, and the part of the change that these stacks explain."""
    if removed:
        names = " and ".join(_name(function, width // 4) for function in removed)
        change = document["all_stacks"]["delta"]
        explained = f", so they explain {numbers.percent(1 - rest['delta'] / change)} of the change" if change else ""
        yield f"Without the stacks of {names}: {_sides(rest, document['unit'])}{explained}"


def _name(function: dict[str, Any], space: int) -> str:
    name = function["name"] if function["file"] is None else f"{function['name']} ({function['file']})"
    return fitting(name_text(name, LONGEST_FUNCTION), max(space, 40))
