"""Results of another shape than their format has are refused with their position."""

import pytest

from profgate.errors import ProfileError
from profgate.model.source import source_of
from profgate.readers.benchmarks import FORMATS

BY_NAME = {result.name: result for result in FORMATS}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("benchmarkdotnet", '{"Benchmarks": [7]}', r"Benchmarks\[0\]: it is not a JSON object"),
        ("benchmarkdotnet", '{"Benchmarks": [{"FullName": "a", "Statistics": {}}]}', "cannot be measured"),
        ("benchmarkdotnet", '{"Benchmarks": [{"Statistics": {"Mean": 1}}]}', "not a name of a benchmark"),
        ("criterion", '{"iters": [1], "times": [1, 2]}', "numbers of times"),
        ("criterion", '{"iters": [], "times": []}', "numbers of times"),
        ("criterion", '{"iters": [0], "times": [1]}', "repeats the work 0 times"),
        ("criterion", '{"iters": 7, "times": [1]}', "'iters' is not a JSON array"),
        ("libtest", "test b ... bench: 12", "a:1: '12' is not a time of an iteration"),
        ("custom-results", '[{"name": "a", "unit": "ms", "value": "1"}]', "cannot be measured"),
        ("custom-results", '[{"name": "a", "unit": "ms", "value": 1, "better": []}]', "neither lower nor higher"),
        ("go-benchmark", "BenchmarkX 1 2 ns/op 3", "a:1: '3' has no unit"),
        ("go-benchmark", "BenchmarkX 1 soon ns/op", "a:1: 'soon' is not a number"),
        ("go-benchmark", "BenchmarkX 1 NaN ns/op", "cannot be measured"),
        ("go-benchmark", "BenchmarkX 1 1e999 ns/op", "cannot be measured"),
        ("google-benchmark", '{"benchmarks": [{"name": "a", "real_time": -1}]}', "cannot be measured"),
        ("hyperfine", '{"results": [{"command": "ls"}]}', "'times' is not a JSON array"),
        ("hyperfine", '{"results": [{"command": "ls", "times": []}]}', "has no 'times'"),
        ("jmh", '[{"jmhVersion": "1"}]', "has no 'benchmark'"),
        ("jmh", '[{"benchmark": "a", "primaryMetric": 7}]', "'primaryMetric' is not a JSON object"),
        ("jmh", '[{"benchmark": "a", "primaryMetric": {"rawData": [7]}}]', "a fork is not a JSON array"),
        ("jmh", '[{"benchmark": "a", "primaryMetric": {"rawDataHistogram": [[[[1]]]]}}]', "values with their counts"),
        ("jmh", '[{"benchmark": "a", "primaryMetric": {"rawDataHistogram": [[[[1, 0]]]]}}]', "with their counts"),
        ("pyperf", '{"benchmarks": [{"metadata": {"name": "a"}}]}', "'runs' is not a JSON array"),
        ("pyperf", '{"benchmarks": [{"runs": [{"values": [1]}]}]}', "not a name of a benchmark"),
        ("pytest-benchmark", '{"benchmarks": [{"name": "a", "stats": {}}]}', "cannot be measured"),
        (
            "pytest-benchmark",
            '{"machine_info": 7, "benchmarks": [{"name": "a", "stats": {"mean": 1}}]}',
            "machine_info",
        ),
        ("pytest-durations", "1.00s call     a.py::t", "no list of slowest durations"),
        ("pytest-report-log", '{"$report_type": "TestReport", "nodeid": 1, "when": "call"}', "a:1: .*lacks its name"),
        ("pytest-report-log", '{"$report_type": "TestReport", "nodeid": "a", "when": []}', "its name or its phase"),
        ("pytest-report-log", '{"$report_type": "TestReport", "nodeid": "a", "when": "call"}', "cannot be measured"),
        ("pytest-report-log", '{"$report_type"', "is not JSON"),
    ],
)
def test_results_of_another_shape_are_refused(name: str, text: str, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        BY_NAME[name].read(source_of("a", text.encode()))
