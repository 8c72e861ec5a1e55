import json
from pathlib import Path
from typing import Any

import pytest

from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.benchmarks.hyperfine import FORMAT
from result_rows import means, values

RECORDED = Path(__file__).parents[2] / "data" / "hyperfine" / "hyperfine-1.15.json"


def read(*results: Any) -> Profile:
    return FORMAT.read(source_of("a.json", json.dumps({"results": results}).encode()))


def result(command: str, *times: float, **more: Any) -> dict[str, Any]:
    return {"command": command, "median": 1, "times": list(times), **more}


def test_a_recorded_file_has_every_run() -> None:
    found = FORMAT.read(source_of("a.json", RECORDED.read_bytes()))
    written = json.loads(RECORDED.read_text())["results"]
    assert values(found, "sleep 0.01") == pytest.approx([time * 1e9 for time in written[0]["times"]])
    # what the terminal showed: 12.1 ms and 22.0 ms, 12 runs each
    assert {name: round(mean / 1e6, 1) for name, mean in means(found).items()} == {"sleep 0.01": 12.1, "sleep 0.02": 22}
    assert (found.warnings, found.warning_counts) == ((), {})


def test_memory_is_a_second_metric_where_it_was_recorded() -> None:
    found = read(result("ls", 1, 2, memory_usage_byte=[4096, 8192]), result("cat", 3))
    assert values(found, "ls", "peak memory") == [4096, 8192]
    assert values(found, "cat", "peak memory") == []


def test_failed_runs_are_a_warning() -> None:
    assert list(read(result("ls", 1, 2, exit_codes=[0, 2])).warning_counts.values()) == [1]
