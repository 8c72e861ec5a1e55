"""Results of benchmarks and tests: recorded files beside what their tools printed, and small files of every form."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins

from golden_files import Golden
from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import HEAD_SIZE, source_of
from profgate.model.units import MetricKind
from profgate.readers.benchmarks import FORMATS
from profgate.readers.containers import unwrap
from result_rows import values

DATA = Path(__file__).parents[2] / "data"
BY_NAME = {result.name: result for result in FORMATS}
Runs = dict[tuple[str, str], list[float]]


def read(name: str, content: Any, file: str = "a") -> Profile:
    """Read bytes, lines of text, or a JSON document."""
    if not isinstance(content, bytes):
        content = (content if isinstance(content, str) else json.dumps(content)).encode()
    return BY_NAME[name].read(source_of(file, content))


def runs_of(profile: Profile) -> Runs:
    """The runs of each benchmark and metric; times are in milliseconds."""
    found: Runs = {}
    for metric in profile.metrics:
        scale = 1e-6 if metric.unit == "nanoseconds" else 1.0
        for name in profile.frames.names:
            runs = [scale * value for value in values(profile, name, metric.name)]
            if runs:
                found[name, metric.name] = runs
    return found


# what these tools printed of the recording, and what Criterion estimated: medians, which the golden file shows too
PRINTED = {
    ("criterion", "criterion-0.3.6-sample.json"): 0.04683624936038012,
    ("go-benchmark", "example.org/shop/shop.BenchmarkSorted/n=100"): 0.010733,  # of 15853, 8821, 10733, 7175, 16039
    ("google-benchmark", "BM_Sort/100"): 0.0040467463792903877,
    ("google-benchmark", "BM_Sort/1000"): 0.05366379576283228,
    ("pytest-benchmark", "test_shop.py::test_sort[100]"): 0.002441,
    ("pytest-benchmark", "test_shop.py::test_sort[1000]"): 0.0332455,
    ("pytest-benchmark", "test_shop.py::test_total"): 0.261813,
}
RECORDED = [path for result in FORMATS for path in sorted((DATA / result.name).glob("*"))]


def recorded(name: str) -> Profile:
    return recorded_at(next(path for path in RECORDED if path.parent.name == name))


def recorded_at(path: Path) -> Profile:
    return read(path.parent.name, unwrap(source_of("a", path.read_bytes())).read(1 << 20), path.name)


def described(path: Path) -> str:
    """What is read from a recorded file, one line for each metric and each of its benchmarks."""
    found = recorded_at(path)
    assert found.measurements is not None
    scenarios = "each benchmark alone" if found.measurements.scenarios else "tests of one run"
    lines = [f"{path.parent.name}/{path.name}: {scenarios}, {sum(found.warning_counts.values())} warnings"]
    facts = {name: value for name, value in to_builtins(found.facts).items() if value is not None and name != "format"}
    lines.append(f"  {', '.join(f'{name} {value}' for name, value in facts.items())}")
    for metric in found.metrics:
        direction = metric.better if metric.directed else "no direction"
        lines.append(f"  {metric.name} in {metric.unit}, {metric.kind}, {direction}")
        for benchmark in found.frames.names:
            runs = values(found, benchmark, metric.name)
            if runs:
                lines.append(f"    {benchmark}: {' '.join(f'{run:.6g}' for run in runs)}")
    return "\n".join([*lines, ""])


def test_recorded_files_are_read_as_before(golden: Golden) -> None:
    golden.check("readers/benchmarks.txt", "\n".join(described(path) for path in RECORDED))


@pytest.mark.parametrize(("name", "benchmark"), PRINTED)
def test_a_recorded_file_has_the_median_that_its_tool_printed(name: str, benchmark: str) -> None:
    assert runs_of(recorded(name))[benchmark, "time"] == [pytest.approx(PRINTED[name, benchmark], rel=1e-5)]


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("asv", {"version": 3}),
        ("google-benchmark", {"context": {"json_schema_version": 2}, "benchmarks": [{"name": "b"}]}),
        ("gungraun", {"version": "8"}),
        ("pyperf", {"version": "2.0", "benchmarks": [{}]}),
    ],
)
def test_newer_versions_are_refused_before_their_content(name: str, document: Any) -> None:
    with pytest.raises(ProfileError, match=r"^a: has version .* are read; update profgate"):
        read(name, document)


def test_files_of_one_name_have_other_benchmarks_in_vitest() -> None:
    tests = [{"benchmarks": [{"name": "sort", "tasks": [{"name": "quick", "latency": {"p50": 2}}]}]}]
    paths = ("/app/a/index.js", "/app/b/index.js", "/app/b/main.js")
    modules = [{"name": path, "assertionResults": tests} for path in paths]
    found = read("vitest", {"numTotalTests": 3, "testResults": modules})
    assert found.frames.names == [f"{file} > sort > quick" for file in ("a/index.js", "b/index.js", "main.js")]


def test_recorded_commands_and_workers_are_runs() -> None:
    results = json.loads((DATA / "hyperfine" / "hyperfine-1.15.json").read_text())["results"]
    times = {(result["command"], "time"): [1e3 * time for time in result["times"]] for result in results}
    found = recorded("hyperfine")
    assert runs_of(found) == {place: pytest.approx(runs) for place, runs in times.items()}
    assert (found.warnings, found.warning_counts) == ((), {})
    # four workers, three values each
    runs = json.loads((DATA / "pyperf" / "pyperf-2.10.json").read_text())["benchmarks"][0]["runs"]
    medians = [1e3 * sorted(run["values"])[1] for run in runs if "values" in run]
    assert len(medians) == 4
    assert runs_of(recorded("pyperf"))["sorted", "time"] == pytest.approx(medians)


def launches(*nanoseconds: tuple[float, int]) -> dict[str, Any]:
    """A benchmark of BenchmarkDotNet: for each iteration of ten operations its time and its launch."""
    same = {"IterationMode": "Workload", "IterationStage": "Result", "Operations": 10}
    iterations = [{**same, "LaunchIndex": launch, "Nanoseconds": time} for time, launch in nanoseconds]
    return {"FullName": "b", "Statistics": {"Mean": 7e6}, "Measurements": iterations}


def aggregate(name: str, time: float) -> dict[str, Any]:
    """An aggregate of Google Benchmark."""
    more = {"run_type": "aggregate", "aggregate_name": name, "time_unit": "ms"}
    return {"name": f"b_{name}", "run_name": "b", "real_time": time, "cpu_time": time, **more}


def ended(test: str | None, seconds: float = 1.0, package: str = "shop") -> str:
    event = {"Action": "pass", "Package": package, "Elapsed": seconds} | ({"Test": test} if test else {})
    return json.dumps(event)


def printed(*texts: str) -> list[str]:
    return [json.dumps({"Action": "output", "Package": "shop", "Output": text}) for text in texts]


JMH = {"jmhVersion": "1.37", "benchmark": "b", "mode": "avgt", "threads": 1}
GO = ("BenchmarkX 1 2000000 ns/op", "BenchmarkX 1 9000000 ns/op", "BenchmarkX 1 3000000 ns/op", "PASS", "ok a 1s")


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        # each launch, process, fork or worker is a run: the median of its iterations
        (
            "benchmarkdotnet",
            {"Benchmarks": [launches((10e6, 1), (90e6, 1), (30e6, 1), (50e6, 2))]},
            "b time: 3 5",
        ),
        (
            "go-benchmark",
            "\n".join(["pkg: a", *GO, "pkg: b", "BenchmarkX 1 5000000 ns/op", "PASS", "ok b 1s", "pkg: a", *GO]),
            "a.BenchmarkX time: 3 3; b.BenchmarkX time: 5",
        ),
        (
            "pyperf",
            {
                "metadata": {"perf_version": "2.10.0"},
                "benchmarks": [
                    {
                        "runs": [{"warmups": [[1, 0.5]]}, {"values": [1, 2, 9]}, {"values": [4]}],
                        "metadata": {"name": "b"},
                    }
                ],
            },
            "b time: 2000 4000",
        ),
        # where only statistics are known they are the run
        (
            "benchmarkdotnet",
            {"Benchmarks": [{"FullName": "b", "Statistics": {"OriginalValues": [1e6, 2e6, 6e6]}}]},
            "b time: 2",
        ),
        ("benchmarkdotnet", {"Benchmarks": [launches()]}, "b time: 7"),
        ("jmh", [JMH | {"primaryMetric": {"score": 2, "scoreUnit": "ms/op"}}], "b time: 2; 1 warnings"),
        (
            "google-benchmark",
            {"benchmarks": [aggregate("mean", 3), aggregate("median", 2), aggregate("stddev", 1)]},
            "b time: 2; b CPU time: 2",
        ),
        (
            "pytest-benchmark",
            {"benchmarks": [{"name": "b", "fullname": "a.py::b", "stats": {"mean": 0.7, "median": 0.5, "rounds": 9}}]},
            "a.py::b time: 500",
        ),
        # other metrics and units
        (
            "hyperfine",
            {
                "results": [
                    {"command": "ls", "median": 1, "times": [1, 2], "memory_usage_byte": [4096, 8192]},
                    {"command": "cat", "median": 1, "times": [3], "exit_codes": [2]},
                    {"command": "cp", "median": 1, "times": [3, 4], "exit_codes": [0, None], "stddev": None},
                ]
            },
            "ls time: 1000 2000; cp time: 3000; ls peak memory: 4096 8192; 2 warnings",
        ),
        (
            "pyperf",
            {"metadata": {"name": "b", "unit": "byte"}, "benchmarks": [{"runs": [{"values": [4096]}]}]},
            "b memory: 4096",
        ),
        (
            "criterion",
            {
                "reason": "benchmark-complete",
                "id": "b",
                "iteration_count": [2, 4],
                "measured_values": [8, 20],
                "unit": "ms",
            },
            "b time: 4.5",
        ),
        ("mitata", {"layout": [], "benchmarks": [{"runs": [{"name": "b", "stats": {"avg": 2e6}}]}]}, "b time: 2"),
        (
            "tinybench",
            [{"name": "b", "latency": {"mean": 3, "p50": 2}}, {"name": "c", "result": {}}],
            "b time: 2; 1 warnings",
        ),
        ("tinybench", {"latency": {"p50": 2}}, "a time: 2"),
        (
            "vitest",
            {"files": [{"groups": [{"fullName": "a.js", "benchmarks": [{"name": "b", "mean": 3}]}]}]},
            "a.js > b time: 3",
        ),
        # names
        (
            "benchmarkdotnet",
            {"Benchmarks": [{"Type": "Shop", "Method": "Sort", "Parameters": "n=1", "Statistics": {"Mean": 2e6}}]},
            "Shop.Sort(n=1) time: 2",
        ),
        (
            "go-benchmark",
            "BenchmarkX-8 1 2000000 ns/op\nBenchmarkY/n=9-8 1 3000000 ns/op\nPASS",
            "BenchmarkX time: 2; BenchmarkY/n=9 time: 3",
        ),
        (
            "go-benchmark",
            "BenchmarkX 1 2000000 ns/op\nBenchmarkX-2 1 3000000 ns/op\nPASS",
            "BenchmarkX time: 2; BenchmarkX-2 time: 3",
        ),
        (
            "go-test",
            "\n".join([ended("TestA"), ended("TestA", 2.0, "cart"), ended(None)]),
            "shop.TestA time: 1000; cart.TestA time: 2000",
        ),
        # output of others in between, and files that are cut off
        (
            "libtest",
            "running 2 tests\ntest a::b ... bench:   1,234,000.5 ns/iter (+/- 1,000)\ntest c ... ok",
            "a::b time: 1.234",
        ),
        (
            "go-benchmark",
            f"=== RUN TestX\nBenchmarks are fun\nBenchmarkX 1 2000000 ns/op\nBenchmarkY\nBenchmark{'9 ' * 9000}\nPASS",
            "BenchmarkX time: 2",
        ),
        ("go-benchmark", "BenchmarkX 1 2000000 ns/op\n", "BenchmarkX time: 2; 1 warnings"),
        # a log of the program between a name and its results, or without them
        (
            "go-benchmark",
            "BenchmarkX-8 \t2026/01/01 on\n1000000000\t 2000000 ns/op\nBenchmarkY-8 \tlog    10\t 3000000 ns/op\nPASS",
            "BenchmarkX time: 2; BenchmarkY time: 3",
        ),
        (
            "go-benchmark",
            "BenchmarkX\nBenchmarkX-8 1 2000000 ns/op 3\nBenchmarkY-8 \tlog\nBenchmarkZ-8 \t--- SKIP: BenchmarkZ\nPASS",
            "BenchmarkX time: 2; 1 warnings",
        ),
        (
            "libtest",
            "test a ... log\nbench: 1,500 ns/iter (+/- 2)\ntest b ... log\ntest c ... ok\ntest d ... ignored, slow",
            "a time: 0.0015; 1 warnings",
        ),
        # values that are no numbers
        ("go-benchmark", "BenchmarkX 1 2000000 ns/op NaN hits +Inf MB/s\nPASS", "BenchmarkX time: 2; 2 warnings"),
        ("libtest", "test a ... bench: 1911 MS/s (+/- 4)\ntest b ... bench: 12", "a MS/s: 1911; 1 warnings"),
        ("criterion", {"iters": [0, 1], "times": [1, 2e6]}, "a time: 2; 1 warnings"),
        (
            "jmh",
            [
                JMH
                | {
                    "primaryMetric": {"score": 2, "scoreUnit": "ms/op", "rawData": [[2, "NaN"]]},
                    "secondaryMetrics": {"·stack": {"score": "NaN", "scoreUnit": "---", "rawData": [["NaN"]]}},
                }
            ],
            "b time: 2; 2 warnings",
        ),
        (
            "google-benchmark",
            b'{"benchmarks": [{"name": "b", "real_time": 2e6, "cpu_time": 2e6, "x": NaN, "y": -nan(ind), "z": inf}]}',
            "b time: 2; b CPU time: 2; 3 warnings",
        ),
        (
            "google-benchmark",
            b'{"benchmarks": [{"name": "b: 3%", "real_time": 2e6}, {"name": "b_BigO"}, {"name": "b_RMS", "rms": 2%}]}',
            "b: 3% time: 2; 1 warnings",
        ),
        (
            "google-benchmark",
            {"benchmarks": [aggregate("median", 2), aggregate("mean", 3), aggregate("mean", 4) | {"run_name": "c"}]},
            "b time: 2; b CPU time: 2; 1 warnings",
        ),
        (
            "go-test",
            f'{ended("B")}\n{{"Action": "pass", "Package": "shop", "Test": "A"}}\n{ended("C", -1)}\n{ended(None)}',
            "shop.B time: 1000; 2 warnings",
        ),
        ("go-test", f"# shop\ngo: downloading\n{ended('TestA')}\n{ended(None)}", "shop.TestA time: 1000"),
        (
            "go-test",
            "\n".join([ended("TestA"), *printed("ok  \tshop\t(cached)\n"), ended(None)]),
            "shop.TestA time: 1000; 1 warnings",
        ),
        ("go-test", f'{ended("TestA")}\n{{"Action": "start", "Package": "b"}}', "shop.TestA time: 1000; 1 warnings"),
        (
            "pytest-durations",
            "= slowest durations =\n1.00s call     a.py::t\n\n(3 durations < 0.005s hidden.  Use -vv)\n= in 1.00s =\n",
            "a.py::t time: 1000; 3 warnings",
        ),
    ],
)
def test_small_files_have_these_runs(name: str, content: Any, expected: str) -> None:
    """A text of benchmarks, metrics and runs; times are in milliseconds."""
    found = read(name, content)
    lines = [
        f"{benchmark} {metric}: {' '.join(f'{run:g}' for run in runs)}"
        for (benchmark, metric), runs in runs_of(found).items()
    ]
    if warnings := sum(found.warning_counts.values()):
        lines.append(f"{warnings} warnings")
    assert "; ".join(lines) == expected


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("sort/1000/new/sample.json", "sort/1000"),
        ("orders/base/sample.json", "orders"),
        ("new/sample.json.gz", "new/sample.json.gz"),
        ("sort.json", "sort.json"),
    ],
)
def test_the_folders_of_a_criterion_file_name_the_benchmark(file: str, name: str) -> None:
    assert read("criterion", {"sampling_mode": "Flat", "iters": [1], "times": [2]}, file).frames.names == [name]


def test_benchmarks_that_go_test_prints_are_benchmarks() -> None:
    output = [
        "goos: linux\n",
        "pkg: shop\n",
        "BenchmarkAdd-8 \t",
        "  100\t 12.0 ns/op\t 16 B/op\t 1 allocs/op\n",
        "PASS\n",
    ]
    found = read("go-test", "\n".join([*printed(*output), ended("TestA"), ended(None)]))
    assert {name for name, _ in runs_of(found)} == {"shop.BenchmarkAdd"}
    assert found.beside is not None
    assert (runs_of(found.beside), found.beside.facts.format) == ({("shop.TestA", "time"): [1000]}, "go-test")
    assert [metric.name for metric in found.metrics] == ["time", "allocated", "allocations"]
    assert (found.facts.format, found.facts.os) == ("go-benchmark", "linux")
    assert not found.warning_counts


@pytest.mark.parametrize("first", [True, False])
def test_units_of_go_state_direction_and_exactness(first: bool) -> None:
    unit, result = "Unit hits better=higher assume=exact\n", "BenchmarkX 1 2000000 ns/op 7 hits\nPASS\n"
    found = read("go-benchmark", unit + result if first else result + unit)
    hits = found.metrics[1]
    assert (hits.better, hits.directed, hits.kind) == ("higher", True, MetricKind.COUNTED)


def test_secondary_metrics_of_jmh_belong_to_their_mode() -> None:
    def of(mode: str, allocated: int) -> dict[str, Any]:
        metrics = {"gc.alloc.rate.norm": {"scoreUnit": "B/op", "rawData": [[allocated]]}}
        return JMH | {
            "mode": mode,
            "primaryMetric": {"scoreUnit": "ms/op", "rawData": [[1]]},
            "secondaryMetrics": metrics,
        }

    found = runs_of(read("jmh", [of("avgt", 25), of("ss", 5680)]))
    norms = {metric: runs for (_, metric), runs in found.items() if "norm" in metric}
    assert norms == {"gc.alloc.rate.norm (time)": [25], "gc.alloc.rate.norm (single-shot time)": [5680]}


def test_line_that_a_test_prints_is_no_benchmark() -> None:
    event = {"Action": "output", "Package": "shop", "Test": "TestA", "Output": "BenchmarkFake 1 1 ns/op\n"}
    found = read("go-test", "\n".join([json.dumps(event), ended("TestA"), ended(None)]))
    assert [name for name, _ in runs_of(found)] == ["shop.TestA"]


def test_a_stated_direction_comes_before_the_unit() -> None:
    found = read("custom-results", [{"name": "uptime", "unit": "s", "value": 1, "better": "higher"}])
    assert found.metrics[0].better == "higher"


def test_a_list_after_a_long_log_is_found() -> None:
    text = (
        f"9.00s call     printed.py::t\n{'x' * (2 * HEAD_SIZE)}\n= slowest 1 durations =\n"
        "1.00s call     a.py::t[x y]  \n= 1 passed in 1.00s =\n"
    )
    assert BY_NAME["pytest-durations"].recognizes(source_of("a.txt", text.encode()))
    assert runs_of(read("pytest-durations", text)) == {("a.py::t[x y]", "time"): [1000]}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("benchmarkdotnet", '{"Benchmarks": [7]}', r"Benchmarks\[0\]: it is not a JSON object"),
        ("benchmarkdotnet", '{"Benchmarks": [{"Statistics": {"Mean": 1}}]}', "not a name of a benchmark"),
        ("criterion", '{"iters": [1], "times": [1, 2]}', "numbers of times"),
        ("custom-results", '[{"name": "a", "unit": "ms", "value": 1, "better": []}]', "neither lower nor higher"),
        ("hyperfine", '{"results": [{"command": "ls", "times": []}]}', "has no 'times'"),
        ("jmh", '[{"jmhVersion": "1"}]', "has no 'benchmark'"),
        ("jmh", '[{"benchmark": "a", "primaryMetric": 7}]', "'primaryMetric' is not a JSON object"),
        ("jmh", '[{"benchmark": "a", "primaryMetric": {"rawDataHistogram": [[[[1, 0]]]]}}]', "with their counts"),
        ("tinybench", '[{"result": {"latency": {"p50": 1}}}]', "not a name of a benchmark"),
        ("vitest", '{"testResults": [{"assertionResults": [{"title": "a"}]}]}', "run: vitest bench"),
        ("pyperf", '{"benchmarks": [{"metadata": {"name": "a"}}]}', "'runs' is not a JSON array"),
        ("pyperf", '{"benchmarks": [{"runs": [{"values": [1]}]}]}', "not a name of a benchmark"),
        (
            "pytest-benchmark",
            '{"machine_info": 7, "benchmarks": [{"name": "a", "stats": {"mean": 1}}]}',
            "machine_info",
        ),
        ("go-test", f'{ended("B")}\n{{"Action": "pass"', "a:2: .*is not JSON"),
        ("pytest-durations", "1.00s call     a.py::t", "no list of slowest durations"),
        ("pytest-report-log", '{"$report_type": "TestReport", "nodeid": 1, "when": "call"}', "a:1: .*lacks its name"),
    ],
)
def test_results_of_another_shape_are_refused(name: str, text: str, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        read(name, text)
