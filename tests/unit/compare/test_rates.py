"""Samples counted at two known rates are given as at the target's, and still counted as what they are."""

import pytest

from comparisons import SAMPLES, flat
from profgate.compare.columns import CompareOptions
from profgate.compare.metrics import at_one_rate, in_samples
from profgate.compare.overlay import compare_workload
from profgate.decide.detect.amounts import AverageAmountThreshold
from profgate.decide.detect.gate_tests import CalibratedLogRatio, Totals
from profgate.errors import ComparisonError
from profgate.model.change import Context
from profgate.model.comparison import Comparison, sample_counts
from profgate.model.profile import Configuration, Facts, Profile, Workload
from profgate.model.record import replace
from profgate.model.units import Metric
from sentences import not_tested

NAMES = [f"f{number:02}" for number in range(40)]


def profile(rate: float | None, weights: dict[str, int]) -> Profile:
    """Flat stacks of these functions."""
    facts = Facts("folded", rate=rate)
    return flat((SAMPLES,), list(weights.values()), names=list(weights), facts=facts)


def compared(baseline: list[Profile], target: list[Profile], noise: list[Profile] | None = None) -> Comparison:
    workload = Workload("w", Configuration(), tuple(baseline), tuple(target), tuple(noise or ()))
    (comparison,), _ = compare_workload(at_one_rate(workload), (), CompareOptions())
    return comparison


@pytest.mark.parametrize(("periods", "divisor"), [((20_000, 30_000), 10_000), ((20_000, 1), 1)])
def test_multiples_of_a_period_of_all_runs_become_samples(periods: tuple[int, int], divisor: int) -> None:
    before, after = (replace(profile(None, {"f": 5 * period}), periods=(period,)) for period in periods)
    workload = in_samples(Workload("w", Configuration(), (before,), (after,)))
    (comparison,), _ = compare_workload(workload, (), CompareOptions())
    assert comparison.run_totals.tolist() == [5 * period // divisor for period in periods]


def at(rate: float, share: dict[str, float] | None = None) -> Profile:
    """Ten seconds of a program of equal functions."""
    return profile(rate, {name: round(10 * rate / 4 * (share or {}).get(name, 1.0)) for name in NAMES})


def test_rates_do_not_change_the_program() -> None:
    comparison = compared([at(100)] * 5, [at(1000)] * 5)
    assert (comparison.run_totals * comparison.metric.scale).tolist() == [100_000.0] * 10
    assert sample_counts(comparison) == (50_000.0, 500_000.0)
    for strategy in (AverageAmountThreshold(), Totals(), CalibratedLogRatio()):
        detection = strategy.detect(comparison, {}, Context())
        assert not not_tested(detection)
        assert not detection.kind.any(), strategy.name


def test_thirds_are_given_to_the_millionth_of_a_sample() -> None:
    comparison = compared([profile(300, {"f": 1000})], [profile(400, {"f": 1000})])
    assert comparison.run_totals[0] * comparison.metric.scale == pytest.approx(4000 / 3, abs=1e-6)
    assert comparison.tree is not None
    assert comparison.tree.baseline_total[0] == comparison.tree.baseline_self.sum() == comparison.run_totals[0]


def test_without_a_stated_rate_nothing_is_touched() -> None:
    workload = Workload("w", Configuration(), (profile(None, {"f": 1}),), (profile(400, {"f": 1}),))
    assert at_one_rate(workload) is workload
    times = replace(at(100), metrics=(Metric("cpu", "nanoseconds"),))
    kept = at_one_rate(Workload("w", Configuration(), (times,), (replace(times, facts=Facts(rate=400.0)),)))
    assert kept.baseline_runs[0] is times


def test_counts_beyond_all_bounds_are_refused() -> None:
    workload = Workload("w", Configuration(), (profile(1e-3, {"f": 1 << 60}),), (profile(1000, {"f": 1}),))
    with pytest.raises(ComparisonError, match="do not fit"):
        at_one_rate(workload)
