"""The count over many runs: departures, one bad run, and a new normal."""

import numpy as np

from profgate.history.ranks.rank_inputs import rank_history
from profgate.model.durations import DurationRun, RankPoint
from profgate.statistics.rank_checks import RankRules

TESTS = 200


def run(number: int, *, slow: float = 1.0, unit: str = "nanoseconds") -> DurationRun:
    """A run of tests three decades apart with a little noise; ``slow`` multiplies one of them."""
    true = 10 ** np.random.default_rng(3).uniform(3, 6, TESTS)
    values = true * np.exp(np.random.default_rng(100 + number).normal(0, 0.003, TESTS))
    values[7] *= slow
    return DurationRun(f"run {number}", unit, {f"t{place}": value for place, value in enumerate(values.tolist())})


def orders(points: tuple[RankPoint, ...]) -> str:
    """A letter for each run: unknown, kept, below, above."""
    return "".join(point.check.order[0] for point in points)


def history(*runs: DurationRun) -> tuple[RankPoint, ...]:
    return rank_history(runs, RankRules())


def test_an_unchanged_history_departs_nowhere() -> None:
    points = history(*map(run, range(10)))
    assert orders(points) == "uuu" + "k" * 7
    assert points[-1].baseline == ("run 4", "run 5", "run 6", "run 7", "run 8")
    assert not any(point.departed for point in points)


def test_departed_run_is_no_baseline() -> None:
    points = history(*map(run, range(5)), run(5, slow=1000.0), run(6), run(7))
    assert orders(points) == "uuukkbkk"
    assert points[5].check.direction == "slower"
    assert points[5].check.moved[0].name == "t7"
    assert "run 5" not in points[-1].baseline


def test_three_departures_become_baseline() -> None:
    slow = [run(number, slow=1000.0) for number in range(5, 10)]
    points = history(*map(run, range(5)), *slow)
    assert orders(points) == "uuukkbbbkk"
    assert points[8].baseline == ("run 5", "run 6", "run 7")
