"""Converts the stored readings of earlier runs to noise runs of a comparison, or to runs of durations."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from statistics import median

import numpy as np

from profgate.compare.comparability import on_other_machine
from profgate.model.arrays import FloatArray, IntArray, read_only
from profgate.model.comparison import Comparison, Noise, Sampling
from profgate.model.durations import DurationRun, first_duration
from profgate.model.history import Column, Reading, SymbolKey
from profgate.model.units import MetricKind, base_unit

MOST_VALUE = 1 << 62


def with_past(comparison: Comparison, past: Sequence[Reading]) -> Comparison:
    """Add the readings of other base commits as noise runs, with a job number for each job of each commit.

    Readings are omitted if they lack the metric, if their lighter symbols were dropped, or if the value of one sample
    differs, because the variance depends on this value. If this value differs between the two sides, all readings are
    omitted. Readings on other CPU models than the target's are only counted.
    """
    target = (comparison.facts[1],)
    here, all_jobs, jobs_here = list[Reading](), set[tuple[str, str]](), set[tuple[str, str]]()
    for reading in past:
        all_jobs.add((reading.commit, reading.job))
        if not on_other_machine(reading.facts, target):
            here.append(reading)
            jobs_here.add((reading.commit, reading.job))
    elsewhere = all_jobs - jobs_here
    if elsewhere:
        runs = comparison.runs._replace(elsewhere=comparison.runs.elsewhere + len(elsewhere))
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
        runs=comparison.runs._replace(noise=len(own), noise_jobs=tuple(jobs)),
    )


def _by_job(comparison: Comparison, past: Sequence[Reading]) -> list[list[Column]]:
    """Return a list for each job of each commit, with one column per run of the job."""
    found: dict[tuple[str, str], list[Column]] = {}
    for reading in past:
        for column in reading.columns:
            if column.whole and column.sum > 0 and _same_metric(column, comparison):
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
    return float(10.0 ** (column.metric.exponent - comparison.metric.exponent))


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
        runs.append(DurationRun(commit[:10], unit, durations, commit))
    return runs


def _values(reading: Reading, column: Column, *, by_test: bool) -> Iterable[tuple[str, float]]:
    if not by_test:
        yield reading.series.workload, float(column.sum)
    elif column.whole:  # if lighter tests are missing, the ranks differ
        for (name, file), value in zip(column.symbols, column.own.tolist(), strict=True):
            yield name if file is None else f"{file}: {name}", float(value)
