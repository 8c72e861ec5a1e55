"""Pairing by configuration: runs, workloads, and what stands alone."""

import pytest

from profgate.compare.recordings import read_recordings
from profgate.compare.runs import workload_name
from profgate.compare.workloads import pair
from profgate.model.profile import Configuration, Facts, FrameList, Profile
from profgate.model.reason import ReasonCode
from profgate.model.source import source_of
from profgate.model.units import Metric
from profgate.readers.benchmarks.results import Results, quantity_of


def profile(name: str, unit: str = "samples", **configuration: str) -> Profile:
    metric = Metric(unit, unit)
    facts = Facts(format="folded")
    return Profile(name, Configuration(**configuration), (metric,), FrameList.of_names([]), facts=facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("api.folded", "api"),
        ("api.pb.gz", "api"),
        ("api/run-1.folded", "api"),
        ("api/2.folded", "api"),
        ("api/cold/run-12.folded.gz", "api/cold"),
        ("api/run-a.folded", "api/run-a"),
        ("api/run-1.cold.folded", "api/cold"),
        ("1.folded", "profile"),
        ("api/1/out.folded", "api/out"),
        ("run-3/20/api.folded", "20/api"),
        ("20/api/run-3.folded", "20/api"),
        ("20/21/api.folded", "20/api"),
        ("worker-8.folded", "worker-8"),
        ("py3.13/3.14/api.run-1.folded", "py3.13/3.14/api"),
        ("2026-01-01/0a1b2c3/api.folded", "api"),
        ("api.1.folded", "api"),
        ("api2.1.folded", "api2"),
        ("api.run-2.pb.gz", "api"),
        ("api.unknown", "api"),
        ("api.jfr.json", "api"),
        ("callgrind.out.4711", "callgrind"),
        ("CPU.20261123.194800.4711.0.001.cpuprofile", "CPU"),
        ("python-3.15.2-cpu.bin", "python-3.15.2-cpu"),
        ("go-1.19.8.txt", "go-1.19.8"),
        ("4711-2026-01-01T12:00:07+01:00.svg", "profile"),
        ("sort-1000-2026-01-01T12-00-07-250Z.cpuprofile", "sort-1000"),
        ("31-01-2026/api (2).cpuprofile", "api"),
        ("api (x64).cpuprofile", "api (x64)"),
        ("py-spy-0.4.3.speedscope.json", "py-spy-0.4.3"),
        ("com.example.Search.jfr.json", "com.example.Search"),
        (".folded", "profile"),
        ("a\\b.folded", "a/b"),
    ],
)
def test_workload_of_a_file(path: str, name: str) -> None:
    assert workload_name(path) == name


def test_repeated_runs_of_one_workload_stand_together() -> None:
    names = ["api/run-1.folded", "api/run-2.folded", "cli.folded"]
    paired = pair([profile(name) for name in names], [profile(name) for name in names])
    assert [(one.name, len(one.baseline_runs), len(one.target_runs)) for one in paired.workloads] == [
        ("api", 2, 2),
        ("cli", 1, 1),
    ]
    assert not paired.alone


def test_files_without_a_partner_are_listed() -> None:
    paired = pair([profile("a.folded"), profile("d.folded")], [profile("a.folded"), profile("c.folded")])
    assert [one.name for one in paired.workloads] == ["a"]
    assert [(one.name, one.side) for one in paired.alone] == [("c", "target"), ("d", "baseline")]


def test_no_two_workloads_have_one_name() -> None:
    commands = [profile(f"a/{number}.folded", command=command) for number, command in enumerate(("x", "y"))]
    side = [*commands, profile("a.json", unit="bytes"), profile("a (folded, samples).folded")]
    paired = pair(side, side)
    names = ["a (folded, bytes)", "a (folded, samples)", "a (folded, samples) 2", "a (folded, samples) 3"]
    assert [one.name for one in paired.workloads] == names
    assert [one.name for one in pair(side, []).alone] == names
    other = [profile("b.folded"), *side]
    assert {one.name for one in pair(other[::-1], other).workloads} == {one.name for one in paired.workloads} | {"b"}


def test_configuration_comes_before_the_place_of_a_file() -> None:
    before = [profile("x.perf", command="ls", collector="time"), profile("z.perf")]
    after = [profile("y.perf", command="ls", collector="time"), profile("z.perf")]
    assert len(pair(before, after).workloads) == 2


def test_noise_runs_join_their_workload() -> None:
    side = [profile("a.folded"), profile("b.folded")]
    paired = pair(side, side, [[profile("a.folded")], [profile("a.folded"), profile("b.folded")]])
    assert [len(one.noise_runs) for one in paired.workloads] == [2, 1]


def results(file: str, *benchmarks: str) -> Profile:
    """One process that measured some benchmarks in three rounds each."""
    read = Results(file)
    for name in benchmarks:
        read.add(name, quantity_of("ns"), [1, 2, 3], process=0)
    return read.profile(Facts(format="pytest-benchmark"))


def runs(*files: Profile) -> list[tuple[str, int]]:
    return [(workload.name, len(workload.target_runs)) for workload in pair(files, files).workloads]


def test_results_of_one_folder_are_repeated_runs() -> None:
    names = ["find", "sort", "sum", "test_a"]
    assert runs(*(results(f"{file}.json", *names) for file in ("first", "run-2", "3"))) == [(name, 3) for name in names]
    assert runs(results("a/x.json", "sort"), results("a\\y.json", "sort", "sum")) == [("sort", 2), ("sum", 1)]


def test_results_of_two_folders_stay_apart() -> None:
    assert runs(results("x.json", "sort"), results("a/x.json", "sort")) == [("a: sort", 1), ("sort", 1)]


def test_files_without_results_on_both_sides_are_reported() -> None:
    full, empty, other = results("a/run-1.json", "sort"), results("a/run-2.json"), results("b/run-1.json")
    paired = pair([full, empty, other], [empty, full, other])
    assert [workload.name for workload in paired.workloads] == ["sort"]
    assert [(entry.name, entry.reason.code) for entry in paired.alone] == [("b", ReasonCode.NO_RESULTS)]


def test_files_of_a_base_run_are_of_one_job() -> None:
    noise = [[source_of(name, b"") for name in names] for names in (["a", "b"], ["stated"], ["c"])]
    read = []
    for name in ("a", "b", "stated", "c"):
        facts = Facts(job="7") if name == "stated" else Facts()
        read.append(Profile(name, Configuration(), (), FrameList.of_names([]), facts=facts))
    _, _, *jobs = read_recordings([[], [], *noise], read).profiles
    assert [[profile.facts.job for profile in job] for job in jobs] == [
        ["base run 1", "base run 1"],
        ["7"],
        ["base run 3"],
    ]
