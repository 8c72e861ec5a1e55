import json
from pathlib import Path
from typing import Any

from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.benchmarks.custom_results import FORMAT
from result_rows import values

BY_HAND = Path(__file__).parents[2] / "data" / "custom-results" / "by-hand.json"


def read(*entries: Any) -> Profile:
    return FORMAT.read(source_of("a.json", json.dumps(entries).encode()))


def test_entries_of_one_name_are_runs() -> None:
    found = FORMAT.read(source_of("a.json", BY_HAND.read_bytes()))
    assert values(found, "cold start") == [120.5e6, 118.5e6]
    assert values(found, "orders", "throughput") == [1500]
    assert {metric.name: (metric.better, metric.directed) for metric in found.metrics} == {
        "time": ("lower", True),
        "throughput": ("higher", True),
        "score": ("higher", True),
        "widgets": ("lower", False),
    }


def test_a_stated_direction_comes_before_the_unit() -> None:
    assert read({"name": "uptime", "unit": "s", "value": 1, "better": "higher"}).metrics[0].better == "higher"
