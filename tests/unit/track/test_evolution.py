from dataclasses import replace

import pytest

from profgate.errors import ComparisonError
from profgate.model.reason import Reason, ReasonCode
from profgate.model.units import Metric, MetricKind
from profgate.track.evolution import EvolutionOptions, evolution_of
from profgate.track.versions import BenchmarkValue, Evolution, MeasuredVersion, Version

CALLS = Metric("calls", "count", kind=MetricKind.COUNTED)
TIME = Metric("time", "nanoseconds", kind=MetricKind.TIMED)


def version(number: int, *values: float, benchmark: str = "work", source: str | None = "s") -> MeasuredVersion:
    runs = tuple((BenchmarkValue(benchmark, CALLS, value, source=source),) for value in values)
    return MeasuredVersion(Version(f"v{number}", "c" * 40), runs, "" if values else "make failed")


def evolution(*measured: MeasuredVersion, **options: object) -> Evolution:
    return evolution_of("make bench", measured, EvolutionOptions(**options))  # type: ignore[arg-type]


def test_line_has_median_and_range() -> None:
    (line,) = evolution(version(1, 10, 12, 11), version(2), version(3, 20)).lines
    assert (line.middle[0], line.low[0], line.high[0], line.middle[2]) == (11, 10, 12, 20)
    assert line.count.tolist() == [3, 0, 1]
    assert str(line.middle[1]) == "nan"


def test_changed_benchmark_is_not_compared() -> None:
    measured = [version(1, 100), version(2, 150), version(3, 150, source="other"), version(4, 300, source="other")]
    found = evolution(*measured)
    assert found.jumps == ()
    assert found.lines[0].breaks == (2,)
    assert found.notes == (
        Reason(ReasonCode.BENCHMARK_SOURCE, {"case": "changed", "benchmarks": "work", "more": None}),
    )


def test_unknown_source_is_compared_and_noted() -> None:
    found = evolution(version(1, 100, source=None), version(2, 150, source=None))
    assert len(found.jumps) == 1
    assert found.notes == (
        Reason(ReasonCode.BENCHMARK_SOURCE, {"case": "unknown", "benchmarks": "work", "more": None}),
    )


def test_failed_versions_are_skipped() -> None:
    (jump,) = evolution(version(1, 100), version(2), version(3, 150)).jumps
    assert (jump.baseline, jump.target) == (0, 2)


def test_counted_metric_is_first_by_default() -> None:
    runs = (BenchmarkValue("work", TIME, 5.0, source="s"), BenchmarkValue("work", CALLS, 7.0, source="s"))
    measured = MeasuredVersion(Version("v1", "c" * 40), (runs,))
    assert evolution(measured).metric == "calls"
    assert evolution(measured, metric="time").metric == "time"
    with pytest.raises(ComparisonError, match="known are calls, time"):
        evolution(measured, metric="instructions")


def test_nothing_measured_is_an_error_with_reason() -> None:
    with pytest.raises(ComparisonError, match="make failed"):
        evolution(version(1), version(2))
    with pytest.raises(ComparisonError, match="there is none"):
        evolution()


def test_lines_are_sorted() -> None:
    one, other = version(1, 1, benchmark="b"), version(1, 1, benchmark="a")
    both = replace(one, runs=one.runs + other.runs)
    assert [line.benchmark for line in evolution(both).lines] == ["a", "b"]
