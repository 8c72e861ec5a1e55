"""Converts profiles to readings for the history, and readings of earlier runs to noise runs or durations."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import median

import numpy as np

from profgate.compare.columns import (
    MAX_TOTAL,
    CompareOptions,
    Forest,
    forest_of,
    path_calls,
    run_columns,
    stored_metric,
)
from profgate.compare.comparability import on_other_machine
from profgate.compare.metrics import named_by_sources
from profgate.compare.runs import workload_name
from profgate.compare.scenarios import scenario_of, taken_apart
from profgate.compare.symbols import Numbering, number_symbols
from profgate.compare.workloads import series_key
from profgate.errors import ComparisonError, ProfileError
from profgate.model.arrays import FloatArray, IntArray, read_only
from profgate.model.call_tree import added_at
from profgate.model.comparison import Comparison, Noise, Sampling
from profgate.model.durations import DurationRun, first_duration
from profgate.model.history import Column, Reading, Recorded, Series, SymbolKey
from profgate.model.profile import CallGraph, FrameList, Measurements, Profile
from profgate.model.record import replace
from profgate.model.units import MetricKind, base_unit

MOST_VALUE = 1 << 62


def series_of(profile: Profile, options: CompareOptions) -> Series:
    """Return the series of a profile of one workload. Only profiles of the same series can be compared.

    The filters are part of the series, because they determine the symbols of a profile.
    """
    parts = [*series_key(profile)._asdict().values(), sorted(options.ignore)]
    key = json.dumps(parts, ensure_ascii=True, separators=(",", ":"))
    return Series(key, scenario_of(profile) or workload_name(profile.name), profile.configuration, profile.facts.format)


def readings_of(
    profile: Profile, options: CompareOptions, commit: str, job: str, run: str, content: bytes | None = None
) -> list[Reading]:
    """Return the readings of one file: one for each run of each benchmark, or a single reading for other profiles.

    ``run`` distinguishes the files of one job. ``content`` is the content of the file if it is to be stored. Raises
    ComparisonError if the values of the profile overflow.
    """
    made = []
    for part in taken_apart([profile]):
        series, scenario = series_of(part, options), scenario_of(part) or ""
        for number, columns in enumerate(summarised(part, options)):
            name = run if not number and not scenario else f"{run}\0{scenario}\0{number}"
            made.append(Reading(commit, series, name, columns, job, profile.facts, profile.name, content))
    return made


def summarised(profile: Profile, options: CompareOptions) -> list[tuple[Column, ...]]:
    """For each run of a profile, return one column per metric. A column contains the symbols of its run.

    Raises ComparisonError if values overflow.
    """
    (profile,) = named_by_sources([profile])
    numbering = number_symbols([profile], policy_aliases=options.policy_aliases)
    keys = list(zip(numbering.symbols.names, numbering.symbols.files, strict=True))
    forest, runs = forest_of([profile], numbering, options), list[list[Column]]()
    for place, stated in enumerate(profile.metrics):
        metric = stored_metric(stated, [profile])
        values, _ = run_columns([profile], numbering, metric, forest)
        calls = _calls(profile, numbering, forest)
        period = profile.periods[place] if place < len(profile.periods) else None
        step = None if period is None else period * 10 ** (stated.exponent - metric.exponent)
        if step is not None and step > MAX_TOTAL:
            raise ComparisonError(profile.name, "the value of one sample exceeds 62 bits; record the profile again")
        for run, (own, total, whole) in enumerate(zip(values.own, values.total, values.sums.tolist(), strict=True)):
            taking = (own != 0) | (total != 0) | (False if calls is None else calls != 0)
            rows = np.flatnonzero(taking)
            column = Column(
                metric,
                whole,
                [keys[number] for number in rows.tolist()],
                read_only(own[rows]),
                read_only(total[rows]),
                None if calls is None else read_only(calls[rows]),
                period=step,
            )
            while len(runs) <= run:
                runs.append([])
            runs[run].append(column)
    return [tuple(columns) for columns in runs]


def recorded_of(columns: Iterable[Column], *, truncated: bool = False) -> Recorded:
    """Return the functions that all columns of a workload contain. ``truncated`` profiles do not contain all."""
    shares: dict[SymbolKey, float] = {}
    counted = False
    for column in columns:
        counted = counted or (column.calls is not None and bool(column.calls.any()))
        for key, total in zip(column.symbols, column.total.tolist(), strict=True):
            shares[key] = max(shares.get(key, 0.0), total / (column.sum or 1))
    return Recorded(shares, counted and not truncated)


def profile_of(reading: Reading, number: int) -> Profile:
    """Convert a reading to a profile without stacks. ``number`` distinguishes runs.

    Each symbol has the same value as in the original profile, and the result can be paired with that profile.
    """
    stated, scenario = _key_of(reading)
    name = f"{stated if scenario is not None else reading.series.workload}/{number}"
    known = list(dict.fromkeys(key for column in reading.columns for key in column.symbols))
    names = [name for name, _ in known]
    files = [file for _, file in known]
    frames = FrameList(names, files, [None] * len(known), [None] * len(known))
    metrics = tuple(column.metric for column in reading.columns)
    profile = Profile(
        name,
        reading.series.configuration,
        metrics,
        frames,
        periods=tuple(column.period for column in reading.columns),
        facts=replace(reading.facts, format=reading.series.format),
    )
    if scenario is None:
        return replace(profile, graph=_table(reading.columns, {key: place for place, key in enumerate(known)}))
    count = len(metrics)
    body = Measurements(
        frame=np.zeros(count, np.int64),
        amount=np.array([float(column.sum) for column in reading.columns]),
        size=np.full(count, np.nan),
        exclusive=np.full(count, np.nan),
        subtypes=[""] * count,
        order=np.zeros(count, np.int64),
        metric=np.arange(count),
        scenarios=True,
    )
    return replace(profile, frames=FrameList.of_names([scenario]), measurements=body)


def is_benchmark(reading: Reading) -> bool:
    """Return whether the reading comes from a benchmark in a file of results."""
    return _key_of(reading)[1] is not None


def _key_of(reading: Reading) -> tuple[str, str | None]:
    """Return the file name and the benchmark from a series key.

    Raises ProfileError if the key was not created by `series_of`.
    """
    try:
        name, scenario, *_ = json.loads(reading.series.key)
    except (ValueError, TypeError, RecursionError):
        name, scenario = None, None
    if not isinstance(name, str) or not (scenario is None or isinstance(scenario, str)):
        raise ProfileError(f"history, workload {reading.series.workload!r:.60}", "has an unknown kind of key")
    return name, scenario


def _table(columns: Sequence[Column], place: Mapping[SymbolKey, int]) -> CallGraph:
    """Return the columns as a call table without callers. Unknown call counts are 0."""
    values = np.zeros((2, len(columns), len(place)), np.int64)
    calls = np.zeros(len(place), np.int64)
    for number, column in enumerate(columns):
        rows = np.array([place[key] for key in column.symbols], np.int64)
        values[0, number, rows], values[1, number, rows] = column.own, column.total
        if column.calls is not None:
            calls[rows] = column.calls
    nothing = np.zeros(0, np.int64)
    return CallGraph(values[0], values[1], calls, nothing, nothing, np.zeros((len(columns), 0), np.int64), nothing)


def _calls(profile: Profile, numbering: Numbering, forest: Forest | None) -> IntArray | None:
    """Return an int64 array with the number of calls of each symbol, or None if calls were not counted."""
    count, mapping = len(numbering.symbols), numbering.maps[0]
    if profile.graph is not None and profile.stacks is None:
        return added_at(count, mapping, profile.graph.calls)
    if forest is None:
        return None
    calls = path_calls([profile.stacks], forest.leaf_rows, forest.tree, forest.dropped)
    return None if calls is None else added_at(count, forest.tree.symbol[1:], calls[1:])


def with_past(comparison: Comparison, past: Sequence[Reading]) -> Comparison:
    """Add the readings of other base commits as noise runs, with a job number for each job of each commit.

    Readings are omitted if they lack the metric, if their lighter symbols were dropped, or if the value of one sample
    differs, because the variance depends on this value. If this value differs between the two sides, all readings are
    omitted. Readings on other CPU models than the target's are only counted.
    """
    target = (comparison.facts[1],)
    here = [reading for reading in past if not on_other_machine(reading.facts, target)]
    if elsewhere := _jobs_of(past) - _jobs_of(here):
        runs = replace(comparison.runs, elsewhere=comparison.runs.elsewhere + len(elsewhere))
        comparison = replace(comparison, runs=runs)
    values_of_sample = comparison.sampling.values
    if values_of_sample is not None and (values_of_sample != values_of_sample[0]).any():
        return comparison
    rows, sums, jobs = [], [], list(comparison.runs.noise_jobs or range(comparison.runs.noise))
    places = _places(comparison)
    for columns in reversed(_by_job(comparison, here)):  # newest first, like base runs
        values = np.array([_row(column, places, comparison) for column in columns])
        totals = np.array([column.sum * _factor(column, comparison) for column in columns])
        if np.abs(values).max(initial=0.0) < MOST_VALUE and np.abs(totals).max() < MOST_VALUE:
            rows.append(np.rint(values).astype(np.int64))
            sums.append(np.rint(totals).astype(np.int64))
            jobs += [max(jobs, default=-1) + 1] * len(columns)
    if not rows:
        return comparison
    own: IntArray = np.concatenate([comparison.noise.self_value, *rows])
    run_totals: IntArray = np.concatenate([comparison.noise.run_totals, *sums])
    period = comparison.sampling.period
    # all remaining readings have the same period
    sample_values = None if period is None else np.full(len(own), float(period))
    return replace(
        comparison,
        noise=Noise(read_only(own), read_only(run_totals), sample_values=sample_values),
        sampling=comparison.sampling if period is not None else Sampling(),
        runs=replace(comparison.runs, noise=len(own), noise_jobs=tuple(jobs)),
    )


def _jobs_of(past: Sequence[Reading]) -> set[tuple[str, str]]:
    return {(reading.commit, reading.job) for reading in past}


def _by_job(comparison: Comparison, past: Sequence[Reading]) -> list[list[Column]]:
    """Return a list for each job of each commit, with one column per run of the job."""
    found: dict[tuple[str, str], list[Column]] = {}
    for reading in past:
        for column in reading.columns:
            if column.sum > 0 and _same_metric(column, comparison):
                found.setdefault((reading.commit, reading.job), []).append(column)
    return list(found.values())


def _same_metric(column: Column, comparison: Comparison) -> bool:
    ours, theirs = comparison.metric, column.metric
    if (ours.name, ours.unit, ours.better, ours.kind) != (theirs.name, theirs.unit, theirs.better, theirs.kind):
        return False
    if ours.kind is not MetricKind.SAMPLED:
        return True
    if column.period is None or comparison.sampling.period is None:
        return column.period is comparison.sampling.period
    return column.period * _factor(column, comparison) == comparison.sampling.period


def _factor(column: Column, comparison: Comparison) -> float:
    period = (column.period or 1) if column.metric.unit == "samples" else 1  # compared in samples, not in multiples
    return float(10.0 ** (column.metric.exponent - comparison.metric.exponent)) / period


def _places(comparison: Comparison) -> dict[SymbolKey, int]:
    """Map each name and file to its symbol, or to -1 if the name occurs in several modules."""
    keys = list(zip(comparison.symbols.names, comparison.symbols.files, strict=True))
    places: dict[SymbolKey, int] = {}
    for place, key in enumerate(keys):
        places[key] = -1 if key in places else place
    for place, former in comparison.renamed.items():
        places.setdefault(former, place)
    return places


def _row(column: Column, places: dict[SymbolKey, int], comparison: Comparison) -> FloatArray:
    """Return a float64 array with the self value of each symbol, in the unit in which the comparison stores values."""
    row, files = np.zeros(len(comparison.symbols)), comparison.files
    own = column.own * _factor(column, comparison)
    for (name, file), value in zip(column.symbols, own.tolist(), strict=True):
        place = places.get((name, files.get(file or "", file)), -1)
        if place >= 0:
            row[place] += value
    return row


def runs_of(readings: Iterable[Reading], test_results: Collection[str]) -> list[DurationRun]:
    """Return one run per commit and job, in order of recording. Repeated measurements are reduced to their median.

    A run in one of the formats ``test_results`` contains one duration per test. A run of other profiles contains one
    duration per workload. If a job measured several units, only time is used, or the first unit if time was not
    measured.
    """
    jobs: dict[tuple[str, str], dict[str, dict[str, list[float]]]] = {}
    for reading in readings:
        place = first_duration([column.metric for column in reading.columns])
        if place is None:
            continue
        column = reading.columns[place]
        unit, factor, power = base_unit(column.metric.unit)
        scale = column.metric.scale * factor * 10.0**power
        for name, value in _values(reading, column, by_test=reading.series.format in test_results):
            units = jobs.setdefault((reading.commit, reading.job), {})
            units.setdefault(unit, {}).setdefault(name, []).append(value * scale)
    runs = []
    for (commit, _), units in jobs.items():
        unit = "nanoseconds" if "nanoseconds" in units else next(iter(units))
        durations = {name: median(values) for name, values in units[unit].items()}
        runs.append(DurationRun(commit[:10], unit, durations))
    return runs


def _values(reading: Reading, column: Column, *, by_test: bool) -> Iterable[tuple[str, float]]:
    if not by_test:
        yield reading.series.workload, float(column.sum)
    else:
        for (name, file), value in zip(column.symbols, column.own.tolist(), strict=True):
            yield name if file is None else f"{file}: {name}", float(value)
