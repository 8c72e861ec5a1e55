"""fast_check, linear_regression and polynomial_regression: golden rows, and what the published program got wrong."""

import math
from typing import Any

import pytest

from model_samples import MODEL_PAIRS, Given, measured, pair, points, with_line
from profgate.decide.detect.regression_models import (
    BestModelOrderEquality,
    FastCheck,
    IntegralComparison,
    LinearRegression,
    LocalStatistics,
    PolynomialRegression,
)
from profgate.decide.detect.strategy import Strategy
from profgate.model.change import Context, Detection, Kind
from profgate.model.comparison import Comparison
from profgate.model.reason import Reason
from profgate.model.units import Metric
from sentences import case, details_of

THREE: tuple[Strategy, ...] = (FastCheck(), LinearRegression(), PolynomialRegression())
GOLDEN = {
    "A": (8.765679484, Kind.DEGRADATION, "linear"),
    "B": (0.25, Kind.MAYBE_DEGRADATION, "constant"),
    "C": (9.0, Kind.DEGRADATION, "linear"),
    "D": (-0.152041784, Kind.MAYBE_OPTIMIZATION, "unknown"),
    "E": (46.424995841, Kind.DEGRADATION, "quadratic"),
    "F": (0.0, Kind.NO_CHANGE, ""),
    "G": (0.04, Kind.NO_CHANGE, ""),
    "H": (0.049423653, Kind.MAYBE_DEGRADATION, "quadratic"),
}


def detect(comparison: Comparison, strategy: Strategy = THREE[2], **options: Any) -> Detection:
    return strategy.detect(comparison, options, Context())


def outcome(result: Detection, row: int = 0) -> tuple[Any, Kind, str]:
    assert result.relative is not None
    return float(result.relative[row]), Kind(int(result.kind[row])), result.labels[row]


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_rows(name: str) -> None:
    relative, kind, shape = GOLDEN[name]
    assert outcome(detect(pair(*MODEL_PAIRS[name]))) == (pytest.approx(relative, abs=6e-10), kind, shape)


@pytest.mark.parametrize("name", GOLDEN)
def test_the_three_differ_in_the_shape_alone(name: str) -> None:
    results = [detect(pair(*MODEL_PAIRS[name]), strategy) for strategy in THREE]
    common = {
        (outcome(result)[:2], str(details_of(result).baseline), float(result.confidence[0])) for result in results
    }
    assert len(common) == 1


def test_gen_d1_models_share_sizes() -> None:
    """GEN-d1: one line, seen over two ranges, is one line; sampled on its own range each it seems to have doubled."""
    result = detect(pair([Given("linear", (0, 2), 0.99, 0, 100)], [Given("linear", (0, 2), 0.99, 0, 200)]))
    assert outcome(result) == (0.0, Kind.NO_CHANGE, "")


def test_gen_d2_every_coefficient_and_the_values_count() -> None:
    """GEN-d2: +24 % of opposite terms passed as no change, and so did fifty times the quadratic coefficient (E)."""
    opposite = pair([Given("linear", (1000, -0.96), 0.99, 1, 1000)], [Given("linear", (1040, -0.96), 0.99, 1, 1000)])
    assert outcome(detect(opposite))[1] is Kind.MAYBE_DEGRADATION


@pytest.mark.parametrize("broken", [(1.0, 10.0), (math.nan, 1.0)], ids=["overflow", "no number"])
def test_gen_d3_what_is_not_finite_is_unknown(broken: tuple[float, float]) -> None:
    """GEN-d3: a difference that is not a number counted as an optimization."""
    result = detect(pair([Given("linear", (1, 1), 0.99, 1, 1000)], with_line(Given("exponential", broken, 0.99))))
    assert outcome(result)[1] is Kind.UNKNOWN
    assert case(result.reasons[0]) == "no_difference"


def test_gen_d4_zero_baseline_points_are_omitted() -> None:
    """GEN-d4: x/0 counted as 1.8e308; one point of a thousand must not decide (D)."""
    nothing = detect(pair(with_line(Given("constant", (0,), 0.99)), with_line(Given("constant", (1,), 0.99))))
    assert outcome(nothing)[1] is Kind.UNKNOWN


@pytest.mark.parametrize(
    ("strategy", "name", "shape"),
    [(LinearRegression(), "B", "constant"), (FastCheck(), "B", "constant"), (FastCheck(), "A", "linear")],
)
def test_gen_d7_d8_ties_take_lower_order(strategy: Strategy, name: str, shape: str) -> None:
    """GEN-d7: linear_regression raised where both lines are the same. GEN-d8: fast_check named B QUADRATIC."""
    assert outcome(detect(pair(*MODEL_PAIRS[name]), strategy))[2] == shape


@pytest.mark.parametrize("strategy", [*THREE, IntegralComparison(), LocalStatistics(), BestModelOrderEquality()])
def test_higher_is_better_swaps_kinds(strategy: Strategy) -> None:
    faster = with_line(Given("power", (10, 1.5), 0.999))
    result = detect(pair(MODEL_PAIRS["A"][0], faster, metric=Metric("hits", "hits", better="higher")), strategy)
    assert Kind(int(result.kind[0])) is Kind.OPTIMIZATION


def test_gen_d5_confidence_of_compared_models() -> None:
    """GEN-d5: the published program takes the baseline's best model and the target's linear one."""
    result = detect(pair([Given("linear", (1, 1), 0.97)], with_line(Given("power", (1, 2), 0.98))))
    assert result.confidence.tolist() == [0.97]


def test_gen_d6_shape_ignores_units() -> None:
    """GEN-d6: the bound of 1e8 is absolute and the difference is one of lines, so a parabola was never found."""
    for unit in (1e-6, 1.0, 1e9):
        result = detect(
            pair(
                with_line(Given("quadratic", (1 * unit, 1 * unit, 1 * unit), 0.99, 0, 100)),
                with_line(Given("quadratic", (1 * unit, 1 * unit, 50 * unit), 0.99, 0, 100)),
            )
        )
        assert outcome(result)[2] == "quadratic"


def test_small_common_range_is_a_maybe() -> None:
    result = detect(pair([Given("linear", (0, 1), 0.99, 0, 100)], [Given("linear", (0, 9), 0.99, 60, 200)]))
    assert outcome(result)[1] is Kind.MAYBE_DEGRADATION
    assert result.flags == ["partial_overlap"]
    sides = pair([Given("linear", (0, 1), 0.99, 0, 100)], [Given("linear", (0, 9), 0.99, 60, 200)])
    assert detect(sides, min_overlap=0.2).flags == [""]


def test_linear_model_is_fitted_to_records() -> None:
    power = [Given("power", (1, 2), 0.99, 1, 100)]
    sides = ((power, power), (power, with_line(*power)), (with_line(*power), power))
    for (before, after), place in zip(sides, ("both", "baseline", "target"), strict=True):
        (reason,) = detect(pair(before, after)).reasons
        assert isinstance(reason, Reason)
        assert reason.parameters == {"case": "no_line", "side": place}
    same = points(shape="power", b0=1, b1=2)
    assert outcome(detect(measured({"f": same}, {"f": same})))[1] is Kind.NO_CHANGE
