import json
from pathlib import Path
from typing import Any

import pytest

from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.benchmarks.pyperf import FORMAT
from result_rows import values

RECORDED = Path(__file__).parents[2] / "data" / "pyperf" / "pyperf-2.10.json"


def read(*benchmarks: Any, **metadata: Any) -> Profile:
    document = {"benchmarks": benchmarks, "metadata": {"perf_version": "2.10.0", **metadata}}
    return FORMAT.read(source_of("a.json", json.dumps(document).encode()))


def test_a_recorded_file_has_a_run_for_each_worker() -> None:
    found = FORMAT.read(source_of("a.json", RECORDED.read_bytes()))
    # four workers, three values each
    runs = json.loads(RECORDED.read_text())["benchmarks"][0]["runs"]
    medians = [sorted(run["values"])[1] * 1e9 for run in runs if "values" in run]
    assert len(medians) == 4
    assert values(found, "sorted") == pytest.approx(medians)
    assert (found.facts.profiler_version, found.facts.runtime) == ("2.10.0", "3.11.7")


def test_a_worker_gives_the_median_of_its_values() -> None:
    calibration = {"warmups": [[1, 0.5]]}
    found = read({"runs": [calibration, {"values": [1, 2, 9]}, {"values": [4]}], "metadata": {"name": "sort"}})
    assert values(found, "sort") == [2e9, 4e9]


def test_metadata_of_the_document_applies_to_all_benchmarks() -> None:
    found = read({"runs": [{"values": [4096]}]}, name="sort", unit="byte")
    assert values(found, "sort", "memory") == [4096]
