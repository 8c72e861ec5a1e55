from pathlib import Path

import pytest

from profgate.io.files import sources_under
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.registry import read_profile
from profgate.track.benchmark_values import benchmark_values, wall_time
from profgate.track.versions import BenchmarkValue

DATA = Path(__file__).parents[2] / "data"


def read(name: str) -> Profile:
    (source,) = sources_under(str(DATA / name))
    return read_profile(source)


def folded(text: str) -> Profile:
    return read_profile(source_of("x.folded", text.encode()))


def told(values: list[BenchmarkValue]) -> dict[tuple[str, str], float]:
    return {(value.benchmark, value.metric.name): value.value for value in values}


def test_stacks_give_their_total_under_the_name_of_the_workload() -> None:
    assert told(benchmark_values([("parse", folded("main;a 3\nmain;b 4\n"))])) == {("parse", "samples"): 7.0}


def test_a_profile_that_counts_calls_offers_them_as_a_metric_that_repeats() -> None:
    profile = read("pstats/cprofile-3.11.pstats")
    assert profile.graph is not None
    time, calls = benchmark_values([("work", profile)])
    assert time.value == profile.graph.self_value.sum()
    assert calls.value == profile.graph.calls.sum() > 0
    assert (calls.metric.name, calls.metric.kind, calls.metric.unit) == ("calls", "counted", "count")


def test_results_are_a_reading_for_each_benchmark_with_the_place_where_it_stands() -> None:
    profile = read("pytest-benchmark/pytest-benchmark-5.3.1.json")
    values = [value for value in benchmark_values([("bench", profile)]) if value.metric.name == "time"]
    assert {value.benchmark for value in values} == set(profile.frames.names)
    assert all(value.metric.unit == "nanoseconds" and value.value > 0 for value in values)
    assert [value.file for value in values] == profile.frames.files


def test_one_benchmark_in_two_files_is_told_apart_by_them() -> None:
    profile = read("hyperfine/hyperfine-1.15.json")
    name = profile.frames.names[0]
    values = benchmark_values([("fast", profile), ("slow", profile)])
    assert {f"fast: {name}", f"slow: {name}"} <= {value.benchmark for value in values}


@pytest.mark.parametrize("nanoseconds", [1, 12_000_000_000])
def test_a_run_that_left_nothing_counts_by_its_wall_time(nanoseconds: int) -> None:
    (value,) = wall_time("make bench", nanoseconds)
    assert (value.benchmark, value.metric.name, value.metric.unit) == ("make bench", "wall time", "nanoseconds")
    assert value.value == nanoseconds
