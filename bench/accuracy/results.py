"""Cells with their tallies, as the JSON holds them, and how to choose and pool them."""

from collections.abc import Mapping, Sequence
from typing import Any

from bench.accuracy.cells import CALIBRATED
from bench.accuracy.scoring import COUNTS, Tally

Cells = Sequence[Mapping[str, Any]]
ORDINARY: Mapping[str, object] = {
    "noise": CALIBRATED,
    "metric": "sampled",
    "workloads": 1,
    "plant": None,
    "edit": None,
    "grown": None,
    "slow_machine": False,
}


def chosen(cells: Cells, **facts: object) -> list[Mapping[str, Any]]:
    """Cells with these facts; facts not named have their ordinary value."""
    return [cell for cell in cells if all(cell[name] == value for name, value in {**ORDINARY, **facts}.items())]


def _tally(cell: Mapping[str, Any], rule: str) -> Tally | None:
    found = cell["rules"].get(rule)
    if found is None:
        return None
    return Tally(tried=found["tried"], rows=found["rows"], **{name: found[name][0] for name in COUNTS})


def pooled(cells: Cells, rule: str) -> Tally | None:
    """The counts of one rule over several cells; None where it could not speak in any."""
    found = [tally for cell in cells if (tally := _tally(cell, rule)) is not None]
    total = Tally()
    for tally in found:
        total = total.merged(tally)
    return total if found else None


def mean_rate(cells: Cells, rule: str, count: str) -> float | None:
    """The mean over cells of a rule's rate, each cell alike; None where it could not speak in any."""
    found = [tally for cell in cells if (tally := _tally(cell, rule)) is not None]
    return sum(getattr(tally, count) / tally.tried for tally in found) / len(found) if found else None
