"""The strategy over all workloads, and over the tests of a run's results."""

from dataclasses import replace

import numpy as np
import pytest

from comparisons import SAMPLES, from_exclusive
from profgate.detect.rules import report_changes, selected
from profgate.detect.stable_ranks import StableRanks, joined
from profgate.detect.strategy import UNSUITED_FLAG, ReportStrategy, Strategy
from profgate.model.change import Change, Context
from profgate.model.comparison import Comparison
from profgate.model.durations import DurationTable
from profgate.model.policy import Policy, Rule
from profgate.model.profile import Configuration
from profgate.model.units import Metric
from profgate.report.rank_report import rank_details
from sentences import not_tested, sentence

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
                noise_totals=totals[3:5],
            )
        )
    return made


def words(comparisons: list[Comparison], **options: object) -> tuple[Change, ...]:
    return StableRanks().detect_all(comparisons, options, Context())


def test_workloads_that_keep_their_order() -> None:
    (word,) = words(workloads(60))
    assert (word.kind, word.location.name, word.family, word.subtype) == ("NoChange", "all workloads", "R", "ranks")
    assert word.ranks is not None
    assert (word.ranks.common, word.ranks.baselines) == (60, 5)
    assert word.confidence_type == "sigma"
    assert abs(word.confidence or 0.0) <= 2.0


def test_the_same_measurements_on_both_sides_are_no_steadier_order() -> None:
    """With noise among the baseline runs a run has all ranks in common with itself alone."""
    measured = [
        replace(one, runs=replace(one.runs, target=3), run_totals=np.tile(one.run_totals[:3], 2))
        for one in workloads(200, noise=0.5)
    ]
    (word,) = words(measured)
    assert (word.kind, sentence(word.reason)) == ("NoChange", "both sides hold the same measurements")
    assert (word.to_value or 0.0) > 4.0 * (word.from_value or 0.0)  # type: ignore[operator]
    assert word.ranks is not None
    assert word.ranks.identical
    assert "expected" not in rank_details(word.ranks)
    one_run_differs = [replace(one, run_totals=np.append(one.run_totals[:5], 7 + n)) for n, one in enumerate(measured)]
    (word,) = words(one_run_differs)
    assert word.ranks is not None
    assert not word.ranks.identical


def test_a_slow_workload_is_a_maybe_and_is_named() -> None:
    (word,) = words(workloads(120, slow=4))
    assert word.kind == "MaybeDegradation"
    assert word.ranks is not None
    assert (word.ranks.moved[0].name, word.ranks.direction) == ("w04", "slower")
    assert word.delta == pytest.approx((word.to_value or 0) - (word.from_value or 0))  # type: ignore[operator]
    assert sentence(word.reason) == "the order of the durations changed: tests got slower"


def test_few_workloads_cannot_tell_and_are_silent_unless_asked() -> None:
    (word,) = words(workloads(29))
    assert (word.kind, word.flags) == ("Unknown", (UNSUITED_FLAG,))
    assert sentence(word.reason) == "29 tests in all runs; at least 30 are needed"
    assert report_changes(workloads(29), Policy(), RANKS, Context()) == ()
    assert len(report_changes(workloads(29), Policy(rules=(Rule("ranks"),)), RANKS, Context())) == 1
    assert len(report_changes(workloads(30), Policy(), RANKS, Context())) == 1


def test_rules_choose_workloads_and_options() -> None:
    made = workloads(60)
    policy = Policy(rules=(Rule("tot"), Rule("ranks", {"metric": ("time",)}, {"min_tests": 100})))
    (word,) = report_changes(made, policy, (*RANKS, *_totals()), Context())
    assert sentence(word.reason) == "60 tests in all runs; at least 100 are needed"
    elsewhere = Policy(rules=(Rule("ranks", {"metric": ("memory",)}),))
    assert report_changes(made, elsewhere, RANKS, Context()) == ()
    assert report_changes(made, Policy(rules=(Rule("tot"),)), (*RANKS, *_totals()), Context()) == ()


def _totals() -> tuple[Strategy, ...]:
    from profgate.detect.totals import Totals

    return (Totals(),)


def test_more_is_better_has_no_durations() -> None:
    assert words(workloads(40, better="higher")) == ()


def test_tests_of_a_run_are_ranked_by_themselves() -> None:
    values = 10 ** np.random.default_rng(1).uniform(6, 9, 90) * np.exp(
        np.random.default_rng(2).normal(0, 0.001, (4, 90))
    )
    values[3, 11] *= 1e4
    table = DurationTable([f"t{n}" for n in range(90)], list("abcd"), values, 3, "nanoseconds")
    made = replace(workloads(1)[0], durations=table)
    (word,) = words([made])
    assert word.ranks is not None
    assert (word.location.name, word.kind, word.ranks.moved[0].name) == ("all tests", "MaybeDegradation", "t11")
    assert report_changes([made], Policy(), RANKS, Context()) == (word,)


def test_results_in_many_files_are_one_order() -> None:
    def table(names: str, runs: int) -> DurationTable:
        return DurationTable(list(names), [f"r{n}" for n in range(runs)], np.ones((runs, len(names))), runs - 1, "ns")

    one = joined([table("ab", 4), table("bc", 4), table("d", 2)])
    assert one.names == ["a", "b", "b (2)", "c", "d"]
    assert (one.baselines, one.values.shape) == (3, (4, 5))
    assert np.isnan(one.values).all(axis=0).tolist() == [False] * 4 + [True]


def test_it_speaks_of_no_comparison_alone() -> None:
    assert isinstance(StableRanks(), ReportStrategy)
    assert not isinstance(_totals()[0], ReportStrategy)
    policy = Policy(rules=(Rule("ranks"), Rule("tot")))
    assert [one.short for one, _ in selected(policy, Configuration(), SAMPLES)] == ["tot"]
    word = StableRanks().detect(workloads(1)[0], {}, Context())
    assert word.unsuited
    assert not_tested(word)


def test_one_that_raises_is_told() -> None:
    class Broken(StableRanks):
        def detect_all(self, *_: object) -> tuple[Change, ...]:
            raise KeyError("gone")

    (word,) = report_changes(workloads(1), Policy(), (Broken(),), Context())
    assert (word.kind, sentence(word.reason)) == ("Unknown", "the strategy failed: KeyError: 'gone'")
