import math

import pytest

from comparisons import from_exclusive, from_stacks
from profgate.detect.second_runs import second_measurement
from profgate.model.change import Location

SLOW = [{"parse": 200 + run, "render": 800} for run in range(4)]
FAST = [{"parse": 100 + run, "render": 900} for run in range(4)]


def test_slower_location_is_measured_again() -> None:
    again = second_measurement(from_exclusive(FAST, SLOW), Location("parse"), total=False)
    assert again is not None
    assert again.p == pytest.approx(1 / 70)
    assert again.ratio == pytest.approx(1.985, abs=0.001)
    assert again.delta_share == pytest.approx(0.1, abs=0.001)
    assert again.runs == (4, 4)


def test_scatter_is_not_certain() -> None:
    noisy = [{"parse": 100 + 40 * (run % 2), "render": 900} for run in range(4)]
    again = second_measurement(from_exclusive(noisy, noisy[::-1]), Location("parse"), total=False)
    assert again is not None
    assert again.p > 0.5


def test_total_is_compared_in_whole_runs() -> None:
    longer = [{name: 2 * count for name, count in run.items()} for run in FAST]
    again = second_measurement(from_exclusive(FAST, longer), Location("total"), total=True)
    assert again is not None
    assert again.ratio == pytest.approx(2.0)
    assert again.delta_share == pytest.approx(1.0)
    assert again.p == pytest.approx(1 / 70)


def test_direction_for_the_worse_decides_p() -> None:
    faster = from_exclusive(SLOW, FAST)
    again, better = (second_measurement(faster, Location("parse"), total=False, worse=sign) for sign in (1, -1))
    assert again is not None
    assert better is not None
    assert [again.p, better.p] == pytest.approx([1.0, 1 / 70])


def test_subtree_is_measured_with_its_parts() -> None:
    stacks = [[{"main;parse;lex": cost + run, "main;render": 900} for run in range(4)] for cost in (100, 200)]
    comparison = from_stacks(*stacks)
    assert second_measurement(comparison, Location("parse"), total=False) is None
    again = second_measurement(comparison, Location("parse"), total=False, subtree=True)
    assert again is not None
    assert again.ratio == pytest.approx(1.985, abs=0.001)


def test_new_location_has_no_ratio() -> None:
    again = second_measurement(from_exclusive([{"render": 900}] * 3, SLOW), Location("parse"), total=False)
    assert again is not None
    assert math.isinf(again.ratio)
    assert again.p < 0.05


def test_missing_location_is_not_measured() -> None:
    assert second_measurement(from_exclusive(FAST, SLOW), Location("store"), total=False) is None
    assert second_measurement(from_exclusive(FAST, SLOW), Location("parse", "parse.py"), total=False) is None
