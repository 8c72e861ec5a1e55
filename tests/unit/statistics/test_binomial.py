"""Rates of rare events against scipy's tests and the table of the demotion rule."""

import pytest
from scipy import stats

from profgate.statistics.binomial import rate_interval, upper_tail


@pytest.mark.parametrize(("events", "trials"), [(0, 1), (0, 299), (1, 473), (3, 773), (5, 5), (7, 20)])
def test_the_interval_is_the_exact_one(events: int, trials: int) -> None:
    exact = stats.binomtest(events, trials).proportion_ci(0.95, "exact")
    assert rate_interval(events, trials) == pytest.approx((exact.low, exact.high))


def test_without_trials_nothing_is_known() -> None:
    assert rate_interval(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("events", "trials"), [(2, 20), (3, 50), (4, 100), (6, 200)])
def test_one_percent_budget_limits(events: int, trials: int) -> None:
    assert upper_tail(events, trials, 0.01) == pytest.approx(stats.binom.sf(events - 1, trials, 0.01))
    assert upper_tail(events, trials, 0.01) < 0.05 <= upper_tail(events - 1, trials, 0.01)
