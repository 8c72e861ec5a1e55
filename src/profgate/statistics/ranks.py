"""The exact Mann-Whitney test, its shift estimate and the interval that inverts it."""

import math

import numpy as np

from profgate.model.arrays import FloatArray

EXACT_LIMIT = 80  # readings of both sides; above it the normal approximation is closer than anyone can see


def mid_ranks(values: FloatArray) -> FloatArray:
    """Ranks 1..n of float64[n]; equal values share the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return ((2 * ends - counts + 1) / 2.0)[inverse]


def _rank_sums(doubled: list[int], chosen: int) -> FloatArray:
    """Number of ways to choose so many of the doubled ranks, by their sum."""
    ways = np.zeros((chosen + 1, sum(doubled) + 1), dtype=np.float64)
    ways[0, 0] = 1.0
    for rank in doubled:
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank].copy()
    return np.asarray(ways[chosen])


def _normal_two_sided(distance: float, variance: float) -> float:
    if variance <= 0.0:
        return 1.0
    return math.erfc(max(0.0, abs(distance) - 0.5) / math.sqrt(2.0 * variance))


def mann_whitney(baseline: FloatArray, target: FloatArray) -> tuple[float, float]:
    """U (pairs with target > baseline, ties half) and the two-sided p by permuting mid-ranks.

    Exact up to 80 readings, by the normal approximation with correction for ties above.
    """
    n_b, n_t = len(baseline), len(target)
    ranks = mid_ranks(np.concatenate([baseline, target]))
    rank_sum = float(ranks[n_b:].sum())
    u = rank_sum - n_t * (n_t + 1) / 2.0
    if n_b + n_t > EXACT_LIMIT:
        centred = ranks - ranks.mean()
        total = n_b + n_t
        variance = n_b * n_t * float((centred**2).sum()) / (total * (total - 1))
        return u, _normal_two_sided(u - n_b * n_t / 2.0, variance)
    ways = _rank_sums([round(2 * rank) for rank in ranks.tolist()], n_t)
    place = round(2 * rank_sum)
    tail = min(float(ways[: place + 1].sum()), float(ways[place:].sum()))
    return u, min(1.0, 2.0 * tail / float(ways.sum()))


def critical_u(n_b: int, n_t: int, alpha: float) -> int | None:
    """Largest U whose two-sided exact p stays within alpha; None where even U = 0 does not."""
    if n_b + n_t > EXACT_LIMIT:
        from profgate.statistics.normal import upper_quantile

        spread = math.sqrt(n_b * n_t * (n_b + n_t + 1) / 12.0)
        return int(n_b * n_t / 2.0 - 0.5 - upper_quantile(alpha / 2.0) * spread)
    ways = _rank_sums(list(range(1, n_b + n_t + 1)), n_t)
    start = n_t * (n_t + 1) // 2
    tails = 2.0 * np.cumsum(ways[start : start + n_b * n_t // 2 + 1]) / math.comb(n_b + n_t, n_t)
    allowed = int(np.searchsorted(tails, alpha * (1 + 1e-12), side="right"))
    return allowed - 1 if allowed else None


def differences(baseline: FloatArray, target: FloatArray) -> FloatArray:
    """All target - baseline, sorted; float64[n_b * n_t]."""
    return np.sort((target[:, None] - baseline[None, :]).ravel())


def hodges_lehmann(baseline: FloatArray, target: FloatArray) -> float:
    """Median of all differences target - baseline."""
    return float(np.median(differences(baseline, target)))


def shift_interval(baseline: FloatArray, target: FloatArray, alpha: float) -> tuple[float, float]:
    """Interval of the shift at confidence 1 - alpha; infinite where there are too few readings."""
    critical = critical_u(len(baseline), len(target), alpha)
    if critical is None:
        return -math.inf, math.inf
    ordered = differences(baseline, target)
    return float(ordered[critical]), float(ordered[-1 - critical])


def cliffs_delta(baseline: FloatArray, target: FloatArray) -> float:
    """(pairs with target > baseline - pairs with target < baseline) / pairs, in -1..1."""
    return float(np.sign(target[:, None] - baseline[None, :]).mean())
