"""Select the costs of single runs that a page shows, and round them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import floor, log10
from typing import TYPE_CHECKING, TypedDict

import numpy as np

if TYPE_CHECKING:
    from profgate.model.arrays import FloatArray, IntArray
    from profgate.model.comparison import Comparison, RunValues

from profgate.model.record import replace

MOST_FUNCTIONS = 30
MOST_RUNS = 50  # maximum number of runs of each group; of more runs, a regular selection is shown
FEWEST_RUNS = 3  # two runs show no spread
TOTAL, OWN, INCLUSIVE, BROAD = 0, 1, 2, 3  # the kinds of rows; a broad cost is nearly the whole run


class PageRuns(TypedDict):
    """The costs of single runs, as recorded.

    The runs belong to three groups: earlier base jobs, baseline and target. ``shown`` and ``all`` contain the
    number of runs of each group in a row and in the comparison. ``factors`` contains the smallest and the largest
    common factor of the baseline and target runs. ``reasons`` is the text of the reasons for the judgement on the
    total, or None if the comparison was not judged. If ``waiting`` is true, functions that only wait are not part
    of total costs. Each row contains a symbol (-1: the whole run), the kind of its values, a decimal exponent, and
    one integer per run.
    """

    shown: list[int]
    all: list[int]
    factors: tuple[float, float]
    reasons: str | None
    waiting: bool
    rows: list[list[int]]


def recorded(comparison: Comparison, values: RunValues) -> RunValues:
    """Return the same costs as they were recorded, without the division by common factors."""
    own = comparison.self_value
    inclusive = comparison.active_total
    if values.earlier:
        own = np.concatenate([comparison.noise.self_value, own])
    if values.earlier and comparison.noise.active_total is not None:
        inclusive = np.concatenate([comparison.noise.active_total, inclusive])

    def taken(costs: IntArray, symbols: Mapping[int, FloatArray]) -> dict[int, FloatArray]:
        return {symbol: costs[:, symbol].astype(np.float64) for symbol in symbols}

    return replace(
        values,
        own=taken(own, values.own),
        inclusive=taken(inclusive, values.inclusive),
        broad=taken(inclusive, values.broad),
    )


def page_runs(
    values: RunValues, sides: tuple[int, int], findings: Collection[int] = (), reasons: str | None = None
) -> PageRuns | None:
    """Return the costs of single runs: the total, the symbols in ``findings``, and the symbols with the largest costs.

    At most `MOST_FUNCTIONS` symbols are returned. Returns None if there are fewer than `FEWEST_RUNS` runs.
    """
    counts = [values.earlier, *sides]
    if sum(counts) < FEWEST_RUNS:
        return None
    groups = np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1])
    chosen = []
    for group in groups:
        regular = np.linspace(0, len(group) - 1, min(len(group), MOST_RUNS)).round().astype(np.int64)
        chosen.append(group[regular])
    runs = np.concatenate(chosen)
    rows = [_row(-1, TOTAL, values.totals[runs])]
    for symbol in _largest(values, findings):
        for kind, costs in ((OWN, values.own), (INCLUSIVE, values.inclusive), (BROAD, values.broad)):
            if symbol in costs and (kind != BROAD or symbol in findings):
                rows.append(_row(symbol, kind, costs[symbol][runs]))
    factors = values.factors[values.earlier :]
    return PageRuns(
        shown=[len(group) for group in chosen],
        all=counts,
        factors=(round(float(factors.min()), 3), round(float(factors.max()), 3)),
        reasons=reasons,
        waiting=values.waiting,
        rows=rows,
    )


def _largest(values: RunValues, findings: Collection[int]) -> list[int]:
    """Return the symbols in ``findings``, then those that are among the largest self costs or total costs."""
    place: dict[int, int] = {}
    broad = {symbol: values.broad[symbol] for symbol in findings if symbol in values.broad}
    for costs in (values.own, values.inclusive, broad):
        order = sorted(costs, key=lambda symbol: (-float(costs[symbol].mean()), symbol))
        for rank, symbol in enumerate(order):
            place[symbol] = min(rank, place.get(symbol, rank))
    return sorted(place, key=lambda symbol: (symbol not in findings, place[symbol], symbol))[:MOST_FUNCTIONS]


def _row(symbol: int, kind: int, values: FloatArray) -> list[int]:
    largest = float(np.abs(values).max())
    # the largest value of a row has five digits
    exponent = floor(log10(largest)) - 4 if largest > 0 else 0
    scaled = values / 10.0**exponent if exponent >= 0 else values * 10.0**-exponent
    return [symbol, kind, exponent, *np.round(scaled).astype(np.int64).tolist()]
