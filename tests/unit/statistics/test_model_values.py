"""Values, areas and growth of cost models, with scipy's quadrature as the oracle."""

import math

import numpy as np
import pytest
from scipy import integrate

from profgate.model.arrays import IntArray
from profgate.model.cost_models import SHAPES
from profgate.statistics.model_fits import areas, curve_at, grid, growth_exponents, rebinned, steps_at, values

MODELS = {
    "constant": (3.0, 0.0, 0.0),
    "logarithmic": (1.0, 2.5, 0.0),
    "linear": (5.0, 0.25, 0.0),
    "quadratic": (1.0, -0.5, 0.01),
    "power": (0.5, 1.5, 0.0),
    "exponential": (2.0, 1.01, 0.0),
}


def kind_of(name: str) -> IntArray:
    return np.array([SHAPES.index(name)])


def value(name: str, b: tuple[float, float, float], x: float) -> float:
    return float(values(kind_of(name), np.array([b]), np.array([[x]]))[0, 0])


def area(name: str, b: tuple[float, float, float], start: float, end: float) -> float:
    return float(areas(kind_of(name), np.array([b]), np.array([start]), np.array([end]))[0])


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("start", "end"), [(1.0, 1000.0), (0.5, 3.0), (10.0, 10.5)])
def test_areas_are_those_of_quadrature(name: str, start: float, end: float) -> None:
    theirs = integrate.quad(lambda x: value(name, MODELS[name], x), start, end, epsabs=0, epsrel=1e-11, limit=200)[0]
    assert area(name, MODELS[name], start, end) == pytest.approx(theirs, rel=1e-9)


def test_int_d1_a_logarithm_is_no_straight_line() -> None:
    """INT-d1: the published program integrates b0 + b1*x where b0 + b1*ln x is meant."""
    assert area("logarithmic", (0.0, 1.0, 0.0), 1, math.e) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("b1", [-1.0, -1.0 + 1e-12, -0.5])
def test_powers_near_minus_one(b1: float) -> None:
    theirs = integrate.quad(lambda x: 2.0 * x**b1, 1, 50)[0]
    assert area("power", (2.0, b1, 0.0), 1, 50) == pytest.approx(theirs, rel=1e-8)


@pytest.mark.parametrize("b1", [1.0, 1.0 + 4e-9, 0.999])
def test_exponentials_near_one(b1: float) -> None:
    theirs = integrate.quad(lambda x: 3.0 * b1**x, 0, 1e6, limit=400)[0]
    assert area("exponential", (3.0, b1, 0.0), 0, 1e6) == pytest.approx(theirs, rel=1e-7)


def test_no_value_where_there_is_none() -> None:
    assert math.isnan(area("exponential", (1.0, -2.0, 0.0), 0, 1))
    assert math.isinf(value("exponential", (1.0, 10.0, 0.0), 1e4))
    assert math.isnan(float(areas(np.array([7]), np.zeros((1, 3)), np.zeros(1), np.ones(1))[0]))


def test_reg_d1_powers_are_taken_of_x_itself() -> None:
    """REG-d1: the published program evaluates a power at log10(x)."""
    assert value("power", (2.0, 2.0, 0.0), 1000.0) == 2e6


def test_arguments_next_to_zero_are_raised() -> None:
    assert value("logarithmic", (0.0, 1.0, 0.0), 0.0) == pytest.approx(math.log(1e-6))
    assert value("power", (1.0, -1.0, 0.0), 0.0) == pytest.approx(1e6)
    assert grid(np.array([0.0]), np.array([999.0]))[0, :2].tolist() == [1e-6, 1.0]
    assert len(grid(np.array([0.0]), np.array([999.0]))[0]) == 1000


def test_growth_is_the_exponent() -> None:
    x = np.array([100.0])
    exponents = {
        name: float(growth_exponents(kind_of(name), np.array([b]), x)[0])
        for name, b in (
            ("constant", (3.0, 0.0, 0.0)),
            ("linear", (0.0, 7.0, 0.0)),
            ("quadratic", (0.0, 0.0, 2.0)),
            ("power", (0.5, 1.37, 0.0)),
            ("exponential", (2.0, math.e, 0.0)),
        )
    }
    assert exponents == {
        "constant": 0.0,
        "linear": 1.0,
        "quadratic": 2.0,
        "power": pytest.approx(1.37),
        "exponential": pytest.approx(100.0),
    }


def test_steps_and_curves() -> None:
    buckets = (np.zeros(0), np.array([1.0, np.nan, 3.0, 4.0]))
    found = steps_at(buckets, 0.0, 8.0, np.array([-1.0, 0.0, 1.9, 2.0, 4.0, 8.0, 8.1]))
    assert [None if math.isnan(one) else one for one in found.tolist()] == [None, 1.0, 1.0, None, 3.0, 4.0, None]
    line = curve_at((np.array([0.0, 10.0]), np.array([0.0, 5.0])), np.array([-1.0, 4.0, 10.0, 11.0]))
    assert [None if math.isnan(one) else one for one in line.tolist()] == [None, 2.0, 5.0, None]


def test_buckets_are_put_into_others() -> None:
    four = rebinned(np.array([1.0, 3.0, 5.0, 7.0]), np.linspace(0, 8, 5), np.linspace(0, 8, 3))
    assert four.tolist() == [2.0, 6.0]
    gap = rebinned(np.array([1.0, np.nan]), np.linspace(0, 4, 3), np.linspace(0, 4, 5))
    assert gap[:2].tolist() == [1.0, 1.0]
    assert np.isnan(gap[2:]).all()
