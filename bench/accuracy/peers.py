"""The rules that other tools use, on the same numbers: which functions, or the total, they call slower."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.comparison import Comparison
from profgate.model.units import MetricKind

LEVEL = 0.05
TOTAL = "total"


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """float64[run, function] values and shares of the run, float64[run] totals; baseline first."""

    values: tuple[FloatArray, FloatArray]
    shares: tuple[FloatArray, FloatArray]
    totals: tuple[FloatArray, FloatArray]
    sampled: bool


Rule = Callable[[Sides], "BoolArray | None"]


def sides_of(comparison: Comparison) -> Sides:
    """The columns of a comparison, run by run."""
    split = comparison.runs.baseline
    values = comparison.self_value.astype(np.float64)
    totals = comparison.run_totals.astype(np.float64)
    shares = values / totals[:, None]
    return Sides(
        (values[:split], values[split:]),
        (shares[:split], shares[split:]),
        (totals[:split], totals[split:]),
        comparison.metric.kind is MetricKind.SAMPLED,
    )


def _grown(before: FloatArray, after: FloatArray, percent: float) -> BoolArray:
    return np.asarray((before > 0) & (after > before * (1.0 + percent / 100.0)))


def fixed_percentage(percent: float, least_share: float = 0.0) -> Rule:
    """Every function whose mean grew by more; with ``least_share`` only those that hold so much of the target."""

    def rule(sides: Sides) -> BoolArray:
        before, after = (side.mean(axis=0) for side in sides.values)
        heavy: BoolArray = sides.shares[1].mean(axis=0) >= least_share
        return np.logical_and(_grown(before, after, percent), heavy)

    return rule


def fixed_total(percent: float) -> Rule:
    """The mean total grew by more; bool[1]."""

    def rule(sides: Sides) -> BoolArray:
        before, after = (np.array([side.mean()]) for side in sides.totals)
        return _grown(before, after, percent)

    return rule


@cache
def _ways(first: int, second: int) -> tuple[int, ...]:
    """Number of orders of so many readings of two sides for each U."""
    if first == 0 or second == 0:
        return (1,)
    result = [0] * (first * second + 1)
    for shift, smaller in ((second, _ways(first - 1, second)), (0, _ways(first, second - 1))):
        for u, ways in enumerate(smaller):
            result[u + shift] += ways
    return tuple(result)


def mann_whitney_p(before: FloatArray, after: FloatArray) -> FloatArray:
    """Exact one-sided p of float64[run, function] that the second side is larger; ties count half."""
    pairs = after[:, None, :] - before[None, :, :]
    u = (pairs > 0).sum(axis=(0, 1)) + (pairs == 0).sum(axis=(0, 1)) / 2.0
    ways = np.array(_ways(len(after), len(before)), dtype=np.float64)
    tails = np.cumsum(ways[::-1])[::-1] / ways.sum()
    return np.asarray(tails[np.floor(u).astype(np.int64)])


def _mann_whitney(sides: Sides) -> FloatArray | None:
    return mann_whitney_p(*sides.shares) if len(sides.values[0]) > 1 else None


def _welch(sides: Sides) -> FloatArray | None:
    """One-sided p of Welch's t test; 1 where neither side scatters."""
    from scipy.special import stdtr

    before, after = sides.shares
    if len(before) < 2 or len(after) < 2:
        return None
    parts = [side.var(axis=0, ddof=1) / len(side) for side in (before, after)]
    square = parts[0] + parts[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (after.mean(axis=0) - before.mean(axis=0)) / np.sqrt(square)
        degrees = square**2 / sum(part**2 / (len(side) - 1) for part, side in zip(parts, (before, after), strict=True))
        return np.asarray(np.nan_to_num(stdtr(degrees, -t), nan=1.0))


def _poisson(sides: Sides) -> FloatArray | None:
    """One-sided p that a sample falls on the target as often as its total says."""
    from scipy.special import betainc

    if not sides.sampled:
        return None
    before, after = (side.sum(axis=0) for side in sides.values)
    totals = [float(side.sum()) for side in sides.totals]
    with np.errstate(invalid="ignore"):
        p = betainc(after, before + 1.0, totals[1] / sum(totals))
    return np.asarray(np.where(after > 0, p, 1.0))


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Adjusted p (q values) of float64[n], in the order given; the largest is its own p."""
    count = len(p)
    order = np.argsort(p, kind="stable")
    stepped = p[order] * count / np.arange(1, count + 1)
    adjusted = np.minimum(np.minimum.accumulate(stepped[::-1])[::-1], 1.0)
    result = np.empty(count, dtype=np.float64)
    result[order] = adjusted
    return result


def tested(p_of: Callable[[Sides], FloatArray | None], *, corrected: bool) -> Rule:
    """Every function with p within 5 %, or within a false discovery rate of 5 %; None where it cannot be tested."""

    def rule(sides: Sides) -> BoolArray | None:
        p = p_of(sides)
        if p is None:
            return None
        return np.asarray((benjamini_hochberg(p) if corrected else p) <= LEVEL)

    return rule


RULES: dict[str, Rule] = {
    "any function +5 %": fixed_percentage(5),
    "any function +10 %": fixed_percentage(10),
    "any function of 1 % +10 %": fixed_percentage(10, 0.01),
    "total +5 %": fixed_total(5),
    "total +10 %": fixed_total(10),
    "Mann-Whitney": tested(_mann_whitney, corrected=False),
    "Mann-Whitney + BH": tested(_mann_whitney, corrected=True),
    "Welch + BH": tested(_welch, corrected=True),
    "Poisson": tested(_poisson, corrected=False),
    "Poisson + BH": tested(_poisson, corrected=True),
}


def flagged(comparison: Comparison) -> dict[str, frozenset[int | str] | None]:
    """Function numbers, or "total", that each rule calls slower; None where a rule cannot speak."""
    sides = sides_of(comparison)
    found: dict[str, frozenset[int | str] | None] = {}
    for name, rule in RULES.items():
        slower = rule(sides)
        if slower is None:
            found[name] = None
        elif name.startswith("total"):
            found[name] = frozenset([TOTAL] if slower[0] else [])
        else:
            places: IntArray = np.flatnonzero(slower)
            found[name] = frozenset(places.tolist())
    return found
