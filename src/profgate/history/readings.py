"""Profiles and results of one run as readings: one number for each benchmark and metric."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from profgate.model.evolution import Reading
from profgate.model.profile import Measurements, Profile
from profgate.model.units import Metric, MetricKind, base_unit

CALLS = Metric("calls", "count", kind=MetricKind.COUNTED)
WALL = Metric("wall time", "nanoseconds", kind=MetricKind.TIMED)


def readings_of(profiles: Iterable[tuple[str, Profile]]) -> list[Reading]:
    """The totals of each profile under the name of its workload; of results, the median of each benchmark in them.

    Where a profile counts calls, their number is a metric too: it is the same in every run.
    """
    found: list[Reading] = []
    for name, profile in profiles:
        if profile.measurements is not None:
            found += _of_results(name, profile, profile.measurements)
        else:
            found += (Reading(name, _plain(metric), value) for metric, value in _totals(profile))
    return found


def wall_time(name: str, nanoseconds: int) -> list[Reading]:
    """The command's own wall time, for a run that left nothing."""
    return [Reading(name, WALL, float(nanoseconds))]


def _plain(metric: Metric) -> Metric:
    return replace(metric, exponent=0)


def _totals(profile: Profile) -> Iterator[tuple[Metric, float]]:
    stacks, graph = profile.stacks, profile.graph
    for place, metric in enumerate(profile.metrics):
        if stacks is not None:
            yield metric, float(int(stacks.values[place].sum()) + int(stacks.root_values[place])) * metric.scale
        elif graph is not None:
            yield metric, float(int(graph.self_value[place].sum())) * metric.scale
    calls = graph.calls if graph is not None else stacks.calls if stacks is not None else None
    if calls is not None and all(metric.name != CALLS.name for metric in profile.metrics):
        yield CALLS, float(int(calls.sum()))


def _of_results(name: str, profile: Profile, results: Measurements) -> Iterator[Reading]:
    frames = profile.frames
    unit, factor, power = base_unit(profile.metrics[0].unit)
    metric = replace(profile.metrics[0], unit=unit, exponent=0)
    for number, benchmark in enumerate(frames.names):
        amounts = results.amount[(results.frame == number) & np.isfinite(results.amount)]
        if len(amounts):
            title = benchmark if benchmark == name else f"{name}: {benchmark}"
            value = float(np.median(amounts)) * factor * 10.0**power
            yield Reading(title, metric, value, frames.files[number], frames.lines[number])
