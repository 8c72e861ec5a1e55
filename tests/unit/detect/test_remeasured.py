import math

import pytest

from comparisons import from_exclusive
from profgate.detect.remeasured import measured_again
from profgate.model.change import Location

SLOW = [{"parse": 200 + run, "render": 800} for run in range(4)]
FAST = [{"parse": 100 + run, "render": 900} for run in range(4)]


def test_a_location_that_got_slower_is_measured_again() -> None:
    again = measured_again(from_exclusive(FAST, SLOW), Location("parse"), total=False)
    assert again is not None
    assert again.p < 1e-6
    assert again.ratio == pytest.approx(1.98, abs=0.01)
    assert again.delta_share == pytest.approx(0.1, abs=0.001)
    assert again.runs == (4, 4)


def test_what_only_scatters_is_not_certain() -> None:
    noisy = [{"parse": 100 + 40 * (run % 2), "render": 900} for run in range(4)]
    again = measured_again(from_exclusive(noisy, noisy[::-1]), Location("parse"), total=False)
    assert again is not None
    assert again.p > 0.9


def test_the_total_is_compared_in_whole_runs() -> None:
    longer = [{name: 2 * count for name, count in run.items()} for run in FAST]
    again = measured_again(from_exclusive(FAST, longer), Location("total"), total=True)
    assert again is not None
    assert again.ratio == pytest.approx(2.0)
    assert again.delta_share == pytest.approx(1.0)
    assert again.p < 1e-6


def test_a_new_location_has_no_ratio() -> None:
    again = measured_again(from_exclusive([{"render": 900}] * 3, SLOW), Location("parse"), total=False)
    assert again is not None
    assert math.isinf(again.ratio)
    assert again.p < 0.05


def test_nothing_is_said_of_what_the_fresh_runs_do_not_hold() -> None:
    assert measured_again(from_exclusive(FAST, SLOW), Location("store"), total=False) is None
    assert measured_again(from_exclusive(FAST, SLOW), Location("parse", "parse.py"), total=False) is None
