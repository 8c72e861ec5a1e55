"""Extracts the durations of tests from the profiles and test results of one run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from profgate.compare.columns import CompareOptions
from profgate.compare.runs import workload_name
from profgate.compare.symbols import number_symbols
from profgate.errors import ComparisonError
from profgate.model.durations import DurationRun, DurationTable, first_duration
from profgate.model.record import replace
from profgate.model.units import base_unit
from profgate.statistics.rank_checks import side_by_side

if TYPE_CHECKING:
    from profgate.model.profile import Profile, Workload


def is_table_of_durations(profile: Profile) -> bool:
    """Return whether a profile contains only amounts by name, as the results of a test run do."""
    body = profile.measurements
    return _is_plain(profile) and body is not None and not body.scenarios and len(profile.frames.names) > 1


def _is_plain(profile: Profile) -> bool:
    """Return whether all amounts in a profile are of one kind and have a name but no size, caller or model."""
    body = profile.measurements
    return (
        body is not None
        and profile.stacks is None
        and profile.graph is None
        and not profile.attachments
        and len(set(body.subtypes)) < 2
        and not np.isfinite(body.exclusive).any()
        and not np.isfinite(body.size).any()
    )


def run_of(profiles: Iterable[Profile], label: str) -> DurationRun:
    """Return all results of one run by test name. If a test has several results, their median is used.

    A profile that is not a table of test results counts as one test, with the workload as its name and the total as its
    duration. Raises ComparisonError if there are no values or the units differ.
    """
    readings: dict[str, list[float]] = {}
    units: dict[str, str] = {}
    for profile in profiles:
        place = first_duration(profile.metrics)
        if place is None:
            raise ComparisonError(profile.name, "contains no durations; ranks need values of which less is better")
        unit, factor, power = base_unit(profile.metrics[place].unit)
        scale = factor * 10.0**power
        units.setdefault(unit, profile.name)
        for name, value in _values(profile, place):
            if math.isfinite(value):
                readings.setdefault(name, []).append(value * scale)
    if len(units) > 1:
        units_by_name = ", ".join(f"{unit} in {name}" for unit, name in sorted(units.items()))
        raise ComparisonError(label, f"its values have several units ({units_by_name}); use results of one unit")
    if not readings:
        raise ComparisonError(label, "contains no duration; check that the tests ran and wrote their results")
    values = {name: float(np.median(found)) for name, found in sorted(readings.items())}
    return DurationRun(label, next(iter(units)), values)


def _values(profile: Profile, place: int) -> Iterator[tuple[str, float]]:
    """Yield each name with its value of one metric, in the unit of the metric."""
    body, scale = profile.measurements, profile.metrics[place].scale
    if body is not None and _is_plain(profile):
        named = list(map(_full, profile.frames.names, profile.frames.files))
        chosen = body.of_metric(place)
        for frame, amount in zip(body.frame[chosen].tolist(), body.amount[chosen].tolist(), strict=True):
            yield named[frame], amount
    elif profile.stacks is not None:
        total = profile.stacks.values[place].sum() + profile.stacks.root_values[place]
        yield workload_name(profile.name), float(total) * scale
    elif profile.graph is not None:
        yield workload_name(profile.name), float(profile.graph.self_value[place].sum()) * scale
    elif body is not None:
        yield workload_name(profile.name), float(np.nansum(body.amount[body.of_metric(place)])) * scale


def durations_of(
    workload: Workload, past: Sequence[DurationRun] = (), options: CompareOptions | None = None
) -> DurationTable | None:
    """Return the durations of the tests in a workload, or None for profiles without tests or with different units.

    Base runs of other commits and the ``past`` runs from the history count as baseline runs. ``options`` are needed to
    restore the test names of past runs.
    """
    baseline = (*workload.baseline_runs, *workload.noise_runs)
    profiles = (*baseline, *workload.target_runs)
    if not all(map(is_table_of_durations, profiles)):
        return None
    try:
        runs = [run_of([profile], profile.name) for profile in profiles]
        earlier = _under_raw_names(past, profiles, options or CompareOptions()) if past else []
        fit = [run for run in earlier if run.unit == runs[0].unit]
        return side_by_side([*fit, *runs[: len(baseline)]], runs[len(baseline) :])
    except ComparisonError:
        return None


def _under_raw_names(
    past: Sequence[DurationRun], profiles: Sequence[Profile], options: CompareOptions
) -> list[DurationRun]:
    """Replace the names in past runs with the test names of the profiles. Names shared by several tests are omitted."""
    numbering = number_symbols(profiles, policy_aliases=options.policy_aliases)
    symbols = list(map(_full, numbering.symbols.names, numbering.symbols.files))
    raw: dict[str, set[str]] = {}
    for profile, symbol in zip(profiles, numbering.maps, strict=True):
        for name, number in zip(map(_full, profile.frames.names, profile.frames.files), symbol.tolist(), strict=True):
            raw.setdefault(symbols[number], set()).add(name)
    only = {symbol: name for symbol, (name, *others) in raw.items() if not others}
    return [
        replace(run, values={only[name]: value for name, value in run.values.items() if name in only}) for run in past
    ]


def _full(name: str, file: str | None) -> str:
    return name if file is None else f"{file}: {name}"
