"""The strategy over all workloads, and over the tests of a run's results."""

import numpy as np
import pytest

from comparisons import from_exclusive
from profgate.decide.detect.builtin import report_changes
from profgate.decide.detect.report_strategies import StableRanks, one_table
from profgate.decide.detect.strategy import UNSUITED_FLAG, Strategy
from profgate.model.change import Change, Context
from profgate.model.comparison import Comparison
from profgate.model.durations import DurationTable, RankCheck
from profgate.model.policy import Policy, Rule
from profgate.model.record import replace
from profgate.model.units import Metric
from profgate.report.rank_report import rank_details
from sentences import case

RANKS = (StableRanks(),)


def workloads(count: int, *, slow: int | None = None, noise: float = 0.001, better: str = "lower") -> list[Comparison]:
    """Comparisons of three baseline runs, two noise runs and a target run; ``slow`` names one that became slower."""
    chance = np.random.default_rng(7)
    made = []
    for number in range(count):
        totals = np.rint(10 ** (3 + 3 * chance.random()) * np.exp(chance.normal(0, noise, 6))).astype(np.int64)
        totals[5] *= 5000 if number == slow else 1
        one = from_exclusive([{"f": 1}], [{"f": 1}])
        made.append(
            replace(
                one,
                workload=f"w{number:02}",
                metric=Metric("time", "nanoseconds", better),  # type: ignore[arg-type]
                runs=replace(one.runs, baseline=3, target=1, noise=2),
                run_totals=np.append(totals[:3], totals[5:]),
                noise=replace(one.noise, run_totals=totals[3:5]),
            )
        )
    return made


def record(change: Change) -> RankCheck:
    assert isinstance(change.details, RankCheck)
    return change.details


def changes(comparisons: list[Comparison], **options: object) -> tuple[Change, ...]:
    return StableRanks().detect_all(comparisons, options, Context())


def test_workloads_that_keep_their_order() -> None:
    (change,) = changes(workloads(60))
    assert (change.kind, change.location.name, change.family, change.subtype) == (
        "NoChange",
        "all workloads",
        "R",
        "ranks",
    )
    assert (record(change).common, record(change).baselines) == (60, 5)
    assert change.confidence_type == "sigma"
    assert abs(change.confidence or 0.0) <= 2.0


def test_same_measurements_are_not_steadier() -> None:
    """With noise among the baseline runs a run has all ranks in common with itself alone."""
    measured = [
        replace(one, runs=replace(one.runs, target=3), run_totals=np.tile(one.run_totals[:3], 2))
        for one in workloads(200, noise=0.5)
    ]
    (change,) = changes(measured)
    assert (change.kind, case(change.reason)) == ("NoChange", "same_measurements")
    assert (change.to_value or 0.0) > 4.0 * (change.from_value or 0.0)
    assert record(change).identical
    assert "expected" not in rank_details(record(change))
    one_run_differs = [replace(one, run_totals=np.append(one.run_totals[:5], 7 + n)) for n, one in enumerate(measured)]
    (change,) = changes(one_run_differs)
    assert not record(change).identical


def test_slow_workload_is_named() -> None:
    (change,) = changes(workloads(120, slow=4))
    assert change.kind == "MaybeDegradation"
    assert (record(change).moved[0].name, record(change).direction) == ("w04", "slower")
    assert change.delta == pytest.approx((change.to_value or 0) - (change.from_value or 0))
    assert case(change.reason) == "changed"


def test_few_workloads_are_not_tested() -> None:
    (change,) = changes(workloads(29))
    assert (change.kind, change.flags) == ("Unknown", (UNSUITED_FLAG,))
    assert case(change.reason) == "few_tests"
    assert report_changes(workloads(29), Policy(), RANKS, Context()) == ()
    assert len(report_changes(workloads(29), Policy(rules=(Rule("ranks"),)), RANKS, Context())) == 1
    assert len(report_changes(workloads(30), Policy(), RANKS, Context())) == 1


def test_rules_choose_workloads_and_options() -> None:
    made = workloads(60)
    policy = Policy(rules=(Rule("tot"), Rule("ranks", {"metric": ("time",)}, {"min_tests": 100})))
    (change,) = report_changes(made, policy, (*RANKS, *_totals()), Context())
    assert case(change.reason) == "few_tests"
    elsewhere = Policy(rules=(Rule("ranks", {"metric": ("memory",)}),))
    assert report_changes(made, elsewhere, RANKS, Context()) == ()
    assert report_changes(made, Policy(rules=(Rule("tot"),)), (*RANKS, *_totals()), Context()) == ()


def _totals() -> tuple[Strategy, ...]:
    from profgate.decide.detect.gate_tests import Totals

    return (Totals(),)


def test_tests_of_a_run_are_ranked_by_themselves() -> None:
    values = 10 ** np.random.default_rng(1).uniform(6, 9, 90) * np.exp(
        np.random.default_rng(2).normal(0, 0.001, (4, 90))
    )
    values[3, 11] *= 1e4
    table = DurationTable([f"t{n}" for n in range(90)], list("abcd"), values, 3, "nanoseconds")
    made = replace(workloads(1)[0], attachments=(table,))
    (change,) = changes([made])
    assert (change.location.name, change.kind, record(change).moved[0].name) == ("all tests", "MaybeDegradation", "t11")
    assert report_changes([made], Policy(), RANKS, Context()) == (change,)


def test_results_in_many_files_are_one_order() -> None:
    def table(names: str, runs: int) -> DurationTable:
        return DurationTable(list(names), [f"r{n}" for n in range(runs)], np.ones((runs, len(names))), runs - 1, "ns")

    one = one_table([table("ab", 4), table("bc", 4), table("d", 2)])
    assert one.names == ["a", "b", "b (2)", "c", "d"]
    assert (one.baselines, one.values.shape) == (3, (4, 5))
    assert np.isnan(one.values).all(axis=0).tolist() == [False] * 4 + [True]
