"""Check of stable ranks, which counts the tests that have the same rank by duration in two runs.

Copeland and Haemer describe the method in "Robust Performance Testing on the Cheap" (2011) and its appendix. A uniform
change in speed does not affect ranks, so runs on different machines may be compared.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations, product, starmap
from typing import Any, NamedTuple

import numpy as np

from profgate.errors import ComparisonError
from profgate.model.arrays import BoolArray, FloatArray, IntArray, quantile, read_only
from profgate.model.durations import DurationRun, DurationTable, MovedTest, Order, RankCheck, RankDirection, SigmaRule
from profgate.model.reason import Reason, ReasonCode

FEWEST_RUNS = 3  # minimum number of baseline runs, because the mean needs at least three pairs
NEAR = 2  # distances up to this number of ranks are ignored, because neighbouring tests often swap ranks
CLOSE = 1e-9  # tolerance for rounding errors in means of counts
EXACT_LIMIT = 10  # for larger counts, the exact distribution and Poisson(1) differ by less than 3e-5 in total


class RankRules(NamedTuple):
    """Thresholds of the check.

    If ``sigma`` is "poisson", the standard deviation is the square root of the mean, which is an upper bound. If
    ``sigma`` is "observed", the standard deviation is computed from the pairs of baseline runs.
    """

    width: float = 2.0
    sigma: SigmaRule = "poisson"
    min_tests: int = 30


def derangements(count: int) -> int:
    """Return the number of permutations without a fixed point: D(n) = n * D(n - 1) + (-1)^n, D(0) = 1."""
    found = 1
    for number in range(1, count + 1):
        found = number * found + (-1) ** number
    return found


def exact_law(count: int) -> tuple[Fraction, ...]:
    """Return the probability that exactly k ranks are stable in a random order, for each k from 0 to ``count``."""
    orders = math.factorial(count)
    return tuple(Fraction(math.comb(count, same) * derangements(count - same), orders) for same in range(count + 1))


def chance_of_as_many(count: int, same: int) -> float:
    """Return the probability that at least ``same`` of ``count`` ranks are stable in a random order.

    The result is exact for small counts. For large counts, it is approximated by the Poisson distribution with mean 1,
    whose terms from ``same`` on are added, because 1 minus the others would be inexact.
    """
    if same <= 0:
        return 1.0
    if count <= EXACT_LIMIT:
        return float(sum(exact_law(count)[same:], Fraction(0)))
    # further terms of the Poisson distribution are negligible
    return math.fsum(math.exp(-1.0 - math.lgamma(rank + 1.0)) for rank in range(same, same + 20))


def distinct(names: Iterable[str]) -> list[str]:
    """Make repeated names unique by numbering them, because equal labels would order ties in the same way."""
    seen: Counter[str] = Counter()
    different = []
    for name in names:
        seen[name] += 1
        different.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return different


def side_by_side(baseline: Sequence[DurationRun], target: Sequence[DurationRun]) -> DurationTable:
    """Return the table of all runs, with tests sorted by name. Raises ComparisonError if units differ."""
    runs = (*baseline, *target)
    units = sorted({run.unit for run in runs})
    if len(units) > 1:
        raise ComparisonError("the runs", f"measure in {' and '.join(units)}; compare runs of one unit")
    names = sorted({name for run in runs for name in run.values})
    values = np.full((len(runs), len(names)), math.nan)
    for row, run in enumerate(runs):
        values[row] = [run.values.get(name, math.nan) for name in names]
    return DurationTable(names, distinct(run.label for run in runs), read_only(values), len(baseline), "".join(units))


def ranks_of(values: FloatArray, run: str, names: Sequence[str]) -> IntArray:
    """Return the rank of each test. The fastest test has rank 1.

    Tied tests are ordered by a hash of the run and the name. A group of tied tests then has one stable rank on average,
    as in a random order. Mid-ranks are not used, because they would change for the whole group at once.
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
    """Return the number of tests with the same rank in both runs."""
    return int((first == second).sum())


def check(table: DurationTable, rules: RankRules) -> RankCheck:
    """Compare the order of the tests in the target runs with the order in the baseline runs.

    Only tests that are in all runs are ranked, because an additional test would shift the ranks of all slower tests.
    """
    split = table.baselines
    included: BoolArray = np.logical_and.reduce(np.isfinite(table.values), axis=0)
    names = [table.names[place] for place in np.flatnonzero(included).tolist()]
    values = table.values[:, included]
    ranks = [ranks_of(row, label, names) for row, label in zip(values, table.labels, strict=True)]
    pairs = tuple(starmap(stable, combinations(ranks[:split], 2)))
    counts = tuple(starmap(stable, product(ranks[:split], ranks[split:])))
    mean, count = (sum(same) / len(same) if same else None for same in (pairs, counts))
    sigma, rule = _sigma(pairs, mean, split, rules)
    reason = _why_unknown(len(names), split, len(ranks) - split, rules.min_tests)
    reason = reason or _why_blind(mean, count, sigma, rules.width)
    # equal values mean that the same recording is used on both sides, or that the values have no noise
    before = {row.tobytes() for row in values[:split]}
    identical = reason is None and all(row.tobytes() in before for row in values[split:])
    order: Order = "kept" if identical else "unknown" if reason else _order(mean, count, sigma, rules.width)
    moves = _moves(names, values, np.array(ranks), split) if counts and names else {}
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
        chance=chance_of_as_many(len(names), round(count)) if count is not None and names else None,
        ties=max((len(row) - len(set(row.tolist())) for row in values), default=0),
        unit=table.unit,
        identical=identical,
        **moves,
    )


def _why_unknown(tests: int, baselines: int, targets: int, min_tests: int) -> Reason | None:
    if not targets:
        return Reason(ReasonCode.ORDER_NOT_TESTED, {"case": "no_target_run"})
    if tests < 2:
        return Reason(ReasonCode.ORDER_NOT_TESTED, {"case": "one_test" if tests else "no_common_test"})
    if tests < min_tests:
        return Reason(ReasonCode.ORDER_NOT_TESTED, {"case": "few_tests", "tests": tests, "needed": min_tests})
    if baselines < FEWEST_RUNS:
        return Reason(
            ReasonCode.ORDER_NOT_TESTED, {"case": "few_baseline_runs", "runs": baselines, "needed": FEWEST_RUNS}
        )
    return None


def _why_blind(mean: float | None, count: float | None, sigma: float | None, width: float) -> Reason | None:
    """Return a reason if the lower threshold is at most zero, because no count can then be below this threshold."""
    if mean is None or sigma is None or mean - width * sigma > CLOSE or _order(mean, count, sigma, width) != "kept":
        return None
    return Reason(ReasonCode.ORDER_NOT_TESTED, {"case": "few_stable_ranks", "mean": mean})


def _sigma(pairs: Sequence[int], mean: float | None, runs: int, rules: RankRules) -> tuple[float | None, SigmaRule]:
    """Return sigma and the rule that was used. The rule "observed" is used only if there are enough runs."""
    if mean is None:
        return None, "poisson"
    # five runs form ten pairs
    if rules.sigma == "observed" and runs >= 5:
        return max(1.0, float(np.std(pairs, ddof=1))), "observed"
    # a random order has one stable rank on average, so the true mean is at least 1
    return math.sqrt(max(1.0, mean)), "poisson"


def _order(mean: float | None, count: float | None, sigma: float | None, width: float) -> Order:
    if mean is None or count is None or sigma is None:
        return "unknown"
    if abs(count - mean) <= width * sigma + CLOSE:
        return "kept"
    return "below" if count < mean else "above"


def _moves(names: Sequence[str], values: FloatArray, ranks: IntArray, split: int) -> dict[str, Any]:
    """Return the fields of `RankCheck` about the tests whose rank left the range of their baseline ranks."""
    first, last = _places(values)
    low, high = ranks[:split].min(axis=0), ranks[:split].max(axis=0)
    now = np.rint(quantile(ranks[split:], 0.5)).astype(np.int64)
    distance = _distance(first[:split], last[:split], first[split:], last[split:])
    before, after = quantile(values[:split], 0.5), quantile(values[split:], 0.5)
    ratio = np.full(len(names), math.nan)  # logarithm of the ratio of medians, or NaN if a median is not positive
    known = (before > 0.0) & (after > 0.0)
    ratio[known] = np.log(after[known] / before[known])
    overall = float(quantile(ratio[known], 0.5)) if known.any() else None
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
    return {
        "moved": found,
        "direction": _direction(now[rows] - low[rows], distance[rows], centred[rows]),
        "overall": None if overall is None else float(np.exp(overall)),
        "usual_distance": usual,
        "farther": 0 if usual is None else sum(test.distance > usual for test in found),
    }


def _places(values: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the lowest and highest possible rank of each value in each run. The two ranks differ only for ties."""
    ordered = np.sort(values, axis=1)
    first = [np.searchsorted(line, row, side="left") + 1 for line, row in zip(ordered, values, strict=True)]
    last = [np.searchsorted(line, row, side="right") for line, row in zip(ordered, values, strict=True)]
    return np.array(first), np.array(last)


def _distance(low: IntArray, high: IntArray, first: IntArray, last: IntArray) -> IntArray:
    """Return how many ranks each test is outside the range of its ranks in other runs.

    ``low`` and ``high`` are the ranks in the other runs. ``first`` and ``last`` are the ranks in the tested runs, the
    median of which is used. Tests with equal values share a range of ranks, within which the distance is zero.
    """
    above = quantile(first, 0.5) - high.max(axis=0)
    below = low.min(axis=0) - quantile(last, 0.5)
    return np.asarray(np.rint(np.maximum(0, np.maximum(above, below))), np.int64)


def _usual_distance(first: IntArray, last: IntArray) -> int:
    """Return the largest distance between the rank of a test in one baseline run and its ranks in the other runs."""
    others = [np.arange(len(first)) != run for run in range(len(first))]
    return max(int(_distance(first[rest], last[rest], first[~rest], last[~rest]).max()) for rest in others)


def _direction(up: IntArray, distance: IntArray, centred: FloatArray) -> RankDirection:
    """Return the main direction of the changes by distance: one move of 200 ranks outweighs twenty of three."""
    signs = np.where(np.isfinite(centred), np.sign(np.nan_to_num(centred)), np.sign(up))
    weight = float((signs * distance).sum())
    return "unknown" if weight == 0.0 else "slower" if weight > 0.0 else "faster"
