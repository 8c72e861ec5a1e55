"""Change point detection, which finds persistent steps in a series with the E-divisive algorithm.

E-divisive (Matteson and James, "A nonparametric approach for multiple change point analysis", 2014) splits a series at
the position where the energy distance between the two sides is largest. A permutation test accepts the split if few
shuffled series reach this distance. The algorithm then continues on both sides. In addition, Welch's test must find a
significant difference between neighbouring segments, as in benchmark monitoring tools. The shuffles are deterministic,
so equal input gives equal output.
"""

from functools import cache
from itertools import pairwise

import numpy as np

from profgate.model.arrays import FloatArray, IntArray, splitmix64
from profgate.model.record import Record
from profgate.statistics.t_tests import welch

WINDOW = 50  # values per window; longer series are divided into windows that overlap by half
SHUFFLES = 199


class Shift(Record):
    """A persistent change from the mean ``before`` to the mean ``after``, which is the level from index ``place``.

    ``p`` is the two-sided p value of Welch's test.
    """

    place: int
    before: float
    after: float
    p: float


def shifts(
    values: FloatArray, p: float = 0.001, magnitude: float = 0.02, least: int = 4, window: int = WINDOW
) -> list[Shift]:
    """Return the persistent changes of a series in chronological order.

    ``p`` is the threshold of Welch's test between neighbouring segments, ``magnitude`` is the smallest relative change
    of their means, ``least`` is the minimum number of values per segment, and ``window`` is the number of values per
    window. All values must be finite.
    """
    splits = change_points(values, p, magnitude, least, window)
    found = []
    for start, split, end in zip([0, *splits], splits, [*splits[1:], len(values)], strict=False):
        means = float(values[start:split].mean()), float(values[split:end].mean())
        found.append(Shift(split, *means, _test(values, start, split, end)[0]))
    return found


def change_points(
    values: FloatArray, p: float = 0.001, magnitude: float = 0.02, least: int = 4, window: int = WINDOW
) -> list[int]:
    """Return the indices at which new segments begin."""
    if len(values) < 2 * least:
        return []
    return _pruned(values, _candidates(values, least, max(window, 2 * least)), p, magnitude)


def best_split(values: FloatArray, least: int = 4) -> tuple[int, float]:
    """Return the split with the largest energy distance, and this distance. Both are 0 if no split is possible."""
    if len(values) < 2 * least:
        return 0, 0.0
    distances = np.abs(values[:, None] - values[None, :])
    energies = _energies(2.0 * np.tril(distances).sum(axis=1), distances.sum(axis=1))[least - 1 : len(values) - least]
    place = int(np.argmax(energies))
    return place + least, float(energies[place])


def _energies(near: FloatArray, sums: FloatArray) -> FloatArray:
    """Return n*m/(n+m) times the energy distance between the first n values and the other m values, for each n.

    ``near`` contains twice the sum of the distances from each value to its predecessors, and ``sums`` contains the sum
    of the distances from each value to all values.
    """
    of_near, of_all, of_whole = _weights(near.shape[-1])
    within, all_of = np.cumsum(near, axis=-1)[..., :-1], np.cumsum(sums, axis=-1)
    return np.asarray(of_near * within + of_all * all_of[..., :-1] + of_whole * all_of[..., -1:])


@cache
def _weights(count: int) -> FloatArray:
    """Return the weights of the three sums in `_energies`, with one row per sum and one column per n.

    The first sum adds the distances within the first n values, the second sum adds the distances from the first n
    values to all values, and the third sum adds the distances between all values.
    """
    n = np.arange(1.0, count)
    m = count - n
    between = 2.0 / count
    left = np.divide(m, count * (n - 1), out=np.zeros_like(n), where=n > 1)
    right = np.divide(n, count * (m - 1), out=np.zeros_like(n), where=m > 1)
    return np.array([-between - left - right, between + 2.0 * right, -right])


def _candidates(values: FloatArray, least: int, window: int) -> list[int]:
    found: set[int] = set()
    starts = range(0, max(1, len(values) - window // 2), window // 2) if len(values) > window else [0]
    for start in starts:
        found.update(start + place for place in _split(values[start : start + window], least))
    return _apart(values, sorted(found), least, window)


def _split(values: FloatArray, least: int) -> list[int]:
    """Return the significant splits of one window."""
    found, waiting = [], [(0, len(values))]
    while waiting:
        start, end = waiting.pop()
        part = values[start:end]
        place, energy = best_split(part, least)
        if place and energy > 0.0 and _is_significant(part, energy, least):
            found.append(start + place)
            waiting += [(start, start + place), (start + place, end)]
    return sorted(found)


def _is_significant(values: FloatArray, energy: float, least: int) -> bool:
    """Return whether at most 5 % of the shuffled series have a split with at least this energy distance."""
    # shuffled series may reach the distance in at most 5 % of all cases, counting the series itself
    allowed = int(0.05 * (SHUFFLES + 1)) - 1
    reached, count = 0, len(values)
    orders = _shuffles(count)
    distances = np.abs(values[:, None] - values[None, :])
    sums = distances.sum(axis=1)
    # in batches, so that the test can stop early
    for start, stop in pairwise((*range(0, SHUFFLES, 20), SHUFFLES)):
        chosen = orders[start:stop]
        # one matrix per shuffle, with 1 at (i, j) if value j precedes value i, otherwise 0
        places = np.argsort(chosen, axis=1)
        before = (places[:, None, :] < places[:, :, None]).astype(np.float64)
        # twice the sum of the distances from each value to its predecessors in the shuffled series
        near = 2.0 * np.einsum("sij,ij->si", before, distances)
        energies = _energies(np.take_along_axis(near, chosen, axis=1), sums[chosen])
        best = energies[:, least - 1 : count - least].max(axis=1)
        reached += int((best >= energy * (1 - 1e-12)).sum())
        if reached > allowed:
            return False
    return True


@cache
def _shuffles(count: int) -> IntArray:
    """Return pseudorandom orders, with one row per shuffle. The orders are the same in every process."""
    return np.argsort(splitmix64(SHUFFLES * count).reshape(SHUFFLES, count), axis=1).astype(np.int64)


def _apart(values: FloatArray, places: list[int], least: int, window: int) -> list[int]:
    """Replace nearby splits from different windows with the best split of the surrounding values."""
    chosen: list[int] = []
    for place in places:
        if chosen and place - chosen[-1] < least:
            start = chosen[-2] if len(chosen) > 1 else 0
            around = values[start : place + window // 2]
            chosen[-1] = start + best_split(around, least)[0]
        else:
            chosen.append(place)
    return sorted({place for place in chosen if 0 < place < len(values)})


def _pruned(values: FloatArray, splits: list[int], p: float, magnitude: float) -> list[int]:
    """Drop the weakest split repeatedly until all neighbouring segments differ, and return the remaining splits."""
    left = list(splits)
    while left:
        edges = [0, *left, len(values)]
        tests = [_test(values, *edges[place : place + 3]) for place in range(len(left))]
        failed = [place for place, (chance, size) in enumerate(tests) if chance >= p or size < magnitude]
        if not failed:
            break
        del left[max(failed, key=lambda place: (tests[place][0], -tests[place][1]))]
    return left


def _test(values: FloatArray, start: int, split: int, end: int) -> tuple[float, float]:
    """Return Welch's p value of two neighbouring segments, and the relative change, which is infinite from 0."""
    left, right = values[start:split], values[split:end]
    if min(len(left), len(right)) < 2:
        return 1.0, 0.0
    test = welch(left, right)
    level = abs(float(left.mean()))
    return test.p, abs(test.shift) / level if level else float("inf") if test.shift else 0.0
