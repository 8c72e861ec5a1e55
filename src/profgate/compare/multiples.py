"""Metrics that measure one quantity twice, as samples and the time they stand for: compared as one metric."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from profgate.compare.columns import place_of
from profgate.compare.rates import sample_values, with_profiles
from profgate.model.arrays import IntArray
from profgate.model.profile import Profile
from profgate.model.units import COUNTS, Metric, MetricKind
from profgate.model.workload import Workload

_PREFERRED = ("nanoseconds", "bytes")  # a reader knows what these are worth


def without_multiples(workload: Workload) -> Workload:
    """The workload without metrics that are a constant multiple of another one in all runs of both sides.

    Of two such metrics the one with a unit of time or bytes stays, else the first; a metric of samples that is left
    out states the value of one sample. Only profiles of call paths or call tables are looked at.
    """
    runs = (*workload.baseline_runs, *workload.target_runs)
    metrics = sorted(runs[0].metrics, key=lambda metric: metric.unit not in _PREFERRED)
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
    """Whether one factor leads from one metric to the other; of samples, one in each run."""
    if (stays.kind, stays.better, stays.directed) != (leaves.kind, leaves.better, leaves.directed):
        return False
    factors = {_factor(profile, stays, leaves) for profile in runs}
    if None in factors:
        return False
    return len(factors) == 1 or (leaves.kind is MetricKind.SAMPLED and leaves.unit in COUNTS)


def _values(profile: Profile) -> IntArray | None:
    """int64[metric, place] of call paths or of functions; None for other profiles."""
    if profile.stacks is not None:
        return np.concatenate([profile.stacks.values, profile.stacks.root_values[:, None]], axis=1)
    return None if profile.graph is None else profile.graph.self_value


def _factor(profile: Profile, stays: Metric, leaves: Metric) -> Fraction | None:
    """What the second metric is multiplied by to give the first, in their units; None without one such number."""
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
    """The profile without metrics, whose samples give those that stay the value of one sample."""
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
    stacks, graph = profile.stacks, profile.graph
    return replace(
        profile,
        metrics=tuple(profile.metrics[place] for place in rest),
        periods=tuple(periods[place] for place in rest),
        stacks=stacks and replace(stacks, values=stacks.values[rest], root_values=stacks.root_values[rest]),
        graph=graph
        and replace(
            graph,
            self_value=graph.self_value[rest],
            total_value=graph.total_value[rest],
            edge_total=graph.edge_total[rest],
        ),
    )
