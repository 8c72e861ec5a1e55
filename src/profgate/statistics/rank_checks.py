"""Stable ranks: how many tests have the same place in the order of duration from run to run.

Copeland and Haemer, "Robust Performance Testing on the Cheap" (2011), with its appendix. A uniform change of speed
moves no rank, so runs of different machines may be compared.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from profgate.errors import ComparisonError
from profgate.model.arrays import BoolArray, FloatArray, IntArray, read_only
from profgate.model.durations import Direction, DurationRun, DurationTable, MovedTest, Order, RankCheck, SigmaRule
from profgate.model.reason import Reason, ReasonCode

FEWEST_RUNS = 3  # of a baseline: their three pairs are the least that shows a mean
OBSERVED_RUNS = 5  # from which ten pairs show a spread
NEAR = 2  # ranks beside its baseline range in which a test has not moved: single neighbours change places all the time
CLOSE = 1e-9  # counts are whole numbers; their means may miss a bound by rounding alone
EXACT_LIMIT = 10  # from here on the exact law and Poisson(1) differ by less than 3e-5 in all


@dataclass(frozen=True, slots=True)
class RankRules:
    """Bounds of the check. ``sigma`` poisson: the root of the mean, an upper bound; observed: the pairs' own spread.

    ``min_value``: tests whose baseline median is below it are left out, since a coarse clock gives them no order.
    """

    width: float = 2.0
    sigma: SigmaRule = "poisson"
    min_tests: int = 30
    min_value: float = 0.0


def derangements(count: int) -> int:
    """The orders of so many things that leave none in its place: D(n) = n * D(n - 1) + (-1)^n, D(0) = 1."""
    found = 1
    for number in range(1, count + 1):
        found = number * found + (-1) ** number
    return found


def exact_law(count: int) -> tuple[Fraction, ...]:
    """P(exactly k of ``count`` ranks are stable) for k = 0..count, every order being equally likely."""
    orders = math.factorial(count)
    return tuple(Fraction(math.comb(count, same) * derangements(count - same), orders) for same in range(count + 1))


def chance_of_as_many(count: int, same: int) -> float:
    """P(at least ``same`` of ``count`` ranks are stable in a random order); exact for few, by Poisson(1) for many."""
    if same <= 0:
        return 1.0
    if count <= EXACT_LIMIT:
        return float(sum(exact_law(count)[same:], Fraction(0)))
    from scipy.special import gammainc  # P(Poisson(1) >= k), also where 1 minus the head loses all digits

    return float(gammainc(same, 1.0))


def distinct(names: Iterable[str]) -> list[str]:
    """The names, repeated ones with a number: runs of one label must not break ties alike."""
    seen: Counter[str] = Counter()
    different = []
    for name in names:
        seen[name] += 1
        different.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return different


def side_by_side(baseline: Sequence[DurationRun], target: Sequence[DurationRun]) -> DurationTable:
    """The table of all runs, tests sorted by name. Raises ComparisonError where units differ."""
    runs = (*baseline, *target)
    units = sorted({run.unit for run in runs})
    if len(units) > 1:
        raise ComparisonError("the runs", f"measure in {' and '.join(units)}; compare runs of one unit")
    names = sorted({name for run in runs for name in run.values})
    rows = [[run.values.get(name, math.nan) for name in names] for run in runs]
    values = read_only(np.array(rows, dtype=np.float64).reshape(len(runs), len(names)))
    return DurationTable(names, distinct(run.label for run in runs), values, len(baseline), "".join(units))


def ranks_of(values: FloatArray, run: str, names: Sequence[str]) -> IntArray:
    """int64[test]: the rank of each, 1 the quickest.

    Equal values are ordered by a hash of run and name: a cluster of equal readings then has one stable rank on
    average, as tests of equal speed do, where mid-ranks would move the whole cluster at once.
    """
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    hashes = np.zeros(len(values), dtype=np.uint64)
    for place in np.flatnonzero(sizes[group] > 1).tolist():
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
    split = table.baselines
    included = _included(table, rules.min_value)
    names = [table.names[place] for place in np.flatnonzero(included).tolist()]
    values = table.values[:, included]
    ranks = [ranks_of(row, label, names) for row, label in zip(values, table.labels, strict=True)]
    pairs = tuple(stable(*pair) for pair in combinations(ranks[:split], 2))
    counts = tuple(stable(*pair) for pair in product(ranks[:split], ranks[split:]))
    mean, count = _mean(pairs), _mean(counts)
    sigma, rule = _sigma(pairs, mean, split, rules)
    reason = _why_unknown(len(names), split, len(ranks) - split, rules.min_tests)
    reason = reason or _why_blind(mean, count, sigma, rules.width)
    identical = reason is None and _identical(values, split)
    order: Order = "kept" if identical else "unknown" if reason else _order(mean, count, sigma, rules.width)
    moves = _moves(names, values, np.array(ranks), split) if counts and names else _Moves()
    return RankCheck(
        order=order,
        reason=reason,
        common=len(names),
        left_out=len(included) - len(names),
        baselines=split,
        mean=mean,
        count=count,
        sigma=sigma,
        sigma_rule=rule,
        width=rules.width,
        pair_counts=pairs,
        target_counts=counts,
        chance=chance_of_as_many(len(names), round(count)) if count is not None and names else None,
        ties=max((len(row) - len(np.unique(row)) for row in values), default=0),
        unit=table.unit,
        identical=identical,
        **moves._asdict(),
    )


def _included(table: DurationTable, least: float) -> BoolArray:
    """bool[test]: which are in all runs and long enough."""
    included: BoolArray = np.logical_and.reduce(np.isfinite(table.values), axis=0)
    if least > 0.0 and table.baselines:
        included[included] = np.median(table.values[: table.baselines, included], axis=0) >= least
    return included


def _mean(counts: Sequence[int]) -> float | None:
    return sum(counts) / len(counts) if counts else None


def _identical(values: FloatArray, split: int) -> bool:
    """Whether each target run repeats a baseline run exactly: one recording on both sides, or values without noise."""
    before = {row.tobytes() for row in values[:split]}
    return all(row.tobytes() in before for row in values[split:])


def _why_unknown(tests: int, baselines: int, targets: int, min_tests: int) -> Reason | None:
    if not targets:
        return Reason(ReasonCode.NO_TARGET_RUN)
    if tests == 0:
        return Reason(ReasonCode.NO_COMMON_TEST)
    if tests == 1:
        return Reason(ReasonCode.ONE_TEST)
    if tests < min_tests:
        return Reason(ReasonCode.FEW_TESTS, {"tests": tests, "needed": min_tests})
    if baselines < FEWEST_RUNS:
        return Reason(ReasonCode.FEW_BASELINE_RUNS, {"runs": baselines, "needed": FEWEST_RUNS})
    return None


def _why_blind(mean: float | None, count: float | None, sigma: float | None, width: float) -> Reason | None:
    """A count within bounds that reach down to nothing: it could not have fallen out of them, whatever happened."""
    if mean is None or sigma is None or mean - width * sigma > CLOSE or _order(mean, count, sigma, width) != "kept":
        return None
    return Reason(ReasonCode.FEW_STABLE_RANKS, {"mean": mean})


def _sigma(pairs: Sequence[int], mean: float | None, runs: int, rules: RankRules) -> tuple[float | None, SigmaRule]:
    """The spread of the count, and the rule it comes from: observed needs enough pairs."""
    if mean is None:
        return None, "poisson"
    if rules.sigma == "observed" and runs >= OBSERVED_RUNS:
        return max(1.0, float(np.std(pairs, ddof=1))), "observed"
    # every cluster has one stable rank on average, so the mean is never truly below 1
    return math.sqrt(max(1.0, mean)), "poisson"


def _order(mean: float | None, count: float | None, sigma: float | None, width: float) -> Order:
    if mean is None or count is None or sigma is None:
        return "unknown"
    if abs(count - mean) <= width * sigma + CLOSE:
        return "kept"
    return "below" if count < mean else "above"


class _Moves(NamedTuple):
    """How the tests moved; the fields are those of `RankCheck`."""

    moved: tuple[MovedTest, ...] = ()
    direction: Direction = "unknown"
    overall: float | None = None
    usual_distance: int | None = None
    farther: int = 0


def _moves(names: Sequence[str], values: FloatArray, ranks: IntArray, split: int) -> _Moves:
    """The tests that left their baseline ranks, the farthest first, and the direction most of the way was taken in."""
    first, last = _places(values)
    low, high = ranks[:split].min(axis=0), ranks[:split].max(axis=0)
    now = np.rint(np.median(ranks[split:], axis=0)).astype(np.int64)
    distance = _distance(first[:split], last[:split], first[split:], last[split:])
    before, after = np.median(values[:split], axis=0), np.median(values[split:], axis=0)
    ratio = np.full(len(names), math.nan)  # natural logarithm; unknown where a median is not positive
    known = (before > 0.0) & (after > 0.0)
    ratio[known] = np.log(after[known] / before[known])
    overall = float(np.median(ratio[known])) if known.any() else None
    centred = ratio - (overall or 0.0)
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
            float(np.exp(centred[row])) if known[row] else None,
        )
        for row in rows.tolist()
    )
    usual = _usual_distance(first[:split], last[:split]) if split >= FEWEST_RUNS else None
    return _Moves(
        found,
        direction=_direction(now[rows] - low[rows], distance[rows], centred[rows]),
        overall=None if overall is None else float(np.exp(overall)),
        usual_distance=usual,
        farther=0 if usual is None else sum(test.distance > usual for test in found),
    )


def _places(values: FloatArray) -> tuple[IntArray, IntArray]:
    """int64[run, test]: the first and the last rank that each reading may have, different where others equal it."""
    ordered = np.sort(values, axis=1)
    first = [np.searchsorted(line, row, side="left") + 1 for line, row in zip(ordered, values, strict=True)]
    last = [np.searchsorted(line, row, side="right") for line, row in zip(ordered, values, strict=True)]
    return np.array(first), np.array(last)


def _distance(low: IntArray, high: IntArray, first: IntArray, last: IntArray) -> IntArray:
    """int64[test]: by how many ranks the median places of some runs lie outside of those of others.

    Where readings equal each other a test has several places, and none of them has been left within such a cluster.
    """
    above = np.median(first, axis=0) - high.max(axis=0)
    below = low.min(axis=0) - np.median(last, axis=0)
    distance: IntArray = np.rint(np.maximum(0, np.maximum(above, below))).astype(np.int64)
    return distance


def _usual_distance(first: IntArray, last: IntArray) -> int:
    """The farthest that any test of one baseline run left the ranks that all the others gave it."""
    others = [np.arange(len(first)) != run for run in range(len(first))]
    return max(int(_distance(first[rest], last[rest], first[~rest], last[~rest]).max()) for rest in others)


def _direction(up: IntArray, distance: IntArray, centred: FloatArray) -> Direction:
    """Where the weight of the moves lies: one test that moved 200 ranks counts more than twenty that moved three."""
    signs = np.where(np.isfinite(centred), np.sign(np.nan_to_num(centred)), np.sign(up))
    weight = float((signs * distance).sum())
    return "unknown" if weight == 0.0 else "slower" if weight > 0.0 else "faster"
