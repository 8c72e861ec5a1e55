import json
from pathlib import Path
from typing import Any

from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.benchmarks.benchmarkdotnet import FORMAT
from result_rows import means, values

BY_HAND = Path(__file__).parents[2] / "data" / "benchmarkdotnet" / "by-hand-0.15-full.json"


def read(*benchmarks: Any) -> Profile:
    document = {"HostEnvironmentInfo": {}, "Benchmarks": benchmarks}
    return FORMAT.read(source_of("a.json", json.dumps(document).encode()))


def measurement(nanoseconds: float, launch: int = 1, operations: float = 10, stage: str = "Result") -> dict[str, Any]:
    return {
        "IterationMode": "Workload",
        "IterationStage": stage,
        "LaunchIndex": launch,
        "Operations": operations,
        "Nanoseconds": nanoseconds,
    }


def benchmark(*measurements: Any, **more: Any) -> dict[str, Any]:
    return {"FullName": "A.B", "Statistics": {"Mean": 7}, "Measurements": measurements, **more}


def test_a_launch_has_the_median_of_its_iterations() -> None:
    found = FORMAT.read(source_of("a.json", BY_HAND.read_bytes()))
    assert means(found) == {"Example.Shop.Sort(Count: 1000)": 500}
    assert values(found, "Example.Shop.Sort(Count: 1000)") == [500]
    assert values(found, "Example.Shop.Sort(Count: 1000)", "allocated") == [4024]
    assert list(found.warning_counts.values()) == [1]


def test_each_launch_is_a_run() -> None:
    assert values(read(benchmark(measurement(10), measurement(90), measurement(30), measurement(50, 2))), "A.B") == [
        3,
        5,
    ]


def test_statistics_replace_missing_measurements() -> None:
    assert values(read(benchmark(Statistics={"OriginalValues": [1, 2, 6], "Mean": 3})), "A.B") == [2]
    assert values(read(benchmark()), "A.B") == [7]


def test_a_missing_full_name_is_put_together() -> None:
    found = read({"Type": "Shop", "Method": "Sort", "Parameters": "n=1", "Statistics": {"Mean": 2}})
    assert list(means(found)) == ["Shop.Sort(n=1)"]
