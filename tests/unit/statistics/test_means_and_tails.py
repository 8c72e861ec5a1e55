"""t tests and tails against the golden numbers and scipy."""

import math

import numpy as np
import pytest
from scipy import stats

from profgate.statistics.t_tests import critical_t, two_sided_p, welch
from profgate.statistics.thresholds import above, at_least, at_most, below

BASE = np.log([10.12, 10.31, 10.05, 10.22, 10.18])
TARGET = np.log([10.71, 10.64, 10.90, 10.58, 10.77])


def test_golden_welch() -> None:
    test = welch(BASE, TARGET)
    assert (test.t, test.degrees) == pytest.approx((7.742713, 7.777057), abs=1e-6)
    assert test.p == pytest.approx(6.433970e-05, rel=1e-6)
    assert math.expm1(test.shift) == pytest.approx(0.05344293, abs=1e-8)


def test_welch_agrees_with_scipy() -> None:
    a, b = np.array([1.0, 2.5, 3.1, 4.0]), np.array([2.0, 5.5, 9.0])
    expected = stats.ttest_ind(b, a, equal_var=False)
    assert (welch(a, b).t, welch(a, b).p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-12)


def test_readings_without_scatter() -> None:
    same, other = np.log([3.0, 3.0, 3.0]), np.log([4.0, 4.0])
    assert (welch(same, same[:2]).t, welch(same, same[:2]).p) == (0.0, 1.0)
    assert (welch(same, other).t, welch(same, other).p) == (math.inf, 0.0)


@pytest.mark.parametrize("degrees", [1.0, 1.7, 2.0, 5.5, 17.0, 98.0, 1e4])
def test_tails_keep_their_digits(degrees: float) -> None:
    precision = 1e-12 + 1e-14 * degrees  # of the gamma function
    for t in (-3.0, 0.0, 0.01, 0.7, 1.0, 1.2, 1.5, 8.0, 30.0):
        assert two_sided_p(t, degrees) == pytest.approx(2.0 * stats.t.sf(abs(t), degrees), rel=precision)
    for alpha in (1e-12, 1e-5, 0.01, 0.05, 0.5, 0.99):
        assert critical_t(alpha, degrees) == pytest.approx(stats.t.isf(alpha / 2.0, degrees), rel=precision)


def test_thresholds_have_a_band_that_counts_as_equal() -> None:
    near = np.array([2 - 1e-9, 2 + 1e-9])
    assert at_least(near, 2.0).all()
    assert at_most(near, 2.0).all()
    assert not (above(near, 2.0) | below(near, 2.0)).any()
    assert not at_least(np.array([np.nan]), 2.0).any()
