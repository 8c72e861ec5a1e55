"""What is tested of a comparison: which locations, what runs have in common, and nothing of waiting."""

import numpy as np
import pytest

from comparisons import from_exclusive, from_stacks, timed
from profgate.decide.detect.location_costs import FEWEST_STEADY, SELF, SUBTREE, TOTAL, Costs, Ratios, costs_of
from profgate.model.arrays import FloatArray
from profgate.model.comparison import Comparison, Sampling
from profgate.model.record import replace
from profgate.model.units import Metric, MetricKind

BASE = {"large": 40_000, **{f"f{place:02}": 2000 for place in range(30)}}


def scaled(factor: float, **changed: int) -> dict[str, int]:
    return {name: round(factor * count) for name, count in {**BASE, **changed}.items()}


def relative(factors: FloatArray) -> list[float]:
    return list((factors / factors[0]).tolist())


def names(comparison: Comparison, costs: Costs, kind: int) -> list[str]:
    return [comparison.symbols.names[symbol] for symbol in costs.symbol[costs.kind == kind]]


def values(comparison: Comparison, costs: Costs, kind: int, name: str) -> list[float]:
    place = comparison.symbols.names.index(name)
    (row,) = np.flatnonzero((costs.kind == kind) & (costs.symbol == place))
    return list(costs.values[row].tolist())


def test_slower_machine_is_a_common_factor() -> None:
    comparison = from_exclusive([BASE] * 2, [scaled(1.3)] * 2)
    costs = costs_of(comparison)
    assert relative(costs.factors) == pytest.approx([1, 1, 1.3, 1.3])
    assert relative(np.array(values(comparison, costs, SELF, "f01"))) == pytest.approx([1, 1, 1, 1])
    assert relative(costs.values[-1]) == pytest.approx([1, 1, 1.3, 1.3])  # the total stays as recorded


def test_large_function_is_not_the_common_factor() -> None:
    comparison = from_exclusive([BASE] * 2, [scaled(1.0, large=80_000)] * 2)
    costs = costs_of(comparison)
    assert relative(costs.factors) == pytest.approx([1, 1, 1, 1])
    assert relative(np.array(values(comparison, costs, SELF, "large"))) == pytest.approx([1, 1, 2, 2])


@pytest.mark.parametrize(
    ("functions", "first", "factor"),
    [(FEWEST_STEADY, 1000.0, 1.3), (FEWEST_STEADY - 1, 1000.0, 1.0), (FEWEST_STEADY, 0.0, 1.0)],
    ids=["enough", "too few", "one is not in all runs"],
)
def test_few_functions_have_no_common_factor(functions: int, first: float, factor: float) -> None:
    own = np.full((2, functions), 1000.0)
    own[1] *= 1.3
    own[0, 0] = first
    assert relative(Ratios(own).common_factors()) == pytest.approx([1, factor])


def test_exact_counts_have_no_common_factor() -> None:
    instructions = Metric("instructions", "count", kind=MetricKind.COUNTED)
    costs = costs_of(from_exclusive([BASE] * 2, [scaled(1.3)] * 2, metric=instructions))
    assert costs.factors.tolist() == [1.0] * 4


def test_subtrees_are_tested_beside_self_costs() -> None:
    run = {"main;parse;lex": 600, "main;parse": 300, "main;emit": 900, "main;tiny": 4}
    comparison = from_stacks([run], [run])
    costs = costs_of(comparison)
    assert names(comparison, costs, SELF) == ["emit", "lex", "parse"]
    assert names(comparison, costs, SUBTREE) == ["parse"]  # emit is itself alone, and main is the run
    assert values(comparison, costs, SUBTREE, "parse") == [900.0, 900.0]
    assert (costs.kind[-1], costs.values[-1].tolist(), costs.whole) == (TOTAL, [1804.0, 1804.0], 1804.0)


def test_waiting_is_no_cost_of_its_callers() -> None:
    runs = [{"main;serve;wait": waits, "main;serve": 300, "main;work": 900} for waits in (400, 2000)]
    comparison = from_stacks(runs[:1], runs[1:], metric=timed())
    waiting = np.array([name == "wait" for name in comparison.symbols.names])
    active = comparison.total_value - comparison.self_value[:, waiting]
    active[:, [comparison.symbols.names.index("work")]] += comparison.self_value[:, waiting]
    costs = costs_of(replace(comparison, waiting=waiting, active_total=active))
    known = replace(comparison, waiting=waiting, active_total=active)
    assert names(known, costs, SELF) == ["serve", "work"]
    assert names(known, costs, SUBTREE) == ["main"]
    assert values(known, costs, SUBTREE, "main") == [1200.0, 1200.0]


def test_base_jobs_stand_before_both_sides() -> None:
    comparison = from_exclusive([{"f": 2}], [{"f": 3}], noise=[{"f": 1}], metric=timed())
    assert costs_of(comparison, base_jobs=True).values.tolist() == [[1.0, 2.0, 3.0]]
    assert costs_of(comparison).values.tolist() == [[2.0, 3.0]]


def test_interleaved_runs_keep_a_large_common_factor() -> None:
    """No machine makes runs that take turns five times slower on one side."""
    comparison = from_exclusive([BASE] * 2, [scaled(5.0)] * 2)
    ratio = costs_of(comparison, interleaved=True).values[:, -1] / costs_of(comparison, interleaved=True).values[:, 0]
    assert ratio.tolist() == pytest.approx([5.0] * len(ratio))
    assert costs_of(from_exclusive([BASE], [scaled(1.2)]), interleaved=True).values[0].tolist() == pytest.approx(
        costs_of(from_exclusive([BASE], [scaled(1.2)])).values[0].tolist()
    )


@pytest.mark.parametrize(("slowest", "ratio"), [(1.5, 2.4), (5.0, 1.0)])
def test_runs_of_a_side_show_what_a_machine_explains(slowest: float, ratio: float) -> None:
    sides = [[scaled(side * run) for run in (1.0, slowest)] for side in (1.0, 2.4)]
    values = costs_of(from_exclusive(*sides), interleaved=True).values[0]
    assert values[2:].sum() / values[:2].sum() == pytest.approx(ratio, rel=0.01)


def test_interleaved_factor_is_bounded_by_the_total() -> None:
    """Small functions look 12 % cheaper, but the total did not change."""
    before = {**{f"f{place}": 40 for place in range(9)}, "large": 9000}
    after = {**{f"f{place}": 35 for place in range(9)}, "large": 9045}
    costs = costs_of(from_exclusive([before] * 2, [after] * 2), interleaved=True)
    assert costs.factors.tolist() == pytest.approx([costs.factors[0]] * 4)
    assert (costs.values[:, -1] / costs.values[:, 0]).tolist() == pytest.approx([35 / 40] * 9 + [1.0])


def test_samples_scatter_by_their_value() -> None:
    """A sample of 10 ms: twice the scatter of counting, and 3 % between runs."""
    comparison = from_exclusive([{"f": 1000, "g": 0}], [{"f": 1000, "g": 0}], metric=Metric("cpu", "nanoseconds"))
    costs = costs_of(replace(comparison, sampling=Sampling(values=np.full(2, 10.0))))
    assert costs.sampling[0] == pytest.approx(2 * 10 * 1000 + 30.0**2)
    assert costs_of(comparison).sampling[0] == pytest.approx(30.0**2)  # where it is not known
    assert costs.variance_at(np.array([0.0]))[0] == pytest.approx(2 * 10 * 10)


def test_own_change_is_not_in_common_factor() -> None:
    own = np.full((2, 7), 1000.0)
    own[1] *= np.linspace(1.0, 1.6, 7)
    ratio = Ratios(own).common_factors()[1] / Ratios(own).common_factors()[0]
    without_fastest, without_slowest = (row[1] / row[0] for row in Ratios(own).factors_of_others(np.array([0, 6])))
    assert without_slowest < ratio < without_fastest
