"""Where a line jumps: neighbouring versions that differ by more than what their own scatter explains.

With several runs a version, the scatter is that of runs around their version, pooled over the line; beside it stands
the typical step between neighbours (its median, which single jumps do not move), since two builds of one source differ
by more than two runs of one build. The larger of both is the noise of a step. A step of counted values that do not
scatter is a jump as soon as it is large enough to matter.

In long lines of values that scatter, E-divisive (`statistics.change_points`) finds what two neighbours alone cannot
show: small steps that stay, and drifts over several versions.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from profgate.model.arrays import FloatArray, IntArray
from profgate.model.evolution import Jump
from profgate.model.units import Metric, MetricKind
from profgate.statistics.change_points import shifts
from profgate.statistics.t_tests import critical_t

ALPHA = 0.05  # chance of one false jump among all steps of all lines
MIN_CHANGE = {MetricKind.COUNTED: 0.01, MetricKind.TIMED: 0.05, MetricKind.SAMPLED: 0.05}
PRIOR_NOISE = {MetricKind.COUNTED: 0.002, MetricKind.TIMED: 0.15, MetricKind.SAMPLED: 0.05}  # of single runs
PRIOR_DEGREES = 30.0
STEPS_FOR_NOISE = 6  # fewer steps say nothing about what a usual one is
NORMAL_MAD = 1.4826  # of the median absolute deviation of a normal distribution
LASTING = 0.6  # part of a step that the versions around it must confirm
AROUND = 3
LEAST_SEGMENT = 4  # versions on each side of a lasting change
WORTH_SPLITTING = 3.0  # of a t over the best split; shuffling takes long, and less than this is never significant


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """What one line holds: ``values`` float64[version, run] are its values, NaN where a version has fewer or none."""

    line: int
    metric: Metric
    values: FloatArray


def medians(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """The median of the known values of each row, NaN where there are none, and their number."""
    count = np.isfinite(values).sum(axis=1)
    if not values.shape[1]:
        return np.full(len(values), np.nan), count
    ordered = np.sort(values, axis=1)  # NaN stands last
    rows, low, high = np.arange(len(values)), np.maximum(count - 1, 0) // 2, np.minimum(count // 2, values.shape[1] - 1)
    return np.where(count > 0, (ordered[rows, low] + ordered[rows, high]) / 2.0, np.nan), count


@dataclass(frozen=True, slots=True)
class _Noise:
    """Standard deviation of a value in logarithms, of a step beyond its values, and degrees of freedom."""

    spread: float
    step: float
    degrees: float

    def errors(self, count: IntArray) -> FloatArray:
        """Standard error of the step between each two neighbours of so many values."""
        of_runs: FloatArray = self.spread * np.sqrt(1.0 / count[:-1] + 1.0 / count[1:])
        return np.maximum(of_runs, self.step)


def find_jumps(tracks: Iterable[Track], min_change: float | None = None) -> list[Jump]:
    """The jumps of all lines, the largest first. ``min_change`` is a fraction; by default it is that of the kind."""
    series = [_Series(track, *medians(track.values)) for track in tracks]
    steps = sum(max(len(one.known) - 1, 0) for one in series)
    bars: dict[float, float] = {}
    jumps = [jump for one in series for jump in _of_series(one, steps, min_change, bars)]
    return sorted(jumps, key=lambda jump: (-_size(jump), jump.line, jump.target))


class _Series:
    """One track's versions that have values: their numbers, medians and counts."""

    def __init__(self, track: Track, middle: FloatArray, count: IntArray) -> None:
        self.track = track
        self.known = np.flatnonzero(count)
        self.middle, self.count = middle[self.known], count[self.known]


def _size(jump: Jump) -> float:
    if jump.ratio is None or jump.ratio <= -1.0:
        return math.inf
    return abs(math.log1p(jump.ratio))


def _of_series(one: _Series, steps: int, min_change: float | None, bars: dict[float, float]) -> Iterator[Jump]:
    """``bars`` keep the quantiles that were looked up, by degrees of freedom."""
    if len(one.known) < 2:
        return
    if one.middle.min() <= 0.0:
        yield from _from_nothing(one)
        return
    kind = one.track.metric.kind
    logs = np.log(one.middle)
    move = np.diff(logs)
    noise = _noise(one, move)
    least = math.log1p(MIN_CHANGE[kind] if min_change is None else min_change)
    if noise.degrees not in bars:
        bars[noise.degrees] = critical_t(ALPHA / max(steps, 1), noise.degrees)
    error = noise.errors(one.count)
    large = (np.abs(move) >= least * (1 - 1e-9)) & (np.abs(move) > bars[noise.degrees] * error)
    if kind is MetricKind.COUNTED:
        yield from (_jump(one, place + 1, float(error[place])) for place in np.flatnonzero(large).tolist())
        return
    steep = [place + 1 for place in np.flatnonzero(large).tolist() if _lasts(logs, place + 1)]
    yield from (_jump(one, place, float(error[place - 1])) for place in steep)
    if _best_t(logs) >= WORTH_SPLITTING:
        yield from _lasting(one, steep, error, ALPHA / max(steps, 1), math.expm1(least))


def _best_t(logs: FloatArray) -> float:
    """The largest t between the parts before and after any version, as if both scattered alike."""
    count = np.arange(LEAST_SEGMENT, len(logs) - LEAST_SEGMENT + 1)
    if not len(count):
        return 0.0
    sums, squares, rest = np.cumsum(logs), float((logs**2).sum()), len(logs) - count
    before, after = sums[count - 1] / count, (sums[-1] - sums[count - 1]) / rest
    inside = np.maximum(squares - count * before**2 - rest * after**2, 1e-300)
    t = np.abs(after - before) / np.sqrt(inside / (len(logs) - 2) * (1.0 / count + 1.0 / rest))
    return float(t.max())


def _lasting(one: _Series, steep: Sequence[int], error: FloatArray, chance: float, min_change: float) -> Iterator[Jump]:
    """Steps and drifts between segments, but those that hold a steep step, which says it more exactly."""
    for shift in shifts(one.middle, min(chance, 0.001), min_change, LEAST_SEGMENT):
        first, last = max(shift.first - 1, 0), min(shift.last, len(one.known) - 1)
        if first < last and not any(first <= place <= last + 1 for place in steep):
            yield _jump(one, last, float(error[last - 1]), first, (shift.before, shift.after))


def _noise(one: _Series, move: FloatArray) -> _Noise:
    kind = one.track.metric.kind
    repeated = one.track.values[one.known[one.count > 1]]
    degrees = int((one.count[one.count > 1] - 1).sum())
    scatter = 0.0
    if degrees:
        with np.errstate(divide="ignore", invalid="ignore"):  # a value of zero beside others: no logarithm
            logs = np.log(repeated)
        logs[~np.isfinite(logs)] = np.nan
        around = logs - np.nanmean(logs, axis=1, keepdims=True)
        scatter = math.sqrt(float(np.nansum(around**2)) / degrees)
    if len(move) >= STEPS_FOR_NOISE and kind is not MetricKind.COUNTED:
        usual = NORMAL_MAD * float(np.median(np.abs(move)))
        return _Noise(scatter, usual, max(float(degrees), len(move) / 2))
    if degrees:
        return _Noise(scatter, 0.0, float(degrees))
    return _Noise(PRIOR_NOISE[kind], 0.0, PRIOR_DEGREES)


def _lasts(logs: FloatArray, place: int) -> bool:
    """Whether the versions around say the same, so that one disturbed version is not two jumps."""
    step = logs[place] - logs[place - 1]
    around = np.median(logs[place : place + AROUND]) - np.median(logs[max(place - AROUND, 0) : place])
    return bool(around / step >= LASTING) if step else False


def _from_nothing(one: _Series) -> Iterator[Jump]:
    """A counted line that begins or ceases to be zero; a time of zero means nothing."""
    if one.track.metric.kind is not MetricKind.COUNTED or one.middle.min() < 0.0:
        return
    for place in (np.flatnonzero(np.diff((one.middle == 0.0).astype(np.int8))) + 1).tolist():
        yield _jump(one, place, 0.0)


def _jump(
    one: _Series, place: int, noise: float, first: int | None = None, levels: tuple[float, float] | None = None
) -> Jump:
    """The jump at a version, from the one before it or from ``first``; ``levels`` where segments were compared."""
    first = place - 1 if first is None else first
    before, after = levels or (float(one.middle[first]), float(one.middle[place]))
    return Jump(
        line=one.track.line,
        baseline=int(one.known[first]),
        target=int(one.known[place]),
        from_value=before,
        to_value=after,
        ratio=after / before - 1.0 if before else None,
        direction="worse" if (after > before) == (one.track.metric.better == "lower") else "better",
        noise=noise,
    )
