"""The counts of bytecodes that the project's own gate compares."""

import sys

from bench.counts import PARTS, READING, Counts

from profgate.model.source import source_of
from profgate.model.units import MetricKind
from profgate.readers.callgrind import CallgrindReader


def work(numbers: list[int]) -> int:
    return sum(numbers)


def test_counts_are_exact_and_belong_to_the_part() -> None:
    counts, before = Counts(), sys.gettrace()
    sys.settrace(counts.trace)
    work([1])  # belongs to no part
    counts.part = READING
    work([2])
    sys.settrace(before)
    profile = CallgrindReader().read(source_of("counts.out", counts.text().encode()))
    assert [metric.name for metric in profile.metrics] == list(PARTS)
    assert {metric.kind for metric in profile.metrics} == {MetricKind.COUNTED}
    assert profile.frames.names == ["work"]
    assert profile.graph is not None
    assert [int(values[0]) > 0 for values in profile.graph.self_value] == [False, True, False, False, False]
