"""Which steps of a line are jumps."""

import numpy as np
import pytest

from profgate.measuring.track.evolution import VersionSeries, find_jumps, medians
from profgate.measuring.track.versions import Jump
from profgate.model.arrays import FloatArray
from profgate.model.units import Metric, MetricKind

CALLS = Metric("calls", "count", kind=MetricKind.COUNTED)
TIME = Metric("time", "nanoseconds", kind=MetricKind.TIMED)
RATE = Metric("speed", "1/s", "higher", MetricKind.TIMED)
NAN = float("nan")


def series(number: int, metric: Metric, values: FloatArray) -> VersionSeries:
    middle, count = medians(values)
    known = np.flatnonzero(count)
    return VersionSeries(number, metric, known, middle[known], count[known], values[known])


def once(*values: float) -> FloatArray:
    return np.array(values, np.float64).reshape(-1, 1)


def repeated(levels: list[float], spread: float = 0.01, runs: int = 3) -> FloatArray:
    """Runs of each version that lie evenly around its level."""
    around = np.linspace(-spread, spread, runs)
    return np.array([[level * (1 + part) for part in around] for level in levels])


def places(metric: Metric, values: FloatArray, min_change: float | None = None) -> list[tuple[int, int]]:
    return sorted((jump.baseline, jump.target) for jump in find_jumps([series(0, metric, values)], min_change))


def only(metric: Metric, values: FloatArray) -> Jump:
    (jump,) = find_jumps([series(0, metric, values)])
    return jump


UNKNOWN = repeated([100, 100, 1, 150, 150], spread=0)
UNKNOWN[2] = NAN


@pytest.mark.parametrize(
    ("metric", "values", "smallest", "expected"),
    [
        (CALLS, repeated([100, 100, 150, 150, 120], spread=0), None, [(1, 2), (3, 4)]),
        (CALLS, repeated([1000, 1009, 1009], spread=0), None, []),
        (CALLS, repeated([1000, 1010, 1010], spread=0), None, [(0, 1)]),
        (CALLS, repeated([1000, 1009, 1009], spread=0), 0.005, [(0, 1)]),
        (CALLS, UNKNOWN, None, [(1, 3)]),
        (CALLS, once(0, 5, 5), None, [(0, 1)]),
        (TIME, once(0, 5, 5), None, []),
        (TIME, repeated([100, 130]), None, [(0, 1)]),
        (TIME, repeated([100, 130], spread=0.3), None, []),
        (TIME, once(100, 110), None, []),
        (TIME, once(100, 200), None, [(0, 1)]),
        (TIME, once(), None, []),
        (TIME, once(NAN, NAN), None, []),
        (TIME, np.full((3, 0), NAN), None, []),
    ],
)
def test_jumps_of_short_lines(
    metric: Metric, values: FloatArray, smallest: float | None, expected: list[tuple[int, int]]
) -> None:
    assert places(metric, values, smallest) == expected


def test_jump_has_values_and_direction() -> None:
    jump = only(CALLS, repeated([200, 300], spread=0))
    assert (jump.from_value, jump.to_value, jump.ratio, jump.direction, jump.noise) == (200, 300, 0.5, "worse", 0.0)
    assert only(CALLS, repeated([300, 200], spread=0)).direction == "better"
    assert only(RATE, repeated([300, 100])).direction == "worse"


def test_noise_is_no_jump() -> None:
    random = np.random.default_rng(1)
    lines = [
        series(number, TIME, np.exp(random.normal(10, 0.05, (60, 3)) + random.normal(0, 0.02, (60, 1))))
        for number in range(40)
    ]
    assert find_jumps(lines) == []


def test_step_beyond_the_noise_is_a_jump() -> None:
    random = np.random.default_rng(2)
    level = np.where(np.arange(40) < 25, 100.0, 140.0).reshape(-1, 1)
    assert places(TIME, level * np.exp(random.normal(0, 0.02, (40, 3)))) == [(24, 25)]


def test_small_lasting_step_is_a_jump() -> None:
    level = np.where(np.arange(60) < 33, 100.0, 109.0)
    values = once(*(level * np.exp(np.random.default_rng(3).normal(0, 0.03, 60))))
    (jump,) = find_jumps([series(0, TIME, values)])
    assert abs(jump.target - 33) <= 2
    assert jump.target == jump.baseline + 1
    assert jump.ratio is not None
    assert 0.05 < jump.ratio < 0.14


def test_slow_change_is_several_jumps() -> None:
    level = 100.0 * (1 + 0.4 * np.clip((np.arange(80) - 30) / 25, 0, 1))
    values = once(*(level * np.exp(np.random.default_rng(4).normal(0, 0.01, 80))))
    jumps = find_jumps([series(0, TIME, values)])
    assert len(jumps) >= 2
    assert all(jump.target == jump.baseline + 1 and jump.direction == "worse" for jump in jumps)
    assert all(26 <= jump.target <= 59 for jump in jumps)


def test_more_lines_need_larger_jumps() -> None:
    step = series(0, TIME, repeated([100, 112], spread=0.02))
    calm = [series(number, TIME, repeated([100.0] * 20, spread=0.02)) for number in range(1, 200)]
    assert [jump.line for jump in find_jumps([step])] == [0]
    assert find_jumps([step, *calm]) == []
