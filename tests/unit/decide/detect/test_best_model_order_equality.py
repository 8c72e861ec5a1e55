"""The order of growth of the best models: every golden row, and what is not known."""

import math

import pytest

from model_samples import Given, measured, modelled, pair, points
from profgate.decide.detect.regression_models import BestModelOrderEquality
from profgate.model.change import Context, Detection, Kind
from profgate.model.comparison import Comparison
from profgate.model.reason import Reason
from sentences import case, details_of

NAN = math.nan
Row = tuple[str, float]


def detect(comparison: Comparison, **options: object) -> Detection:
    return BestModelOrderEquality().detect(comparison, options, Context())


def models(*rows: Row) -> list[Given]:
    return [Given(name, (1.0, 1.0, 1.0) if name == "quadratic" else (1.0, 1.0), r_square) for name, r_square in rows]


@pytest.mark.parametrize(
    ("baseline", "target", "kind", "steps", "confidence"),
    [
        ([("linear", 0.95), ("power", 0.94)], [("quadratic", 0.99)], Kind.DEGRADATION, 1, 0.95),
        ([("linear", 0.90)], [("power", 0.90)], Kind.DEGRADATION, 2, 0.90),
        ([("linear", 0.89)], [("power", 0.99)], Kind.NO_CHANGE, 0, 0.89),
        ([("constant", 1.0)], [("exponential", 0.99)], Kind.DEGRADATION, 5, 0.99),
        ([("power", 0.99)], [("linear", 0.99)], Kind.OPTIMIZATION, -2, 0.99),
        ([("quadratic", 0.95), ("linear", 0.95)], [("linear", 0.95)], Kind.NO_CHANGE, 0, 0.95),
    ],
    ids=["one step", "at the bound", "below the bound", "five steps", "back", "REG-d5 tie"],
)
def test_golden_rows(baseline: list[Row], target: list[Row], kind: Kind, steps: int, confidence: float) -> None:
    result = detect(pair(models(*baseline), models(*target)))
    assert (Kind(int(result.kind[0])), details_of(result).order_steps[0]) == (kind, steps)
    assert result.confidence[0] == pytest.approx(confidence)
    assert result.confidence_types == ["r_square"]


@pytest.mark.parametrize(
    ("baseline", "target"),
    [([("linear", 0.0)], [("power", 0.9)]), ([("linear", 0.99)], [("linear", NAN)])],
    ids=["score of zero", "score that is not a number"],
)
def test_bmoe_d2_no_usable_model_is_unknown(baseline: list[Row], target: list[Row]) -> None:
    """BMOE-d2: the published program leaves such a location out without a result."""
    result = detect(pair(models(*baseline), models(*target)))
    assert [Kind(code) for code in result.kind.tolist()] == [Kind.UNKNOWN]
    assert case(result.reasons[0]) == "no_model"


def test_com_d1_location_of_one_side() -> None:
    """COM-d1: the published program passes over locations that one side lacks."""
    line = models(("linear", 0.99))
    result = detect(modelled({"old": line}, {"new": line}))
    assert [Kind(code) for code in result.kind.tolist()] == [Kind.NOT_IN_BASELINE, Kind.NOT_IN_TARGET]
    assert (details_of(result).baseline, details_of(result).target) == (["", "linear"], ["linear", ""])


def test_reg_d8_best_of_several_models() -> None:
    """REG-d8: with a filter by name the published program takes the last model of a kind."""
    result = detect(pair([Given("linear", (1, 1), 0.97), Given("linear", (9, 9), 0.2)], models(("linear", 0.99))))
    assert result.confidence[0] == pytest.approx(0.97)


def test_records_are_fitted_and_chosen_by_akaike() -> None:
    """By R² a parabola always beats a line on noisy straight data; by the criterion it does not."""
    straight, steep = points(shape="linear", b0=5, b1=2, noise=0.01), points(shape="linear", b0=5, b1=20, noise=0.01)
    bent = points(shape="quadratic", b0=5, b1=2, b2=0.4, noise=0.001)
    result = detect(measured({"f": straight, "g": straight}, {"f": steep, "g": bent}))
    assert details_of(result).baseline == ["linear", "linear"]
    assert details_of(result).target == ["linear", "quadratic"]
    assert [Kind(code) for code in result.kind.tolist()] == [Kind.NO_CHANGE, Kind.DEGRADATION]


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ([(5.0, 1.0), (5.0, 2.0), (5.0, 3.0)], "equal_sizes"),
        ([(1.0, 1.0), (2.0, 2.0)], "few_sizes"),
        ([(1.0, 1.0)], "few_sizes"),
        ([(NAN, 1.0), (NAN, 2.0), (NAN, 3.0)], "no_size"),
        ([(1.0, 3.0), (2.0, 1.0), (3.0, 2.5)], "unfit"),
    ],
)
def test_reg_d3_reason_names_what_records_lack(found: list[tuple[float, float]], reason: str) -> None:
    """REG-d3: equal sizes are shown, not divided by."""
    result = detect(measured({"f": points(shape="linear", b0=1, b1=1)}, {"f": found}))
    assert Kind(int(result.kind[0])) is Kind.UNKNOWN
    (found_reason,) = result.reasons
    assert isinstance(found_reason, Reason)
    assert found_reason.parameters["target"] == reason
