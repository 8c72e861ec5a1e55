"""Which symbols have one cause: from a symbol down the calls that explain its change, to where they end."""

import numpy as np

from profgate.attribution.call_links import CallLinks, links_of
from profgate.model.arrays import FloatArray, IntArray
from profgate.model.comparison import Causes, Comparison

EXPLAINS = 0.8  # part of a symbol's change that a callee must explain to be its cause
DEEPEST = 64  # steps; what is longer is recursion
HEAVY = 0.001  # share of the run from which a symbol counts for the common factor


def causes_of(comparison: Comparison) -> Causes:
    """For each symbol and each sign of its change the symbol where the walk ends, and how many steps lead there.

    Each step enters the callee with the largest change of that sign, as long as it explains four fifths of the
    caller's. The common factor is divided out first.
    """
    common = _common_factor(comparison)
    links = links_of(comparison)
    split = comparison.runs.baseline
    values = comparison.total_value
    change = values[split:].mean(axis=0) / common - values[:split].mean(axis=0)
    moved = links.target / common - links.baseline
    ends = [_walked(_next(links, sign * moved, sign * change)) for sign in (1, -1)]
    return Causes(ends[0][0], ends[1][0], ends[0][1], ends[1][1])


def _common_factor(comparison: Comparison) -> float:
    split = comparison.runs.baseline
    own = comparison.self_value
    before, after = own[:split].mean(axis=0), own[split:].mean(axis=0)
    heavy = (before >= HEAVY * before.sum()) & (after >= HEAVY * after.sum()) & (before > 0) & (after > 0)
    return float(np.exp(np.median(np.log(after[heavy] / before[heavy])))) if heavy.any() else 1.0


def _next(links: CallLinks, moved: FloatArray, change: FloatArray) -> IntArray:
    """int64[symbol]: the callee that explains its change, itself where there is none; ``moved`` float64[link]."""
    following = np.arange(len(change), dtype=np.int64)
    rows = np.flatnonzero((moved > 0) & (links.caller != links.callee))
    order = rows[np.lexsort((links.callee[rows], -moved[rows], links.caller[rows]))]
    first = order[np.flatnonzero(np.diff(links.caller[order], prepend=-1))]
    explaining = first[(change[links.caller[first]] > 0) & (moved[first] >= EXPLAINS * change[links.caller[first]])]
    following[links.caller[explaining]] = links.callee[explaining]
    return following


def _walked(following: IntArray) -> tuple[IntArray, IntArray]:
    """The end of each symbol's walk and its steps; a circle of calls ends at its first symbol."""
    end, steps = np.arange(len(following), dtype=np.int64), np.zeros(len(following), np.int64)
    for _ in range(DEEPEST):
        after = following[end]
        steps += after != end
        if (after == end).all():
            return end, steps
        end = after
    lowest = end.copy()
    for _ in range(DEEPEST):
        end = following[end]
        lowest = np.minimum(lowest, end)
    return lowest, steps
