from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from profgate.errors import ProfileError
from profgate.model.profile import Facts, Profile
from profgate.readers.benchmarks.results import MOST_RUNS, Results, quantity_of

FACTS = Facts(format="x")


def results(*added: tuple[Any, ...]) -> Profile:
    read = Results("a.json", counted=("allocated",))
    for name, quantity, values in added:
        read.add(name, quantity, values)
    return read.profile(FACTS)


def runs(profile: Profile) -> list[tuple[str, str, int, float]]:
    body = profile.measurements
    assert body is not None
    assert body.metric is not None
    columns = (body.frame.tolist(), body.metric.tolist(), body.order.tolist(), body.amount.tolist())
    return [
        (profile.frames.names[frame], profile.metrics[metric].name, order, amount)
        for frame, metric, order, amount in zip(*columns, strict=True)
    ]


def test_many_runs_become_medians_of_as_many_each() -> None:
    found = results(("sort", quantity_of("ns"), [float(number % 7) for number in range(5 * MOST_RUNS - 3)]))
    amounts = [amount for *_, amount in runs(found)]
    assert len(amounts) == MOST_RUNS
    assert amounts[:2] == [2, 2]  # of 0 1 2 3 4 and of 5 6 0 1 2
    assert amounts[-1] == np.median([495 % 7, 496 % 7])
    assert list(found.warning_counts.values()) == [1]


@pytest.mark.parametrize(
    "value", [-1, "soon", "NaN", None, True, float("nan"), float("inf"), Decimal("1e400"), 10**400, [1]]
)
def test_what_no_clock_measures_is_left_out(value: Any) -> None:
    found = results(("sort", quantity_of("s"), [1, value]), ("find", quantity_of("s"), [value]))
    assert (runs(found), list(found.warning_counts.values())) == ([("sort", "time", 0, 1e9)], [2])


@pytest.mark.parametrize("name", ["", " ", None, 7, "x" * 501])
def test_a_benchmark_needs_a_name(name: Any) -> None:
    with pytest.raises(ProfileError, match="not a name of a benchmark"):
        results((name, quantity_of("s"), [1]))


@pytest.mark.parametrize(
    ("unit", "name", "base", "better", "factor"),
    [
        ("ns/op", "time", "nanoseconds", "lower", 1),
        ("ms", "time", "nanoseconds", "lower", 1e6),
        ("B/op", "memory", "bytes", "lower", 1),
        ("KiB", "memory", "bytes", "lower", 1024),
        ("allocs/op", "allocs", "count", "lower", 1),
        ("ops/ms", "throughput", "ops/s", "higher", 1e3),
        ("MB/s", "throughput", "bytes/s", "higher", 1e6),
        ("req/sec", "throughput", "req/s", "higher", 1),
        ("µs/iter", "time", "nanoseconds", "lower", 1000),  # the sign for micro
        ("μs/iter", "time", "nanoseconds", "lower", 1000),
    ],
)
def test_a_unit_has_a_base_and_a_direction(unit: str, name: str, base: str, better: str, factor: float) -> None:
    found = quantity_of(unit)
    metric = found.metric
    assert (metric.name, metric.unit, metric.better, metric.directed) == (name, base, better, True)
    assert found.factor == factor


@pytest.mark.parametrize("unit", ["", "widgets", "errors/s", "ms/frame", "MB/widget"])
def test_other_units_have_no_direction(unit: str) -> None:
    assert not quantity_of(unit).metric.directed
    assert quantity_of(unit, better="higher").metric.directed


def test_names_have_one_line_without_invisible_characters() -> None:
    found = results(("sort\n  --all\u202e\0", quantity_of("s"), [1]), ("\u202e", quantity_of("s"), [1]))
    assert found.frames.names == ["sort --all", "(no name)"]
