"""Finds trends: persistent changes in a workload's total or a symbol's share along a line of commits.

Reported trends are stored in the history in the format `profgate.trends/1`, so that each is reported only once.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np
from pydantic import TypeAdapter, ValidationError

from profgate import loading
from profgate.decide.detect.rules import selected
from profgate.history.history_store import HistoryStore
from profgate.model.arrays import FloatArray
from profgate.model.history import Column, Reading, Series, SymbolKey
from profgate.model.policy import Policy
from profgate.model.units import Better, Metric
from profgate.statistics.change_points import Shift, change_points, shifts, visible_step

SCHEMA = "profgate.trends/1"
AROUND = 10  # maximum number of commits on each side of a change of share at which costs are compared
NEAR = 4  # maximum distance in commits at which two similar trends count as the same
LARGEST = 1e300  # maximum value; ratios of larger values could overflow
TOTAL = "total of the run"  # a function may be called "total"


@dataclass(frozen=True, slots=True)
class TrendRules:
    """Options of the strategy `change_point`."""

    p: float = 0.001
    window: int = 50
    min_segment: int = 4
    min_magnitude: float = 0.02


@dataclass(frozen=True, slots=True)
class Trend:
    """A persistent change in a total or in a symbol's share, from ``before`` to ``after``.

    A total is in the unit of the metric, and its ``name`` is None. A step occurs at commit ``first``. A drift spans
    ``commits`` measured commits, from ``first`` to ``last``. ``p`` is a two-sided p-value.
    """

    series: str
    workload: str
    metric: str
    unit: str
    better: Better
    name: str | None
    file: str | None
    first: str
    last: str
    commits: int
    before: float
    after: float
    p: float

    @property
    def is_drift(self) -> bool:
        """Whether the change spans several commits."""
        return self.commits > 1

    @property
    def relative(self) -> float | None:
        """Change as a fraction of ``before``, or None if ``before`` is zero."""
        return (self.after - self.before) / self.before if self.before else None

    @property
    def worse(self) -> bool:
        """Whether the change is a regression."""
        return (self.after > self.before) == (self.better == "lower")


Rules = Callable[[Series, Metric], TrendRules]  # returns the options for a series and metric


def trend_rules(policy: Policy) -> Rules:
    """Return a function that returns the `change_point` options of the first rule that matches a series and metric."""

    def rules(series: Series, metric: Metric) -> TrendRules:
        chosen = selected(policy, series.configuration, metric, loading.strategies())
        return TrendRules(**next((options for strategy, options in chosen if strategy.name == "change_point"), {}))

    return rules


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """One metric of one series: the commits in order, and the columns that were measured at each commit."""

    metric: Metric
    commits: list[str]
    columns: list[list[Column]]

    def totals(self) -> FloatArray:
        means = np.empty(len(self.columns))
        for place, columns in enumerate(self.columns):
            means[place] = np.mean([column.sum * column.metric.scale for column in columns])
        return means


def trends_along(store: HistoryStore, line: Sequence[str], rules: Rules) -> list[Trend]:
    """Find the persistent changes in all series along ``line``, a list of commits, oldest first."""
    return [trend for made in _readings_along(store, line) for trend in trends_of(*made, rules)]


def _readings_along(store: HistoryStore, line: Sequence[str]) -> Iterator[tuple[list[Reading], list[str]]]:
    """Yield the readings of each series, and the commits of ``line`` at which it was measured."""
    measured = store.measured_commits()
    for series in store.series():
        commits = [sha for sha in line if series.key in measured.get(sha, ())]
        yield list(store.readings(series.key, commits)), commits


def trends_of(readings: Sequence[Reading], line: Sequence[str], rules: Rules = lambda *_: TrendRules()) -> list[Trend]:
    """Find the persistent changes in one series along a line of commits, for each metric first those in the total."""
    found = []
    for metric in _lines(readings, line):
        chosen = rules(readings[0].series, metric.metric)
        shifts_of = partial(
            shifts, p=chosen.p, magnitude=chosen.min_magnitude, least=chosen.min_segment, window=chosen.window
        )
        trend_of = partial(_trend, metric.metric, readings[0].series)
        found += [trend_of(metric.commits, shift, (None, None)) for shift in shifts_of(metric.totals())]
        for symbol, (commits, shares, costs) in _shares(metric, _heaviest(metric)):
            # a share of the run that moves by less is noise
            found += [
                trend_of(commits, shift, symbol)
                for shift in _with_costs(shifts_of(np.array(shares)), np.array(costs))
                if abs(shift.after - shift.before) >= 0.005
            ]
    return found


def _with_costs(found: Sequence[Shift], costs: FloatArray) -> list[Shift]:
    """Return the changes of a share in which the cost changed in the same direction, at least half as much.

    In the others, it was mainly the rest of the run that changed.
    """
    starts = [0, *(shift.last for shift in found)]
    ends = [*(shift.first for shift in found[1:]), len(costs)]
    kept = []
    for shift, start, end in zip(found, starts, ends, strict=False):
        before = costs[max(start, shift.first - AROUND) : shift.first].mean()
        after = costs[shift.last : min(end, shift.last + AROUND)].mean()
        grown, expected = (after - before) * shift.before, (shift.after - shift.before) * before
        if (after > before) == (shift.after > shift.before) and abs(grown) >= abs(expected) / 2:
            kept.append(shift)
    return kept


class TotalSeries(NamedTuple):
    """The totals of one metric of a series along the commits that were read, in the base unit of the metric.

    ``step`` is the relative step that would have been found, or None if the commits are too few.
    """

    workload: str
    metric: Metric
    values: Sequence[float]
    step: float | None


def totals_along(store: HistoryStore, line: Sequence[str], rules: Rules) -> list[TotalSeries]:
    """Return the totals of all series along ``line``, a list of commits, oldest first."""
    found = []
    for readings, commits in _readings_along(store, line):
        for metric in _lines(readings, commits):
            chosen, values = rules(readings[0].series, metric.metric), metric.totals()
            step = visible_step(values, chosen.p, chosen.min_magnitude, chosen.min_segment)
            found.append(TotalSeries(readings[0].series.workload, metric.metric, values.tolist(), step))
    return found


def of_one_regime(readings: Sequence[Reading], line: Sequence[str]) -> list[Reading]:
    """Return the readings since the last persistent change in any total."""
    start = 0
    for metric in _lines(readings, line):
        if places := change_points(metric.totals()):
            start = max(start, line.index(metric.commits[places[-1]]))
    recent = frozenset(line[start:])
    return [reading for reading in readings if reading.commit in recent]


def unknown_of(trends: Sequence[Trend], known: Sequence[Trend], line: Sequence[str]) -> list[Trend]:
    """Return the trends that are not in ``known``. A known trend may since have grown or moved by a few commits."""
    place = {sha: number for number, sha in enumerate(line)}
    return [trend for trend in trends if not any(_same(trend, other, place) for other in known)]


def reported_texts(store: HistoryStore, new: Sequence[Trend]) -> dict[str, str]:
    """Map the key of each series with ``new`` trends to the text that lists its reported trends."""
    known, texts = [*reported(store), *new], {}
    for key in {trend.series for trend in new}:
        trends = [asdict(trend) for trend in known if trend.series == key]
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
    subject, known = (
        (found.series, found.metric, found.unit, found.name, found.file, found.worse) for found in (trend, other)
    )
    if subject != known or not {other.first, other.last} <= place.keys():
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
    """Return the symbols with the largest mean shares at the newest commits."""
    weight: dict[SymbolKey, float] = {}
    newest = [column for columns in line.columns[-10:] for column in columns if column.sum > 0]
    for column in newest:
        for key, own in zip(column.symbols, (column.own / column.sum).tolist(), strict=True):
            weight[key] = weight.get(key, 0.0) + own / len(newest)
    chosen = [key for key, share in weight.items() if share >= 0.01]
    return sorted(chosen, key=lambda key: (-weight[key], key[0], key[1] or ""))[:20]


def _shares(
    line: _Line, symbols: Sequence[SymbolKey]
) -> list[tuple[SymbolKey, tuple[list[str], list[float], list[float]]]]:
    """Return the commits at which the share of each symbol is known, its shares, and its self costs."""
    found = [(symbol, (list[str](), list[float](), list[float]())) for symbol in symbols]
    for sha, columns in zip(line.commits, line.columns, strict=True):
        given = [
            (column, dict(zip(column.symbols, column.own.tolist(), strict=True)))
            for column in columns
            if column.sum > 0
        ]
        for symbol, (commits, shares, costs) in found:
            known = [(own.get(symbol, 0) / each.sum, each) for each, own in given if each.whole or symbol in own]
            if known:
                commits.append(sha)
                shares.append(sum(share for share, _ in known) / len(known))
                costs.append(sum(share * each.sum * each.metric.scale for share, each in known) / len(known))
    return found


def _trend(
    metric: Metric, series: Series, commits: Sequence[str], shift: Shift, symbol: tuple[str | None, str | None]
) -> Trend:
    subject = (series.key, series.workload, metric.name, metric.unit, metric.better, *symbol)
    span = (commits[shift.first], commits[shift.last], shift.last - shift.first + 1)
    return Trend(*subject, *span, shift.before, shift.after, shift.p)


def past_of(store: HistoryStore, ancestors: Iterable[str], key: str) -> list[Reading]:
    """Return the readings of a series since its last persistent change, at the nearest measured ancestors."""
    measured = store.measured_commits(key)
    # older commits say less about the noise of today's machines
    chosen = list(islice((sha for sha in ancestors if sha in measured), 30))
    return of_one_regime(list(store.readings(key, chosen)), chosen[::-1])
