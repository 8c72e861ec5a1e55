"""Measure claims: how much cheaper a function with its callees, or the run, became in runs in turns.

The costs of the target are divided so that both sides would be alike if half of the claim were true. The permutation
test of the gate then tests whether the target is still better.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from profgate.decide.detect.evidence import untestable
from profgate.decide.detect.location_costs import (
    SUBTREE,
    Costs,
    between_sides,
    broad_costs,
    costs_of,
    same_file,
)
from profgate.decide.detect.permutation import PRIOR_WEIGHT, Rows, Splits, blocks_of, observed, p_of_one, splits_of
from profgate.model.arrays import FloatArray
from profgate.model.claim import CLAIM_SPLITS, TOTAL_NAME, Claim, ClaimResult
from profgate.model.comparison import Comparison
from profgate.model.levels import NEARLY_ALL
from profgate.model.record import replace
from profgate.model.units import CALLS, MetricKind
from profgate.model.visible_text import name_forms, name_text
from profgate.statistics.t_tests import critical_t


def with_results(claims: Sequence[Claim], comparisons: Sequence[Comparison], machine: str = "") -> tuple[Claim, ...]:
    """Return the claims with a result of this machine for each workload that contains the function, by its first cost.

    A cost has the direction of the claim, such as lower for -10 %. Numbers of calls are no cost.
    """
    return tuple(replace(claim, results=tuple(_results(claim, comparisons, machine))) for claim in claims)


def _results(claim: Claim, comparisons: Sequence[Comparison], machine: str) -> Iterator[ClaimResult]:
    measured = set[str]()
    for comparison in comparisons:
        metric = comparison.metric
        is_cost = (metric.name, metric.unit) != (CALLS.name, CALLS.unit)
        suits = is_cost and metric.directed and (metric.better == "lower") == (claim.change < 0)
        if not suits or comparison.workload in measured or untestable(comparison) is not None:
            continue
        if (result := _result(claim, comparison)) is not None:
            measured.add(comparison.workload)
            yield replace(result, machine=machine)


def _result(claim: Claim, comparison: Comparison) -> ClaimResult | None:
    """Return the result in one comparison, or None if the function is too small to be tested or does not occur."""
    costs, runs = costs_of(comparison, interleaved=True), comparison.runs
    result = ClaimResult(comparison.workload, comparison.metric.name)
    total = costs.values[-1]
    values: FloatArray | None = total
    if claim.location != TOTAL_NAME:
        meant = _meant(claim, comparison)
        if len(meant) > 1:
            return replace(result, obstacle="several")
        values = _inclusive(meant[0], comparison, costs) if meant else None
    before = 0.0 if values is None else float(values[: runs.baseline].mean())
    if values is None or not before:
        return None
    share = before / costs.whole
    halved = values.copy()
    halved[runs.baseline :] /= 1.0 + claim.change / 2.0
    sampling = float(costs.variance_at(np.array([values.mean()]))[0])
    splits = splits_of(
        runs.baseline, runs.target, CLAIM_SPLITS, blocks_of(runs.baseline, runs.target, interleaved=True)
    )
    low, high = _interval(values, costs, splits)
    total_low, total_high = _interval(total, costs, splits)
    return replace(
        result,
        low=low,
        high=high,
        p=p_of_one(halved, sampling, splits, 1 if claim.change > 0 else -1),
        share=share,
        total_low=total_low,
        total_high=total_high,
        # only the costs of smaller functions are divided by the common factor
        factor=1.0
        if claim.location == TOTAL_NAME or share >= NEARLY_ALL
        else between_sides(costs.factors, runs.target),
        counted=comparison.metric.kind is MetricKind.COUNTED,
    )


def _meant(claim: Claim, comparison: Comparison) -> list[int]:
    """Return the symbols of the functions that the claim names."""
    symbols, end = comparison.symbols, claim.location.replace(":", ".").rpartition(".")[2]
    return [
        number
        for number, (name, file) in enumerate(zip(symbols.names, symbols.files, strict=True))
        if end in name  # faster than the forms of all names
        and claim.location in {name, *map(name_text, name_forms(name))}
        and (claim.file is None or same_file(file, claim.file))
    ]


def _inclusive(symbol: int, comparison: Comparison, costs: Costs) -> FloatArray | None:
    """Return the cost of a function with its callees in each run, without the common factor; None if it is small.

    The common factor of a function of nearly the whole run would be its own change, which is not divided out.
    """
    if symbol in broad_costs(comparison, costs):
        return np.asarray(comparison.active_total[:, symbol].astype(np.float64))
    rows = np.flatnonzero(costs.symbol == symbol)
    # without callees, a function has only a row of its own cost
    return np.asarray(costs.values[rows[np.argmax(costs.kind[rows] == SUBTREE)]]) if len(rows) else None


def _interval(values: FloatArray, costs: Costs, splits: Splits) -> tuple[float, float]:
    """Return the 95 % confidence interval of the relative change."""
    nothing = np.zeros(1)
    seen = observed(Rows(values[None], costs.variance_at(np.array([values.mean()])), nothing, nothing), splits)
    before = float(values[splits.sides[0] == 0].mean())
    middle, error = float(seen.difference[0]) / before, float(seen.error[0]) / before
    width = critical_t(0.05, len(values) + PRIOR_WEIGHT - 2.0) * error
    return middle - width, middle + width
