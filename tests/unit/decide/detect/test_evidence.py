"""Which test decides, what it may decide, and when the runs decide nothing."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pytest

from comparisons import from_exclusive, from_stacks, runs_of, timed
from profgate.decide.detect.evidence import Evidence, evidence_of, run_values
from profgate.model.comparison import CallEdges, Comparison, Noise, Runs
from profgate.model.profile import Facts
from profgate.model.reason import Reason
from profgate.model.record import replace
from profgate.model.units import CALLS, Metric, MetricKind

BASE = {f"f{place:02}": 400 + 10 * place for place in range(20)}
SLOWER = {**BASE, "f07": 940}
COUNTED = Metric("instructions", "count", kind=MetricKind.COUNTED)


def evidence(*comparisons: Comparison, interleaved: bool = False) -> Evidence:
    found = evidence_of(comparisons, interleaved=interleaved)[0]
    assert isinstance(found, Evidence)
    return found


def of_jobs(comparison: Comparison, others: Sequence[int] = ()) -> Comparison:
    """The sides come from two jobs, base runs of other commits from these."""
    runs = comparison.runs
    jobs = Runs(runs.baseline, runs.target, len(others), (0,) * runs.baseline, (0,) * runs.target, tuple(others))
    return replace(comparison, runs=jobs, facts=(Facts("folded", job="1"), Facts("folded", job="2")))


def listed(comparison: Comparison, found: Evidence) -> list[str]:
    names = [*comparison.symbols.names, "total"]
    return [names[symbol] for symbol in found.costs.symbol[found.listed]]


def test_runs_of_one_machine_are_exchanged() -> None:
    comparison = from_exclusive(runs_of(BASE, 5), runs_of(SLOWER, 5))
    found = evidence(comparison)
    assert (found.mode, found.calibration.family, found.calibration.splits) == ("runs", "5+5", 252)
    assert listed(comparison, found) == ["f07", "total"]
    assert found.certain.tolist() == found.listed.tolist()
    assert found.p[found.listed].tolist() == pytest.approx([1 / 252] * 2)
    assert found.calibration.inconclusive is None


def test_comparisons_of_a_report_share_their_splits() -> None:
    calm = from_exclusive(runs_of(BASE, 5), runs_of(BASE, 5))
    slower, uneven = (from_exclusive(runs_of(BASE, 5), runs_of(SLOWER, runs)) for runs in (5, 6))
    found = [every.calibration for every in evidence_of([calm, slower, uneven]) if isinstance(every, Evidence)]
    assert [(facts.family, facts.splits) for facts in found] == [("5+5", 252), ("5+5", 252), ("5+6", 462)]


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_few_runs_list_nothing(runs: int) -> None:
    found = evidence(from_exclusive(runs_of(BASE, runs), runs_of(SLOWER, runs)))
    assert not found.listed.any()
    assert (found.calibration.inconclusive, found.calibration.visible_total) == ("too_few_runs", None)


def test_four_runs_list_and_are_not_certain() -> None:
    comparison = from_exclusive(runs_of(BASE, 4), runs_of(SLOWER, 4))
    found = evidence(comparison)
    assert listed(comparison, found) == ["f07", "total"]
    assert not found.certain.any()
    assert found.calibration.inconclusive is None


@pytest.mark.parametrize(("before", "after"), [(50, 400), (140, 120), (90, 20)])
def test_few_samples_on_either_side_decide_nothing(before: int, after: int) -> None:
    sides = [[{"f": count, "g": count // 2}] * 5 for count in (before, after)]
    found = evidence(from_exclusive(*sides))
    assert found.calibration.inconclusive == "too_few_samples"
    assert (found.calibration.samples_baseline, found.calibration.samples_target) == (7.5 * before, 7.5 * after)


START = {"start": 600, "load": 400}
MANY = {f"work{place}": 500 for place in range(12)}
HOT = {"search": 8_000, "read": 1_000, "write": 1_500}


@pytest.mark.parametrize(
    ("before", "after", "inconclusive"),
    [
        (MANY, dict.fromkeys(MANY, 15), "other_work"),  # it ends early
        (MANY, {}, "other_work"),  # it fails when it starts
        (MANY, dict.fromkeys(MANY, 20) | {"lookup": 300}, "other_work"),  # it repeats a result
        ({"search": 12_000}, {"search": 300}, "other_work"),  # the start-up proves no work
        ({"parse": 6_000, "encode": 3_000}, {"parse": 300, "encode": 150}, "other_work"),
        ({"parse": 9_000, "a": 900, "b": 600}, {"parse": 9, "a": 700, "b": 6}, "other_work"),
        (MANY, dict.fromkeys(MANY, 300), None),  # more than half is left
        (HOT, HOT | {"search": 90}, None),  # one function is faster
        (HOT, {"find": 90, "read": 1_000, "write": 1_500}, None),  # another function replaces it
    ],
)
@pytest.mark.parametrize("interleaved", [True, False])
def test_lost_cost_is_other_work(
    before: dict[str, int], after: dict[str, int], inconclusive: str | None, interleaved: bool
) -> None:
    found = evidence(from_exclusive(runs_of(START | before, 5), runs_of(START | after, 5)), interleaved=interleaved)
    assert found.calibration.inconclusive == inconclusive


def test_single_short_run_is_no_other_work() -> None:
    target = [*runs_of(START | MANY, 7), *runs_of(START | dict.fromkeys(MANY, 15), 1)]
    found = evidence(from_exclusive(runs_of(START | MANY, 8), target), interleaved=True).calibration
    assert (found.inconclusive, found.cost_left) == (None, None)


@pytest.mark.parametrize(("ratio", "inconclusive"), [(0.4, "other_work"), (0.6, None)])
@pytest.mark.parametrize("better", ["lower", "higher"])
def test_benchmark_alone_proves_no_work(better: Literal["lower", "higher"], ratio: float, inconclusive: str) -> None:
    sides = [[{"parse": int(value) + run} for run in range(5)] for value in (100_000, 100_000 * ratio)]
    metric = replace(timed(), better=better)
    found = evidence(from_exclusive(*sides[:: 1 if better == "lower" else -1], metric=metric), interleaved=True)
    assert found.calibration.inconclusive == inconclusive


@pytest.mark.parametrize(
    ("calls", "inconclusive", "fewer"), [(24, None, None), (12, None, None), (2, "other_work", ("search", 24.0, 2.0))]
)
def test_function_with_fewer_calls_is_not_faster(
    calls: int, inconclusive: str | None, fewer: tuple[str, float, float] | None
) -> None:
    comparison = from_exclusive(runs_of(HOT, 5), runs_of(HOT | {"search": 90}, 5))
    symbols = comparison.symbols.names
    counts = [np.array([5 * number if name == "search" else 5 for name in symbols]) for number in (24, calls)]
    none = np.zeros(0, np.int64)
    called = replace(comparison, edges=CallEdges(*[none] * 6, *counts))
    found = evidence(called, interleaved=True).calibration
    assert (found.inconclusive, found.fewer_calls) == (inconclusive, fewer)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(("milliseconds", "found"), [(30, ["find", "total"]), (900, ["find", "sum", "total"])])
def test_missed_start_of_short_runs_is_no_change(milliseconds: int, found: list[str], order: int) -> None:
    """A profiler misses more of a function that is most of the shorter run, so that it seems to change with the run."""
    sides = [
        runs_of({name: round(part * milliseconds * 1e6) for name, part in costs.items()}, 8)
        for costs in ({"find": 0.2, "sum": 0.8}, {"find": 4.0, "sum": 1.4})
    ]
    comparison = from_exclusive(*sides[::order], metric=Metric("time", "nanoseconds"))
    assert listed(comparison, evidence(comparison)) == found


def test_noise_that_hides_everything_decides_nothing() -> None:
    noisy = [{"f": 10_000 * factor, "g": 90_000 * factor} for factor in (1, 9, 2, 7, 3, 8, 1, 6, 2, 9)]
    found = evidence(from_exclusive(noisy[:5], noisy[5:], metric=timed()))
    assert found.calibration.inconclusive == "cannot_see"
    assert found.calibration.visible_total > 0.5  # type: ignore[operator]


def test_two_runs_of_exact_counts_are_certain() -> None:
    comparison = from_exclusive([BASE, BASE], [SLOWER, SLOWER], metric=COUNTED)
    found = evidence(comparison)
    assert (found.mode, found.calibration.exact, found.calibration.inconclusive) == ("exact", True, None)
    assert listed(comparison, found) == ["f07", "total"]
    assert (found.p[found.certain].tolist(), found.certain.tolist()) == ([0.0, 0.0], found.listed.tolist())


@pytest.mark.parametrize(("spread", "exact"), [(1, True), (50, False)])
def test_runs_that_differ_are_samples(spread: int, exact: bool) -> None:
    before = [BASE, {**BASE, "f07": BASE["f07"] + spread}]
    found = evidence(from_exclusive(before, [SLOWER, SLOWER], metric=COUNTED))
    assert (found.calibration.exact, found.certain[found.costs.symbol == 7].tolist()) == (exact, [exact])


@pytest.mark.parametrize(("metric", "found"), [(COUNTED, True), (replace(COUNTED, kind=MetricKind.SAMPLED), False)])
def test_counts_that_differ_may_rise_by_a_small_part_of_a_function(metric: Metric, found: bool) -> None:
    runs = [{**BASE, "f00": 100_000 + 40 * run, "f01": 50_000} for run in range(10)]
    later = [{**run, "f00": run["f00"] + 4_000} for run in runs[5:]]
    comparison = from_exclusive(runs[:5], later, metric=metric)
    assert ("f00" in listed(comparison, evidence(comparison))) == found


def test_one_run_of_counts_is_not_exact() -> None:
    found = evidence(from_exclusive([BASE], [SLOWER], metric=COUNTED))
    assert (found.mode, found.calibration.exact, bool(found.listed.any())) == ("runs", False, False)
    assert found.calibration.inconclusive == "too_few_runs"


def test_calls_are_exact_and_no_cost() -> None:
    metric = replace(CALLS, kind=MetricKind.COUNTED)
    assert evidence(from_exclusive([BASE, BASE], [SLOWER, SLOWER], metric=metric)).mode == "exact"


@pytest.mark.parametrize(("jobs", "mode"), [(0, "runs"), (3, "runs"), (4, "jobs"), (7, "jobs")])
def test_five_base_jobs_bound_other_jobs(jobs: int, mode: str) -> None:
    noise = runs_of(BASE, 5 * jobs)
    comparison = of_jobs(
        from_exclusive(runs_of(BASE, 5), runs_of(SLOWER, 5), noise=noise), [run // 5 for run in range(len(noise))]
    )
    found = evidence(comparison)
    assert (found.mode, found.calibration.base_jobs) == (mode, jobs + 1)
    assert (bool(found.calibration.different_jobs)) == (mode == "runs")
    assert "f07" in listed(comparison, found)
    assert evidence(comparison, interleaved=True).mode == "runs"


@pytest.mark.parametrize("unlike", [[], [{**BASE, "f07": 990, "f20": 5_000}]])
def test_base_jobs_state_their_bound(unlike: list[dict[str, int]]) -> None:
    """A job whose total is more than 1.25 times that of the others does not count."""
    noise = [*unlike, *({**BASE, "f07": BASE["f07"] + change} for change in (0, 20, 47, 10))]
    found = evidence(from_exclusive([BASE], [SLOWER], noise=noise, metric=timed()))
    row = np.flatnonzero(found.costs.symbol == 7)[0]
    others = BASE["f07"] + (0 + 20 + 0 + 10) / 4
    mean = BASE["f07"] + (0 + 20 + 47 + 0 + 10) / 5
    assert found.bound[row] == pytest.approx((BASE["f07"] + 47 - others) / mean)
    assert found.calibration.base_jobs == len(noise) + 1
    assert (bool(np.isnan(found.p).all()), bool(found.certain[row])) == (True, True)


def test_unchanged_job_is_within_the_bound() -> None:
    noise = [{**BASE, "f07": BASE["f07"] + change} for change in (0, 20, 47, 10)]
    target = {**BASE, "f07": BASE["f07"] + 45}
    assert not evidence(from_exclusive([BASE], [target], noise=noise, metric=timed())).listed.any()


def test_common_factor_is_the_targets() -> None:
    slower = [{name: round(1.25 * count) for name, count in run.items()} for run in runs_of(BASE, 5)]
    found = evidence(from_exclusive(runs_of(BASE, 5), slower))
    assert found.calibration.common_factor == pytest.approx(1.25, abs=0.002)
    assert found.costs.symbol[found.listed].tolist() == [-1]


@pytest.mark.parametrize(("value", "reason"), [(0, "zero_total"), (-1, "negative_values")])
def test_values_that_are_no_costs_are_untested(value: int, reason: str) -> None:
    comparison = from_exclusive([{"f": value, "g": max(0, -2 * value)}], [{"f": 5, "g": 5}])
    (found,) = evidence_of([comparison])
    assert isinstance(found, Reason)
    assert found.parameters == {"case": reason}


@pytest.mark.parametrize("interleaved", [False, True])
def test_run_values_are_the_tested_costs(interleaved: bool) -> None:
    slower_machine = [{name: round(1.3 * value) for name, value in run.items()} for run in runs_of(SLOWER, 5)]
    comparison = from_exclusive(runs_of(BASE, 5), slower_machine)
    found, values = evidence(comparison, interleaved=interleaved), run_values(comparison, interleaved=interleaved)
    assert values is not None
    place = found.costs.symbol.tolist().index(7)
    assert values.own[7].tolist() == found.costs.values[place].tolist()
    assert values.totals.tolist() == comparison.run_totals.tolist()
    assert values.factors.tolist() == found.costs.factors.tolist()


def test_run_values_start_with_other_base_jobs() -> None:
    noise = np.array([[value + job for value in BASE.values()] for job in range(4)], np.int64)
    comparison = of_jobs(from_exclusive(runs_of(BASE, 5), runs_of(SLOWER, 5)), (0, 1, 2, 3))
    comparison = replace(comparison, noise=Noise(noise, noise.sum(axis=1)))
    values = run_values(comparison)
    assert values is not None
    assert (values.earlier, len(values.totals)) == (4, 14)
    assert values.totals[:4].tolist() == noise.sum(axis=1).tolist()


def test_run_values_have_the_functions_with_nearly_all_cost() -> None:
    sides = [
        [{f"main;{name}": value for name, value in run.items()} for run in runs_of(side, 5)] for side in (BASE, SLOWER)
    ]
    comparison = from_stacks(sides[0], sides[1])
    main = comparison.symbols.names.index("main")
    values = run_values(comparison)
    assert values is not None
    assert main not in values.inclusive
    assert list(values.broad) == [main]
    assert values.broad[main].tolist() == (comparison.run_totals / values.factors).tolist()


def test_run_values_leave_out_waiting_functions() -> None:
    runs = [{f"main;{name}": value for name, value in run.items()} for run in runs_of(BASE, 5)]
    comparison = from_stacks([*runs], [*runs])
    waits = np.array([name == "f07" for name in comparison.symbols.names])
    active = comparison.total_value - comparison.self_value[:, waits]
    values = run_values(replace(comparison, waiting=waits, active_total=active))
    assert values is not None
    assert values.waiting
    assert comparison.symbols.names.index("f07") not in values.own
    plain = run_values(comparison)
    assert plain is not None
    assert not plain.waiting
