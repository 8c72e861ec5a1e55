import json
from pathlib import Path
from typing import Any

import pytest

from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.benchmarks import criterion, libtest
from result_rows import means, values

DATA = Path(__file__).parents[2] / "data"
SAMPLE = DATA / "criterion" / "criterion-0.3.6-sample.json"
LINES = DATA / "libtest" / "criterion-0.3.6-bencher.txt"
ESTIMATED = 46836.24936038012  # the median of target/criterion/sort/1000/new/estimates.json


def sample(iters: Any, times: Any, name: str = "sort/1000/new/sample.json") -> Profile:
    document = {"sampling_mode": "Flat", "iters": iters, "times": times}
    return criterion.FORMAT.read(source_of(name, json.dumps(document).encode()))


def messages(*lines: Any) -> Profile:
    return criterion.FORMAT.read(source_of("a.json", "\n".join(map(json.dumps, lines)).encode()))


def lines(*text: str) -> Profile:
    return libtest.FORMAT.read(source_of("a.txt", "\n".join(text).encode()))


def test_a_recorded_sample_has_the_median_that_criterion_estimated() -> None:
    found = criterion.FORMAT.read(source_of("sort/1000/new/sample.json", SAMPLE.read_bytes()))
    assert values(found, "sort/1000") == pytest.approx([ESTIMATED])


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("sort/1000/new/sample.json", "sort/1000"),
        ("orders/base/sample.json", "orders"),
        ("new/sample.json.gz", "new/sample.json.gz"),
        ("sort.json", "sort.json"),
    ],
)
def test_the_folders_name_the_benchmark(file: str, name: str) -> None:
    assert list(means(sample([1], [2], file))) == [name]


def test_messages_hold_the_samples_of_each_benchmark() -> None:
    found = messages(
        {
            "reason": "benchmark-complete",
            "id": "sort",
            "iteration_count": [2, 4],
            "measured_values": [8, 20],
            "unit": "us",
        },
        {"reason": "group-complete", "group_name": "sort", "benchmarks": ["sort"]},
    )
    assert values(found, "sort") == [4500]


def test_a_recorded_text_has_the_value_of_each_line() -> None:
    found = libtest.FORMAT.read(source_of("a.txt", LINES.read_bytes()))
    assert means(found) == {"sort/100": 1350, "sort/1000": 46836, "orders": 2018}


def test_lines_are_read_with_separators_and_fractions() -> None:
    found = lines("running 2 tests", "test a::b ... bench:   1,234.5 ns/iter (+/- 1,000)", "test c ... ok")
    assert means(found) == {"a::b": 1234.5}
