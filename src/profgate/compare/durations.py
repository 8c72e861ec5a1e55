"""What profiles and results of one run say of how long each test took, and several runs laid side by side."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from profgate.compare.workloads import workload_name
from profgate.errors import ComparisonError
from profgate.model.arrays import read_only
from profgate.model.durations import DurationRun, DurationTable
from profgate.model.profile import Profile
from profgate.model.units import base_unit


def is_table_of_durations(profile: Profile) -> bool:
    """Whether a profile is nothing but one kind of amount by name, as results of tests and benchmarks are."""
    body = profile.measurements
    return (
        body is not None
        and profile.stacks is None
        and profile.graph is None
        and not profile.models
        and len(profile.metrics) == 1
        and profile.metrics[0].better == "lower"
        and len(set(body.subtypes)) < 2
        and not np.isfinite(body.exclusive).any()
        and not np.isfinite(body.size).any()
    )


def run_of(profiles: Iterable[Profile], label: str, commit: str = "", recorded: str = "") -> DurationRun:
    """All results of one run by the name of the test; of a name with several readings, their median.

    A profile of another kind is one test, by the name of its workload, that took its total. Raises ComparisonError
    where there is no value, or units differ.
    """
    readings: dict[str, list[float]] = {}
    units: dict[str, str] = {}
    for profile in profiles:
        unit = _gather(profile, readings)
        units.setdefault(unit, profile.name)
    if len(units) > 1:
        told = ", ".join(f"{unit} in {name}" for unit, name in sorted(units.items()))
        raise ComparisonError(label, f"its values have several units ({told}); give results of one unit")
    if not readings:
        raise ComparisonError(label, "holds no duration; check that the tests ran and wrote their results")
    values = {name: float(np.median(found)) for name, found in sorted(readings.items())}
    return DurationRun(label, next(iter(units)), values, commit, recorded)


def side_by_side(baseline: Sequence[DurationRun], target: Sequence[DurationRun]) -> DurationTable:
    """The table of all runs, tests sorted by name. Raises ComparisonError where units differ."""
    runs = (*baseline, *target)
    units = sorted({run.unit for run in runs})
    if len(units) > 1:
        raise ComparisonError("the runs", f"measure in {' and '.join(units)}; compare runs of one unit")
    names = sorted({name for run in runs for name in run.values})
    values = np.array([[run.values.get(name, math.nan) for name in names] for run in runs], dtype=np.float64).reshape(
        len(runs), len(names)
    )
    return DurationTable(names, _apart([run.label for run in runs]), read_only(values), len(baseline), "".join(units))


def _apart(labels: Sequence[str]) -> list[str]:
    """Labels that are all different: ties are broken by them, and two runs must not break them alike."""
    seen: dict[str, int] = {}
    told = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        told.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return told


def _gather(profile: Profile, readings: dict[str, list[float]]) -> str:
    """Adds the readings of a profile; gives their base unit."""
    metric = profile.metrics[0] if profile.metrics else None
    if metric is None or metric.better != "lower":
        raise ComparisonError(profile.name, "holds no durations; ranks need values of which less is better")
    unit, factor, power = base_unit(metric.unit)
    scale = factor * 10.0**power
    body = profile.measurements
    if is_table_of_durations(profile) and body is not None:
        frames = profile.frames
        named = [
            name if file is None else f"{file}: {name}" for name, file in zip(frames.names, frames.files, strict=True)
        ]
        for frame, amount in zip(body.frame.tolist(), body.amount.tolist(), strict=True):
            if math.isfinite(amount):
                readings.setdefault(named[frame], []).append(amount * scale)
    else:
        readings.setdefault(workload_name(profile.name), []).append(_total(profile) * scale * metric.scale)
    return unit


def _total(profile: Profile) -> float:
    """The sum of the first metric in stored units."""
    if profile.stacks is not None:
        return float(profile.stacks.values[0].sum() + profile.stacks.root_values[0])
    if profile.graph is not None:
        return float(profile.graph.self_value[0].sum())
    if profile.measurements is not None:
        return float(np.nansum(profile.measurements.amount))
    raise ComparisonError(profile.name, "holds no values")
