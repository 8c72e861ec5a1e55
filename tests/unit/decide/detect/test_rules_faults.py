"""Words of outside strategies that do not fit, and strategies that want to leave."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from comparisons import from_stacks
from profgate.decide.detect.builtin import STRATEGIES, detections_of, faults
from profgate.decide.detect.strategy import Strategy, resolved
from profgate.model.change import Columns, Context, Detection, GateResult, OptionSpec, OutlierScores
from profgate.model.comparison import Comparison
from profgate.model.reason import Reason
from profgate.model.record import replace


class Returning:
    """A strategy that says what it is given."""

    name, short, family = "odd", "odd", "X"
    options: tuple[OptionSpec, ...] = ()

    def __init__(self, result: Any) -> None:
        self.result = result

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:  # noqa: ARG002
        return self.result  # type: ignore[no-any-return]


STACKS = from_stacks([{"main;f": 1}], [{"main;f": 2}])
ONE = np.array([1.0])


def error_of(result: Detection) -> str:
    (reason,) = result.not_tested
    assert isinstance(reason, Reason)
    return str(reason.parameters["error"])


FITTING = Detection("odd", "X", "", np.array([0]), np.array([-1]), ONE, ONE, ["none"], ONE)


@pytest.mark.parametrize(
    ("result", "fault"),
    [
        (None, "it returned NoneType, not a Detection"),
        (
            replace(FITTING, strategy="calibrated_log_ratio", family="T"),
            "its detection names strategy calibrated_log_ratio of family T",
        ),
        (replace(FITTING, kind=np.array([-1, 0])), "its column kind has 2 rows, symbol has 1"),
        (replace(FITTING, details=Columns(OutlierScores, {"z": np.zeros(3)})), "its column z has 3 rows, symbol has 1"),
        (replace(FITTING, result=Columns(GateResult, {"judged": []})), "its column judged has 0 rows, symbol has 1"),
        (replace(FITTING, symbol=np.array([2])), "a row names a symbol that does not exist"),
        (replace(FITTING, symbol=np.array([-3])), "a row names a symbol that does not exist"),
        (replace(FITTING, kind=np.array([7])), "7 is not the code of a Kind"),
        (replace(FITTING, node=np.array([3])), "a row names a calling context that does not exist"),
        (replace(FITTING, node=np.array([0])), "a row names a calling context that does not exist"),
        (replace(FITTING, labels=["a", "b"]), "its column labels has 2 rows, symbol has 1"),
        (replace(FITTING, confidence=None), "TypeError"),
    ],
)
def test_invalid_detection_becomes_a_reason(result: Detection | None, fault: str) -> None:
    result = detections_of(STACKS, [(Returning(result), {})], Context())[0]
    assert result.failed
    assert error_of(result).startswith(fault)
    assert len(result.symbol) == 0


@pytest.mark.parametrize("strategy", STRATEGIES, ids=[strategy.short for strategy in STRATEGIES])
def test_built_in_detections_are_valid(strategy: Strategy) -> None:
    slower = from_stacks([{"main;f": 900, "main;f;h": 9, "main;g": 2000}] * 5, [{"main;f": 1900, "main;g": 2000}] * 5)
    for comparison in (STACKS, slower):
        detection = strategy.detect(comparison, resolved(strategy, {}), Context())
        assert list(faults(detection, strategy, comparison)) == []


def test_a_word_that_fits_is_left_alone() -> None:
    assert detections_of(STACKS, [(Returning(FITTING), {})], Context())[0] is FITTING


class Raising(Returning):
    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:  # noqa: ARG002
        raise self.result


@pytest.mark.parametrize("error", [KeyError(3), SystemExit(0)])
def test_strategy_that_raises_becomes_a_reason(error: BaseException) -> None:
    result = detections_of(STACKS, [(Raising(error), {})], Context())[0]
    assert result.failed
    assert error_of(result).startswith(type(error).__name__)
