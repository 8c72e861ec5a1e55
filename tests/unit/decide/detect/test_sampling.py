"""Samples counted at different rates: shares of a run can be compared, amounts cannot."""

import numpy as np
import pytest

from comparisons import SAMPLES, from_exclusive, from_stacks
from profgate.decide.detect.amounts import AverageAmountThreshold, ExclusiveTimeOutliers
from profgate.decide.detect.call_context import CallContext
from profgate.decide.detect.gate_tests import CalibratedLogRatio, Totals
from profgate.decide.detect.overweight import Overweight
from profgate.decide.detect.strategy import Strategy
from profgate.model.change import Context, Kind
from profgate.model.comparison import Comparison, Note, Sampling, sample_counts
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import replace
from profgate.model.units import Metric, MetricKind
from sentences import not_tested

APART = Note(Reason(ReasonCode.RATES_DIFFER, {"baseline": "100", "target": "200"}))
BASE = {f"m;f{number:02}": 500 for number in range(40)}
TWICE = {stack: 2 * value for stack, value in BASE.items()}
SLOWER = {**TWICE, "m;f07": 2000}


def at_two_rates(target: dict[str, int], metric: Metric = SAMPLES) -> Comparison:
    return replace(from_stacks([BASE] * 5, [target] * 5, metric=metric), notes=(APART,))


@pytest.mark.parametrize("strategy", [AverageAmountThreshold(), ExclusiveTimeOutliers(), Overweight(), Totals()])
def test_amounts_at_two_rates_are_not_tested(strategy: Strategy) -> None:
    result = strategy.detect(at_two_rates(TWICE), {}, Context())
    assert not_tested(result) == "rates_apart"
    assert len(result.kind) == 0


def test_times_are_compared_at_any_rate() -> None:
    times = Metric("cpu", "nanoseconds", kind=MetricKind.SAMPLED)
    assert not not_tested(Totals().detect(at_two_rates(TWICE, times), {}, Context()))


def kinds(comparison: Comparison) -> dict[str, Kind]:
    """What the test of locations calls changed."""
    result = CalibratedLogRatio().detect(comparison, {}, Context())
    assert not not_tested(result)
    names = comparison.symbols.names
    return {names[symbol]: Kind(kind) for symbol, kind in zip(result.symbol, result.kind.tolist(), strict=True) if kind}


def test_samples_may_stand_for_other_times() -> None:
    times = Metric("cpu", "nanoseconds", kind=MetricKind.SAMPLED, exponent=6)
    comparison = at_two_rates({stack: 5 * value for stack, value in SLOWER.items()}, times)
    values = np.array([10.0] * 5 + [1.0] * 5)
    comparison = replace(
        comparison, sampling=Sampling(values=values), noise=replace(comparison.noise, sample_values=np.zeros(0))
    )
    assert sample_counts(comparison) == (10_000, 1_025_000)
    assert kinds(comparison) == {"f07": Kind.DEGRADATION}


HALF = {f"f{number:02}": 10_000 for number in range(20)} | {"slow": 2000}


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [
        (at_two_rates(TWICE), {}),
        (at_two_rates(SLOWER), {"f07": Kind.DEGRADATION}),
        (
            from_exclusive([HALF] * 5, [dict.fromkeys(HALF, 5000) | {"slow": 2000}] * 5, notes=(APART,)),
            {"slow": Kind.DEGRADATION},
        ),
    ],
    ids=["no change at twice the rate", "slower at twice the rate", "slower at half the rate"],
)
def test_only_a_change_of_the_share_is_found(comparison: Comparison, expected: dict[str, Kind]) -> None:
    assert kinds(comparison) == expected


def test_context_is_faster_by_its_share() -> None:
    comparison = at_two_rates({**TWICE, "m;f07": 200})
    result = CallContext().detect(comparison, {}, Context())
    names = comparison.symbols.names
    found = {names[symbol]: Kind(kind) for symbol, kind in zip(result.symbol, result.kind.tolist(), strict=True)}
    assert found["f07"] is Kind.MAYBE_OPTIMIZATION
