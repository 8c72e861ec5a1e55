"""Profiles as the history keeps them."""

import json

import pytest

from history_samples import rows
from profgate.compare.columns import CompareOptions
from profgate.compare.readings import readings_of
from profgate.errors import ComparisonError
from profgate.model.profile import Profile
from profgate.model.record import replace
from profgate.model.source import source_of
from profgate.readers.registry import read_or_error


def read(name: str, data: bytes) -> Profile:
    profile = read_or_error(source_of(name, data))
    assert isinstance(profile, Profile)
    return profile


def test_period_that_no_history_accepts_is_an_error() -> None:
    profile = replace(read("a/1.folded", b"main 1\n"), periods=((1 << 62) + 1,))
    with pytest.raises(ComparisonError, match=r"a/1\.folded: the value of one sample exceeds 62 bits"):
        readings_of(profile, CompareOptions(), "c", "", "r")


def test_recursion_counts_once_in_readings() -> None:
    profile = read("a/1.folded", b"main;fib;fib 4\nmain 1\n")
    (whole,) = readings_of(profile, CompareOptions(), "c", "", "r")
    assert rows(whole.columns[0]) == {"fib": (4, 4), "main": (1, 5)}
    options = CompareOptions(ignore=("fib",))
    (some,) = readings_of(profile, options, "c", "", "r")
    assert rows(some.columns[0]) == {"main": (1, 1)}
    assert (whole.series.workload, some.series.workload) == ("a", "a")
    assert whole.series.key != some.series.key


def test_each_run_of_each_benchmark_is_a_reading() -> None:
    given = (("a", [1.0, 1.5]), ("b", [2.0]))
    results = [{"command": name, "median": times[0], "times": times} for name, times in given]
    profile = read("bench.json", json.dumps({"results": results}).encode())
    made = readings_of(profile, CompareOptions(), "c", "", "r", b"the file")
    assert [(one.series.workload, one.columns[0].sum * one.columns[0].metric.scale / 1e9) for one in made] == [
        ("a", 1.0),
        ("a", 1.5),
        ("b", 2.0),
    ]
    assert len({(one.series.key, one.run) for one in made}) == 3
    assert {one.profile for one in made} == {b"the file"}
