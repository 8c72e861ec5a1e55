import pytest

from profgate.errors import ComparisonError
from profgate.measuring.track.evolution import evolution_of
from profgate.measuring.track.evolution_text import evolution_lines
from profgate.measuring.track.versions import BenchmarkValue, Evolution, MeasuredVersion, Version
from profgate.model.reason import Reason, ReasonCode
from profgate.model.units import Metric, MetricKind

CALLS = Metric("calls", "count", kind=MetricKind.COUNTED)
TIME = Metric("time", "nanoseconds", kind=MetricKind.TIMED)


def version(number: int, *values: float, benchmark: str = "work", source: str | None = "s") -> MeasuredVersion:
    runs = tuple((BenchmarkValue(benchmark, CALLS, value, source=source),) for value in values)
    return MeasuredVersion(Version(f"v{number}", "c" * 40), runs, "" if values else "make failed")


def evolution(*measured: MeasuredVersion, **options: object) -> Evolution:
    return evolution_of("make bench", measured, **options)  # type: ignore[arg-type]


def test_line_has_median_and_range() -> None:
    (line,) = evolution(version(1, 10, 12, 11), version(2), version(3, 20)).lines
    assert (line.middle[0], line.low[0], line.high[0], line.middle[2]) == (11, 10, 12, 20)
    assert line.count.tolist() == [3, 0, 1]
    assert str(line.middle[1]) == "nan"


@pytest.mark.parametrize(
    ("measured", "jumps", "case"),
    [
        ([version(1, 100), version(2), version(3, 150)], [(0, 2)], ""),
        ([version(1, 100, source=None), version(2, 150, source=None)], [(0, 1)], "unknown"),
        ([version(1, 100), version(2, 100), version(3, 300, source="other")], [], "changed"),
    ],
)
def test_versions_are_compared_if_their_benchmark_is_the_same(
    measured: list[MeasuredVersion], jumps: list[tuple[int, int]], case: str
) -> None:
    found = evolution(*measured)
    assert [(jump.baseline, jump.target) for jump in found.jumps] == jumps
    expected = (Reason(ReasonCode.BENCHMARK_SOURCE, {"case": case, "benchmarks": "work", "more": None}),)
    assert found.notes == (expected if case else ())


def test_counted_metric_is_first_by_default() -> None:
    runs = (BenchmarkValue("work", TIME, 5.0, source="s"), BenchmarkValue("work", CALLS, 7.0, source="s"))
    measured = MeasuredVersion(Version("v1", "c" * 40), (runs,))
    assert evolution(measured).metric == "calls"
    assert evolution(measured, metric="time").metric == "time"
    with pytest.raises(ComparisonError, match="known are calls, time"):
        evolution(measured, metric="instructions")


def test_metric_with_a_jump_is_first() -> None:
    measured = [
        MeasuredVersion(
            Version(f"v{number}", "c" * 40),
            tuple((BenchmarkValue("work", TIME, time), BenchmarkValue("work", CALLS, 7.0)) for time in times),
        )
        for number, times in enumerate([(5.0, 5.1, 5.0, 5.1)] * 3 + [(19.0, 19.1, 19.0, 19.1)] * 3)
    ]
    assert evolution(*measured).metric == "time"
    assert "No jump" not in " ".join(text for _, text in evolution_lines(evolution(*measured)))
    assert evolution(*measured, metric="calls").metric == "calls"


def test_nothing_measured_is_an_error_with_reason() -> None:
    with pytest.raises(ComparisonError, match="make failed"):
        evolution(version(1), version(2))
    with pytest.raises(ComparisonError, match="there is none"):
        evolution()
