"""Fits of the six cost models: the golden table, what must not be fitted, and scipy as the oracle."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from profgate.model.cost_models import CONSTANT, QUADRATIC, SHAPES
from profgate.statistics.model_fits import Fits, criterion, fitted

X = [1, 2, 3, 5, 8, 13, 21, 34]
Y = [2.1, 4.4, 6.2, 10.8, 17.1, 26.3, 44.0, 69.5]
GOLDEN = {
    "constant": (22.55, 0.0, 0.0, 0.000363831, 3861.18, 55.834293),
    "logarithmic": (-9.701877099, 17.652346623, 0.0, 0.821540631, 689.063746, 47.647137),
    "linear": (0.309792767, 2.045076527, 0.0, 0.999636169, 1.404816, -1.916279),
    "quadratic": (0.078951694, 2.103599467, -0.001736098, 0.999697730, 1.167121, 5.934118),
    "power": (2.147929237, 0.988321121, 0.0, 0.999572606, 1.422074, -1.818599),
    "exponential": (4.723776066, 1.098091798, 0.0, 0.812319248, 2244.928325, 57.095899),
}


def fit(x: Sequence[float], y: Sequence[float]) -> dict[str, tuple[float, ...]]:
    """b0, b1, b2, r_square, error, criterion, start and end by name."""
    found = fitted(np.zeros(len(x), np.int64), np.array(x, np.float64), np.array(y, np.float64), 1)
    scores = criterion(found.kind, found.error, found.points)
    return {
        SHAPES[kind]: (
            *found.coefficients[row].tolist(),
            float(found.r_square[row]),
            float(found.error[row]),
            float(scores[row]),
            float(found.start[row]),
            float(found.end[row]),
        )
        for row, kind in enumerate(found.kind.tolist())
    }


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_rows(name: str) -> None:
    *found, start, end = fit(X, Y)[name]
    assert found == [pytest.approx(value, rel=1e-6, abs=5e-10) for value in GOLDEN[name]]
    assert (start, end) == (1.0, 34.0)


@pytest.mark.parametrize("factor", [1000.0, 1e-3])
def test_reg_d2_the_constant_knows_no_unit(factor: float) -> None:
    """REG-d2: the published program mixes radians with degrees, so its constant's score moves with the unit."""
    scaled = fit(X, [factor * y for y in Y])
    assert scaled["constant"][3] == pytest.approx(GOLDEN["constant"][3], rel=1e-6)
    assert scaled["constant"][3] == pytest.approx(1 - scaled["linear"][3], rel=1e-9)


def test_reg_d3_equal_sizes_have_no_model() -> None:
    """REG-d3: the published program divides by zero where all sizes are equal."""
    assert fit([7, 7, 7, 7], [1, 2, 3, 4]) == {}


def test_reg_d4_equal_amounts_are_constant() -> None:
    """REG-d4: a spread of zero is no 1e-6; and no score leaves 0..1."""
    assert list(fit([1, 2, 3, 4], [5, 5, 5, 5])) == ["constant"]
    assert fit([1, 2, 3, 4], [5, 5, 5, 5])["constant"][3] == 1.0
    assert all(0.0 <= found[3] <= 1.0 for found in fit([1, 2, 3, 4, 5, 6], [1, 9, 1, 9, 1, 9]).values())


def test_reg_d6_three_points_are_no_parabola() -> None:
    """REG-d6: a parabola needs four points of three sizes."""
    assert "quadratic" not in fit([1, 2, 3], [1, 4, 9])
    assert "quadratic" not in fit([1, 1, 2, 2], [1, 2, 3, 5])
    assert "quadratic" in fit([1, 2, 3, 4], [1, 4, 9, 17])
    assert fit([1, 2], [1, 2]) == {}


def test_reg_d6_model_needs_nine_tenths() -> None:
    """REG-d6: few points that happen to have a logarithm are no power."""
    few = fit([0, 0, 1, 2, 3, 4, 5, 6, 7, 8], [1, 1, 2, 4, 6, 8, 10, 12, 14, 16])
    assert "power" not in few
    assert "logarithmic" not in few
    enough = fit([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 4, 6, 8, 10, 12, 14, 16, 18])
    assert {"power", "logarithmic"} <= set(enough)


def test_reg_d7_omitted_point_sets_no_start() -> None:
    """REG-d7: the published program takes the first x even where it had to skip it."""
    found = fit([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 4, 6, 8, 10, 12, 14, 16, 18])
    assert found["power"][6:] == (1.0, 9.0)
    assert found["linear"][6:] == (0.0, 9.0)


def test_a_perfect_fit_has_no_error() -> None:
    found = fit([1, 2, 3, 4, 5, 6], [3, 5, 7, 9, 11, 13])
    assert found["linear"][4] == 0.0 == found["quadratic"][4]
    assert found["linear"][5] == -math.inf


@given(st.lists(st.tuples(st.integers(1, 10**3), st.integers(1, 10**6)), min_size=5, max_size=30))
def test_fits_agree_with_scipy_and_numpy(found: list[tuple[int, int]]) -> None:
    x, y = (np.array(column, np.float64) for column in zip(*found, strict=True))
    if len(np.unique(x)) < 4 or len(np.unique(y)) < 3:
        return
    ours = fit(x.tolist(), y.tolist())
    if "exponential" not in ours or not 0 < ours["exponential"][0] < math.inf:
        return
    for name, u, v in (
        ("linear", x, y),
        ("logarithmic", np.log(x), y),
        ("power", np.log10(x), np.log10(y)),
        ("exponential", x, np.log10(y)),
    ):
        theirs = stats.linregress(u, v)
        b0, b1, *_ = ours[name]
        found_line = (b0, b1)
        if name == "power":
            found_line = (math.log10(b0), b1)
        elif name == "exponential":
            found_line = (math.log10(b0), math.log10(b1))
        assert found_line == pytest.approx((theirs.intercept, theirs.slope), rel=1e-6, abs=1e-9)
        assert ours[name][3] == pytest.approx(theirs.rvalue**2, rel=1e-6, abs=1e-12)
    parabola = np.polynomial.Polynomial.fit(x, y, 2)
    error = float(((y - parabola(x)) ** 2).sum())
    assert ours["quadratic"][4] == pytest.approx(error, rel=1e-6, abs=1e-9 * float((y**2).sum()))


def test_no_fits_of_no_groups() -> None:
    nothing = np.zeros(0)
    found: Fits = fitted(nothing.astype(np.int64), nothing, nothing, 0)
    assert len(found.kind) == 0
    assert math.isnan(float(criterion(np.array([CONSTANT]), np.array([1.0]), np.array([3]))[0]))
    assert math.isnan(float(criterion(np.array([QUADRATIC]), np.array([1.0]), np.array([5]))[0]))
