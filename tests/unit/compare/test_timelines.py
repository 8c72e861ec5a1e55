"""Timelines of comparisons, which must agree with the call tree and change nothing else."""

import json
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from comparisons import overlaid
from profgate.compare.calls import by_calls
from profgate.model.comparison import Comparison
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.model.timeline import MOST_BINS
from profgate.readers.registry import read_profile

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
FRAMES = [{"name": "main"}, {"name": "work"}, {"name": "wait"}]


def profile(*samples: tuple[list[int], float], unit: str = "seconds") -> Profile:
    stacks, weights = zip(*samples, strict=True)
    part = {"type": "sampled", "name": "t", "unit": unit, "startValue": 0, "samples": stacks, "weights": weights}
    text = json.dumps({"$schema": SCHEMA, "shared": {"frames": FRAMES}, "profiles": [part]})
    return read_profile(source_of("a.json", text.encode()))


def without_times(found: Profile) -> Profile:
    assert found.stacks is not None
    return replace(found, stacks=found.stacks._replace(timeline=None))


FAST = profile(([0, 1], 1), ([0, 2], 0.5), ([0, 1], 1))
SLOW = profile(([0, 1], 4.25), ([0], 0.5))


def test_timelines_add_up_to_the_rows_of_the_tree() -> None:
    tree = overlaid([FAST, SLOW], [SLOW, SLOW]).tree
    assert tree is not None
    for own, timeline in zip((tree.baseline_self, tree.target_self), tree.timelines, strict=True):
        assert timeline is not None
        sums = np.zeros(len(own), np.int64)
        np.add.at(sums, timeline.row, timeline.values[0])
        assert sums.tolist() == own.tolist()
        assert timeline.span == 4_750_000_000
    before = tree.timelines[0]
    assert before is not None
    bins = np.bincount(before.cell % MOST_BINS, before.values[0])
    assert bins[2] == 2 * 2**before.scale  # both runs begin at time 0


def test_dropped_stacks_are_dropped_from_timelines() -> None:
    tree = overlaid([FAST], [SLOW], ignore=("wait",)).tree
    assert tree is not None
    assert tree.timelines[0] is not None
    assert tree.timelines[0].values.sum() == tree.baseline_self.sum() == 2_000_000_000


@pytest.mark.parametrize("unit", ["none", "bytes"])
def test_values_that_are_not_times_have_no_timeline(unit: str) -> None:
    other = profile(([0, 1], 4), unit=unit)
    tree = overlaid([other], [other]).tree
    assert tree is not None
    assert tree.timelines == (None, None)


def test_a_side_with_an_untimed_run_has_no_timeline() -> None:
    tree = overlaid([FAST, without_times(SLOW)], [SLOW]).tree
    assert tree is not None
    assert tree.timelines[0] is None
    assert tree.timelines[1] is not None


def test_numbers_of_calls_have_no_timeline() -> None:
    events = [("O", 0, 0), ("O", 1, 1), ("C", 1, 2), ("C", 0, 3)]
    rows = [{"type": kind, "frame": frame, "at": at} for kind, frame, at in events]
    part = {"type": "evented", "name": "t", "unit": "seconds", "startValue": 0, "endValue": 3, "events": rows}
    text = json.dumps({"$schema": SCHEMA, "shared": {"frames": FRAMES}, "profiles": [part]})
    run = [read_profile(source_of("a.json", text.encode()))]
    timed = overlaid(run, run)
    calls = by_calls(timed)
    assert timed.tree is not None
    assert None not in timed.tree.timelines
    assert calls is not None
    assert calls.tree is not None
    assert calls.tree.timelines == (None, None)


def test_times_change_nothing_else_in_a_comparison() -> None:
    def values(comparison: Comparison) -> list[Any]:
        tree = comparison.tree
        columns = [getattr(tree, field.name) for field in fields(type(tree)) if field.name != "timelines"]  # type: ignore[arg-type]
        own = [getattr(comparison, field.name) for field in fields(comparison) if field.name != "tree"]
        return [column.tolist() if isinstance(column, np.ndarray) else repr(column) for column in (*columns, *own)]

    timed = overlaid([FAST, SLOW], [SLOW, FAST])
    fast, slow = without_times(FAST), without_times(SLOW)
    plain = overlaid([fast, slow], [slow, fast])
    assert values(timed) == values(plain)
