"""Samples counted at several rates, given as at one: a sample stands for a longer time at a lower rate."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from profgate.errors import ComparisonError
from profgate.model.arrays import IntArray
from profgate.model.profile import CallGraph, Profile, Stacks
from profgate.model.units import COUNTS, MetricKind
from profgate.model.workload import Workload

DECIMALS = 6  # of a sample: what rounding may move
MOST = float(1 << 62)


def at_one_rate(workload: Workload) -> Workload:
    """The workload with counts of samples as they would be at the target's rate, and with the period that shows it.

    A workload of which some run of a side does not state its rate, or whose runs agree, comes back as it is. Raises
    `ComparisonError` where a value does not fit.
    """
    rates = {profile.facts.rate for profile in (*workload.baseline_runs, *workload.target_runs)}
    known = rates | ({profile.facts.rate for profile in workload.noise_runs} - {None})
    target_rate = workload.target_runs[0].facts.rate
    if len(known) == 1 or not target_rate or not all(rates):
        return workload
    return with_profiles(workload, lambda profile: _at_rate(profile, target_rate))


def with_profiles(workload: Workload, changed: Callable[[Profile], Profile]) -> Workload:
    """The workload with every profile replaced by what ``changed`` returns for it."""
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
    return replace(
        profile,
        metrics=tuple(
            replace(metric, exponent=metric.exponent - DECIMALS) if one else metric
            for metric, one in zip(profile.metrics, counted, strict=True)
        ),
        periods=tuple(
            None if value is None else round(value * factor)
            for value, factor in zip(sample_values(profile), factors, strict=True)
        ),
        stacks=None if profile.stacks is None else _stacks(profile.stacks, factors, profile.name),
        graph=None if profile.graph is None else _graph(profile.graph, factors, profile.name),
    )


def sample_values(profile: Profile) -> tuple[float | None, ...]:
    """The value of one sample of each metric in stored integers; None where unknown."""
    periods = profile.periods or (None,) * len(profile.metrics)
    return tuple(
        period or (10.0**-metric.exponent if metric.unit == "samples" else None)
        for metric, period in zip(profile.metrics, periods, strict=True)
    )


def _times(values: IntArray, factors: list[float], name: str) -> IntArray:
    """int64[metric, ...] times each metric's factor."""
    rows = []
    for row, factor in zip(values, factors, strict=True):
        scaled = row if factor == 1.0 else np.rint(row * factor)
        if np.abs(scaled).sum(dtype=np.float64) > MOST:
            raise ComparisonError(name, "its counts at the other side's sampling rate do not fit into 62 bits")
        rows.append(np.asarray(scaled, dtype=np.int64))
    return np.stack(rows)


def _stacks(body: Stacks, factors: list[float], name: str) -> Stacks:
    values = _times(body.values, factors, name)
    return replace(body, values=values, root_values=_times(body.root_values, factors, name))


def _graph(body: CallGraph, factors: list[float], name: str) -> CallGraph:
    columns = (body.self_value, body.total_value, body.edge_total)
    own, total, edges = (_times(column, factors, name) for column in columns)
    return replace(body, self_value=own, total_value=total, edge_total=edges)
