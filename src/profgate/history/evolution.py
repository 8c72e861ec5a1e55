"""Readings of many versions as lines, with their jumps."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from profgate.errors import ComparisonError
from profgate.history.jumps import Track, find_jumps, medians
from profgate.model.arrays import FloatArray, read_only
from profgate.model.evolution import BenchmarkValue, Evolution, EvolutionLine, MeasuredVersion
from profgate.model.units import MetricKind

FIRST_COUNTED = ("instructions", "Ir", "calls")  # the most telling of what repeats exactly


@dataclass(frozen=True, slots=True)
class EvolutionOptions:
    """``metric`` speaks first; ``min_change`` is a fraction; ``stretches`` compares between changes of the source."""

    metric: str | None = None
    min_change: float | None = None
    stretches: bool = False


def evolution_of(title: str, measured: Sequence[MeasuredVersion], options: EvolutionOptions | None = None) -> Evolution:
    """The lines and jumps of these versions, in their order. Raises ComparisonError where nothing was measured."""
    options = options or EvolutionOptions()
    series: dict[tuple[str, str, str], _Series] = {}
    for number, version in enumerate(measured):
        for value in chain.from_iterable(version.runs):
            key = (value.benchmark, value.metric.name, value.metric.unit)
            if key not in series:
                series[key] = _Series(value, len(measured))
            series[key].add(number, value)
    if not series:
        reasons = "; ".join(dict.fromkeys(version.problem for version in measured if version.problem))
        raise ComparisonError("track", f"no version could be measured: {reasons or 'there is none'}")
    ordered = [series[key] for key in sorted(series)]
    matrices = [one.matrix() for one in ordered]
    lines = tuple(one.line(values) for one, values in zip(ordered, matrices, strict=True))
    tracks = (
        track
        for number, (line, values) in enumerate(zip(lines, matrices, strict=True))
        for track in _tracks(number, line, values, stretches=options.stretches)
    )
    jumps = tuple(find_jumps(tracks, options.min_change))
    return Evolution(title, tuple(measured), lines, jumps, _first_metric(lines, options.metric), _notes(lines, options))


class _Series:
    """The values of one benchmark and metric while they are gathered."""

    def __init__(self, first: BenchmarkValue, versions: int) -> None:
        self.benchmark, self.metric = first.benchmark, first.metric
        self.values: list[list[float]] = [[] for _ in range(versions)]
        self.sources: list[str | None] = [None] * versions

    def add(self, number: int, value: BenchmarkValue) -> None:
        if math.isfinite(value.value):
            self.values[number].append(value.value)
        self.sources[number] = value.source or self.sources[number]

    def matrix(self) -> FloatArray:
        """float64[version, run], NaN where a version has fewer runs."""
        columns = np.full((len(self.values), max(map(len, self.values))), np.nan)
        for number, values in enumerate(self.values):
            columns[number, : len(values)] = values
        return columns

    def line(self, values: FloatArray) -> EvolutionLine:
        middle, count = medians(values)
        some = count > 0
        low, high = middle.copy(), middle.copy()
        low[some], high[some] = np.nanmin(values[some], axis=1), np.nanmax(values[some], axis=1)
        known = [(number, source) for number, source in enumerate(self.sources) if source is not None]
        breaks = tuple(now[0] for before, now in pairwise(known) if before[1] != now[1])
        return EvolutionLine(
            self.benchmark,
            self.metric,
            middle=read_only(middle),
            low=read_only(low),
            high=read_only(high),
            count=read_only(count),
            breaks=breaks,
            source_known=bool(known),
        )


def _tracks(number: int, line: EvolutionLine, values: FloatArray, *, stretches: bool) -> Iterator[Track]:
    """The parts whose versions can be compared: all of them, or none where the benchmark itself changed."""
    if line.breaks and not stretches:
        return
    for first, last in pairwise([0, *line.breaks, len(values)]):
        inside = np.full_like(values, np.nan)
        inside[first:last] = values[first:last]
        yield Track(number, line.metric, inside)


def _first_metric(lines: Sequence[EvolutionLine], wanted: str | None) -> str:
    """The metric that was asked for, else one that repeats exactly, else the one of most lines."""
    names = sorted({line.metric.name for line in lines})
    if wanted is not None:
        if wanted not in names:
            raise ComparisonError("--metric", f"no benchmark has {wanted!r}; there are {', '.join(names)}")
        return wanted
    counted = {line.metric.name for line in lines if line.metric.kind is MetricKind.COUNTED}
    lead = next((name for name in FIRST_COUNTED if name in counted), None)
    return lead or min(names, key=lambda name: (-sum(line.metric.name == name for line in lines), name))


def _notes(lines: Sequence[EvolutionLine], options: EvolutionOptions) -> tuple[str, ...]:
    benchmarks = {line.benchmark for line in lines}
    changed = sorted({line.benchmark for line in lines if line.breaks})
    blind = benchmarks - {line.benchmark for line in lines if line.source_known}
    notes = []
    if changed and not options.stretches:
        notes.append(f"Not compared, because their own source changed: {_listed(changed)}.")
    elif changed:
        notes.append(f"Compared between changes of their own source only: {_listed(changed)}.")
    if blind:
        many = "of no benchmark" if blind == benchmarks else f"not of {_listed(sorted(blind))}"
        notes.append(f"The own source is known {many}; --source names it.")
    return tuple(notes)


def _listed(names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
