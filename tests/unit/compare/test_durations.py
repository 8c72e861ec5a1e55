"""Results of one run become durations by test, and runs are laid side by side."""

import math

import numpy as np
import pytest

from profgate.compare.duration_table import durations_of, is_table_of_durations, run_of
from profgate.compare.symbols import number_symbols
from profgate.errors import ComparisonError
from profgate.model.durations import DurationRun
from profgate.model.profile import Configuration, FrameList, Measurements, Profile, Workload
from profgate.model.source import source_of
from profgate.model.units import Better, Metric, MetricKind
from profgate.readers.registry import read_profile
from profgate.statistics.rank_checks import side_by_side


def results(
    *readings: tuple[str, float], file: str | None = None, unit: str = "seconds", better: Better = "lower"
) -> Profile:
    names = list(dict.fromkeys(name for name, _ in readings))
    count = len(readings)
    return Profile(
        name="junit.xml",
        configuration=Configuration(),
        metrics=(Metric("time", unit, better, MetricKind.TIMED),),
        frames=FrameList(names, [file] * len(names), [None] * len(names), [None] * len(names)),
        measurements=Measurements(
            frame=np.array([names.index(name) for name, _ in readings], dtype=np.int64),
            amount=np.array([value for _, value in readings]),
            size=np.full(count, np.nan),
            exclusive=np.full(count, np.nan),
            subtypes=[""] * count,
            order=np.zeros(count, dtype=np.int64),
        ),
    )


def test_durations_in_base_units_by_test() -> None:
    run = run_of([results(("a", 0.5), ("b", 2.0))], "monday")
    assert run == DurationRun("monday", "nanoseconds", {"a": 5e8, "b": 2e9})


def test_files_of_a_run_are_joined_by_median() -> None:
    run = run_of([results(("a", 1.0), ("a", 2.0)), results(("a", 9.0), ("b", 1.0))], "r")
    assert run.values == {"a": 2e9, "b": 1e9}


def test_tests_of_one_name_in_two_files_are_two() -> None:
    run = run_of([results(("test_x", 1.0), file="a.py"), results(("test_x", 2.0), file="b.py")], "r")
    assert run.values == {"a.py: test_x": 1e9, "b.py: test_x": 2e9}


def test_a_profile_is_one_test_that_took_its_total() -> None:
    folded = read_profile(source_of("big/load.folded", b"main;parse 10\nmain 5\n"))
    assert not is_table_of_durations(folded)
    assert run_of([folded], "r") == DurationRun("r", "samples", {"big/load": 15.0})


@pytest.mark.parametrize(
    ("profiles", "what"),
    [
        ([], "contains no duration"),
        ([results(("a", math.nan))], "contains no duration"),
        ([results(("a", 1.0)), results(("m", 1.0), unit="bytes")], "several units"),
        ([results(("a", 1.0), unit="op/s", better="higher")], "less is better"),
    ],
)
def test_what_cannot_be_ranked_is_an_error(profiles: list[Profile], what: str) -> None:
    with pytest.raises(ComparisonError, match=what):
        run_of(profiles, "r")


def test_runs_of_two_units_are_not_compared() -> None:
    with pytest.raises(ComparisonError, match="bytes and nanoseconds"):
        side_by_side([DurationRun("a", "nanoseconds", {"t": 1.0})], [DurationRun("b", "bytes", {"t": 1.0})])


def test_history_runs_precede_baseline_runs() -> None:
    one, two = results(("a", 1.0), ("b", 2.0)), results(("a", 3.0), ("b", 1.0))
    past = [
        DurationRun("c1", "nanoseconds", {"a": 5e9, "b": 6e9}),
        DurationRun("c2", "bytes", {"a": 5e9, "b": 6e9}),
        DurationRun("c3", "nanoseconds", {"a": 7e9, "gone": 1.0}),
    ]
    table = durations_of(Workload("junit", Configuration(), (one,), (two,)), past)
    assert table is not None
    assert (list(table.names), table.baselines, list(table.labels)) == (["a", "b"], 3, ["c1", "c3", *table.labels[2:]])
    expected = np.array([[5, 6], [7, math.nan], [1, 2], [3, 1]])
    assert np.array_equal(table.values / 1e9, expected, equal_nan=True)


def test_history_tests_have_stored_names() -> None:
    raw = "test_x[at 0x7f00]"
    one = results((raw, 1.0), ("b", 2.0), file="/home/someone/a.py")
    numbering = number_symbols([one])
    kept = {f"{file}: {name}" for name, file in zip(numbering.symbols.names, numbering.symbols.files, strict=True)}
    assert f"/home/someone/a.py: {raw}" not in kept
    past = [DurationRun("c1", "nanoseconds", dict.fromkeys(sorted(kept), 5e9))]
    table = durations_of(Workload("junit", Configuration(), (one,), (one,)), past)
    assert table is not None
    assert sorted(table.names) == sorted([f"/home/someone/a.py: {raw}", "/home/someone/a.py: b"])
    assert np.isfinite(table.values).all()
