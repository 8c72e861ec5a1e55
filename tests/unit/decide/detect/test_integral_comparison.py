"""Areas under the models: every golden row, and what the published program got wrong."""

from typing import Any

import pytest

from model_samples import MODEL_PAIRS, Given, pair
from profgate.decide.detect.regression_models import IntegralComparison
from profgate.model.change import Context, Detection, Kind
from profgate.model.comparison import Comparison
from sentences import case, details_of

GOLDEN = {
    "A": (8.910979228, Kind.DEGRADATION),
    "B": (0.25, Kind.MAYBE_DEGRADATION),
    "C": (9.0, Kind.DEGRADATION),
    "D": (-0.154306150, Kind.MAYBE_OPTIMIZATION),
    "E": (48.261597557, Kind.DEGRADATION),
    "F": (0.0, Kind.NO_CHANGE),  # INT-d2: the range is common
    "G": (0.04, Kind.NO_CHANGE),
    "H": (0.083333333, Kind.NO_CHANGE),
}


def detect(comparison: Comparison, **options: Any) -> Detection:
    return IntegralComparison().detect(comparison, options, Context())


def outcome(result: Detection, row: int = 0) -> tuple[Any, Kind]:
    assert result.relative is not None
    return float(result.relative[row]), Kind(int(result.kind[row]))


def constant(value: float, r_square: float = 0.99, start: float = 0.0, end: float = 10.0) -> Given:
    return Given("constant", (value,), r_square, start, end)


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_rows(name: str) -> None:
    relative, kind = GOLDEN[name]
    assert outcome(detect(pair(*MODEL_PAIRS[name]))) == (pytest.approx(relative, abs=6e-10), kind)


@pytest.mark.parametrize(
    ("before", "after", "relative", "kind"),
    [(10, 11, 0.1, Kind.NO_CHANGE), (10, 12.51, 0.251, Kind.DEGRADATION), (10, 7.4, -0.26, Kind.OPTIMIZATION)],
)
def test_golden_bounds(before: float, after: float, relative: float, kind: Kind) -> None:
    assert outcome(detect(pair([constant(before)], [constant(after)]))) == (pytest.approx(relative), kind)


@pytest.mark.parametrize("r_square", [0.144, 0.145])
def test_golden_poor_fits_are_unknown(r_square: float) -> None:
    result = detect(pair([constant(10, r_square)], [constant(20)]))
    assert outcome(result)[1] is Kind.UNKNOWN
    assert case(result.reasons[0]) == "poor_fit"
    assert outcome(detect(pair([constant(10, 0.15)], [constant(20)])))[1] is Kind.DEGRADATION


def test_int_d1_logarithms_are_integrated_as_such() -> None:
    """INT-d1: half as much again read as -100 %."""
    result = detect(pair([Given("logarithmic", (1, 2), 0.99)], [Given("logarithmic", (1.55, 3.1), 0.99)]))
    assert outcome(result) == (pytest.approx(0.55), Kind.DEGRADATION)


@pytest.mark.parametrize("after", [1.0, -1.0])
def test_int_d3_zero_area_is_no_divisor(after: float) -> None:
    """INT-d3: nothing in the baseline was divided by 1e-6."""
    result = detect(pair([constant(0)], [constant(after)]))
    assert outcome(result)[1] is Kind.UNKNOWN
    assert outcome(detect(pair([constant(0)], [constant(0)])))[1] is Kind.NO_CHANGE


def test_int_d4_what_is_not_finite_is_unknown() -> None:
    """INT-d4: an infinite error became 0 and no change."""
    result = detect(pair([Given("linear", (1, 1), 0.99)], [Given("exponential", (1.0, 100.0), 0.99)]))
    assert outcome(result)[1] is Kind.UNKNOWN
    assert case(result.reasons[0]) == "no_area"


def regressogram(*y: float, r_square: float = 0.9, start: float = 0.0, end: float = 10.0) -> Given:
    return Given("regressogram", (), r_square, start, end, y)


def test_models_of_a_pair_are_chosen() -> None:
    before = [constant(10, 0.8), Given("linear", (1, 1), 0.7, 0, 10), regressogram(4, 4)]
    after = [constant(20, 0.8), Given("linear", (1, 1), 0.6, 0, 10), regressogram(8, 8)]
    comparison = pair(before, after)

    def names(models: str) -> list[tuple[str, str, str]]:
        result = detect(comparison, models=models)
        kinds = [Kind(code).word for code in result.kind.tolist()]
        return list(zip(details_of(result).baseline, details_of(result).target, kinds, strict=True))

    assert names("best-model") == [("regressogram", "regressogram", "Degradation")]
    assert names("best-param") == [("constant", "constant", "Degradation")]
    assert names("best-nonparam") == [("regressogram", "regressogram", "Degradation")]


def test_curves_are_compared_over_what_both_know() -> None:
    moving = [
        Given("moving_average", (), 0.9, 0, 10, (1, 2, 3, 4)),
        Given("moving_average", (), 0.9, 0, 10, (2, 4, 6, 8)),
    ]
    result = detect(pair(moving[:1], moving[1:]))
    assert outcome(result) == (pytest.approx(1.0), Kind.DEGRADATION)
    kernel = Given("kernel_regression", (), 0.9, 5, 10, (3, 3))
    flat = Given("kernel_regression", (), 0.9, 0, 10, (3, 3, 3))
    assert outcome(detect(pair([flat], [kernel])))[0] == pytest.approx(0.0)
    gaps = detect(pair([regressogram(1, float("nan"), 1, 1)], [regressogram(2, 2, 2, 2)]))
    assert outcome(gaps) == (pytest.approx(1.0), Kind.DEGRADATION)
    empty = detect(pair([regressogram(1, *[float("nan")] * 3)], [regressogram(2, 2, 2, 2)]))
    assert outcome(empty)[1] is Kind.UNKNOWN


def test_regressograms_of_different_size_share_the_baselines_buckets() -> None:
    """Four buckets of 1, 3, 5, 7 are two of 2 and 6: the same curve, coarser."""
    result = detect(pair([regressogram(2, 6)], [regressogram(1, 3, 5, 7)]))
    assert outcome(result) == (pytest.approx(0.0, abs=1e-12), Kind.NO_CHANGE)
