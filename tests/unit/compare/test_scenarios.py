"""Files of benchmarks: a workload each, with as many runs as the file holds."""

from collections.abc import Mapping, Sequence

import pytest

from profgate.compare.columns import CompareOptions
from profgate.compare.overlay import compare_workload
from profgate.compare.scenarios import taken_apart
from profgate.compare.workloads import pair
from profgate.model.comparison import Comparison, Observations
from profgate.model.profile import Facts, Profile
from profgate.readers.benchmarks.results import Quantity, Results, quantity_of

TIME, MEMORY = quantity_of("ns"), quantity_of("bytes")
Runs = Mapping[str, Sequence[float]]


def file(name: str, *metrics: tuple[Quantity, Runs], job: str | None = None, format: str = "x") -> Profile:  # noqa: A002
    results = Results(name)
    for quantity, benchmarks in metrics:
        for benchmark, values in benchmarks.items():
            results.add(benchmark, quantity, values)
    return results.profile(Facts(format=format, job=job))


def compared(baseline: Sequence[Profile], target: Sequence[Profile], noise: Sequence[Profile] = ()) -> list[Comparison]:
    paired = pair(baseline, target, [noise] if noise else [])
    return [one for workload in paired.workloads for one in compare_workload(workload, (), CompareOptions())[0]]


def totals(comparison: Comparison) -> list[float]:
    return [round(float(total) * comparison.metric.scale, 6) for total in comparison.run_totals]


def test_each_benchmark_is_a_workload() -> None:
    sort, find = sorted(
        compared(
            [file("old.json", (TIME, {"sort": [5, 6, 7.25], "find": [1]}))],
            [file("new.json", (TIME, {"find": [2, 3], "sort": [8]}))],
        ),
        key=lambda one: one.runs.baseline,
        reverse=True,
    )
    assert (sort.workload, totals(sort), sort.runs.baseline, sort.runs.target) == ("sort", [5, 6, 7.25, 8], 3, 1)
    assert (find.workload, totals(find), find.runs.baseline, find.runs.target) == ("find", [1, 2, 3], 1, 2)
    records = sort.attached(Observations)
    assert records is not None
    assert (records.run.tolist(), records.side.tolist()) == ([0, 1, 2, 3], [0, 0, 0, 1])


def test_each_metric_has_its_own_number_of_runs() -> None:
    side = [file("a.json", (TIME, {"sort": [5, 6]}), (MEMORY, {"sort": [64]}))]
    time, memory = compared(side, side)
    assert (time.metric.name, totals(time), time.runs.baseline) == ("time", [5, 6, 5, 6], 2)
    assert (memory.metric.name, totals(memory), memory.runs.baseline) == ("memory", [64, 64], 1)


def test_files_of_one_workload_add_their_runs() -> None:
    sides = [[file(f"b/run-{run}.json", (TIME, {"sort": [run, run]}), job=f"j{run}") for run in (1, 2)]] * 2
    [sort] = compared(*sides)
    assert totals(sort) == [1, 1, 2, 2, 1, 1, 2, 2]
    assert (sort.runs.baseline, sort.runs.baseline_jobs) == (4, (0, 0, 1, 1))


def test_runs_of_a_noise_file_are_one_job() -> None:
    side = [file("a.json", (TIME, {"sort": [5]}))]
    [sort] = compared(side, side, [file("a.json", (TIME, {"sort": [4, 8]})), file("a.json", (TIME, {"sort": [7]}))])
    assert [value * sort.metric.scale for value in sort.noise.run_totals.tolist()] == pytest.approx([4, 8, 7])
    assert (sort.runs.noise, sort.runs.noise_jobs) == (3, (0, 0, 1))
    assert sort.runs.base_jobs == (1, 1, 2, 0)


def test_one_name_in_two_folders_is_two_benchmarks() -> None:
    side = [file(name, (TIME, {"sort": [5], name[0]: [1]})) for name in ("x/a.json", "y/b.json")]
    assert [one.name for one in pair(side, side).workloads] == ["x", "x: sort", "y", "y: sort"]


def test_profiles_of_one_program_stay_whole() -> None:
    whole = Results("a.xml", scenarios=False)
    whole.add("test", TIME, [1, 2])
    whole.add("other", TIME, [4])
    [profile] = taken_apart([whole.profile(Facts(format="x"))])
    assert len(profile.frames.names) == 2
    assert [totals(one) for one in compared([profile], [profile])] == [[7, 7]]
