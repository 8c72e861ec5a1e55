"""Timelines of profiles: the times of samples and calls, added up in bins while a file is read."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from profgate.model.arrays import FloatArray, IntArray, read_only
from profgate.model.timeline import MOST_BINS, Timeline, summed
from profgate.readers.json_text import is_number
from profgate.readers.stack_events import ranges

MOST_THREADS = 32  # if a profile has more threads, the smallest threads are combined
OTHERS = "other threads"
NOTHING = -2
"""The node of times at which no call is running."""
_LONGEST_NAME = 100
_LATEST = 2.0**61  # nanoseconds, about 73 years; times are limited to this value, so that integers cannot overflow
_CHUNK = 1 << 16  # number of intervals that are divided at once, to limit memory use
_MORE_PIECES = 1 << 16  # intervals may be divided into this many additional pieces, plus two for each interval


class Ran(NamedTuple):
    """The int64 nodes of a thread (-1 without frames) and when they ran, in nanoseconds. Samples end at once."""

    name: str
    node: IntArray
    start: IntArray
    end: IntArray


@dataclass
class Clock:
    """Collector of the times of threads. The times are in units of ``unit`` nanoseconds."""

    unit: float = 1.0
    threads: list[Ran] = field(default_factory=list)
    node: "array[int]" = field(default_factory=lambda: array("q"))
    time: "array[float]" = field(default_factory=lambda: array("d"))

    def tick(self, node: int, time: float) -> None:
        """Record that the node, or `NOTHING`, has run in the current thread since the previous tick."""
        self.node.append(node)
        self.time.append(time)

    def end_thread(self, name: object) -> None:
        """Set the name of the current thread, and begin the next thread."""
        node, time = np.array(self.node[1:], np.int64), np.array(self.time)
        ran = node != NOTHING
        self.add_thread(name, node[ran], time[:-1][ran], time[1:][ran])
        del self.node[:], self.time[:]

    def add_thread(self, name: object, node: IntArray, start: FloatArray, end: FloatArray) -> None:
        """Add all intervals of a thread."""
        begin, stop = (np.clip(times * self.unit, -_LATEST, _LATEST).astype(np.int64) for times in (start, end))
        self.threads.append(Ran(str(name)[:_LONGEST_NAME], node, begin, np.maximum(begin, stop)))


def times_in(values: object, count: int) -> FloatArray | None:
    """Return ``count`` times as a float64 array, or None if ``values`` is not a list of ``count`` numbers."""
    if not isinstance(values, list) or len(values) != count or not all(map(is_number, values)):
        return None
    return np.array(values, np.float64)


def timeline_of(threads: Sequence[Ran], values: IntArray, root_values: IntArray | None = None) -> Timeline | None:
    """Divide the values of nodes among threads and bins, in proportion to the time or the samples in each bin.

    ``values`` is an int64 array with one row per metric and one column per node. ``root_values`` contains the values of
    samples without frames; None means that all of them are 0. The parts add up exactly to these values. Time begins at
    the first interval. Returns None if all intervals are at the same time, or if the sum of their lengths exceeds 62
    bits.
    """
    present = [thread for thread in threads if len(thread.node)]
    if not present:
        return None
    names, numbers = _numbered(present)
    node, start, end = (np.concatenate([thread[column] for thread in present]) for column in (1, 2, 3))
    thread = np.repeat(np.array(numbers, np.int64), [len(ran.node) for ran in present])
    origin = start.min()
    start, end = start - origin, end - origin
    span = int(end.max())
    if not span or (end - start).sum(dtype=np.float64) >= 2.0**62:
        return None
    scale = _scale(start, end, span)
    timed, parts = bool(np.any(end > start)), []
    for begin in range(0, len(node), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        first, pieces = start[part] >> scale, _pieces(start[part], end[part], scale)
        column, of = ranges(first, pieces), np.repeat(np.arange(len(first)), pieces) + begin
        length = np.minimum(end[of], (column + 1) << scale) - np.maximum(start[of], column << scale)
        weight = length if timed else np.ones(len(of), np.int64)  # samples without a duration count as 1
        parts.append(summed(node[of], thread[of] * MOST_BINS + column, weight.reshape(1, -1)))
    row, cell, weights = summed(*(np.concatenate(columns, axis=-1) for columns in zip(*parts, strict=True)))
    root = np.zeros(len(values), np.int64) if root_values is None else root_values
    shared = _divided(row, weights[0], np.concatenate([values, root.reshape(-1, 1)], axis=1))
    nonzero = np.any(shared != 0, axis=0)
    return Timeline(span, scale, names, row[nonzero], cell[nonzero], read_only(shared[:, nonzero]))


def _numbered(threads: Sequence[Ran]) -> tuple[tuple[str, ...], list[int]]:
    """Return the names of the threads, and the number of each thread. The smallest threads share the last number."""
    if len(threads) <= MOST_THREADS:
        return tuple(thread.name for thread in threads), list(range(len(threads)))
    sizes = [(-float((thread.end - thread.start).sum(dtype=np.float64)), -len(thread.node)) for thread in threads]
    largest = sorted(sorted(range(len(threads)), key=sizes.__getitem__)[: MOST_THREADS - 1])
    place = {thread: number for number, thread in enumerate(largest)}
    names = (*(threads[number].name for number in largest), OTHERS)
    return names, [place.get(number, MOST_THREADS - 1) for number in range(len(threads))]


def _scale(start: IntArray, end: IntArray, span: int) -> int:
    """Return the binary logarithm of the bin length, which limits the number of bins and pieces."""
    scale = max(span.bit_length() - MOST_BINS.bit_length() + 1, 0)
    most = 3 * len(start) + _MORE_PIECES
    while int(_pieces(start, end, scale).sum()) > most:
        scale += 1
    return scale


def _pieces(start: IntArray, end: IntArray, scale: int) -> IntArray:
    """Return the number of bins that each interval overlaps."""
    return np.asarray((np.maximum(start, end - 1) >> scale) - (start >> scale) + 1)


def _divided(row: IntArray, weight: IntArray, values: IntArray) -> IntArray:
    """Divide the value of each row in proportion to the weights of its entries, which are sorted by row.

    The result has one row per metric. The parts of a row add up exactly to its value.
    """
    ends: NDArray[np.bool_] = np.concatenate([row[1:] != row[:-1], [True]])
    lengths = np.diff(np.flatnonzero(ends), prepend=-1)
    sums = np.cumsum(weight)
    before = np.concatenate([[0], sums[ends][:-1]])
    sums = sums - np.repeat(before, lengths)
    whole = np.repeat(sums[ends], lengths)
    share = sums / np.maximum(whole, 1)
    value = values[:, row]
    upto = np.minimum(np.rint(np.minimum(value * share, 2.0**62)).astype(np.int64), value)
    upto = np.where(whole == value, sums, np.where(ends, value, upto))
    parts = np.diff(upto, axis=1, prepend=0)
    starts = np.concatenate([[True], ends[:-1]])
    parts[:, starts] = upto[:, starts]
    return parts
