from pathlib import Path

from profgate.io.files import sources_under
from profgate.measuring.track.measuring import benchmark_values
from profgate.measuring.track.versions import BenchmarkValue
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.registry import read_profile

DATA = Path(__file__).parents[3] / "data"


def read(name: str) -> Profile:
    (source,) = sources_under(str(DATA / name))
    return read_profile(source)


def folded(text: str) -> Profile:
    return read_profile(source_of("x.folded", text.encode()))


def values_of(values: list[BenchmarkValue]) -> dict[tuple[str, str], float]:
    return {(value.benchmark, value.metric.name): value.value for value in values}


def test_stacks_give_total_of_workload() -> None:
    assert values_of(benchmark_values([("parse", folded("main;a 3\nmain;b 4\n"))])) == {("parse", "samples"): 7.0}


def test_counted_calls_are_a_metric() -> None:
    profile = read("pstats/cprofile-3.11.pstats")
    assert profile.graph is not None
    time, calls = benchmark_values([("work", profile)])
    assert time.value == profile.graph.self_value.sum()
    assert calls.value == profile.graph.calls.sum() > 0
    assert (calls.metric.name, calls.metric.kind, calls.metric.unit) == ("calls", "counted", "count")


def test_results_give_value_and_place_of_benchmarks() -> None:
    profile = read("pytest-benchmark/pytest-benchmark-5.3.1.json")
    values = [value for value in benchmark_values([("bench", profile)]) if value.metric.name == "time"]
    assert {value.benchmark for value in values} == set(profile.frames.names)
    assert all(value.metric.unit == "nanoseconds" and value.value > 0 for value in values)
    assert [value.file for value in values] == profile.frames.files


def test_benchmark_of_two_files_is_named_with_file() -> None:
    profile = read("hyperfine/hyperfine-1.15.json")
    name = profile.frames.names[0]
    values = benchmark_values([("fast", profile), ("slow", profile)])
    assert {f"fast: {name}", f"slow: {name}"} <= {value.benchmark for value in values}
