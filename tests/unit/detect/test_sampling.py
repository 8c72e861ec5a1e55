"""Samples counted at different rates: shares of a run can be compared, amounts cannot."""

from dataclasses import replace

import numpy as np
import pytest

from comparisons import SAMPLES, from_exclusive, from_stacks
from profgate.detect.average_amount_threshold import AverageAmountThreshold
from profgate.detect.base import Strategy
from profgate.detect.calibrated_log_ratio import CalibratedLogRatio
from profgate.detect.call_context import CallContext
from profgate.detect.exclusive_time_outliers import ExclusiveTimeOutliers
from profgate.detect.overweight import Overweight
from profgate.detect.totals import Totals
from profgate.model.change import Context
from profgate.model.comparison import SAMPLING_RATE, Comparison, Note
from profgate.model.kinds import Kind
from profgate.model.units import Metric, MetricKind

APART = Note(SAMPLING_RATE, "sampling rate differs: 100 against 200; totals are advisory", advisory=True)
BASE = {f"m;f{number:02}": 500 for number in range(40)}
TWICE = {stack: 2 * value for stack, value in BASE.items()}
SLOWER = {**TWICE, "m;f07": 2000}


def at_two_rates(target: dict[str, int], metric: Metric = SAMPLES) -> Comparison:
    return replace(from_stacks([BASE] * 5, [target] * 5, metric=metric), notes=(APART,))


@pytest.mark.parametrize("strategy", [AverageAmountThreshold(), ExclusiveTimeOutliers(), Overweight(), Totals()])
def test_who_compares_amounts_says_that_it_cannot(strategy: Strategy) -> None:
    word = strategy.detect(at_two_rates(TWICE), {}, Context())
    assert word.cannot_tell == ("sampling rate differs: 100 against 200: more samples are not more cost",)
    assert len(word.kind) == 0


def test_times_are_compared_at_any_rate() -> None:
    times = Metric("cpu", "nanoseconds", kind=MetricKind.SAMPLED)
    assert not Totals().detect(at_two_rates(TWICE, times), {}, Context()).cannot_tell


def test_a_sample_may_stand_for_another_time_in_each_run() -> None:
    times = Metric("cpu", "nanoseconds", kind=MetricKind.SAMPLED)
    comparison = replace(
        at_two_rates(SLOWER, times), sample_values=np.array([10.0] * 5 + [1.0] * 5), noise_sample_values=np.zeros(0)
    )
    word = CalibratedLogRatio().detect(comparison, {}, Context())
    place = comparison.symbols.names.index("f07")
    assert [word.statistics[side][place] for side in ("count_from", "count_to")] == [250.0, 10_000.0]
    assert np.flatnonzero(word.kind).tolist() == [place]


def test_the_test_of_shares_sees_nothing_in_twice_the_rate() -> None:
    word = CalibratedLogRatio().detect(at_two_rates(TWICE), {}, Context())
    assert not word.cannot_tell
    assert not np.any(word.kind)


def test_the_test_of_shares_finds_what_is_slower_at_another_rate() -> None:
    comparison = at_two_rates(SLOWER)
    word = CalibratedLogRatio().detect(comparison, {}, Context())
    found = {
        comparison.symbols.names[symbol]: kind for symbol, kind in zip(word.symbol, word.kind, strict=True) if kind
    }
    assert found == {"f07": Kind.DEGRADATION}


def test_a_function_twice_as_slow_at_half_the_rate_gates_with_as_many_samples() -> None:
    base = {f"f{number:02}": 10_000 for number in range(20)} | {"slow": 2000}
    target = dict.fromkeys(base, 5000) | {"slow": 2000}
    apart = from_exclusive([base] * 5, [target] * 5, notes=(APART,))
    word = CalibratedLogRatio().detect(apart, {}, Context())
    assert Kind(int(word.kind[apart.symbols.names.index("slow")])) is Kind.DEGRADATION


def test_a_context_is_faster_by_its_share_where_all_have_more_samples() -> None:
    comparison = at_two_rates({**TWICE, "m;f07": 200})
    word = CallContext().detect(comparison, {}, Context())
    names = comparison.symbols.names
    found = {names[symbol]: Kind(kind) for symbol, kind in zip(word.symbol, word.kind.tolist(), strict=True)}
    assert found["f07"] is Kind.MAYBE_OPTIMIZATION
