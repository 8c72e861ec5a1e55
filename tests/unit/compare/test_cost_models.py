"""Models of both sides: brought by profiles, fitted to records, or a line beside what was brought."""

import numpy as np
import pytest

from comparisons import SAMPLES
from model_samples import Given, measured, modelled, points
from profgate.compare.growth import cost_models
from profgate.model.comparison import Comparison, Observations
from profgate.model.cost_models import MODEL_NAMES, CostModels
from profgate.model.profile import Configuration, FrameList, Profile


def listed(comparison: Comparison) -> list[tuple[int, int, str, bool]]:
    models = comparison.attached(CostModels)
    if models is None:
        return []
    columns = (models.side.tolist(), models.symbol.tolist(), models.kind.tolist(), models.fitted.tolist())
    return [(side, symbol, MODEL_NAMES[kind], fitted) for side, symbol, kind, fitted in zip(*columns, strict=True)]


def test_best_model_of_each_kind_remains() -> None:
    found = modelled(
        {"g": [Given("power", (1, 2))], "f": [Given("linear", (9, 9), 0.3), Given("linear", (1, 1), 0.9)]},
        {"f": [Given("constant", (4,))]},
    )
    assert listed(found) == [(0, 0, "linear", False), (0, 1, "power", False), (1, 0, "constant", False)]
    models = found.attached(CostModels)
    assert models is not None
    assert models.r_square.tolist() == [0.9, 0.99, 0.99]
    assert models.coefficients.tolist() == [[1, 1, 0], [1, 2, 0], [4, 0, 0]]


def test_reg_d4_scores_stay_between_0_and_1() -> None:
    """REG-d4: published scores leave 0..1."""
    found = modelled({"f": [Given("linear", (1, 1), 1.4)]}, {"f": [Given("linear", (1, 1), -0.4)]})
    models = found.attached(CostModels)
    assert models is not None
    assert models.r_square.tolist() == [1.0, 0.0]


def test_a_coefficient_that_is_missing_is_no_zero() -> None:
    found = modelled({"f": [Given("linear", (1,))]}, {"f": [Given("quadratic", (1, 2))]})
    models = found.attached(CostModels)
    assert models is not None
    assert np.isnan(models.coefficients).tolist() == [[False, True, False], [False, False, True]]


def test_records_are_fitted_on_both_sides() -> None:
    line = points(shape="linear", b0=1, b1=2, noise=0.01)
    found = listed(measured({"f": line}, {"f": line, "g": line}))
    assert {(side, symbol) for side, symbol, _, _ in found} == {(0, 0), (1, 0), (1, 1)}
    assert all(fitted for _, _, _, fitted in found)
    assert {name for _, _, name, _ in found} == set(MODEL_NAMES[:6])


def records(symbols: list[int], subtypes: list[int], names: list[str]) -> Observations:
    count = len(symbols)
    x = np.tile(np.arange(1.0, 1 + count / 2), 2)
    return Observations(
        symbol=np.array(symbols),
        side=np.array([0] * (count // 2) + [1] * (count // 2)),
        run=np.array([0] * (count // 2) + [1] * (count // 2)),
        amount=3 * x,
        exclusive=3 * x,
        size=x,
        subtype=np.array(subtypes),
        subtypes=names,
    )


@pytest.mark.parametrize(
    ("brought", "added"), [("power", ["linear"]), ("linear", []), ("moving_average", list(MODEL_NAMES[:6]))]
)
def test_models_that_come_with_a_profile_are_used(brought: str, added: list[str]) -> None:
    """Beside a power the line is fitted, beside a line nothing; a curve is no formula, so all of them are."""
    curve = (1.0, 2.0) if brought == "moving_average" else None
    model = Given(brought, (1, 2), y=curve).model(0)
    profile = Profile("p", Configuration(), (SAMPLES,), FrameList.of_names(["f"]), attachments=(model,))
    found = cost_models([[(profile, np.array([0]))], []], records([0] * 8, [0] * 8, [""]))
    assert found is not None
    assert [MODEL_NAMES[kind] for kind in found.kind[(found.side == 0) & found.fitted].tolist()] == added
