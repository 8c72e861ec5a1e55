from pathlib import Path

from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.benchmarks.go_benchmark import FORMAT
from result_rows import means, values

RECORDED = Path(__file__).parents[2] / "data" / "go-benchmark" / "go-1.19.8.txt"


def read(*lines: str, end: str = "PASS") -> Profile:
    return FORMAT.read(source_of("a.txt", "\n".join([*lines, end]).encode()))


def test_a_recorded_file_has_a_median_per_process() -> None:
    found = FORMAT.read(source_of("a.txt", RECORDED.read_bytes()))
    name = "example.org/shop/shop.BenchmarkSorted/n=100"
    assert values(found, name) == [10733]  # of 15853, 8821, 10733, 7175, 16039
    assert values(found, name, "speed") == [74.54e6]
    assert values(found, name, "allocated") == [920]
    assert values(found, name, "allocations") == [2]
    assert means(found) == {
        name: 10733,
        "example.org/shop/shop.BenchmarkSorted/n=1000": 427964,
        "example.org/shop/shop.BenchmarkOrders": 6500,
    }
    assert (found.facts.os, found.facts.architecture) == ("linux", "amd64")
    assert found.facts.cpu_model == "Intel(R) Xeon(R) Processor"
    assert (found.warnings, found.warning_counts) == ((), {})


def test_the_directions_and_units_are_those_of_go() -> None:
    found = FORMAT.read(source_of("a.txt", RECORDED.read_bytes()))
    assert {(metric.name, metric.unit, metric.better, metric.directed) for metric in found.metrics} == {
        ("time", "nanoseconds", "lower", True),
        ("speed", "bytes/s", "higher", True),
        ("allocated", "bytes", "lower", True),
        ("allocations", "count", "lower", True),
        ("orders/op", "orders/op", "lower", False),
    }


def test_each_process_of_a_file_is_a_run() -> None:
    once = ["pkg: ex.org/a", "BenchmarkX 1 2 ns/op", "BenchmarkX 1 9 ns/op", "BenchmarkX 1 3 ns/op", "PASS", "ok a 1s"]
    other = ["pkg: ex.org/b", "BenchmarkX 1 5 ns/op", "PASS", "ok b 1s"]
    found = read(*once, *other, *once, "BenchmarkX 1 7 ns/op")
    assert values(found, "ex.org/a.BenchmarkX") == [3, 3, 7]
    assert values(found, "ex.org/b.BenchmarkX") == [5]


def test_a_shared_number_of_processors_leaves_the_name() -> None:
    assert means(read("BenchmarkX-8 1 2 ns/op", "BenchmarkY/n=9-8 1 3 ns/op")) == {"BenchmarkX": 2, "BenchmarkY/n=9": 3}
    assert list(means(read("BenchmarkX 1 2 ns/op", "BenchmarkX-2 1 3 ns/op"))) == ["BenchmarkX", "BenchmarkX-2"]


def test_other_output_in_between_is_no_benchmark() -> None:
    found = read("=== RUN TestX", "Benchmarks are fun", "BenchmarkX 1 2 ns/op", "BenchmarkY", "Benchmark" + "9 " * 9000)
    assert means(found) == {"BenchmarkX": 2}


def test_a_run_without_an_end_is_a_warning() -> None:
    assert list(read("BenchmarkX 1 2 ns/op", end="").warning_counts.values()) == [1]
