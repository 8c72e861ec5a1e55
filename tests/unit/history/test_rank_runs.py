"""Durations that the history holds."""

import numpy as np

from profgate.compare.readings import runs_of
from profgate.model.durations import DurationRun
from profgate.model.history import Column, Reading, Series
from profgate.model.units import Metric, MetricKind
from profgate.readers.benchmarks import TEST_RESULTS

TIME = Metric("time", "nanoseconds", kind=MetricKind.TIMED, exponent=-6)
BYTES = Metric("allocated", "bytes", kind=MetricKind.COUNTED)
SPEED = Metric("speed", "op/s", "higher", MetricKind.TIMED)


def column(values: dict[str, int], metric: Metric = TIME) -> Column:
    own = np.array(list(values.values()), dtype=np.int64)
    return Column(metric, int(own.sum()), [(name, None) for name in values], own, own)


def reading(commit: str, *columns: Column, job: str = "1", run: str = "1", workload: str = "junit") -> Reading:
    fmt = "junit" if workload == "junit" else "folded"
    return Reading(commit, Series(workload, workload, format=fmt), run, columns, job)


def test_run_for_each_commit_and_job() -> None:
    found = runs_of(
        [
            reading("c0ffee0000000000", column({"a": 2_000_000, "b": 5_000_000})),
            reading("beef000000000000", column({"a": 4_000_000})),
            reading("c0ffee0000000000", column({"a": 6_000_000}), run="2"),
            reading("c0ffee0000000000", column({"a": 9_000_000}), job="2"),
        ],
        TEST_RESULTS,
    )
    assert found == [
        DurationRun("c0ffee0000", "nanoseconds", {"a": 4.0, "b": 5.0}),
        DurationRun("beef000000", "nanoseconds", {"a": 4.0}),
        DurationRun("c0ffee0000", "nanoseconds", {"a": 9.0}),
    ]


def test_profile_is_its_workload() -> None:
    profiles = [
        reading("c", column({"f": 1, "g": 2}, BYTES), workload="memory"),
        reading(
            "c", column({"f": 1}, SPEED), column({"f": 7, "g": 8}, BYTES), column({"f": 3_000_000}), workload="api"
        ),
    ]
    assert runs_of(profiles, TEST_RESULTS) == [DurationRun("c", "nanoseconds", {"api": 3.0})]


def test_runs_without_durations_are_omitted() -> None:
    assert runs_of([reading("c", column({"a": 1}, SPEED))], TEST_RESULTS) == []
