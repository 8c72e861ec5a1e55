"""Trends of a whole history, and which of them were told before: each is told once."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, Protocol

from profgate.history.past import Measured
from profgate.history.trends import Rules, trends_of, unknown_of
from profgate.model.history import Series, StoredRecord
from profgate.model.trend import CHANGE_POINT, Trend

LARGEST = 1e300  # what is beyond is no measurement
NOWHERE = ""  # baseline and target of their records: a trend belongs to no single commit


class Remembering(Measured, Protocol):
    """What is needed of a history."""

    def series(self) -> Sequence[Series]: ...  # noqa: D102

    def records(self, target: str | None = None) -> Sequence[StoredRecord]: ...  # noqa: D102

    def add_records(self, records: Iterable[StoredRecord]) -> None: ...  # noqa: D102


def trends_along(store: Remembering, line: Sequence[str], rules: Rules) -> list[Trend]:
    """The lasting changes of every series along a line of commits, oldest first."""
    measured = store.measured_commits()
    found: list[Trend] = []
    for series in store.series():
        chosen = [sha for sha in line if series.key in measured.get(sha, ())]
        readings = list(store.readings(series.key, chosen)) if chosen else []
        found += trends_of(readings, chosen, rules) if readings else []
    return found


def untold(store: Remembering, trends: Sequence[Trend], line: Sequence[str]) -> list[Trend]:
    """The trends that nobody was told of yet."""
    return unknown_of(trends, _told(store), line)


def remember(store: Remembering, new: Sequence[Trend]) -> None:
    """Keeps that these trends were told."""
    told = [*_told(store), *new]
    store.add_records(
        StoredRecord(NOWHERE, NOWHERE, key, CHANGE_POINT, _text([one for one in told if one.series == key]))
        for key in {one.series for one in new}
    )


def _told(store: Remembering) -> list[Trend]:
    records = (one for one in store.records(NOWHERE) if one.strategy == CHANGE_POINT)
    return [trend for record in records for trend in trends_of_text(record.content)]


def _text(trends: Sequence[Trend]) -> str:
    return json.dumps([asdict(one) for one in trends], allow_nan=False)


def trends_of_text(text: str) -> list[Trend]:
    """The trends in a record; entries of another kind are left out."""
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        return []
    names = {field.name for field in fields(Trend)}
    return [
        Trend(**{name: entry[name] for name in names})
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict) and names <= entry.keys() and _is_trend(entry)
    ]


def _is_trend(entry: Mapping[str, Any]) -> bool:
    texts = all(isinstance(entry[name], str) for name in ("series", "workload", "metric", "unit", "first", "last"))
    names = all(entry[name] is None or isinstance(entry[name], str) for name in ("name", "file"))
    numbers_fit = all(_is_number(entry[name]) for name in ("before", "after", "p"))
    return texts and names and numbers_fit and entry["better"] in ("lower", "higher") and type(entry["commits"]) is int


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and -LARGEST < value < LARGEST  # no NaN either
