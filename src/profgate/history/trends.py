"""Finds trends: persistent changes in the total of a workload along a line of commits.

Reported trends are stored in the history in the format `profgate.trends/1`, so that each is reported only once.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice

import numpy as np
from pydantic import TypeAdapter, ValidationError

from profgate.decide.detect.location_costs import FEWEST_STEADY, Ratios
from profgate.history.history_store import HistoryStore
from profgate.model.arrays import BoolArray, FloatArray
from profgate.model.history import Column, Reading
from profgate.model.levels import SMALLEST_SHARE
from profgate.model.record import Record, to_builtins
from profgate.model.units import Better, Metric
from profgate.statistics.change_points import change_points, shifts

SCHEMA = "profgate.trends/1"
NEAR = 4  # maximum distance in commits at which two similar trends count as the same
STEP = 3.0  # times the noise; a function without a larger step did not move
LARGEST = 1e300  # maximum value; ratios of larger values could overflow


class Trend(Record):
    """A persistent change in a total from ``before`` to ``after``, in the unit of the metric.

    ``commit`` is the first one with the new level. ``p`` is a two-sided p-value.
    """

    series: str
    workload: str
    metric: str
    unit: str
    better: Better
    commit: str
    before: float
    after: float
    p: float

    @property
    def relative(self) -> float | None:
        """Change as a fraction of ``before``, or None if ``before`` is zero."""
        return (self.after - self.before) / self.before if self.before else None

    @property
    def worse(self) -> bool:
        """Whether the change is a regression."""
        return (self.after > self.before) == (self.better == "lower")


class MetricLine(Record, eq=False):
    """One metric of one series: the commits in order, and the columns that were measured at each commit."""

    metric: Metric
    commits: list[str]
    columns: list[list[Column]]

    def totals(self) -> FloatArray:
        """Return the mean total of the runs of each commit."""
        means = np.empty(len(self.columns))
        for place, columns in enumerate(self.columns):
            means[place] = np.mean([column.sum * column.metric.scale for column in columns])
        return means

    def corrected(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return the corrected totals, the steps between commits, the factors of the correction, and common factors.

        Costs are divided by the common factor of all functions of a commit if this makes the totals less noisy. A step
        is the sum of the steps of all functions that moved. These do not count for the common factor, because many
        slower functions would make the others look faster.
        """
        own, totals = self._costs(), self.totals()
        common = Ratios(own).common_factors()
        steady = Ratios(own[:, ~moved(own / common[:, None])])
        common = steady.common_factors() if len(steady.steady) >= FEWEST_STEADY else common
        factors = common if noise_of(totals / common) < noise_of(totals) else np.ones(len(totals))
        own = own / factors[:, None]
        return totals / factors, np.diff(levels_of(own[:, moved(own)]), axis=0).sum(axis=1), factors, common

    def _costs(self) -> FloatArray:
        """Return the mean self costs, with one row per commit and one column per function."""
        keys = (column.symbols for columns in self.columns for column in columns)
        place = {function: number for number, function in enumerate(dict.fromkeys(chain.from_iterable(keys)))}
        means = np.zeros((len(self.columns), len(place)))
        for row, columns in zip(means, self.columns, strict=True):
            for column in columns:
                row[[place[function] for function in column.symbols]] += column.own * column.metric.scale / len(columns)
        return means


def levels_of(costs: FloatArray) -> FloatArray:
    """Return the median of each cost and its two neighbours: of the last three costs for the last one.

    The first cost is its own level, because a step after it would otherwise be lost.
    """
    padded = np.concatenate([costs[:1], costs, costs[-3:-2]])
    return np.asarray(np.median([padded[:-2], padded[1:-1], padded[2:]], axis=0))


def noise_of(costs: FloatArray) -> FloatArray:
    """Return the median difference between neighbours, which few steps do not change."""
    return np.asarray(np.median(np.abs(np.diff(costs, axis=0)), axis=0))


def moved(own: FloatArray) -> BoolArray:
    """Return for each function whether any step of its level exceeds the noise and 0.25 % of the run."""
    least = np.maximum(STEP * noise_of(own), SMALLEST_SHARE * own.sum(axis=1).mean())
    return np.asarray((np.abs(np.diff(levels_of(own), axis=0)) >= least).any(axis=0))


def trends_along(store: HistoryStore, line: Sequence[str]) -> list[Trend]:
    """Find the persistent changes in all series along ``line``, a list of commits, oldest first."""
    measured = store.measured_commits()
    found: list[Trend] = []
    for series in store.series():
        commits = [sha for sha in line if series.key in measured.get(sha, ())]
        found += trends_of(list(store.readings(series.key, commits)), commits)
    return found


def trends_of(readings: Sequence[Reading], line: Sequence[str]) -> list[Trend]:
    """Find the persistent changes in one series along a line of commits."""
    found = []
    for line_of_metric in lines_of(readings, line):
        series, metric, commits = readings[0].series, line_of_metric.metric, line_of_metric.commits
        for shift in shifts(line_of_metric.totals()):
            subject = (series.key, series.workload, metric.name, metric.unit, metric.better)
            found.append(Trend(*subject, commits[shift.place], shift.before, shift.after, shift.p))
    return found


def of_one_regime(readings: Sequence[Reading], line: Sequence[str]) -> list[Reading]:
    """Return the readings since the last persistent change in any total."""
    start = 0
    for metric in lines_of(readings, line):
        if places := change_points(metric.totals()):
            start = max(start, line.index(metric.commits[places[-1]]))
    recent = frozenset(line[start:])
    return [reading for reading in readings if reading.commit in recent]


def unknown_of(trends: Sequence[Trend], known: Sequence[Trend], line: Sequence[str]) -> list[Trend]:
    """Return the trends that are not in ``known``. A known trend may since have moved by a few commits."""
    place = {sha: number for number, sha in enumerate(line)}

    def is_new(trend: Trend) -> bool:
        return not any(_same(trend, other, place) for other in known)

    return list(filter(is_new, trends))


def reported_texts(store: HistoryStore, new: Sequence[Trend]) -> dict[str, str]:
    """Map the key of each series with ``new`` trends to the text that lists its reported trends."""
    known, texts = [*reported(store), *new], {}
    for key in {trend.series for trend in new}:
        trends = [to_builtins(trend) for trend in known if trend.series == key]
        texts[key] = json.dumps(trends, allow_nan=False)
    return texts


def trends_of_text(text: str) -> list[Trend]:
    """Parse the trends in a stored text, which has none if anything in it is invalid."""
    try:
        found = TypeAdapter(list[Trend]).validate_json(text, strict=True)
    except (ValidationError, RecursionError):
        return []
    # the sum is not a number if one of them is not
    return [trend for trend in found if abs(trend.before) + abs(trend.after) + abs(trend.p) < LARGEST]


def reported(store: HistoryStore) -> list[Trend]:
    """Return the trends that the history lists as reported."""
    return [trend for text in store.reported_trends().values() for trend in trends_of_text(text)]


def _same(trend: Trend, other: Trend, place: Mapping[str, int]) -> bool:
    subject, known = ((found.series, found.metric, found.unit, found.worse) for found in (trend, other))
    return subject == known and other.commit in place and abs(place[trend.commit] - place[other.commit]) <= NEAR


def lines_of(readings: Sequence[Reading], line: Sequence[str]) -> list[MetricLine]:
    """Return the metrics of the readings of one series along a line of commits."""
    by_commit: dict[str, list[Column]] = {}
    for reading in readings:
        by_commit.setdefault(reading.commit, []).extend(reading.columns)
    lines: dict[tuple[str, str], MetricLine] = {}
    for sha in line:
        for column in by_commit.get(sha, ()):
            key = (column.metric.name, column.metric.unit)
            metric = lines.setdefault(key, MetricLine(column.metric, [], []))
            if metric.commits[-1:] != [sha]:
                metric.commits.append(sha)
                metric.columns.append([])
            metric.columns[-1].append(column)
    return list(lines.values())


def past_of(store: HistoryStore, ancestors: Iterable[str], key: str) -> list[Reading]:
    """Return the readings of a series since its last persistent change, at the nearest measured ancestors."""
    measured = store.measured_commits(key)
    # older commits say less about the noise of today's machines
    chosen = list(islice((sha for sha in ancestors if sha in measured), 30))
    return of_one_regime(list(store.readings(key, chosen)), chosen[::-1])
