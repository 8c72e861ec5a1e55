"""Rank tests against the golden numbers and against scipy."""

import math

import numpy as np
import pytest

from profgate.statistics.ranks import cliffs_delta, critical_u, hodges_lehmann, mann_whitney, shift_interval

BASE = np.log([10.12, 10.31, 10.05, 10.22, 10.18])
TARGET = np.log([10.71, 10.64, 10.90, 10.58, 10.77])


def test_golden_five_against_five() -> None:
    u, p = mann_whitney(BASE, TARGET)
    assert u == 25
    assert p == pytest.approx(0.007936508, rel=1e-6)
    assert math.expm1(hodges_lehmann(BASE, TARGET)) == pytest.approx(0.05273632, abs=1e-8)
    assert [math.expm1(bound) for bound in shift_interval(BASE, TARGET, 0.05)] == pytest.approx(
        [0.03522505, 0.07164179], abs=1e-8
    )
    assert [math.expm1(bound) for bound in shift_interval(BASE, TARGET, 0.01)] == pytest.approx(
        [0.02618817, 0.08457711], abs=1e-8
    )
    assert cliffs_delta(BASE, TARGET) == 1.0


@pytest.mark.parametrize(
    ("n", "at_05", "at_01"), [(4, 0, None), (5, 2, 0), (6, 5, 2), (7, 8, 4), (8, 13, 7), (10, 23, 16)]
)
def test_critical_u(n: int, at_05: int, at_01: int | None) -> None:
    assert (critical_u(n, n, 0.05), critical_u(n, n, 0.01)) == (at_05, at_01)


@pytest.mark.parametrize(("n", "floor"), [(3, 0.1), (4, 0.029), (5, 0.0079), (6, 0.0022), (8, 0.00016)])
def test_smallest_possible_p(n: int, floor: float) -> None:
    _, p = mann_whitney(np.arange(n, dtype=float), np.arange(n, 2 * n, dtype=float))
    assert p == pytest.approx(floor, rel=0.03)


def test_too_few_readings_leave_the_interval_open() -> None:
    assert shift_interval(BASE[:3], TARGET[:3], 0.01) == (-math.inf, math.inf)


@pytest.mark.parametrize("seed", range(5))
def test_exact_p_agrees_with_scipy(seed: int) -> None:
    from scipy import stats

    random = np.random.default_rng(seed)
    a, b = random.normal(size=7), random.normal(0.8, size=9)
    expected = stats.mannwhitneyu(b, a, alternative="two-sided", method="exact")
    assert mann_whitney(a, b) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-12)


def test_ties_are_permuted_exactly() -> None:
    from scipy import stats

    a, b = np.array([1.0, 2, 2, 3, 3]), np.array([2.0, 3, 4, 4])
    method = stats.PermutationMethod(n_resamples=10_000)
    expected = stats.mannwhitneyu(b, a, alternative="two-sided", method=method)
    assert mann_whitney(a, b) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-12)


def test_many_readings_agree_with_the_normal_approximation_of_scipy() -> None:
    from scipy import stats

    random = np.random.default_rng(7)
    a, b = np.round(random.normal(size=60), 1), np.round(random.normal(0.4, size=50), 1)
    expected = stats.mannwhitneyu(b, a, alternative="two-sided", method="asymptotic")
    assert mann_whitney(a, b) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)
    assert mann_whitney(np.ones(60), np.ones(60))[1] == 1.0
