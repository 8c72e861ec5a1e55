"""Stable ranks: how many tests keep their place in the order of duration from run to run.

Copeland and Haemer, "Robust Performance Testing on the Cheap" (2011). A uniform change of speed moves no rank, so runs
of different machines may be compared.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.durations import DurationTable, MovedTest, Order, RankCheck
from profgate.statistics.fixed_points import chance_of_as_many

FEWEST_RUNS = 3  # of a baseline: their three pairs are the least that shows a mean
OBSERVED_RUNS = 5  # from which ten pairs show a spread
NEAR = 2  # ranks beside its baseline range in which a test has not moved: single neighbours change places all the time
CLOSE = 1e-9  # counts are whole numbers; their means may miss a bound by rounding alone


@dataclass(frozen=True, slots=True)
class RankRules:
    """Bounds of the check. ``sigma`` poisson: the root of the mean, an upper bound; observed: the pairs' own spread.

    ``min_value``: tests whose baseline median is below it are left out, since a coarse clock knows no order of them.
    """

    width: float = 2.0
    sigma: Literal["poisson", "observed"] = "poisson"
    min_tests: int = 30
    min_value: float = 0.0


def ranks_of(values: FloatArray, run: str, names: Sequence[str]) -> IntArray:
    """int64[test]: the rank of each, 1 the quickest.

    Equal values are ordered by a hash of run and name: a cluster of equal readings then keeps one rank on average, as
    tests of equal speed do, where mid-ranks would move the whole cluster at once.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    same = ordered[1:] == ordered[:-1]
    tied = np.zeros(len(values), dtype=np.bool_)
    tied[1:] |= same
    tied[:-1] |= same
    hashes = np.zeros(len(values), dtype=np.uint64)
    for place in order[tied].tolist():
        key = f"{run}\0{names[place]}".encode("utf-8", "surrogatepass")
        hashes[place] = int.from_bytes(hashlib.blake2b(key, digest_size=8).digest())
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[np.lexsort((hashes, values))] = np.arange(1, len(values) + 1)
    return ranks


def stable(first: IntArray, second: IntArray) -> int:
    """How many tests have the same rank in both runs."""
    return int((first == second).sum())


def check(table: DurationTable, rules: RankRules) -> RankCheck:
    """The target's order against that of the baseline runs.

    Only tests of all runs count, since one more test shifts every rank above it.
    """
    in_all: BoolArray = np.logical_and.reduce(np.isfinite(table.values), axis=0)
    if rules.min_value > 0.0 and table.baselines:
        in_all[in_all] = np.median(table.values[: table.baselines, in_all], axis=0) >= rules.min_value
    names = [name for name, common in zip(table.names, in_all.tolist(), strict=True) if common]
    values, split = table.values[:, in_all], table.baselines
    ranks = np.array(
        [ranks_of(row, label, names) for row, label in zip(values, table.labels, strict=True)], dtype=np.int64
    ).reshape(values.shape)
    pairs = tuple(stable(ranks[a], ranks[b]) for a, b in combinations(range(split), 2))
    counts = tuple(stable(ranks[a], ranks[b]) for a in range(split) for b in range(split, len(ranks)))
    mean = sum(pairs) / len(pairs) if pairs else None
    count = sum(counts) / len(counts) if counts else None
    sigma, rule = _sigma(pairs, mean, split, rules)
    reason = _why_unknown(len(names), split, len(ranks) - split, rules.min_tests)
    reason = reason or _why_blind(mean, count, sigma, rules.width)
    moved, direction = _moved(names, values, ranks, split) if split and counts and names else ((), "unknown")
    identical = not reason and _identical(values, split)
    usual = _usual_distance(values[:split]) if split >= FEWEST_RUNS and names else None
    return RankCheck(
        order="unknown" if reason else "kept" if identical else _order(mean, count, sigma, rules.width),
        reason=reason,
        common=len(names),
        left_out=len(in_all) - len(names),
        baselines=split,
        mean=mean,
        count=count,
        sigma=sigma,
        sigma_rule=rule,
        width=rules.width,
        pair_counts=pairs,
        target_counts=counts,
        chance=None if count is None or not names else chance_of_as_many(len(names), round(count)),
        ties=max((len(row) - len(np.unique(row)) for row in values), default=0),
        overall=_overall(values, split) if split and counts and names else None,
        direction=direction,
        moved=moved,
        unit=table.unit,
        identical=identical,
        usual_distance=usual,
        farther=0 if usual is None else sum(test.distance > usual for test in moved),
    )


def _usual_distance(values: FloatArray) -> int:
    """The farthest that any test of one of these runs left the ranks that all the others gave it."""
    first, last = _places(values)
    farthest = 0
    for run in range(len(values)):
        one = np.arange(len(values)) == run
        farthest = max(farthest, int(_distance(first[~one], last[~one], first[one], last[one]).max()))
    return farthest


def _distance(low: IntArray, high: IntArray, first: IntArray, last: IntArray) -> IntArray:
    """int64[test]: by how many ranks the median places of some runs lie outside of those of others.

    Where readings equal each other a test has several places, and none of them has been left within such a cluster.
    """
    above = np.median(first, axis=0) - high.max(axis=0)
    below = low.min(axis=0) - np.median(last, axis=0)
    distance: IntArray = np.rint(np.maximum(0, np.maximum(above, below))).astype(np.int64)
    return distance


def _identical(values: FloatArray, split: int) -> bool:
    """Whether each target run repeats a baseline run exactly: one recording on both sides, or values without noise."""
    before = {row.tobytes() for row in values[:split]}
    return all(row.tobytes() in before for row in values[split:])


def _why_unknown(tests: int, baselines: int, targets: int, min_tests: int) -> str:
    if not targets:
        return "there is no run to check"
    if tests == 0:
        return "no test stands in all runs"
    if tests == 1:
        return "one test alone is always first: its order cannot change"
    if tests < min_tests:
        return f"{tests} tests stand in all runs; at least {min_tests} are needed"
    if baselines < FEWEST_RUNS:
        runs = f"{baselines} baseline run{'s' if baselines != 1 else ''}"
        return f"{runs}, at least {FEWEST_RUNS} are needed to know how many ranks are stable"
    return ""


def _why_blind(mean: float | None, count: float | None, sigma: float | None, width: float) -> str:
    """A count within bounds that reach down to nothing: it could not have fallen out of them, whatever happened."""
    if mean is None or sigma is None or mean - width * sigma > CLOSE or _order(mean, count, sigma, width) != "kept":
        return ""
    return f"only {mean:,.1f} ranks are stable among the baseline runs, too few for their count to fall by much"


def _sigma(pairs: Sequence[int], mean: float | None, runs: int, rules: RankRules) -> tuple[float | None, str]:
    """The spread of the count, and the rule it comes from: observed needs enough pairs."""
    if mean is None:
        return None, "poisson"
    if rules.sigma == "observed" and runs >= OBSERVED_RUNS:
        return max(1.0, float(np.std(pairs, ddof=1))), "observed"
    # every cluster keeps one rank on average, so the mean is never truly below 1
    return math.sqrt(max(1.0, mean)), "poisson"


def _order(mean: float | None, count: float | None, sigma: float | None, width: float) -> Order:
    if mean is None or count is None or sigma is None:
        return "unknown"
    if abs(count - mean) <= width * sigma + CLOSE:
        return "kept"
    return "below" if count < mean else "above"


def _log_ratios(values: FloatArray, split: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Medians before and after by test, and the logarithm of their ratio; NaN where one of them is not positive."""
    before, after = np.median(values[:split], axis=0), np.median(values[split:], axis=0)
    known = (before > 0.0) & (after > 0.0)
    ratio = np.full(len(before), math.nan)
    ratio[known] = np.log(after[known] / before[known])
    return before, after, ratio


def _overall(values: FloatArray, split: int) -> float | None:
    ratio = _log_ratios(values, split)[2]
    return float(np.exp(np.nanmedian(ratio))) if np.isfinite(ratio).any() else None


def _moved(
    names: Sequence[str], values: FloatArray, ranks: IntArray, split: int
) -> tuple[tuple[MovedTest, ...], Literal["slower", "faster", "unknown"]]:
    """The tests that left their baseline ranks, the farthest first, and the direction most of the way was taken in."""
    first, last = _places(values)
    low, high = ranks[:split].min(axis=0), ranks[:split].max(axis=0)
    now = np.rint(np.median(ranks[split:], axis=0)).astype(np.int64)
    distance = _distance(first[:split], last[:split], first[split:], last[split:])
    before, after, ratio = _log_ratios(values, split)
    centred = ratio - (np.nanmedian(ratio) if np.isfinite(ratio).any() else 0.0)
    size = np.nan_to_num(np.abs(centred), nan=0.0)
    far = np.flatnonzero(distance > NEAR).tolist()
    rows = np.array(sorted(far, key=lambda row: (-distance[row], -size[row], names[row])), dtype=np.int64)
    found = tuple(
        MovedTest(
            names[row],
            (int(low[row]), int(high[row])),
            int(now[row]),
            int(distance[row]),
            float(before[row]),
            float(after[row]),
            float(np.exp(centred[row])) if math.isfinite(centred[row]) else None,
        )
        for row in rows.tolist()
    )
    return found, _direction(now[rows] - low[rows], distance[rows], centred[rows])


def _places(values: FloatArray) -> tuple[IntArray, IntArray]:
    """int64[run, test]: the first and the last rank that each reading may have, different where others equal it."""
    ordered = [np.sort(row) for row in values]
    pairs = list(zip(ordered, values, strict=True))
    first = [np.searchsorted(line, row, side="left") + 1 for line, row in pairs]
    last = [np.searchsorted(line, row, side="right") for line, row in pairs]
    return np.array(first, dtype=np.int64), np.array(last, dtype=np.int64)


def _direction(up: IntArray, distance: IntArray, centred: FloatArray) -> Literal["slower", "faster", "unknown"]:
    """Where the weight of the moves lies: one test that moved 200 ranks says more than twenty that moved three."""
    signs = np.where(np.isfinite(centred), np.sign(np.nan_to_num(centred)), np.sign(up))
    weight = float((signs * distance).sum())
    return "unknown" if weight == 0.0 else "slower" if weight > 0.0 else "faster"
