"""Trends: where the total of a workload, or the share of a symbol, changed for good along a line of commits."""

import contextlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from typing import Protocol

import numpy as np
from pydantic import TypeAdapter, ValidationError

from profgate.history.trend import CHANGE_POINT, Trend, TrendRules
from profgate.model.arrays import FloatArray
from profgate.model.history import Column, Reading, Series, StoredRecord, SymbolKey
from profgate.model.units import Metric
from profgate.statistics.change_points import Shift, change_points, shifts

LEAST_SHARE = 0.01  # of the run that a symbol takes to be looked at
MOST_SYMBOLS = 20
LEAST_MOVE = 0.005  # of the run by which a symbol's share changes to be reported
NEAR = 4  # commits: a change found again so close to where it was is the same
LARGEST = 1e300  # ratios of larger values overflow
NO_COMMIT = ""  # baseline and target of stored trends, which belong to no single commit
TREND = TypeAdapter(Trend)

MOST_PAST = 30  # commits from whose readings the noise is estimated
Rules = Callable[[Series, Metric], TrendRules]  # those of a series and metric


class History(Protocol):
    """What is read of a history."""

    def measured_commits(self, key: str | None = None) -> Mapping[str, frozenset[str]]: ...  # noqa: D102

    def series(self) -> Sequence[Series]: ...  # noqa: D102

    def readings(self, key: str | None = None, commits: Iterable[str] | None = None) -> Iterable[Reading]: ...  # noqa: D102

    def records(self, target: str | None = None) -> Sequence[StoredRecord]: ...  # noqa: D102


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """One metric of one series: commits in order with the columns that were measured there."""

    metric: Metric
    commits: list[str]
    columns: list[list[Column]]

    def totals(self) -> FloatArray:
        return np.array([np.mean([column.sum * column.metric.scale for column in columns]) for columns in self.columns])


def trends_along(store: History, line: Sequence[str], rules: Rules) -> list[Trend]:
    """The lasting changes of every series along a line of commits, oldest first."""
    measured = store.measured_commits()
    found: list[Trend] = []
    for series in store.series():
        commits = [sha for sha in line if series.key in measured.get(sha, ())]
        found += trends_of(list(store.readings(series.key, commits)), commits, rules)
    return found


def trends_of(readings: Sequence[Reading], line: Sequence[str], rules: Rules = lambda *_: TrendRules()) -> list[Trend]:
    """The lasting changes of one series along a line of commits, oldest first; of the total first, then of symbols."""
    found = []
    for metric in _lines(readings, line):
        chosen = rules(readings[0].series, metric.metric)
        shifts_of = partial(
            shifts, p=chosen.p, magnitude=chosen.min_magnitude, least=chosen.min_segment, window=chosen.window
        )
        trend_of = partial(_trend, metric.metric, readings[0].series)
        found += [trend_of(metric.commits, shift, (None, None)) for shift in shifts_of(metric.totals())]
        for symbol in _heaviest(metric):
            commits, shares = _shares(metric, symbol)
            found += [
                trend_of(commits, shift, symbol)
                for shift in shifts_of(shares)
                if abs(shift.after - shift.before) >= LEAST_MOVE
            ]
    return found


def of_one_regime(readings: Sequence[Reading], line: Sequence[str]) -> list[Reading]:
    """The readings since the last lasting change of any of their totals, so that noise is learned from one level."""
    start = 0
    for metric in _lines(readings, line):
        if places := change_points(metric.totals()):
            start = max(start, line.index(metric.commits[places[-1]]))
    recent = frozenset(line[start:])
    return [reading for reading in readings if reading.commit in recent]


def unreported(store: History, trends: Sequence[Trend], line: Sequence[str]) -> list[Trend]:
    """The trends that were not reported before."""
    return unknown_of(trends, _reported(store), line)


def unknown_of(trends: Sequence[Trend], known: Sequence[Trend], line: Sequence[str]) -> list[Trend]:
    """The trends that are not known; one that was found again, some commits off or grown longer, is known."""
    place = {sha: number for number, sha in enumerate(line)}
    return [trend for trend in trends if not any(_same(trend, other, place) for other in known)]


def reported_records(store: History, new: Sequence[Trend]) -> list[StoredRecord]:
    """The records to store once these trends are reported."""
    reported = [*_reported(store), *new]
    records = []
    for key in {trend.series for trend in new}:
        content = json.dumps([asdict(trend) for trend in reported if trend.series == key], allow_nan=False)
        records.append(StoredRecord(NO_COMMIT, NO_COMMIT, key, CHANGE_POINT, content))
    return records


def trends_of_text(text: str) -> list[Trend]:
    """The trends in a record; entries of another kind are left out."""
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        return []
    found = []
    for entry in entries if isinstance(entries, list) else ():
        with contextlib.suppress(ValidationError):
            trend = TREND.validate_json(json.dumps(entry), strict=True)
            if all(abs(number) < LARGEST for number in (trend.before, trend.after, trend.p)):
                found.append(trend)
    return found


def _reported(store: History) -> list[Trend]:
    records = (record for record in store.records(NO_COMMIT) if record.strategy == CHANGE_POINT)
    return [trend for record in records for trend in trends_of_text(record.content)]


def _same(trend: Trend, other: Trend, place: Mapping[str, int]) -> bool:
    ours, theirs = (
        (one.series, one.metric, one.unit, one.name, one.file, one.after > one.before) for one in (trend, other)
    )
    if ours != theirs or not {other.first, other.last} <= place.keys():
        return False
    return place[trend.first] <= place[other.last] + NEAR and place[other.first] <= place[trend.last] + NEAR


def _lines(readings: Sequence[Reading], line: Sequence[str]) -> list[_Line]:
    by_commit: dict[str, list[Column]] = {}
    for reading in readings:
        by_commit.setdefault(reading.commit, []).extend(reading.columns)
    lines: dict[tuple[str, str], _Line] = {}
    for sha in line:
        for column in by_commit.get(sha, ()):
            key = (column.metric.name, column.metric.unit)
            metric = lines.setdefault(key, _Line(column.metric, [], []))
            if metric.commits[-1:] != [sha]:
                metric.commits.append(sha)
                metric.columns.append([])
            metric.columns[-1].append(column)
    return list(lines.values())


def _heaviest(line: _Line) -> list[SymbolKey]:
    """The symbols that take most of the newest commits' runs."""
    weight: dict[SymbolKey, float] = {}
    newest = [column for columns in line.columns[-10:] for column in columns if column.sum > 0]
    for column in newest:
        for key, own in zip(column.symbols, (column.own / column.sum).tolist(), strict=True):
            weight[key] = weight.get(key, 0.0) + own / len(newest)
    chosen = [key for key, share in weight.items() if share >= LEAST_SHARE]
    return sorted(chosen, key=lambda key: (-weight[key], key[0], key[1] or ""))[:MOST_SYMBOLS]


def _shares(line: _Line, symbol: SymbolKey) -> tuple[list[str], FloatArray]:
    """Its share of the run at each commit where that is known: a symbol that was dropped may have had any."""
    commits, shares = [], []
    for sha, columns in zip(line.commits, line.columns, strict=True):
        known = [share for column in columns if (share := _share(column, symbol)) is not None]
        if known:
            commits.append(sha)
            shares.append(sum(known) / len(known))
    return commits, np.array(shares)


def _share(column: Column, symbol: SymbolKey) -> float | None:
    if column.sum <= 0:
        return None
    if symbol in column.symbols:
        return float(column.own[column.symbols.index(symbol)]) / column.sum
    return 0.0 if column.whole else None


def _trend(
    metric: Metric, series: Series, commits: Sequence[str], shift: Shift, symbol: tuple[str | None, str | None]
) -> Trend:
    return Trend(
        series=series.key,
        workload=series.workload,
        metric=metric.name,
        unit=metric.unit,
        better=metric.better,
        name=symbol[0],
        file=symbol[1],
        first=commits[shift.first],
        last=commits[shift.last],
        commits=shift.last - shift.first + 1,
        before=shift.before,
        after=shift.after,
        p=shift.p,
    )


def past_of(store: History, way_back: Iterable[str], key: str) -> list[Reading]:
    """A series at the next measured commits of a way back, as far as the last lasting change."""
    measured = store.measured_commits(key)
    chosen = list(islice((sha for sha in way_back if sha in measured), MOST_PAST))
    return of_one_regime(list(store.readings(key, chosen)), chosen[::-1])
