import json
from pathlib import Path
from typing import Any

from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.benchmarks.jmh import FORMAT
from result_rows import means, values

BY_HAND = Path(__file__).parents[2] / "data" / "jmh" / "by-hand-1.37.json"


def read(*results: Any) -> Profile:
    return FORMAT.read(source_of("a.json", json.dumps(results).encode()))


def result(metric: Any, **more: Any) -> dict[str, Any]:
    return {"jmhVersion": "1.37", "benchmark": "a.B.c", "mode": "avgt", "threads": 1, "primaryMetric": metric, **more}


def test_each_fork_gives_the_median_of_its_iterations() -> None:
    found = FORMAT.read(source_of("a.json", BY_HAND.read_bytes()))
    assert values(found, "org.example.Shop.sort (count=1000)", "throughput") == [25e3, 25e3]
    assert values(found, "org.example.Shop.find (threads=2)") == [2000]
    assert values(found, "org.example.Shop.sort (count=1000)", "gc.alloc.rate.norm") == [4016, 4016]
    assert found.facts.runtime == "17.0.15"


def test_a_histogram_gives_the_median_of_iterations() -> None:
    found = FORMAT.read(source_of("a.json", BY_HAND.read_bytes()))
    assert values(found, "org.example.Shop.find", "sampled time") == [2250]


def test_throughput_has_a_direction_and_profilers_metrics_have_none() -> None:
    found = FORMAT.read(source_of("a.json", BY_HAND.read_bytes()))
    directions = {metric.name: (metric.unit, metric.better, metric.directed) for metric in found.metrics}
    assert directions["throughput"] == ("ops/s", "higher", True)
    assert directions["time"] == ("nanoseconds", "lower", True)
    assert directions["gc.alloc.rate.norm"] == ("bytes", "lower", True)
    assert directions["gc.alloc.rate"][2] is False


def test_a_score_alone_is_one_run_and_a_warning() -> None:
    found = read(result({"score": 2, "scoreUnit": "ms/op"}))
    assert means(found) == {"a.B.c": 2e6}
    assert list(found.warning_counts.values()) == [1]
