"""Stored durations as runs whose order can be compared, and the count of stable ranks over all of them."""

from collections.abc import Iterable, Sequence
from statistics import median

from profgate.model.durations import TEST_RESULTS, DurationRun, RankPoint, first_duration
from profgate.model.history import Column, Reading
from profgate.model.units import base_unit
from profgate.statistics.stable_ranks import FEWEST_RUNS, RankRules, check, side_by_side

NEW_NORMAL = FEWEST_RUNS  # departures in a row that become the baseline of those who follow


def runs_of(readings: Iterable[Reading]) -> list[DurationRun]:
    """A run for each commit and job in order of recording, with the median of what the job repeated.

    Results of test runs give a duration for each test, anything else one for its workload. Of a job that measured
    several units the first stays, times before all others.
    """
    jobs: dict[tuple[str, str], dict[str, dict[str, list[float]]]] = {}
    for reading in readings:
        place = first_duration([column.metric for column in reading.columns])
        if place is None:
            continue
        column = reading.columns[place]
        unit, factor, power = base_unit(column.metric.unit)
        scale = column.metric.scale * factor * 10.0**power
        for name, value in _values(reading, column):
            units = jobs.setdefault((reading.commit, reading.job.identity), {})
            units.setdefault(unit, {}).setdefault(name, []).append(value * scale)
    return [
        DurationRun(commit[:10], unit, {name: median(values) for name, values in units[unit].items()}, commit)
        for (commit, _), units in jobs.items()
        for unit in [min(units, key=lambda unit: unit != "nanoseconds")]
    ]


def _values(reading: Reading, column: Column) -> Iterable[tuple[str, float]]:
    if reading.series.format not in TEST_RESULTS:
        yield reading.series.workload, float(column.sum)
    elif column.whole:  # without the lighter tests the order is another one
        for (name, file), value in zip(column.symbols, column.own.tolist(), strict=True):
            yield name if file is None else f"{file}: {name}", float(value)


def rank_history(runs: Sequence[DurationRun], rules: RankRules, window: int = 5) -> tuple[RankPoint, ...]:
    """Every run in order, each compared with the last ``window`` usual runs before it.

    A run that departs is no baseline for the next one, so that one bad run spoils nothing; three departures in a row
    are the new normal. Runs of other tests or units have nothing in common and are not tested.
    """
    usual: list[DurationRun] = []
    departed: list[DurationRun] = []
    points = []
    for run in runs:
        before = [earlier for earlier in usual if earlier.unit == run.unit][-window:]
        found = check(side_by_side(before, [run]), rules)
        points.append(RankPoint(run, found, tuple(earlier.label for earlier in before)))
        if points[-1].departed:
            departed.append(run)
            if len(departed) >= NEW_NORMAL:
                usual, departed = departed, []
        else:
            usual.append(run)
            departed = []
    return tuple(points)
