"""What earlier runs measured, as the noise of a comparison."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from profgate.history.trends import History, of_one_regime
from profgate.model.arrays import FloatArray, IntArray, read_only
from profgate.model.comparison import Comparison
from profgate.model.history import Column, Reading, SymbolKey
from profgate.model.units import MetricKind

MOST_VALUE = 1 << 62
MOST_PAST = 30  # commits from whose readings the noise is estimated


def past_of(store: History, way_back: Iterable[str], key: str) -> list[Reading]:
    """A series at the next measured commits of a way back, as far as the last lasting change."""
    measured = store.measured_commits(key)
    chosen = list(islice((sha for sha in way_back if sha in measured), MOST_PAST))
    return of_one_regime(list(store.readings(key, chosen)), chosen[::-1])


def with_past(comparison: Comparison, past: Sequence[Reading]) -> Comparison:
    """The comparison with the readings of other base commits as further noise runs, in a job for each commit and job.

    Left out are readings that do not have the metric, of which the lighter symbols were dropped, and those whose
    samples stand for another value, since they scatter otherwise: all of them where the sides' own differ.
    """
    values_of_sample = comparison.sample_values
    if values_of_sample is not None and (values_of_sample != values_of_sample[0]).any():
        return comparison
    rows, sums, jobs = [], [], list(comparison.runs.noise_jobs or range(comparison.runs.noise))
    places = _places(comparison)
    for columns in reversed(_by_job(comparison, past)):  # the newest first, as base runs are found
        values = np.array([_row(column, places, comparison) for column in columns])
        totals = np.array([column.sum * _factor(column, comparison) for column in columns])
        if np.abs(values).max(initial=0.0) < MOST_VALUE and np.abs(totals).max() < MOST_VALUE:
            rows.append(np.rint(values).astype(np.int64))
            sums.append(np.rint(totals).astype(np.int64))
            jobs += [max(jobs, default=-1) + 1] * len(columns)
    if not rows:
        return comparison
    noise: IntArray = np.concatenate([comparison.noise_self, *rows])
    totals_of_all: IntArray = np.concatenate([comparison.noise_totals, *sums])
    period = comparison.period
    return replace(
        comparison,
        noise_self=read_only(noise),
        noise_totals=read_only(totals_of_all),
        noise_active=None,  # a history stores self values alone
        # the readings have one period
        noise_sample_values=None if period is None else np.full(len(noise), float(period)),
        sample_values=None if period is None else comparison.sample_values,
        runs=replace(comparison.runs, noise=len(noise), noise_jobs=tuple(jobs)),
    )


def _by_job(comparison: Comparison, past: Sequence[Reading]) -> list[list[Column]]:
    """What one job measured at one commit, once for each of its runs."""
    found: dict[tuple[str, str], list[Column]] = {}
    for reading in past:
        for column in reading.columns:
            if column.whole and column.sum > 0 and _same_metric(column, comparison):
                found.setdefault((reading.commit, reading.job.identity), []).append(column)
    return list(found.values())


def _same_metric(column: Column, comparison: Comparison) -> bool:
    ours, theirs = comparison.metric, column.metric
    if (ours.name, ours.unit, ours.better, ours.kind) != (theirs.name, theirs.unit, theirs.better, theirs.kind):
        return False
    if ours.kind is not MetricKind.SAMPLED:
        return True
    if column.period is None or comparison.period is None:
        return column.period is comparison.period
    return column.period * _factor(column, comparison) == comparison.period


def _factor(column: Column, comparison: Comparison) -> float:
    return float(10.0 ** (column.metric.exponent - comparison.metric.exponent))


def _places(comparison: Comparison) -> dict[SymbolKey, int]:
    """The symbol of each name and file; -1 for one that stands in several modules."""
    keys = list(zip(comparison.symbols.names, comparison.symbols.files, strict=True))
    places: dict[SymbolKey, int] = {}
    for place, key in enumerate(keys):
        places[key] = -1 if key in places else place
    for place, former in comparison.renamed.items():
        places.setdefault(former, place)
    return places


def _row(column: Column, places: dict[SymbolKey, int], comparison: Comparison) -> FloatArray:
    """float64[symbol]: self values in the comparison's stored unit."""
    row, files = np.zeros(len(comparison.symbols)), comparison.files
    own = column.own * _factor(column, comparison)
    for (name, file), value in zip(column.symbols, own.tolist(), strict=True):
        place = places.get((name, files.get(file or "", file)), -1)
        if place >= 0:
            row[place] += value
    return row
