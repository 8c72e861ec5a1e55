"""Local parts of the curve: every golden row, and what the published program got wrong."""

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.integrate import simpson

from model_samples import MODEL_PAIRS, Given, pair
from profgate.decide.detect.regression_models import LocalStatistics, areas_of_windows
from profgate.model.change import Context, Detection, Kind
from profgate.model.comparison import Comparison
from sentences import details_of

GOLDEN = {
    "A": (8.758891075, Kind.DEGRADATION),  # LOC-d1: y is compared and not x
    "B": (0.25, Kind.MAYBE_DEGRADATION),
    "C": (9.0, Kind.DEGRADATION),
    "D": (-0.159753538, Kind.MAYBE_OPTIMIZATION),
    "E": (46.529516556, Kind.DEGRADATION),
    "F": (0.0, Kind.NO_CHANGE),  # LOC-d2: both sides have the same sizes
    "G": (0.04, Kind.NO_CHANGE),
    "H": (0.049490221, Kind.NO_CHANGE),
}


def detect(comparison: Comparison, **options: Any) -> Detection:
    return LocalStatistics().detect(comparison, options, Context())


def outcome(result: Detection) -> tuple[Any, Kind]:
    assert result.relative is not None
    return float(result.relative[0]), Kind(int(result.kind[0]))


def of(name: str) -> Detection:
    return detect(pair(*MODEL_PAIRS[name]))


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_rows(name: str) -> None:
    relative, kind = GOLDEN[name]
    assert outcome(of(name)) == (pytest.approx(relative, rel=1e-8, abs=1e-12), kind)


def test_golden_windows() -> None:
    assert Counter(part.kind for part in details_of(of("B")).windows[0]) == {"MaybeDegradation": 20}
    windows = details_of(of("H")).windows[0]
    assert Counter(part.kind for part in windows) == {"NoChange": 13, "MaybeDegradation": 4, "Degradation": 3}
    assert windows[-1].relative == pytest.approx(0.314430945, rel=1e-8)


def test_loc_d3_no_baseline_statistic() -> None:
    """LOC-d3: nothing in the baseline counted as no change."""
    result = detect(pair([Given("constant", (0,), 0.99)], [Given("constant", (1,), 0.99)]))
    assert outcome(result)[1] is Kind.UNKNOWN
    assert details_of(result).windows[0] == ()
    assert outcome(detect(pair([Given("constant", (0,), 0.99)], [Given("constant", (0,), 0.99)])))[1] is Kind.NO_CHANGE


def test_loc_d4_unchanged_windows_stay_between_the_others() -> None:
    """LOC-d4: the published program drops them before it merges neighbours, so ranges span what did not change."""
    windows = details_of(of("H")).windows[0]
    assert len(windows) == 20
    assert windows[0].x_from == pytest.approx(1e-6)
    assert windows[-1].x_to == 100.0
    assert all(left.x_to < right.x_from for left, right in itertools.pairwise(windows))


def test_negative_values_form_no_ratio() -> None:
    """A line that starts below zero: those windows say nothing, the others do."""
    result = detect(pair([Given("linear", (-100, 1), 0.99, 0, 1000)], [Given("linear", (-200, 2), 0.99, 0, 1000)]))
    assert outcome(result) == (pytest.approx(1.0), Kind.DEGRADATION)
    assert len(details_of(result).windows[0]) == 18
    partly = detect(pair([Given("linear", (-280, 2), 0.99, 0, 1000)], [Given("linear", (-140, 1), 0.99, 0, 1000)]))
    assert {part.kind for part in details_of(partly).windows[0]} == {"Optimization"}


def test_curves_are_compared_by_window() -> None:
    flat = Given("moving_average", (), 0.9, 0, 10, (4, 4, 4, 4))
    late = Given("moving_average", (), 0.9, 0, 10, (4, 4, 4, 8))
    windows = details_of(detect(pair([flat], [late]))).windows[0]
    assert [part.kind for part in windows][:12] == ["NoChange"] * 12
    assert windows[-1].kind == "Degradation"
    gaps = Given("regressogram", (), 0.9, 0, 10, (4, float("nan"), 4, 4))
    result = detect(pair([gaps], [gaps]))
    assert (len(details_of(result).windows[0]), outcome(result)) == (15, (0.0, Kind.NO_CHANGE))


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 50, 999, 1000])
def test_areas_agree_with_scipy(size: int) -> None:
    x, y = np.linspace((1.0, 40.0), (9.0, 41.0), size, axis=1), np.random.default_rng(size).normal(size=(2, size))
    assert areas_of_windows(y, x) == pytest.approx(simpson(y, x=x), rel=1e-12)
