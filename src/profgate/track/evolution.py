"""Converts the values of many versions into an evolution with lines and jumps."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from profgate.errors import ComparisonError, did_you_mean
from profgate.model.arrays import FloatArray, read_only
from profgate.model.reason import Reason, ReasonCode
from profgate.model.units import MetricKind
from profgate.track.jumps import Series, find_jumps, medians
from profgate.track.versions import BenchmarkValue, Evolution, EvolutionLine, MeasuredVersion

FIRST_COUNTED = ("instructions", "Ir", "calls")  # deterministic metrics in order of preference
MOST_NAMED = 5  # maximum number of benchmarks named in a note


@dataclass(frozen=True, slots=True)
class EvolutionOptions:
    """Options of an evolution: the metric to show first, and the minimum change as a fraction.

    A benchmark whose source changed is compared only if ``stretches`` is True, and only among the versions between two
    changes.
    """

    metric: str | None = None
    min_change: float | None = None
    stretches: bool = False


def evolution_of(title: str, measured: Sequence[MeasuredVersion], options: EvolutionOptions | None = None) -> Evolution:
    """Return the evolution over these versions, which must be in order.

    Raises ComparisonError if no version was measured.
    """
    options = options or EvolutionOptions()
    gathered: dict[tuple[str, str, str], list[tuple[int, BenchmarkValue]]] = {}
    for number, version in enumerate(measured):
        for value in chain.from_iterable(version.runs):
            key = (value.benchmark, value.metric.name, value.metric.unit)
            gathered.setdefault(key, []).append((number, value))
    if not gathered:
        reasons = "; ".join(dict.fromkeys(version.problem for version in measured if version.problem))
        raise ComparisonError("track", f"no version could be measured: {reasons or 'there is none'}")
    lines: list[EvolutionLine] = []
    all_series: list[Series] = []
    for key in sorted(gathered):
        values = _matrix(gathered[key], len(measured))
        line = _line(gathered[key], values)
        if options.stretches or not line.breaks:
            all_series += _series(len(lines), line, values)
        lines.append(line)
    jumps = tuple(find_jumps(all_series, options.min_change))
    first = _first_metric(lines, options.metric)
    return Evolution(title, tuple(measured), tuple(lines), jumps, first, tuple(_notes(lines, options)))


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


def _series(number: int, line: EvolutionLine, values: FloatArray) -> Iterator[Series]:
    """Yield a series for each range of versions in which the source of the benchmark is the same."""
    for first, last in pairwise([0, *line.breaks, len(values)]):
        known = first + np.flatnonzero(line.count[first:last])
        yield Series(number, line.metric, known, line.middle[known], line.count[known], values[known])


def _first_metric(lines: Sequence[EvolutionLine], requested: str | None) -> str:
    """Return the requested metric. The default is a deterministic metric or, if there is none, the most frequent."""
    names = sorted({line.metric.name for line in lines})
    if requested is not None:
        if requested not in names:
            raise ComparisonError("--metric", f"no benchmark has {requested!r}; {did_you_mean(requested, names)}")
        return requested
    counted = {line.metric.name for line in lines if line.metric.kind is MetricKind.COUNTED}
    lead = next((name for name in FIRST_COUNTED if name in counted), None)
    return lead or min(names, key=lambda name: (-sum(line.metric.name == name for line in lines), name))


def _notes(lines: Sequence[EvolutionLine], options: EvolutionOptions) -> Iterator[Reason]:
    """Yield a reason for each group of benchmarks whose comparison is limited."""
    changed = {line.benchmark for line in lines if line.breaks}
    unknown = {line.benchmark for line in lines} - {line.benchmark for line in lines if line.source_known}
    code = ReasonCode.BENCHMARK_STRETCHES if options.stretches else ReasonCode.BENCHMARK_CHANGED
    for reason, benchmarks in ((code, sorted(changed)), (ReasonCode.BENCHMARK_SOURCE_UNKNOWN, sorted(unknown))):
        if benchmarks:
            more = len(benchmarks) - MOST_NAMED
            shown = ", ".join(benchmarks[:MOST_NAMED])
            yield Reason(reason, {"benchmarks": shown, "more": more if more > 0 else None})
