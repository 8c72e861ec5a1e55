"""Counting stable ranks, with ties; the bounds; which tests moved (detection.md 2.10 and 5.2)."""

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from profgate.model.arrays import FloatArray
from profgate.model.durations import DurationTable, RankCheck
from profgate.statistics.rank_checks import RankRules, _order, check, ranks_of, stable
from sentences import case


def names_of(count: int) -> list[str]:
    return [f"t{number:03}" for number in range(count)]


def ranked(*values: float) -> list[int]:
    found: list[int] = ranks_of(np.array(values), "run", names_of(len(values))).tolist()
    return found


def table(rows: Sequence[Sequence[float]] | FloatArray, baselines: int) -> DurationTable:
    values = np.array(rows, dtype=np.float64)
    return DurationTable(
        names_of(values.shape[1]), [f"run {n}" for n in range(len(values))], values, baselines, "nanoseconds"
    )


def noisy(count: int, runs: int, noise: float, seed: int = 1) -> FloatArray:
    """Durations of tests whose true ones are spread over three decades, every reading with its own noise."""
    chance = np.random.default_rng(seed)
    true = 10 ** chance.uniform(-2, 1, count)
    values: FloatArray = true * np.exp(chance.normal(0, noise, (runs, count)))
    return values


def checked(values: FloatArray, baselines: int, **rules: object) -> RankCheck:
    return check(table(values, baselines), RankRules(**rules))  # type: ignore[arg-type]


def test_times_become_ranks() -> None:
    assert ranked(8.3, 5.24, 1.2, 18.5) == ranked(9.1, 5.0, 0.9, 18.0) == [3, 2, 1, 4]
    assert ranked(8.1, 7.9, 1.2, 18.5) == [3, 2, 1, 4]
    assert ranked(8.0, 8.2, 1.2, 18.5) == [2, 3, 1, 4]
    assert ranked() == []


def test_equal_readings_keep_one_rank_on_average() -> None:
    names = names_of(40)
    counts = [stable(ranks_of(np.ones(40), f"a{n}", names), ranks_of(np.ones(40), f"b{n}", names)) for n in range(2000)]
    assert np.mean(counts) == pytest.approx(1.0, abs=0.1)
    assert np.var(counts) == pytest.approx(1.0, abs=0.15)


def test_ties_are_broken_reproducibly() -> None:
    names, values = names_of(5), np.array([2.0, 1.0, 2.0, 0.5, 9.0])
    first = ranks_of(values, "r", names)
    assert first.tolist() == ranks_of(values, "r", names).tolist()
    assert sorted(first.tolist()) == [1, 2, 3, 4, 5]
    assert (first[3], first[1], first[4]) == (1, 2, 5)
    assert len({tuple(ranks_of(values, f"r{n}", names).tolist()) for n in range(20)}) == 2


@pytest.mark.parametrize(
    ("count", "order"), [(80, "kept"), (120, "kept"), (79, "below"), (50, "below"), (150, "above")]
)
def test_bounds_of_the_recipe(count: int, order: str) -> None:
    assert _order(100.0, float(count), 10.0, 2.0) == order


@pytest.mark.parametrize(("kept", "order"), [(100, "kept"), (80, "kept"), (79, "below"), (50, "below")])
def test_a_baseline_of_a_hundred_stable_ranks(kept: int, order: str) -> None:
    def run(fixed: int, turn: int) -> list[int]:
        """Tests of which the first keep their place, the next ones move by one, and the last hundred turn around."""
        return [*range(fixed), *range(fixed + 1, 100), *range(fixed, min(fixed + 1, 100)), *tail[turn:], *tail[:turn]]

    tail = list(range(100, 200))
    found = checked(np.array([run(100, turn) for turn in range(3)] + [run(kept, 37)], dtype=np.float64), 3)
    assert (found.mean, found.count) == (100.0, kept)
    assert (found.order, found.bounds, found.distance) == (order, (80.0, 120.0), (kept - 100) / 10)


def test_uniform_change_moves_no_rank() -> None:
    values = noisy(200, 4, 0.05)
    slower = values.copy()
    slower[3] *= 2.0
    before, after = checked(values, 3), checked(slower, 3)
    assert (before.count, before.order) == (after.count, after.order)
    assert after.overall == pytest.approx(2.0 * (before.overall or 0.0))


def test_planted_slow_test_is_found() -> None:
    values = noisy(300, 6, 0.002)
    assert checked(values, 5).order == "kept"
    values[5, 17] *= 30.0
    found = checked(values, 5)
    assert (found.order, found.direction) == ("below", "slower")
    first = found.moved[0]
    assert first.name == "t017"
    assert first.ratio == pytest.approx(30.0, rel=0.05)
    assert first.rank_to > first.rank_from[1]
    assert first.distance == first.rank_to - first.rank_from[1]


def test_only_tests_of_all_runs_count() -> None:
    values = noisy(60, 4, 0.001)
    values[3, 0] = math.nan  # gone
    values[:3, 1] = math.nan  # new
    found = checked(values, 3)
    assert (found.common, found.left_out, found.order) == (58, 2, "kept")
    same = check(
        DurationTable(names_of(60)[2:], [f"run {n}" for n in range(4)], values[:, 2:], 3, "nanoseconds"), RankRules()
    )
    assert (found.count, found.mean) == (same.count, same.mean)


@pytest.mark.parametrize(
    ("tests", "baselines", "reason"),
    [
        (1, 3, "one_test"),
        (29, 3, "few_tests"),
        (40, 2, "few_baseline_runs"),
        (40, 1, "few_baseline_runs"),
        (0, 3, "no_common_test"),
    ],
)
def test_unknown_order_has_a_reason(tests: int, baselines: int, reason: str) -> None:
    found = checked(noisy(tests, baselines + 1, 0.01), baselines)
    assert found.order == "unknown"
    assert case(found.reason) == reason


def test_few_tests_show_count_and_chance() -> None:
    found = checked(noisy(5, 4, 1e-6), 3)
    assert (found.order, found.mean, found.count) == ("unknown", 5.0, 5.0)
    assert found.chance == pytest.approx(1 / 120)
    assert checked(noisy(1, 4, 0.1), 3).count == 1.0


def test_observed_spread_needs_five_runs() -> None:
    values = noisy(200, 6, 0.03)
    observed = checked(values, 5, sigma="observed")
    assert observed.sigma_rule == "observed"
    ranks = [row.argsort().argsort() for row in values[:5]]
    counts = [int((first == second).sum()) for first, second in combinations(ranks, 2)]
    assert observed.sigma == pytest.approx(max(1.0, float(np.std(counts, ddof=1))))
    assert checked(values[:4], 3, sigma="observed").sigma_rule == "poisson"
    assert checked(noisy(50, 6, 0.0), 5, sigma="observed").sigma == 1.0


def test_zero_durations_have_a_rank_and_no_ratio() -> None:
    values = noisy(60, 4, 0.001)
    quickest = int(values[0].argmin())
    values[:3, quickest] = 0.0
    values[3, quickest] = 50.0
    found = checked(values, 3)
    assert found.moved[0].name == f"t{quickest:03}"
    assert (found.moved[0].before, found.moved[0].ratio, found.direction) == (0.0, None, "slower")


def test_few_stable_ranks_are_inconclusive() -> None:
    values = noisy(300, 6, 3.0)
    values[5, 17] *= 1000.0
    found = checked(values, 5)
    assert found.order == "unknown"
    assert case(found.reason) == "few_stable_ranks"
    assert (found.bounds or (1.0, 0.0))[0] <= 0.0


def test_farthest_move_is_counted() -> None:
    values = noisy(300, 6, 0.05)
    quick = int(values[0].argmin())
    quiet = checked(values, 5)
    values[5, quick] *= 300.0
    found = checked(values, 5)
    assert quiet.usual_distance == found.usual_distance
    assert (found.farther, found.moved[0].name) == (1, f"t{quick:03}")
    assert found.moved[0].distance > (found.usual_distance or 0)


def test_usual_distance_comes_from_baseline_runs() -> None:
    runs = np.tile(np.arange(40.0), (4, 1))
    runs[1, 3] = 20.5  # between the tests of ranks 21 and 22: rank 21, where the others have it at 4
    assert checked(runs, 3).usual_distance == 17
    assert checked(runs[:3], 2).usual_distance is None
    assert checked(np.ones((4, 40)), 3).usual_distance == 0


def test_a_coarse_clock_does_not_alarm_by_itself() -> None:
    alarms = 0
    for seed in range(60):
        values = np.round(noisy(300, 6, 0.1, seed), 2)
        alarms += checked(values, 5).order in {"below", "above"}
    assert alarms <= 3
