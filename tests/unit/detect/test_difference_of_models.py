"""fast_check, linear_regression and polynomial_regression: golden rows, and what the published program got wrong."""

import math
from typing import Any

import pytest

from model_samples import MODEL_PAIRS, Given, measured, pair, points, with_line
from profgate.detect.difference_of_models import FastCheck, LinearRegression, PolynomialRegression
from profgate.detect.strategy import Strategy
from profgate.model.change import Context, Detection
from profgate.model.comparison import Comparison
from profgate.model.kinds import Kind
from profgate.model.units import Metric
from sentences import sentence

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


def said(word: Detection, row: int = 0) -> tuple[Any, Kind, str]:
    assert word.relative is not None
    return float(word.relative[row]), Kind(int(word.kind[row])), word.labels[row]


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_rows(name: str) -> None:
    relative, kind, shape = GOLDEN[name]
    assert said(detect(pair(*MODEL_PAIRS[name]))) == (pytest.approx(relative, abs=6e-10), kind, shape)


@pytest.mark.parametrize("name", GOLDEN)
def test_the_three_differ_in_the_shape_alone(name: str) -> None:
    words = [detect(pair(*MODEL_PAIRS[name]), strategy) for strategy in THREE]
    assert (
        len({(said(word)[:2], word.from_names[0], float(word.confidence[0])) for word in words if word.from_names}) == 1
    )


def test_gen_d1_models_are_compared_at_the_same_sizes() -> None:
    """GEN-d1: one line, seen over two ranges, is one line; sampled on its own range each it seems to have doubled."""
    word = detect(pair([Given("linear", (0, 2), 0.99, 0, 100)], [Given("linear", (0, 2), 0.99, 0, 200)]))
    assert said(word) == (0.0, Kind.NO_CHANGE, "")


def test_gen_d2_every_coefficient_and_the_values_count() -> None:
    """GEN-d2: fifty times the quadratic coefficient passed as no change, and so did +24 % of opposite terms."""
    assert said(detect(pair(*MODEL_PAIRS["E"])))[1] is Kind.DEGRADATION
    opposite = pair([Given("linear", (1000, -0.96), 0.99, 1, 1000)], [Given("linear", (1040, -0.96), 0.99, 1, 1000)])
    assert said(detect(opposite))[1] is Kind.MAYBE_DEGRADATION


@pytest.mark.parametrize("broken", [(1.0, 10.0), (math.nan, 1.0)], ids=["overflow", "no number"])
def test_gen_d3_what_is_not_finite_is_unknown(broken: tuple[float, float]) -> None:
    """GEN-d3: a difference that is no number counted as an optimization."""
    word = detect(pair([Given("linear", (1, 1), 0.99, 1, 1000)], with_line(Given("exponential", broken, 0.99))))
    assert said(word)[1] is Kind.UNKNOWN
    assert sentence(word.reasons[0]) == "the models give no number to compare over most of the range"


def test_gen_d4_points_where_the_baseline_is_zero_are_left_out() -> None:
    """GEN-d4: x/0 counted as 1.8e308; one point of a thousand must not decide."""
    word = detect(pair(*MODEL_PAIRS["D"]))
    assert abs(said(word)[0]) < 1
    nothing = detect(pair(with_line(Given("constant", (0,), 0.99)), with_line(Given("constant", (1,), 0.99))))
    assert said(nothing)[1] is Kind.UNKNOWN


def test_gen_d5_the_confidence_is_that_of_the_compared_models() -> None:
    """GEN-d5: the published program takes the baseline's best model and the target's linear one."""
    word = detect(pair([Given("linear", (1, 1), 0.97)], with_line(Given("power", (1, 2), 0.98))))
    assert word.confidence.tolist() == [0.97]


def test_gen_d6_the_shape_hangs_on_no_unit_and_not_on_the_lines() -> None:
    """GEN-d6: the bound of 1e8 is absolute and the difference is one of lines, so a parabola was never found."""
    for unit in (1e-6, 1.0, 1e9):
        word = detect(
            pair(
                with_line(Given("quadratic", (1 * unit, 1 * unit, 1 * unit), 0.99, 0, 100)),
                with_line(Given("quadratic", (1 * unit, 1 * unit, 50 * unit), 0.99, 0, 100)),
            )
        )
        assert said(word)[2] == "quadratic"


def test_gen_d7_equal_lines_do_not_raise() -> None:
    """GEN-d7: linear_regression raised where both linear models are the same."""
    word = detect(pair(*MODEL_PAIRS["B"]), LinearRegression())
    assert said(word) == (0.25, Kind.MAYBE_DEGRADATION, "constant")


def test_gen_d8_names_are_in_lower_case_and_ties_take_the_lower_order() -> None:
    """GEN-d8: fast_check named a constant difference QUADRATIC."""
    assert said(detect(pair(*MODEL_PAIRS["B"]), FastCheck()))[2] == "constant"
    assert said(detect(pair(*MODEL_PAIRS["A"]), FastCheck()))[2] == "linear"


def test_lreg_names_a_curve_by_the_model_that_fits() -> None:
    base = [Given("linear", (10, 0), 0.99, 1, 1000)]
    steep = with_line(Given("exponential", (10.0, 1.01), 0.99))
    assert said(detect(pair(base, steep), LinearRegression()))[2] in {"exponential", "power"}
    assert said(detect(pair(base, steep)))[2] == "unknown"


def test_sign_of_the_area_and_of_the_mean_disagree() -> None:
    """More in relative terms at small sizes, less in sum: a maybe, by the sum."""
    word = detect(pair([Given("linear", (0, 1), 0.99, 1, 1000)], [Given("linear", (40, 0.9), 0.99, 1, 1000)]))
    relative, kind, _ = said(word)
    assert relative > 0
    assert kind is Kind.MAYBE_OPTIMIZATION


def test_a_small_common_range_is_a_maybe_with_a_flag() -> None:
    word = detect(pair([Given("linear", (0, 1), 0.99, 0, 100)], [Given("linear", (0, 9), 0.99, 60, 200)]))
    assert said(word)[1] is Kind.MAYBE_DEGRADATION
    assert word.flags == {0: ("partial_overlap",)}
    assert (
        detect(
            pair([Given("linear", (0, 1), 0.99, 0, 100)], [Given("linear", (0, 9), 0.99, 60, 200)]), min_overlap=0.2
        ).flags
        == {}
    )


def test_ranges_that_do_not_meet_are_unknown() -> None:
    word = detect(pair([Given("linear", (0, 1), 0.99, 0, 100)], [Given("linear", (0, 9), 0.99, 100, 200)]))
    assert said(word)[1] is Kind.UNKNOWN
    assert sentence(word.reasons[0]) == "the ranges of sizes have nothing in common"


def test_the_linear_model_is_fitted_where_there_are_records() -> None:
    power = Given("power", (1, 2), 0.99, 1, 100)
    assert (
        sentence(detect(pair([power], [power])).reasons[0]) == "there is no linear model in the baseline and the target"
    )
    same = points(shape="power", b0=1, b1=2)
    assert said(detect(measured({"f": same}, {"f": same})))[1] is Kind.NO_CHANGE


def test_records_tell_a_slower_function() -> None:
    before, after = points(shape="linear", b0=5, b1=2, noise=0.01), points(shape="linear", b0=5, b1=3, noise=0.01)
    word = detect(measured({"f": before, "g": before}, {"f": after, "g": before}))
    assert [Kind(code) for code in word.kind.tolist()] == [Kind.DEGRADATION, Kind.NO_CHANGE]


def test_higher_is_better_swaps_the_words() -> None:
    word = detect(pair(*MODEL_PAIRS["A"], metric=Metric("hits", "hits", better="higher")))
    assert said(word)[1] is Kind.OPTIMIZATION
