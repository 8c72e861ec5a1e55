"""The test of totals: which test is chosen, and the golden numbers."""

import math
from collections.abc import Sequence

import pytest

from comparisons import from_exclusive, timed
from profgate.detect.totals import Totals
from profgate.model.change import Context, Detection
from profgate.model.comparison import Comparison, Runs
from profgate.model.kinds import Kind
from profgate.model.units import Metric, MetricKind

BASE = [10.12, 10.31, 10.05, 10.22, 10.18]
TARGET = [10.71, 10.64, 10.90, 10.58, 10.77]
TWELVE = [10.12, 10.31, 10.05, 10.22, 10.18, 10.26, 10.09, 10.15, 10.33, 10.20, 10.11, 10.24]


def of_totals(
    baseline: Sequence[float], target: Sequence[float], noise: Sequence[float] = (), runs: Runs | None = None
) -> Comparison:
    sides = [[{"f": round(total * 1e9)} for total in side] for side in (baseline, target, noise)]
    return from_exclusive(sides[0], sides[1], noise=sides[2], metric=timed(), runs=runs)


def detect(comparison: Comparison, pairs: int = 1) -> Detection:
    return Totals().detect(comparison, {}, Context(pairs))


def number(word: Detection, name: str) -> float:
    return float(word.statistics[name][0])


def test_golden_rank_test() -> None:
    word = detect(of_totals(BASE, TARGET))
    assert word.facts["test"] == "mann_whitney"
    assert Kind(int(word.kind[0])) is Kind.TOTAL_DEGRADATION
    names = ("p", "shift", "low_95", "high_95", "low_99", "high_99", "cliff")
    assert [number(word, name) for name in names] == pytest.approx(
        [0.007936508, 0.05273632, 0.03522505, 0.07164179, 0.02618817, 0.08457711, 1.0], abs=1e-8
    )
    assert word.facts["detectable"] == pytest.approx(
        math.expm1(math.log(1.02) + (3.3824 + 0.8416) * 0.052063 / 7.742713), rel=1e-3
    )


def test_golden_welch_where_the_rank_test_cannot_reach_the_bar() -> None:
    word = detect(of_totals(BASE, TARGET), pairs=2)
    assert word.facts["test"] == "welch"
    assert number(word, "p") == pytest.approx(6.433970e-05, rel=1e-6)
    assert [number(word, name) for name in ("shift", "low_99", "high_99")] == pytest.approx(
        [0.05344293, 0.02974599, 0.07768519], abs=1e-8
    )


@pytest.mark.parametrize("own", [1, 12])
def test_golden_prediction_pools_base_runs_of_the_regime(own: int) -> None:
    word = detect(of_totals(TWELVE[:own], [10.71], TWELVE[own:]))
    assert word.facts["test"] == "prediction"
    assert Kind(int(word.kind[0])) is Kind.TOTAL_DEGRADATION
    assert number(word, "p") == pytest.approx(0.000168315, rel=1e-5)
    assert [number(word, name) for name in ("shift", "low_99", "high_99")] == pytest.approx(
        [0.05123819, 0.02233922, 0.08095406], abs=1e-8
    )


def test_few_base_runs_predict_without_gating() -> None:
    word = detect(of_totals(TWELVE[:9], [12.0]))
    assert Kind(int(word.kind[0])) is Kind.MAYBE_DEGRADATION
    assert word.facts["advisory"]


def test_history_pools_the_variance() -> None:
    word = detect(of_totals([10.1], [10.9, 11.0], TWELVE[:8]))
    assert word.facts["test"] == "pooled_t"


def test_one_against_one_cannot_tell() -> None:
    word = detect(of_totals([10.0], [20.0]))
    assert len(word.symbol) == 0
    assert "one run against one" in word.cannot_tell[0]


@pytest.mark.parametrize(
    ("after", "kind"), [(1010, Kind.NO_CHANGE), (1100, Kind.MAYBE_DEGRADATION), (500, Kind.MAYBE_OPTIMIZATION)]
)
def test_one_run_of_exact_counts_is_told_and_never_gates(after: int, kind: Kind) -> None:
    """A benchmark that ran once: allocations hardly scatter, but nobody saw how much these do."""
    metric = Metric("allocations", "count", kind=MetricKind.COUNTED)
    word = detect(from_exclusive([{"BenchmarkParse": 1000}], [{"BenchmarkParse": after}], metric=metric))
    assert (word.facts["test"], word.facts["advisory"]) == ("usual_scatter", True)
    assert Kind(int(word.kind[0])) is kind


def test_runs_of_one_job_are_one_reading() -> None:
    assert detect(of_totals(BASE, TARGET, runs=Runs(5, 5, 0, (0,) * 5, (0,) * 5))).cannot_tell
    several = detect(of_totals(BASE, TARGET, runs=Runs(5, 5, 0, (0, 0, 1, 1, 2), (0, 1, 1, 2, 2))))
    base = [math.sqrt(BASE[0] * BASE[1]), math.sqrt(BASE[2] * BASE[3]), BASE[4]]
    target = [TARGET[0], math.sqrt(TARGET[1] * TARGET[2]), math.sqrt(TARGET[3] * TARGET[4])]
    assert number(several, "p") == pytest.approx(number(detect(of_totals(base, target)), "p"), rel=1e-6)


def test_base_jobs_are_one_reading_each() -> None:
    history = [10.0 + 0.01 * (run % 5) for run in range(24)]
    told = Runs(1, 1, 24, (0,), (0,), tuple(run // 2 for run in range(24)))
    by_job, by_run = (detect(of_totals([10.0], [10.3], history, runs=runs)) for runs in (told, None))
    assert by_job.facts["test"] == by_run.facts["test"] == "prediction"
    means = [math.exp((math.log(history[2 * job]) + math.log(history[2 * job + 1])) / 2) for job in range(12)]
    assert number(by_job, "p") == pytest.approx(number(detect(of_totals([10.0], [10.3], means)), "p"), rel=1e-6)
    assert number(by_job, "p") != pytest.approx(number(by_run, "p"))


@pytest.mark.parametrize(("baseline", "target"), [(BASE, TARGET), (BASE[:3], TARGET[:4]), (TWELVE[:9], [12.0])])
def test_swapped_sides_mirror(baseline: list[float], target: list[float]) -> None:
    there, back = detect(of_totals(baseline, target)), detect(of_totals(target, baseline))
    assert int(there.kind[0]) == -int(back.kind[0]) != 0
    assert math.log1p(number(there, "shift")) == pytest.approx(-math.log1p(number(back, "shift")))
    assert number(there, "p") == pytest.approx(number(back, "p"))


def test_identical_and_small_changes_are_none() -> None:
    assert not detect(of_totals(BASE, BASE)).kind.any()
    assert not detect(of_totals(BASE, [total * 1.015 for total in BASE])).kind.any()
    assert not detect(of_totals([10.0] * 3, [10.0] * 3)).kind.any()


def test_zero_totals_and_few_samples_cannot_tell() -> None:
    assert detect(of_totals([0.0, 1.0], [1.0, 1.0])).cannot_tell
    few = Totals().detect(from_exclusive([{"a": 10}] * 3, [{"a": 900}] * 3), {}, Context())
    assert "fewer than 1000 samples" in few.cannot_tell[0]
