"""Converts the values of many versions into an evolution with lines and jumps.

A jump is a difference between neighbouring versions that exceeds the noise. The noise of a step is the larger of two
estimates: the standard error from the variance of runs, pooled over all versions, and a multiple of the median step
between neighbours. The second estimate is needed because two builds of the same source differ by more than two runs of
one build do. A step of counted values without noise is a jump if the step exceeds the minimum change.

In long series of noisy values, E-divisive (`statistics.change_points`) also finds small persistent steps.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain, pairwise

import numpy as np

from profgate.errors import ComparisonError, did_you_mean
from profgate.measuring.track.versions import BenchmarkValue, Evolution, EvolutionLine, Jump, MeasuredVersion
from profgate.model.arrays import FloatArray, IntArray, read_only
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import Record
from profgate.model.units import Metric, MetricKind
from profgate.statistics.change_points import shifts
from profgate.statistics.t_tests import critical_t

MIN_CHANGE = {MetricKind.COUNTED: 0.01, MetricKind.TIMED: 0.05, MetricKind.SAMPLED: 0.05}
# standard deviation of the logarithm of a run's value, used if no version has several runs
PRIOR_NOISE = {MetricKind.COUNTED: 0.002, MetricKind.TIMED: 0.15, MetricKind.SAMPLED: 0.05}
AROUND = 3
LEAST_SEGMENT = 4  # minimum number of versions on each side of a persistent change


class VersionSeries(Record, eq=False):
    """The values of comparable versions in line number ``line``, excluding versions without values.

    ``numbers`` (int64), ``middle`` (float64) and ``count`` (int64) contain the number, the median and the number of
    values of each version. ``values`` (float64) has one row per version and one column per run, padded with NaN.
    """

    line: int
    metric: Metric
    numbers: IntArray
    middle: FloatArray
    count: IntArray
    values: FloatArray


def medians(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the median and the number of the finite values in each row. The median of no values is NaN."""
    count = np.isfinite(values).sum(axis=1)
    if not values.shape[1]:
        return np.full(len(values), np.nan), count
    ordered = np.sort(values, axis=1)  # NaN values are sorted last
    rows, low, high = np.arange(len(values)), np.maximum(count - 1, 0) // 2, np.minimum(count // 2, values.shape[1] - 1)
    return np.where(count > 0, (ordered[rows, low] + ordered[rows, high]) / 2.0, np.nan), count


def find_jumps(all_series: Sequence[VersionSeries], min_change: float | None = None) -> list[Jump]:
    """Find the jumps of all series, largest first. ``min_change`` depends on the kind of metric by default."""
    steps = sum(max(len(series.numbers) - 1, 0) for series in all_series)
    # probability of at least one false jump in all series
    alpha = 0.05 / max(steps, 1)
    critical = cache(lambda degrees: critical_t(alpha, degrees))
    jumps = [jump for series in all_series for jump in _of_series(series, min_change, alpha, critical)]
    return sorted(jumps, key=lambda jump: (-_size(jump), jump.line, jump.target))


def _size(jump: Jump) -> float:
    return math.inf if jump.ratio is None or jump.ratio <= -1.0 else abs(math.log1p(jump.ratio))


def _of_series(
    series: VersionSeries, min_change: float | None, alpha: float, critical: Callable[[float], float]
) -> Iterator[Jump]:
    """Find the jumps of a series, at the false alarm rate ``alpha`` per step and a minimum t by degrees of freedom."""
    if len(series.numbers) < 2:
        return
    kind, lowest = series.metric.kind, series.middle.min()
    if lowest <= 0.0:
        # counted values may rise from or fall to zero; times of zero are invalid
        if kind is MetricKind.COUNTED and lowest == 0.0:
            steps = np.flatnonzero(np.diff((series.middle == 0.0).astype(np.int8))) + 1
            yield from (_jump(series, place, 0.0) for place in steps.tolist())
        return
    logs = np.log(series.middle)
    move = np.abs(np.diff(logs))
    error, degrees = _noise(series, move)
    least = math.log1p(MIN_CHANGE[kind] if min_change is None else min_change)
    large = (move >= least * (1 - 1e-9)) & (move > critical(degrees) * error)
    steep = (np.flatnonzero(large) + 1).tolist()
    if kind is not MetricKind.COUNTED:
        steep = [place for place in steep if _lasts(logs, place)]
        yield from _lasting(series, steep, error, alpha, math.expm1(least))
    yield from (_jump(series, place, float(error[place - 1])) for place in steep)


def _lasting(
    series: VersionSeries, steep: Sequence[int], error: FloatArray, chance: float, min_change: float
) -> Iterator[Jump]:
    """Yield persistent steps, except near a steep step, because a steep step locates a change better."""
    for shift in shifts(series.middle, min(chance, 0.001), min_change, LEAST_SEGMENT):
        if all(abs(shift.place - place) > 1 for place in steep):
            yield _jump(series, shift.place, float(error[shift.place - 1]), (shift.before, shift.after))


def _noise(series: VersionSeries, move: FloatArray) -> tuple[FloatArray, float]:
    """Return the standard error of each step between neighbours, in natural logarithms, and the degrees of freedom."""
    kind, count = series.metric.kind, series.count
    degrees = float((count - 1).sum())
    spread, typical = PRIOR_NOISE[kind], 0.0
    if degrees:
        with np.errstate(divide="ignore", invalid="ignore"):  # zero has no logarithm
            logs = np.log(series.values[count > 1])
        logs[~np.isfinite(logs)] = np.nan
        spread = math.sqrt(float(np.nansum((logs - np.nanmean(logs, axis=1, keepdims=True)) ** 2)) / degrees)
    # minimum number of steps for a reliable median
    if len(move) >= 6 and kind is not MetricKind.COUNTED:
        # ratio of standard deviation to median absolute deviation of a normal distribution
        typical = 1.4826 * float(np.median(move))
        spread = spread if degrees else 0.0
        degrees = max(degrees, len(move) / 2)
    of_runs: FloatArray = spread * np.sqrt(1.0 / count[:-1] + 1.0 / count[1:])
    return np.maximum(of_runs, typical), degrees or 30.0


def _lasts(logs: FloatArray, place: int) -> bool:
    """Return whether the surrounding versions also show the step. Otherwise, an outlier would count as two jumps."""
    step = logs[place] - logs[place - 1]
    around = np.median(logs[place : place + AROUND]) - np.median(logs[max(place - AROUND, 0) : place])
    # minimum difference between the medians before and after a step, as a fraction of the step
    return bool(around / step >= 0.6) if step else False


def _jump(series: VersionSeries, place: int, noise: float, levels: tuple[float, float] | None = None) -> Jump:
    """Create the jump to ``place`` from the version before.

    ``levels`` are the means before and after the jump, by default the medians of the two versions.
    """
    before, after = levels or (float(series.middle[place - 1]), float(series.middle[place]))
    return Jump(
        line=series.line,
        baseline=int(series.numbers[place - 1]),
        target=int(series.numbers[place]),
        from_value=before,
        to_value=after,
        ratio=after / before - 1.0 if before else None,
        direction="worse" if (after > before) == (series.metric.better == "lower") else "better",
        noise=noise,
    )


def evolution_of(
    title: str, measured: Sequence[MeasuredVersion], metric: str | None = None, min_change: float | None = None
) -> Evolution:
    """Return the evolution over these versions, in order. Raises ComparisonError if no version was measured.

    ``metric`` is shown first. By default, it is the metric with the largest jump if the usual one has none.
    ``min_change`` is the smallest jump as a fraction.
    """
    gathered: dict[tuple[str, str, str], list[tuple[int, BenchmarkValue]]] = {}
    for number, version in enumerate(measured):
        for value in chain.from_iterable(version.runs):
            key = (value.benchmark, value.metric.name, value.metric.unit)
            gathered.setdefault(key, []).append((number, value))
    if not gathered:
        reasons = "; ".join(dict.fromkeys(version.problem for version in measured if version.problem))
        raise ComparisonError("track", f"no version could be measured: {reasons or 'there is none'}")
    lines: list[EvolutionLine] = []
    all_series: list[VersionSeries] = []
    for key in sorted(gathered):
        values = _matrix(gathered[key], len(measured))
        line = _line(gathered[key], values)
        if not line.breaks:  # as in the paper: only benchmarks whose source is the same in all versions
            known = np.flatnonzero(line.count)
            middle, count = line.middle[known], line.count[known]
            all_series.append(VersionSeries(len(lines), line.metric, known, middle, count, values[known]))
        lines.append(line)
    jumps = tuple(find_jumps(all_series, min_change))
    first = _first_metric(lines, metric)
    jumped = [lines[jump.line].metric.name for jump in jumps]
    if metric is None and jumped and first not in jumped:
        first = jumped[0]
    return Evolution(title, tuple(measured), tuple(lines), jumps, first, tuple(_notes(lines)))


def _matrix(readings: Sequence[tuple[int, BenchmarkValue]], versions: int) -> FloatArray:
    """Return a float64 array with one row per version and one column per run, padded with NaN."""
    rows: list[list[float]] = [[] for _ in range(versions)]
    for number, reading in readings:
        if math.isfinite(reading.value):
            rows[number].append(reading.value)
    matrix = np.full((versions, max(map(len, rows))), np.nan)
    for number, row in enumerate(rows):
        matrix[number, : len(row)] = row
    return matrix


def _line(readings: Sequence[tuple[int, BenchmarkValue]], values: FloatArray) -> EvolutionLine:
    middle, count = medians(values)
    known = {number: reading.source for number, reading in readings if reading.source}
    return EvolutionLine(
        readings[0][1].benchmark,
        readings[0][1].metric,
        middle=read_only(middle),
        low=read_only(np.fmin.reduce(values, axis=1, initial=np.nan)),
        high=read_only(np.fmax.reduce(values, axis=1, initial=np.nan)),
        count=read_only(count),
        breaks=tuple(number for before, number in pairwise(known) if known[before] != known[number]),
        source_known=bool(known),
    )


def _first_metric(lines: Sequence[EvolutionLine], requested: str | None) -> str:
    """Return the requested metric. The default is a deterministic metric or, if there is none, the most frequent."""
    names = sorted({line.metric.name for line in lines})
    if requested is not None:
        if requested not in names:
            raise ComparisonError("--metric", f"no benchmark has {requested!r}; {did_you_mean(requested, names)}")
        return requested
    counted = {line.metric.name for line in lines if line.metric.kind is MetricKind.COUNTED}
    # deterministic metrics in order of preference
    lead = next((name for name in ("instructions", "Ir", "calls") if name in counted), None)
    return lead or min(names, key=lambda name: (-sum(line.metric.name == name for line in lines), name))


def _notes(lines: Sequence[EvolutionLine]) -> Iterator[Reason]:
    """Yield a reason for each group of benchmarks whose comparison is limited."""
    changed = {line.benchmark for line in lines if line.breaks}
    unknown = {line.benchmark for line in lines}
    unknown -= {line.benchmark for line in lines if line.source_known}
    most = 5  # benchmarks that are named
    for case, benchmarks in (("changed", changed), ("unknown", unknown)):
        if benchmarks:
            shown = ", ".join(sorted(benchmarks)[:most])
            more = max(0, len(benchmarks) - most) or None
            yield Reason(ReasonCode.BENCHMARK_SOURCE, {"case": case, "benchmarks": shown, "more": more})
