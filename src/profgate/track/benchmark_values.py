"""Converts the profiles and benchmark results of a run to one value per benchmark and metric."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from profgate.model.profile import Measurements, Profile
from profgate.model.units import CALLS, Metric, MetricKind, base_unit
from profgate.track.versions import BenchmarkValue

WALL = Metric("wall time", "nanoseconds", kind=MetricKind.TIMED)


def benchmark_values(profiles: Iterable[tuple[str, Profile]]) -> list[BenchmarkValue]:
    """Return the totals of each profile, named after its workload, and the median of each benchmark in a result file.

    ``profiles`` contains pairs of a workload name and a profile. If a profile contains the number of calls, this number
    is added as a deterministic metric. Metrics for which neither an increase nor a decrease is an improvement are
    omitted.
    """
    known = list(profiles)
    results = (profile for _, profile in known if profile.measurements is not None)
    files_of = Counter(name for profile in results for name in set(profile.frames.names))
    found: list[BenchmarkValue] = []
    for workload, profile in known:
        if profile.measurements is not None:
            found += _medians(workload, profile, profile.measurements, files_of)
        else:
            found += (BenchmarkValue(workload, metric, value) for metric, value in _totals(profile))
    return [value for value in found if value.metric.directed]


def _totals(profile: Profile) -> Iterator[tuple[Metric, float]]:
    stacks, graph = profile.stacks, profile.graph
    for place, metric in enumerate(profile.metrics):
        if stacks is not None:
            total = int(stacks.values[place].sum()) + int(stacks.root_values[place])
        elif graph is not None:
            total = int(graph.self_value[place].sum())
        else:
            continue
        yield replace(metric, exponent=0), float(total) * metric.scale
    calls = graph.calls if graph is not None else stacks.calls if stacks is not None else None
    if calls is not None and calls.any() and all(metric.name != CALLS.name for metric in profile.metrics):
        yield CALLS, float(int(calls.sum()))


def _medians(
    workload: str, profile: Profile, results: Measurements, files_of: Counter[str]
) -> Iterator[BenchmarkValue]:
    """Yield the median of each benchmark. If several files contain the benchmark, the workload is added to the name."""
    frames = profile.frames
    for place, metric in enumerate(profile.metrics):
        unit, factor, power = base_unit(metric.unit)
        base_metric = replace(metric, unit=unit, exponent=0)
        usable = results.of_metric(place) & np.isfinite(results.amount)
        order = np.argsort(results.frame[usable], kind="stable")
        frame, amount = results.frame[usable][order], results.amount[usable][order]
        numbers, starts = np.unique(frame, return_index=True)
        for number, amounts in zip(numbers.tolist(), np.split(amount, starts[1:]), strict=True):
            name = frames.names[number]
            title = name if files_of[name] == 1 else f"{workload}: {name}"
            value = float(np.median(amounts)) * factor * 10.0**power
            yield BenchmarkValue(title, base_metric, value, frames.files[number], frames.lines[number])
