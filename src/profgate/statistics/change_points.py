"""Change point detection, which finds persistent steps and drifts in a series with the E-divisive algorithm.

E-divisive (Matteson and James, "A nonparametric approach for multiple change point analysis", 2014) splits a series at
the position where the energy distance between the two sides is largest. A permutation test accepts the split if few
shuffled series reach this distance. The algorithm then continues on both sides. In addition, Welch's test must find a
significant difference between neighbouring segments, as in benchmark monitoring tools. The shuffles are deterministic,
so equal input gives equal output.
"""

from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from profgate.model.arrays import FloatArray, IntArray, splitmix64
from profgate.statistics.t_tests import two_sided_p, welch

WINDOW = 50  # values per window; longer series are divided into windows that overlap by half
SHUFFLES = 199
GRID = 40  # maximum number of positions at which a line may begin or end


class Shift(NamedTuple):
    """A persistent change from the mean ``before`` to the mean ``after``.

    A step happens at index ``first``, which equals ``last`` and is the first value of the new level. A drift begins
    before index ``first`` and ends at index ``last``. ``p`` is the two-sided p value of Welch's test.
    """

    first: int
    last: int
    before: float
    after: float
    p: float

    @property
    def is_drift(self) -> bool:
        """Whether the change is a drift."""
        return self.last > self.first


def shifts(
    values: FloatArray, p: float = 0.001, magnitude: float = 0.02, least: int = 4, window: int = WINDOW
) -> list[Shift]:
    """Return the persistent changes of a series in chronological order. Each change is a step or a drift.

    ``p`` is the threshold of Welch's test between neighbouring segments, ``magnitude`` is the smallest relative change
    of their means, ``least`` is the minimum number of values per segment, and ``window`` is the number of values per
    window. All values must be finite.
    """
    splits = change_points(values, p, magnitude, least, window)
    runs = _runs(values, splits) if splits else []
    return [shift for run in runs for shift in _explained(values, run)]


def change_points(
    values: FloatArray, p: float = 0.001, magnitude: float = 0.02, least: int = 4, window: int = WINDOW
) -> list[int]:
    """Return the indices at which new segments begin, without merging splits into drifts."""
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


def _runs(values: FloatArray, splits: list[int]) -> list[tuple[int, list[int], int]]:
    """Group consecutive splits in one direction: the start of the first segment, the splits, and the last end."""
    edges = [0, *splits, len(values)]
    means = [float(values[start:end].mean()) for start, end in pairwise(edges)]
    runs: list[tuple[int, list[int], int]] = []
    for place, split in enumerate(splits):
        rising = means[place + 1] > means[place]
        if runs and rising == (means[place] > means[place - 1]):
            runs[-1] = (runs[-1][0], [*runs[-1][1], split], edges[place + 2])
        else:
            runs.append((edges[place], [split], edges[place + 2]))
    return runs


def _explained(values: FloatArray, run: tuple[int, list[int], int]) -> list[Shift]:
    """Return the steps of a group, or a single drift if a line fits the values better."""
    start, splits, end = run
    part, edges = values[start:end], [start, *splits, end]
    count = len(part)
    steps = sum(float(((values[a:b] - values[a:b].mean()) ** 2).sum()) for a, b in pairwise(edges))
    squares, first, last, low, high = _best_ramp(part)
    # steps have one level per segment and one position per step as parameters; a line has two levels and two positions
    of_steps, of_line = _bic(steps, count, 2 * len(splits) + 1, values), _bic(squares, count, 4, values)
    # a shorter drift is a step, and a difference of two in the BIC is weak evidence (Kass and Raftery, 1995)
    if last - first + 1 >= 4 and of_line < of_steps - 2.0:
        chance = welch(part[:first], part[last:]).p if first >= 2 and count - last >= 2 else _line_p(part)
        return [Shift(start + first, start + last, low, high, chance)]
    return [
        Shift(split, split, float(values[a:split].mean()), float(values[split:b].mean()), _test(values, a, split, b)[0])
        for a, split, b in zip(edges, splits, edges[2:], strict=False)
    ]


def _bic(squares: float, count: int, parameters: int, values: FloatArray) -> float:
    """Return Schwarz's criterion (BIC). A sum of squares below the rounding error is replaced with this error."""
    least = count * (1e-12 * max(float(np.abs(values).max()), 1e-300)) ** 2
    return count * float(np.log(max(squares, least) / count)) + parameters * float(np.log(count))


def _best_ramp(part: FloatArray) -> tuple[float, int, int, float, float]:
    """Fit a line between two constants. Return the squared residuals, its first and last index, and the constants."""
    count, mean = len(part), float(part.mean())
    places = np.unique(np.linspace(0, count - 1, min(count, GRID)).round().astype(np.int64))
    begin, end = (places[chosen] for chosen in np.triu_indices(len(places), 1))
    # position along the line: 0 before the line, 1 from the last value of the line onwards
    length, after = end - begin + 1.0, count - 1 - end
    of_way = (length + 1) / 2 + after
    spread = (length + 1) * (2 * length + 1) / (6 * length) + after - of_way**2 / count
    # sums over the values before an index make the time independent of the number of values
    rest = part - mean
    sums, moments = (np.append(0.0, np.cumsum(each)) for each in (rest, rest * np.arange(count)))
    along = moments[end + 1] - moments[begin] - (begin - 1) * (sums[end + 1] - sums[begin])
    product = along / length + sums[-1] - sums[end + 1]
    explained = product**2 / spread
    # a line from index 0 may equal one from index 1, before which there is a value
    best = int(np.flatnonzero(~(explained < explained.max() * (1 - 1e-12)))[-1])
    first, last, slope = int(begin[best]), int(end[best]), float(product[best] / spread[best])
    way = np.clip((np.arange(count) - first + 1) / (last - first + 1), 0.0, 1.0) - of_way[best] / count
    low = mean - slope * float(of_way[best]) / count
    return float(((rest - slope * way) ** 2).sum()), first, last, low, low + slope


def _line_p(part: FloatArray) -> float:
    """Return the two-sided p value of a slope, for drifts with too few values on one side for Welch's test."""
    count = len(part)
    place = np.arange(count) - (count - 1) / 2.0
    slope = float((place * part).sum() / (place**2).sum())
    rest = float(((part - part.mean() - slope * place) ** 2).sum())
    error = float(np.sqrt(rest / (count - 2) / (place**2).sum()))
    return two_sided_p(slope / error, float(count - 2)) if error else 0.0
