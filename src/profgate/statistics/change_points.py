"""Where a series of readings changed for good: E-divisive with its permutation test, steps apart from drifts.

E-divisive (Matteson and James 2014, a nonparametric approach for multiple change point analysis) splits a series where
the energy distance between the two sides is largest, accepts the split where shuffled series seldom reach that
distance, and continues on both sides. The remaining segments must differ from their neighbours by Welch's test, as in
tools that watch benchmarks. The shuffles are the same in every run, so equal input gives equal output.
"""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from profgate.model.arrays import FloatArray, IntArray, splitmix64
from profgate.statistics.t_tests import two_sided_p, welch

WINDOW = 50  # readings examined together; longer series are examined in windows that overlap by half
SHUFFLES = 199
BATCHES = (*range(0, SHUFFLES, 20), SHUFFLES)  # of them, to end early
SPLIT_P = 0.05  # of the permutation test that accepts a split
PENALTY = 2.0  # by how much, in the BIC, a line must explain more than steps do
LEAST_RAMP = 4  # readings: a shorter line is a step
GRID = 40  # places at which a line may begin or end


@dataclass(frozen=True, slots=True)
class Shift:
    """A lasting change: from ``before`` to ``after``, means of the readings on both sides.

    A step happens at reading ``first`` (= ``last``), the first one of the new level. A drift begins before reading
    ``first`` and has arrived at reading ``last``. ``p`` is Welch's, two-sided.
    """

    first: int
    last: int
    before: float
    after: float
    p: float

    @property
    def is_drift(self) -> bool:
        """Whether it came slowly."""
        return self.last > self.first


def shifts(
    values: FloatArray, p: float = 0.001, magnitude: float = 0.02, least: int = 4, window: int = WINDOW
) -> list[Shift]:
    """The lasting changes of float64[n], in order; steps and drifts, each once.

    ``p`` bounds Welch's test between neighbouring segments, ``magnitude`` is the least relative change of their means,
    ``least`` the readings a segment has, ``window`` the number of readings examined together. Readings that are not
    finite must be left out before.
    """
    splits = change_points(values, p, magnitude, least, window)
    runs = _runs(values, splits) if splits else []
    return [shift for run in runs for shift in _explained(values, run)]


def change_points(
    values: FloatArray, p: float = 0.001, magnitude: float = 0.02, least: int = 4, window: int = WINDOW
) -> list[int]:
    """The places where a new segment begins, without looking whether a drift explains several of them."""
    if len(values) < 2 * least:
        return []
    return _pruned(values, _candidates(values, least, max(window, 2 * least)), p, magnitude)


def best_split(values: FloatArray, least: int = 4) -> tuple[int, float]:
    """The split with the largest energy distance between its sides, and that; (0, 0.0) where there is none."""
    if len(values) < 2 * least:
        return 0, 0.0
    distances = np.abs(values[:, None] - values[None, :])
    energies = _energies(2.0 * np.tril(distances).sum(axis=1), distances.sum(axis=1))[least - 1 : len(values) - least]
    place = int(np.argmax(energies))
    return place + least, float(energies[place])


def _energies(near: FloatArray, sums: FloatArray) -> FloatArray:
    """float64[..., n - 1]: n*m/(n+m) times the energy distance of the first n readings from the other m.

    ``near`` float64[..., n] are each reading's distances to those before it, both ways; ``sums`` those to all.
    """
    of_near, of_all, of_whole = _weights(near.shape[-1])
    within, all_of = np.cumsum(near, axis=-1)[..., :-1], np.cumsum(sums, axis=-1)
    return np.asarray(of_near * within + of_all * all_of[..., :-1] + of_whole * all_of[..., -1:])


@cache
def _weights(count: int) -> FloatArray:
    """float64[3, n - 1]: parts of the energies: of sums within the first n readings, of them to all, and of all."""
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
    """The splits of one window that shuffling does not explain."""
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
    """Whether at most one in twenty shuffled series has a split as good; computed in batches, to end early."""
    allowed = int(SPLIT_P * (SHUFFLES + 1)) - 1
    reached, count = 0, len(values)
    orders = _shuffles(count)
    distances = np.abs(values[:, None] - values[None, :])
    sums = distances.sum(axis=1)
    for start, stop in pairwise(BATCHES):
        chosen = orders[start:stop]
        before = _cached_before(count)[start:stop] if count <= WINDOW else _before(chosen)
        # of each reading to those that a shuffle puts before it, both ways
        near = 2.0 * np.einsum("sij,ij->si", before, distances)
        energies = _energies(np.take_along_axis(near, chosen, axis=1), sums[chosen])
        best = energies[:, least - 1 : count - least].max(axis=1)
        reached += int((best >= energy * (1 - 1e-12)).sum())
        if reached > allowed:
            return False
    return True


def _before(orders: IntArray) -> FloatArray:
    """float64[shuffle, count, count]: 1 where a shuffle puts the second reading before the first, else 0."""
    places = np.argsort(orders, axis=1)
    return (places[:, None, :] < places[:, :, None]).astype(np.float64)


@cache
def _cached_before(count: int) -> FloatArray:
    return _before(_shuffles(count))


@cache
def _shuffles(count: int) -> IntArray:
    """int64[SHUFFLES, count]: random orders that are the same in every run."""
    return np.argsort(splitmix64(SHUFFLES * count).reshape(SHUFFLES, count), axis=1).astype(np.int64)


def _apart(values: FloatArray, places: list[int], least: int, window: int) -> list[int]:
    """Of splits that two windows put close to each other, the one that splits their surroundings best."""
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
    """The splits whose neighbouring segments differ, the weakest given up first."""
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
    """Welch's p between two segments, and the relative change of their means (infinite from zero)."""
    left, right = values[start:split], values[split:end]
    if min(len(left), len(right)) < 2:
        return 1.0, 0.0
    test = welch(left, right)
    level = abs(float(left.mean()))
    return test.p, abs(test.shift) / level if level else float("inf") if test.shift else 0.0


def _runs(values: FloatArray, splits: list[int]) -> list[tuple[int, list[int], int]]:
    """Splits of one direction after each other, with where the segment before begins and the one after ends."""
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
    """The steps of one direction, or the one drift that explains them better."""
    start, splits, end = run
    part, edges = values[start:end], [start, *splits, end]
    count = len(part)
    steps = sum(float(((values[a:b] - values[a:b].mean()) ** 2).sum()) for a, b in pairwise(edges))
    squares, first, last, low, high = _best_ramp(part)
    # a level and a place for each step; two levels and two places for a line
    of_steps, of_line = _bic(steps, count, 2 * len(splits) + 1, values), _bic(squares, count, 4, values)
    if last - first + 1 >= LEAST_RAMP and of_line < of_steps - PENALTY:
        chance = welch(part[:first], part[last:]).p if first >= 2 and count - last >= 2 else _line_p(part)
        return [Shift(start + first, start + last, low, high, chance)]
    return [
        Shift(split, split, float(values[a:split].mean()), float(values[split:b].mean()), _test(values, a, split, b)[0])
        for a, split, b in zip(edges, splits, edges[2:], strict=False)
    ]


def _bic(squares: float, count: int, parameters: int, values: FloatArray) -> float:
    """Schwarz's criterion; residuals below the rounding of the readings count as that."""
    least = count * (1e-12 * max(float(np.abs(values).max()), 1e-300)) ** 2
    return count * float(np.log(max(squares, least) / count)) + parameters * float(np.log(count))


def _best_ramp(part: FloatArray) -> tuple[float, int, int, float, float]:
    """The level, line and level with the least squares: they, the line's first and last reading, and both levels."""
    count = len(part)
    places = np.unique(np.linspace(0, count - 1, min(count, GRID)).round().astype(np.int64))
    begin, end = (axis.ravel() for axis in np.meshgrid(places, places, indexing="ij"))
    chosen = end > begin
    begin, end = begin[chosen], end[chosen]
    # 0 up to the reading before the line's first, 1 from its last on
    way = np.clip((np.arange(count)[None, :] - begin[:, None] + 1) / (end - begin + 1)[:, None], 0.0, 1.0)
    centred, mean = way - way.mean(axis=1, keepdims=True), float(part.mean())
    spread = (centred**2).sum(axis=1)
    slope = np.divide(centred @ (part - mean), spread, out=np.zeros(len(spread)), where=spread > 0)
    squares = ((part - mean)[None, :] - slope[:, None] * centred) ** 2
    best = int(np.argmin(squares.sum(axis=1)))
    low = mean - float(slope[best]) * float(way[best].mean())
    return float(squares[best].sum()), int(begin[best]), int(end[best]), low, low + float(slope[best])


def _line_p(part: FloatArray) -> float:
    """Two-sided p of a straight line's slope, for a drift that leaves too little before or after it."""
    count = len(part)
    place = np.arange(count) - (count - 1) / 2.0
    slope = float((place * part).sum() / (place**2).sum())
    rest = float(((part - part.mean() - slope * place) ** 2).sum())
    error = float(np.sqrt(rest / (count - 2) / (place**2).sum()))
    return two_sided_p(slope / error, float(count - 2)) if error else 0.0
