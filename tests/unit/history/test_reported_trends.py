"""Which trends of a history were told before."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace

import pytest

from history_samples import reading
from profgate.history.trend import CHANGE_POINT, Trend, TrendRules
from profgate.history.trends import reported_records, trends_along, trends_of_text, unreported
from profgate.model.history import Reading, Series, StoredRecord

LINE = [f"c{number:02}" for number in range(40)]


class Kept:
    """A history of readings in memory."""

    def __init__(self, *readings: Reading) -> None:
        self._readings = readings
        self._records: dict[tuple[str, str], StoredRecord] = {}

    def measured_commits(self, key: str | None = None) -> dict[str, frozenset[str]]:
        assert key is None
        return {sha: frozenset(one.series.key for one in self._readings if one.commit == sha) for sha in LINE}

    def readings(self, key: str | None = None, commits: Iterable[str] | None = None) -> list[Reading]:
        wanted = frozenset(commits or ())
        return [one for one in self._readings if one.series.key == key and one.commit in wanted]

    def series(self) -> list[Series]:
        return list({one.series.key: one.series for one in self._readings}.values())

    def records(self, target: str | None = None) -> Sequence[StoredRecord]:
        return [one for one in self._records.values() if target in (None, one.target)]

    def add_records(self, records: Iterable[StoredRecord]) -> None:
        self._records |= {(one.series, one.strategy): one for one in records}


def history(*levels: int, name: str = "api.folded") -> list[Reading]:
    """A reading at each commit; every second one is a little above the level."""
    return [
        reading(f"main;f {level * 1000 + number % 2}\n", sha, name)
        for number, (sha, level) in enumerate(zip(LINE, levels, strict=False))
    ]


def rules(*_: object) -> TrendRules:
    return TrendRules()


def test_what_was_told_is_not_told_again_and_what_came_since_is() -> None:
    early = Kept(*history(*[10] * 10, *[12] * 10), *history(*[7] * 20, name="steady.folded"))
    found = trends_along(early, LINE, rules)
    assert [(one.workload, one.first) for one in found] == [("api", "c10")]
    assert unreported(early, found, LINE) == found
    early.add_records(reported_records(early, found))
    assert unreported(early, found, LINE) == []
    later = Kept(*history(*[10] * 10, *[12] * 10, *[15] * 10))
    later.add_records(early.records())
    new = unreported(later, trends_along(later, LINE, rules), LINE)
    assert [one.first for one in new] == ["c20"]
    later.add_records(reported_records(later, new))
    assert unreported(later, trends_along(later, LINE, rules), LINE) == []


def test_records_of_another_shape_tell_nothing() -> None:
    kept = Kept(*history(*[10] * 10, *[12] * 10))
    (trend,) = trends_along(kept, LINE, rules)
    for content in ("no json", "7", '[{"series": "k"}]', "[" * 100_000, '[{"first": 1}]'):
        kept.add_records([StoredRecord("", "", trend.series, CHANGE_POINT, content)])
        assert unreported(kept, [trend], LINE) == [trend]
    assert trends_of_text("[]") == []


@pytest.mark.parametrize(
    "change",
    [
        *({"name": 2**63}, {"file": ["a.py"]}, {"workload": None}, {"better": "sideways"}, {"commits": 1.5}),
        *({"before": 10**400}, {"after": float("nan")}, {"p": float("inf")}, {"before": "1"}),
    ],
)
def test_an_entry_of_another_kind_is_left_out_and_the_rest_is_read(change: dict[str, object]) -> None:
    sound = Trend("s", "api", "time", "seconds", "lower", "parse", "shop.py", "a" * 40, "b" * 40, 9, 1.0, 2.0, 0.01)
    assert trends_of_text(json.dumps([asdict(sound) | change, asdict(sound)])) == [sound]


def test_rules_of_a_series_bound_what_is_found() -> None:
    kept = Kept(*history(*[10] * 10, *[12] * 10))
    assert trends_along(kept, LINE, lambda *_: replace(TrendRules(), min_magnitude=0.3)) == []
    assert trends_along(kept, LINE[:12], rules) == []
