"""Prepares profiles for comparison: names of sources, one sampling rate, and no metric twice."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from profgate.compare.columns import place_of
from profgate.errors import ComparisonError
from profgate.model.frame_names import CLAIMED, file_key, path_ends
from profgate.model.record import replace
from profgate.model.units import COUNTS, Metric, MetricKind

if TYPE_CHECKING:
    from fractions import Fraction

    from profgate.model.arrays import IntArray
    from profgate.model.profile import FrameList, Profile, Workload

DECIMALS = 6  # decimals of scaled sample counts; rounding affects only the last decimal
MOST = float(1 << 62)


def named_by_sources(profiles: Sequence[Profile]) -> list[Profile]:
    """Replace the names, files and lines of frames with those in the sources.

    A script keeps its own names if it also occurs in a run without its sources: otherwise, each of its functions would
    have two names.
    """
    if not any(profile.frames.sources for profile in profiles):
        return list(profiles)
    with_sources = [{file_key(source.script) for source in profile.frames.sources.values()} for profile in profiles]
    scripts = set[str]().union(*with_sources)
    without = set[str]()
    for profile, known in zip(profiles, with_sources, strict=True):
        for file in set(profile.frames.files):
            without.update(scripts.intersection(path_ends(file_key(file or ""))) - known)
    return [replace(profile, frames=_named(profile.frames, without)) for profile in profiles]


def _named(frames: FrameList, without: set[str]) -> FrameList:
    names, files, lines = list(frames.names), list(frames.files), list(frames.lines)
    for number, source in frames.sources.items():
        if file_key(source.script) not in without:
            names[number], files[number], lines[number] = source.name, f"{CLAIMED}{source.file}", source.line
    return frames._replace(names=names, files=files, lines=lines, sources={})


def at_one_rate(workload: Workload) -> Workload:
    """Scale sample counts to the sampling rate of the target, and set the period accordingly.

    Returns the workload unchanged if the rate of a run is unknown or all rates are equal. Raises `ComparisonError` if a
    value overflows.
    """
    rates = {profile.facts.rate for profile in (*workload.baseline_runs, *workload.target_runs)}
    known = rates | ({profile.facts.rate for profile in workload.noise_runs} - {None})
    target_rate = workload.target_runs[0].facts.rate
    if len(known) == 1 or not target_rate or not all(rates):
        return workload
    return with_profiles(workload, lambda profile: _at_rate(profile, target_rate))


def in_samples(workload: Workload) -> Workload:
    """Divide values that are multiples of one period in all runs by this period, if their unit is samples."""
    runs = (*workload.baseline_runs, *workload.target_runs, *workload.noise_runs)
    if any([metric.unit for metric in profile.metrics] != ["samples"] for profile in runs):
        return workload
    period = math.gcd(*(profile.periods[0] or 1 if profile.periods else 1 for profile in runs))
    if period == 1:
        return workload
    return with_profiles(
        workload, lambda run: replace(run, periods=(1,), **_bodies(run, lambda values: values // period))
    )


def with_profiles(workload: Workload, changed: Callable[[Profile], Profile]) -> Workload:
    """Replace every profile of the workload with the result of ``changed``."""
    return replace(
        workload,
        baseline_runs=tuple(map(changed, workload.baseline_runs)),
        target_runs=tuple(map(changed, workload.target_runs)),
        noise_runs=tuple(map(changed, workload.noise_runs)),
    )


def _at_rate(profile: Profile, target_rate: float) -> Profile:
    rate = profile.facts.rate
    counted = [metric.kind is MetricKind.SAMPLED and metric.unit in COUNTS for metric in profile.metrics]
    if not rate or rate == target_rate or not any(counted):
        return profile
    factors = [target_rate / rate * 10.0**DECIMALS if is_count else 1.0 for is_count in counted]
    metrics = list(profile.metrics)
    for place, is_count in enumerate(counted):
        if is_count:
            metrics[place] = replace(metrics[place], exponent=metrics[place].exponent - DECIMALS)
    values = zip(sample_values(profile), factors, strict=True)
    periods = [None if value is None else round(value * factor) for value, factor in values]
    bodies = _bodies(profile, lambda values: _times(values, factors, profile.name))
    return replace(profile, metrics=tuple(metrics), periods=tuple(periods), **bodies)


def _bodies(profile: Profile, changed: Callable[[IntArray], IntArray]) -> dict[str, Any]:
    """Return the stacks and the graph of a profile with changed values. Each array has one row per metric."""
    stacks, graph = profile.stacks, profile.graph
    if stacks is not None:
        stacks = stacks._replace(values=changed(stacks.values), root_values=changed(stacks.root_values))
    if graph is not None:
        graph = graph._replace(
            self_value=changed(graph.self_value),
            total_value=changed(graph.total_value),
            edge_total=changed(graph.edge_total),
        )
    return {"stacks": stacks, "graph": graph}


def sample_values(profile: Profile) -> tuple[float | None, ...]:
    """Return the value of one sample of each metric, in the stored unit, or None if the value is unknown."""
    periods = profile.periods or (None,) * len(profile.metrics)
    return tuple(
        period or (10.0**-metric.exponent if metric.unit == "samples" else None)
        for metric, period in zip(profile.metrics, periods, strict=True)
    )


def _times(values: IntArray, factors: list[float], name: str) -> IntArray:
    """Multiply each row of int64 values by a factor. Each metric has one row and one factor."""
    rows = []
    for row, factor in zip(values, factors, strict=True):
        scaled = row if factor == 1.0 else np.rint(row * factor)
        if np.abs(scaled).sum(dtype=np.float64) > MOST:
            raise ComparisonError(name, "its counts at the other side's sampling rate do not fit into 62 bits")
        rows.append(np.asarray(scaled, dtype=np.int64))
    return np.stack(rows)


def without_multiples(workload: Workload) -> Workload:
    """Remove metrics that are a constant multiple of another metric in all runs of both sides.

    If one of the two metrics is in time or bytes, this metric remains; otherwise, the first metric remains. If the
    removed metric counts samples, the value of one sample is stored in the remaining metric. Only call paths and call
    tables are examined.
    """
    runs = (*workload.baseline_runs, *workload.target_runs)
    # time and bytes are easier to interpret than samples
    metrics = sorted(runs[0].metrics, key=lambda metric: metric.unit not in ("nanoseconds", "bytes"))
    stay, leave = list[Metric](), list[tuple[Metric, Metric]]()
    for metric in metrics:
        same = next((other for other in stay if _is_multiple(runs, other, metric)), None)
        if same is None:
            stay.append(metric)
        else:
            leave.append((metric, same))
    if not leave:
        return workload
    return with_profiles(workload, lambda profile: _without(profile, leave))


def _is_multiple(runs: Sequence[Profile], stays: Metric, leaves: Metric) -> bool:
    """Return whether one factor converts ``leaves`` to ``stays``. For samples, each run may have its own factor."""
    if (stays.kind, stays.better, stays.directed) != (leaves.kind, leaves.better, leaves.directed):
        return False
    factors = {_factor(profile, stays, leaves) for profile in runs}
    if None in factors:
        return False
    return len(factors) == 1 or (leaves.kind is MetricKind.SAMPLED and leaves.unit in COUNTS)


def _values(profile: Profile) -> IntArray | None:
    """Return int64 values by metric and by call path or function, or None for other profiles."""
    if profile.stacks is not None:
        return np.concatenate([profile.stacks.values, profile.stacks.root_values[:, None]], axis=1)
    return None if profile.graph is None else profile.graph.self_value


def _factor(profile: Profile, stays: Metric, leaves: Metric) -> Fraction | None:
    """Return the factor that converts the second metric to the first, or None if there is no such factor."""
    from fractions import Fraction  # imported only if there are several metrics

    places, values = (place_of(profile, stays), place_of(profile, leaves)), _values(profile)
    if values is None or places[0] is None or places[1] is None:
        return None
    rows = [values[place] for place in places]
    small, large = sorted(rows, key=lambda row: int(row.sum()))
    low, high = int(small.sum()), int(large.sum())
    if low <= 0 or high % low or (small * (high // low) != large).any():
        return None
    exponent = profile.metrics[places[0]].exponent - profile.metrics[places[1]].exponent
    return Fraction(int(rows[0].sum()), int(rows[1].sum())) * Fraction(10) ** exponent


def _without(profile: Profile, leave: Sequence[tuple[Metric, Metric]]) -> Profile:
    """Remove metrics from a profile.

    ``leave`` contains pairs of the metric that remains and the metric to remove. If a removed metric counts samples,
    the value of one sample is stored in the remaining metric.
    """
    from fractions import Fraction

    periods, gone = list(profile.periods or (None,) * len(profile.metrics)), set()
    for metric, same in leave:
        left, place = place_of(profile, metric), place_of(profile, same)
        if left is None or place is None:
            continue
        gone.add(left)
        sample, factor = sample_values(profile)[left], _factor(profile, same, metric)
        if periods[place] is None and sample is not None and factor is not None:
            shift = profile.metrics[left].exponent - profile.metrics[place].exponent
            periods[place] = round(Fraction(sample) * factor * Fraction(10) ** shift) or None
    rest = [place for place in range(len(profile.metrics)) if place not in gone]
    return replace(
        profile,
        metrics=tuple(profile.metrics[place] for place in rest),
        periods=tuple(periods[place] for place in rest),
        **_bodies(profile, lambda values: values[rest]),
    )
