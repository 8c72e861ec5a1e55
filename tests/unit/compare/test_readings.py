"""Profiles as the history keeps them."""

import json
from dataclasses import replace

import numpy as np
import pytest

from history_samples import reading, rows
from profgate.compare.columns import CompareOptions
from profgate.compare.readings import REST, of_same_symbols, readings_of
from profgate.errors import ComparisonError
from profgate.model.history import Reading
from profgate.model.profile import Profile
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


BEFORE = "main;parse 50\nmain;draw 30\nmain;log 20\n"
AFTER = "main;parse 80\nmain;draw 30\nmain;log 20\nmain;new 5\n"


def pruned(one: Reading, *names: str) -> Reading:
    (column,) = one.columns
    chosen = np.array([name in names for name, _ in column.symbols])
    symbols = [key for key in column.symbols if key[0] in names]
    small = replace(column, symbols=symbols, own=column.own[chosen], total=column.total[chosen], whole=False)
    return replace(one, columns=(small,))


def test_whole_readings_stay_as_they_are() -> None:
    sides = [[reading(BEFORE)], [reading(AFTER)]]
    made = of_same_symbols(sides)
    assert [one.columns for side in made for one in side] == [one.columns for side in sides for one in side]


def test_what_one_side_lost_is_one_symbol_on_both() -> None:
    (before,), (after,) = of_same_symbols([[pruned(reading(BEFORE), "parse", "draw")], [reading(AFTER)]])
    assert rows(before.columns[0]) == {"parse": (50, 50), "draw": (30, 30), REST[0]: (20, 20)}
    assert rows(after.columns[0]) == {"parse": (80, 80), "draw": (30, 30), REST[0]: (25, 25)}


def test_pruned_runs_compare_shared_symbols() -> None:
    runs = [pruned(reading(BEFORE), "parse", "draw"), pruned(reading(BEFORE), "parse", "log")]
    made, _ = of_same_symbols([runs, [reading(AFTER)]])
    assert [rows(one.columns[0]) for one in made] == [{"parse": (50, 50), REST[0]: (50, 50)}] * 2
