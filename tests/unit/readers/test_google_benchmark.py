import json
from pathlib import Path
from typing import Any

import pytest

from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.benchmarks.google_benchmark import FORMAT
from result_rows import means, values

RECORDED = Path(__file__).parents[2] / "data" / "google-benchmark" / "google-benchmark-1.7.1.json"


def read(*benchmarks: Any) -> Profile:
    document = {"context": {"library_build_type": "release"}, "benchmarks": benchmarks}
    return FORMAT.read(source_of("a.json", json.dumps(document).encode()))


def run(name: str, time: float, **more: Any) -> dict[str, Any]:
    return {"name": name, "run_type": "iteration", "real_time": time, "cpu_time": time, "time_unit": "us", **more}


def test_a_recorded_file_has_the_medians_that_it_states() -> None:
    found = FORMAT.read(source_of("a.json", RECORDED.read_bytes()))
    entries = json.loads(RECORDED.read_text())["benchmarks"]
    stated = {item["run_name"]: item for item in entries if item.get("aggregate_name") == "median"}
    assert means(found) == pytest.approx({name: item["real_time"] * 1e3 for name, item in stated.items()})
    assert means(found, "CPU time") == pytest.approx({name: item["cpu_time"] * 1e3 for name, item in stated.items()})
    assert means(found, "items") == pytest.approx({name: item["items_per_second"] for name, item in stated.items()})
    assert means(found, "half") == {"BM_Sort/100": 50, "BM_Sort/1000": 500}
    assert len(values(found, "BM_Sort/100")) == 1
    assert list(found.warning_counts.values()) == [4]


def test_rates_have_a_direction_and_counters_have_none() -> None:
    found = FORMAT.read(source_of("a.json", RECORDED.read_bytes()))
    directions = {metric.name: (metric.better, metric.directed) for metric in found.metrics}
    assert directions == {
        "time": ("lower", True),
        "CPU time": ("lower", True),
        "items": ("higher", True),
        "half": ("lower", False),
    }


def test_the_median_is_the_run_of_aggregates() -> None:
    aggregates = [run("BM_mean", 3, run_name="BM", run_type="aggregate", aggregate_name="mean")]
    aggregates += [run("BM_median", 2, run_name="BM", run_type="aggregate", aggregate_name="median")]
    aggregates += [run("BM_stddev", 1, run_name="BM", run_type="aggregate", aggregate_name="stddev")]
    found = read(*aggregates)
    assert means(found) == {"BM": 2000}
    assert (found.warnings, found.warning_counts) == ((), {})
