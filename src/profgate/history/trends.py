"""Trends: where the total of a workload, or the share of a symbol, changed for good along a line of commits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from profgate.model.arrays import FloatArray
from profgate.model.history import Column, Reading, Series, SymbolKey
from profgate.model.trend import Trend, TrendRules
from profgate.model.units import Metric
from profgate.statistics.change_points import Shift, change_points, shifts

LEAST_SHARE = 0.01  # of the run that a symbol takes to be looked at
MOST_SYMBOLS = 20
LEAST_MOVE = 0.005  # of the run by which a symbol's share changes to be told
NEAR = 4  # commits: a change found again so close to where it was is the same


Rules = Callable[[Series, Metric], TrendRules]  # those of a series and metric


def _default(_: Series, __: Metric) -> TrendRules:
    return TrendRules()


def _bounds(rules: TrendRules) -> tuple[float, float, int, int]:
    return rules.p, rules.min_magnitude, rules.min_segment, rules.window


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """One metric of one series: commits in order with the columns that were measured there."""

    metric: Metric
    commits: list[str]
    columns: list[list[Column]]


def trends_of(readings: Sequence[Reading], line: Sequence[str], rules: Rules = _default) -> list[Trend]:
    """The lasting changes of one series along a line of commits, oldest first; of the total first, then of symbols."""
    found = []
    for one in _lines(readings, line):
        bounds = _bounds(rules(readings[0].series, one.metric))
        totals = np.array([np.mean([_value(column) for column in columns]) for columns in one.columns])
        found += [_trend(one, shift, readings[0], one.commits, None) for shift in shifts(totals, *bounds)]
        for symbol in _heaviest(one):
            commits, shares = _shares(one, symbol)
            found += [
                _trend(one, shift, readings[0], commits, symbol)
                for shift in shifts(shares, *bounds)
                if abs(shift.after - shift.before) >= LEAST_MOVE
            ]
    return found


def of_one_regime(readings: Sequence[Reading], line: Sequence[str]) -> list[Reading]:
    """The readings since the last lasting change of any of their totals, so that noise is learned from one level."""
    start = 0
    for one in _lines(readings, line):
        totals = np.array([np.mean([_value(column) for column in columns]) for columns in one.columns])
        if places := change_points(totals):
            start = max(start, line.index(one.commits[places[-1]]))
    recent = frozenset(line[start:])
    return [reading for reading in readings if reading.commit in recent]


def unknown_of(trends: Sequence[Trend], known: Sequence[Trend], line: Sequence[str]) -> list[Trend]:
    """The trends that were not known before; one that was found again, some commits off or grown longer, is known."""
    place = {sha: number for number, sha in enumerate(line)}
    return [one for one in trends if not any(_same(one, other, place) for other in known)]


def _same(one: Trend, other: Trend, place: Mapping[str, int]) -> bool:
    if (one.series, one.metric, one.unit, one.name, one.file) != (
        *(other.series, other.metric, other.unit, other.name, other.file),
    ):
        return False
    if (one.after > one.before) != (other.after > other.before) or not {other.first, other.last} <= place.keys():
        return False
    return place[one.first] <= place[other.last] + NEAR and place[other.first] <= place[one.last] + NEAR


def _lines(readings: Sequence[Reading], line: Sequence[str]) -> list[_Line]:
    by_commit: dict[str, list[Reading]] = {}
    for reading in readings:
        by_commit.setdefault(reading.commit, []).append(reading)
    made: dict[tuple[str, str], _Line] = {}
    for sha in line:
        for reading in by_commit.get(sha, ()):
            for column in reading.columns:
                key = (column.metric.name, column.metric.unit)
                one = made.setdefault(key, _Line(column.metric, [], []))
                if one.commits[-1:] != [sha]:
                    one.commits.append(sha)
                    one.columns.append([])
                one.columns[-1].append(column)
    return list(made.values())


def _value(column: Column) -> float:
    return column.sum * column.metric.scale


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


def _trend(line: _Line, shift: Shift, reading: Reading, commits: Sequence[str], symbol: SymbolKey | None) -> Trend:
    name, file = symbol or (None, None)
    return Trend(
        series=reading.series.key,
        workload=reading.series.workload,
        metric=line.metric.name,
        unit=line.metric.unit,
        better=line.metric.better,
        name=name,
        file=file,
        first=commits[shift.first],
        last=commits[shift.last],
        commits=shift.last - shift.first + 1 if shift.is_drift else 1,
        before=shift.before,
        after=shift.after,
        p=shift.p,
    )
