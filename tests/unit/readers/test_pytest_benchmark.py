import json
from pathlib import Path
from typing import Any

from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.benchmarks.pytest_benchmark import FORMAT
from result_rows import means, values

RECORDED = Path(__file__).parents[2] / "data" / "pytest-benchmark" / "pytest-benchmark-5.3.1.json"


def read(*benchmarks: Any, machine: Any = None) -> Profile:
    document = {"machine_info": machine or {}, "benchmarks": benchmarks}
    return FORMAT.read(source_of("a.json", json.dumps(document).encode()))


def test_a_recorded_file_has_the_medians_that_pytest_printed() -> None:
    found = FORMAT.read(source_of("a.json", RECORDED.read_bytes()))
    # the table in the terminal: median in us
    assert {name.split("::")[1]: round(mean / 1e3, 4) for name, mean in means(found).items()} == {
        "test_sort[100]": 2.441,
        "test_sort[1000]": 33.2455,
        "test_total": 261.813,
    }
    assert len(values(found, "test_shop.py::test_total")) == 1
    assert (found.facts.profiler_version, found.facts.os, found.facts.architecture) == ("5.3.1", "Linux", "x86_64")
    assert found.facts.runtime == "3.11.7"


def test_without_rounds_the_median_is_the_run() -> None:
    found = read({"name": "sort", "fullname": "a.py::sort", "stats": {"mean": 0.7, "median": 0.5, "rounds": 9}})
    assert values(found, "a.py::sort") == [5e8]
    assert (found.warnings, found.warning_counts) == ((), {})
