"""Which trends of a history were reported before."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest
from msgspec import to_builtins

from history_samples import reading
from profgate.history.history_store import HistoryStore, open_history
from profgate.history.trends import (
    Trend,
    reported,
    reported_texts,
    trends_along,
    trends_of_text,
    unknown_of,
)
from profgate.model.history import Reading

Filled = Callable[..., HistoryStore]
LINE = [f"c{number:02}" for number in range(40)]


@pytest.fixture
def store_of(tmp_path: Path) -> Iterator[Filled]:
    """Fills a history with readings."""
    numbers = count()

    def opened(*readings: Reading) -> HistoryStore:
        store = stack.enter_context(open_history(str(tmp_path / str(next(numbers))), write=True))
        store.add(readings)
        return store

    with ExitStack() as stack:
        yield opened


def history(*levels: int, name: str = "api.folded") -> list[Reading]:
    """A reading at each commit; every second one is a little above the level."""
    return [
        reading(f"main;f {level * 1000 + number % 2}\n", sha, name)
        for number, (sha, level) in enumerate(zip(LINE, levels, strict=False))
    ]


def test_reported_trend_is_not_new(store_of: Filled) -> None:
    early = store_of(*history(*[10] * 10, *[12] * 10), *history(*[7] * 20, name="steady.folded"))
    found = trends_along(early, LINE)
    assert [(one.workload, one.commit) for one in found] == [("api", "c10")]
    assert unknown_of(found, reported(early), LINE) == found
    early.add_reported_trends(reported_texts(early, found))
    assert unknown_of(found, reported(early), LINE) == []
    later = store_of(*history(*[10] * 10, *[12] * 10, *[15] * 10))
    later.add_reported_trends(early.reported_trends())
    new = unknown_of(trends_along(later, LINE), reported(later), LINE)
    assert [one.commit for one in new] == ["c20"]
    later.add_reported_trends(reported_texts(later, new))
    assert unknown_of(trends_along(later, LINE), reported(later), LINE) == []


def test_invalid_texts_hold_no_trends(store_of: Filled) -> None:
    store = store_of(*history(*[10] * 10, *[12] * 10))
    (trend,) = trends_along(store, LINE)
    for content in ("no json", "7", '[{"series": "k"}]', "[" * 100_000, '[{"first": 1}]'):
        store.add_reported_trends({trend.series: content})
        assert unknown_of([trend], reported(store), LINE) == [trend]
    assert trends_of_text("[]") == []


@pytest.mark.parametrize(
    "change",
    [
        *({"metric": 2**63}, {"workload": None}, {"better": "sideways"}, {"commit": 1.5}),
        *({"before": 10**400}, {"after": float("nan")}, {"p": float("inf")}, {"before": "1"}),
    ],
)
def test_invalid_entry_is_no_trend(change: dict[str, object]) -> None:
    sound = Trend("s", "api", "time", "seconds", "lower", "a" * 40, 1.0, 2.0, 0.01)
    assert trends_of_text(json.dumps([to_builtins(sound)])) == [sound]
    assert trends_of_text(json.dumps([to_builtins(sound) | change])) == []


def test_a_short_series_has_no_trend(store_of: Filled) -> None:
    assert trends_along(store_of(*history(*[10] * 10, *[12] * 10)), LINE[:12]) == []
