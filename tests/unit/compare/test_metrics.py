import pytest

from comparisons import flat, overlaid
from profgate.compare.metrics import without_multiples
from profgate.model.comparison import sample_counts
from profgate.model.profile import Configuration, Profile, Workload
from profgate.model.record import replace
from profgate.model.units import Metric, MetricKind

SAMPLES, CPU = Metric("samples", "count"), Metric("cpu", "nanoseconds")
OBJECTS = Metric("alloc_objects", "count", kind=MetricKind.COUNTED)
SPACE = Metric("alloc_space", "bytes", kind=MetricKind.COUNTED)


def compared(before: list[Profile], after: list[Profile], noise: list[Profile] | None = None) -> Workload:
    return without_multiples(Workload("w", Configuration(), tuple(before), tuple(after), tuple(noise or [])))


def names(workload: Workload) -> list[list[str]]:
    return [[metric.name for metric in profile.metrics] for profile in (*workload.baseline_runs, *workload.target_runs)]


def test_time_stays_and_samples_give_its_counts() -> None:
    before = flat((SAMPLES, CPU), [600, 900], [6000, 9000], periods=(1, None))
    after = flat((SAMPLES, CPU), [700, 100], [14_000, 2000], periods=(1, None))
    workload = compared([before], [after], [after])
    assert names(workload) == [["cpu"], ["cpu"]]
    comparison = overlaid(workload.baseline_runs, workload.target_runs, workload.noise_runs)
    assert comparison.run_totals.tolist() == [15_000, 16_000]
    assert sample_counts(comparison) == (1500.0, 800.0)
    assert comparison.noise.sample_values is not None
    assert comparison.noise.sample_values.tolist() == [20.0]


def test_exponents_belong_to_the_factor() -> None:
    coarse, thousands = replace(CPU, exponent=3), replace(SAMPLES, exponent=3)
    runs = [flat((CPU, SAMPLES), [60_000], [6]), flat((coarse, SAMPLES), [60], [6], periods=(None, 1))]
    assert [profile.periods for profile in compared(runs, [runs[1]]).target_runs] == [(10,)]
    objects = [
        replace(profile, metrics=tuple(replace(metric, kind=MetricKind.COUNTED) for metric in profile.metrics))
        for profile in (*runs, flat((coarse, thousands), [60_000], [6]))
    ]
    assert names(compared([objects[0]], objects[1:])) == [["cpu"]] * 3


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param([[2, 3], [32, 49]], [[2, 3], [32, 48]], id="another factor for a function"),
        pytest.param([[2, 3], [32, 48]], [[2, 3], [64, 96]], id="another factor on a side"),
        pytest.param([[0, 0], [0, 0]], [[2, 3], [32, 48]], id="nothing to compare in a run"),
        pytest.param([[2, 3], [5, 7]], [[2, 3], [5, 7]], id="no whole factor"),
    ],
)
def test_metrics_with_values_of_their_own_stay(before: list[list[int]], after: list[list[int]]) -> None:
    both = [flat((OBJECTS, SPACE), *before)], [flat((OBJECTS, SPACE), *after)]
    assert names(compared(*both)) == [["alloc_objects", "alloc_space"]] * 2


def test_a_metric_that_a_side_lacks_stays() -> None:
    both = flat((SAMPLES, CPU), [6, 9], [60, 90])
    assert names(compared([both], [flat((SAMPLES,), [6, 9])])) == [["samples", "cpu"], ["samples"]]
    assert names(compared([flat((CPU,), [60, 90])], [both])) == [["cpu"], ["samples", "cpu"]]
