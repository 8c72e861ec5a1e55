import json
from pathlib import Path
from typing import Any

import pytest

from profgate.errors import ProfileError
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


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (7, r"benchmarks\[0\]: it is not a JSON object"),
        ({"name": "a"}, "'stats' is not a JSON object"),
        ({"name": "a", "stats": {}}, "'None', which cannot be measured"),
        ({"name": "a", "stats": {"data": 7}}, "'data' is not a JSON array"),
        ({"stats": {"mean": 1}}, "not a name of a benchmark"),
    ],
)
def test_benchmarks_of_another_shape_are_refused(entry: Any, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        read(entry)


def test_a_machine_of_another_shape_is_refused() -> None:
    with pytest.raises(ProfileError, match="'machine_info' is not a JSON object"):
        read({"name": "a", "stats": {"median": 1}}, machine=[1])
