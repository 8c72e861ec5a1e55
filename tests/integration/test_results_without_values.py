"""Files of results that hold none on both sides, beside another workload."""

import json
from pathlib import Path
from typing import Any

import pytest

from profgate.__main__ import main
from profgate.model.source import source_of
from profgate.readers.benchmarks import FORMATS

# a row without a usable value where a file without rows would not be recognized
EMPTY: dict[str, Any] = {
    "asv": {"commit_hash": "a", "result_columns": ["result"], "results": {}, "version": 2},
    "benchmarkdotnet": {"HostEnvironmentInfo": {}, "Benchmarks": []},
    "codspeed": {"creator": {}, "instrument": {}, "benchmarks": [{"stats": {"median_ns": "NaN"}, "uri": "a"}]},
    "criterion": {"sampling_mode": "Flat", "iters": [1], "times": ["NaN"]},
    "custom-results": [{"name": "a", "unit": "s", "value": "NaN"}],
    "go-benchmark": "BenchmarkX 1 1e999 ns/op\nPASS\n",
    "go-test": '{"Action": "skip", "Package": "shop"}\n',
    "google-benchmark": {"context": {"library_build_type": "release"}, "benchmarks": []},
    "gungraun": {"version": "7", "benchmark_exe": "a", "module_path": "a", "id": None, "profiles": []},
    "hyperfine": {"results": [{"command": "a", "median": None, "times": [1], "exit_codes": [1]}]},
    "jmh": [{"jmhVersion": "1", "benchmark": "a", "primaryMetric": {"scoreUnit": "s/op", "score": "NaN"}}],
    "junit": "<testsuites/>",
    "libtest": "test a ... bench: 1 ns/iter",
    "mitata": {"layout": [], "benchmarks": []},
    "pyperf": {"benchmarks": [{"metadata": {"name": "a"}, "runs": []}], "perf_version": 1},
    "pytest-benchmark": {"machine_info": {}, "benchmarks": []},
    "pytest-durations": "1.00s call     printed\n= slowest durations =\n= no tests ran in 0.01s =\n",
    "pytest-report-log": '{"$report_type": "SessionStart"}\n',
}


@pytest.mark.parametrize("name", EMPTY)
def test_empty_results_end_no_other_comparison(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = EMPTY[name] if isinstance(EMPTY[name], str) else json.dumps(EMPTY[name])
    (reader,) = (result for result in FORMATS if result.name == name)
    assert reader.recognizes(source_of("a", content.encode()))
    for side, cost in (("baseline", 6000), ("target", 9000)):
        (tmp_path / side / "app").mkdir(parents=True)
        (tmp_path / side / "results.txt").write_text(f"{content}\n" if side == "target" else content)
        for run in range(5):
            (tmp_path / side / "app" / f"run-{run}.folded").write_text(f"main;f {cost + run}\nmain;g {4000 + run}\n")
    assert main(["compare", str(tmp_path / "baseline"), str(tmp_path / "target"), "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    absent = [entry["reason"]["code"] for entry in report["not_compared"]]
    assert (report["verdict"]["conclusion"], absent) == ("fail", ["no_results"])
