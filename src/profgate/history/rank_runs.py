"""What the history holds of durations, as runs whose order can be compared."""

from collections.abc import Iterable
from statistics import median

from profgate.model.durations import TEST_RESULTS, DurationRun
from profgate.model.history import Column, Reading
from profgate.model.units import base_unit


def runs_of(readings: Iterable[Reading]) -> list[DurationRun]:
    """A run for each commit and job in order of recording, with the median of what the job repeated.

    Results of test runs give a duration for each test, anything else one for its workload. Of a job that measured
    several units the first stays, times before all others.
    """
    jobs: dict[tuple[str, str], dict[str, dict[str, list[float]]]] = {}
    for reading in readings:
        column = _duration(reading.columns)
        if column is None:
            continue
        unit, factor, power = base_unit(column.metric.unit)
        scale = column.metric.scale * factor * 10.0**power
        values = list(_values(reading, column))
        if not values:
            continue
        units = jobs.setdefault((reading.commit, reading.job.identity), {})
        for name, value in values:
            units.setdefault(unit, {}).setdefault(name, []).append(value * scale)
    return [
        DurationRun(commit[:10], unit, {name: median(values) for name, values in units[unit].items()}, commit)
        for (commit, _), units in jobs.items()
        for unit in [min(units, key=lambda one: one != "nanoseconds")]
    ]


def _duration(columns: Iterable[Column]) -> Column | None:
    """The first time; where there is none, the first metric of which less is better."""
    fit = [column for column in columns if column.metric.better == "lower" and column.metric.directed]
    return min(fit, key=lambda column: base_unit(column.metric.unit)[0] != "nanoseconds", default=None)


def _values(reading: Reading, column: Column) -> Iterable[tuple[str, float]]:
    if reading.series.format not in TEST_RESULTS:
        yield reading.series.workload, float(column.sum)
        return
    if not column.whole:
        return  # the lighter tests were dropped, and an order without them is another one
    for (name, file), value in zip(column.symbols, column.own.tolist(), strict=True):
        yield name if file is None else f"{file}: {name}", float(value)
