"""Which files are one run, and their sum."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from profgate.compare.runs import in_run, in_runs, recording_name
from profgate.loading import readable_profiles
from profgate.model.comparison import Comparison
from profgate.model.profile import FrameList, Profile, Stacks
from profgate.model.reason import ReasonCode
from profgate.model.source import SourceFile, source_of
from profgate.model.units import Metric
from profgate.pipeline import PipelineInput, compare, compare_sources

CALLGRIND = "# callgrind format\npid: 1\ncmd: {}\npositions: line\nevents: Ir\n\nfl=a.c\nfn={}\n1 {}\ntotals: {}\n"


def files(texts: Mapping[str, str]) -> list[SourceFile]:
    return [source_of(name, f"{text}\n".encode() if text else b"") for name, text in texts.items()]


def callgrind(name: str, command: str, cost: int = 5, function: str = "work") -> SourceFile:
    return source_of(name, CALLGRIND.format(command, function, cost, cost).encode())


def runs(*sources: Sequence[SourceFile]) -> list[list[str]]:
    """The names of the runs of each side."""
    sides, _ = in_runs([readable_profiles(side) for side in sources])
    return [[profile.name for profile in side] for side in sides]


def compared(baseline: Sequence[SourceFile], target: Sequence[SourceFile]) -> dict[str, Comparison]:
    found = compare_sources(PipelineInput(baseline, target)).comparisons
    return {comparison.workload: comparison for comparison in found}


@pytest.mark.parametrize(
    ("path", "run", "part"),
    [
        ("api/run-1.folded", "1", ""),
        ("api.folded", "", ""),
        ("CPU.20261128.135846.11744.1.002.cpuprofile", "11744", "1 002"),
        ("main/run-3/CPU.20261128.135846.11744.0.001.cpuprofile", "3", "11744 0 001"),
        ("run-2/main/run-1.bin", "2", "1"),
        ("run-1.bin.4712", "1", "4712"),
        ("callgrind.out.4711.2-01", "4711", "2 01"),
        ("profile-20261128-120000-4711.vernier.json.gz", "4711", ""),
        ("stackprof-cpu-4711-1764121450.dump", "4711", ""),
        ("cachegrind.out.1764121450_123456.4711", "4711", ""),
        ("dotnet_20261128_120000.nettrace", "20261128_120000", ""),
        ("hotspot-pid-4140-id-1-2026_01_01_12_00_00.jfr", "4140", ""),
        ("run-4/gw1.pstats", "4", "gw1"),
        ("api/3/out.folded", "3", ""),
        ("20/api.7.folded", "7", ""),
        ("bench.py-2026-01-01T12:00:07.25Z.txt", "2026-01-01T12:00:07.25Z", ""),
        ("3f2b8c1d/api.run-2.folded", "2", ""),
        ("4711-2026-01-01T12:00:07+01:00.svg", "4711", ""),
        ("api-2026-01-01T12-00-07-250Z.cpuprofile", "2026-01-01T12-00-07-250Z", ""),
        ("api_31-01-2026_12-00.folded", "31-01-2026_12-00", ""),
        ("api (2).cpuprofile", "2", ""),
    ],
)
def test_run_and_part_of_a_path(path: str, run: str, part: str) -> None:
    name = recording_name(path)
    assert (" ".join(name.run), " ".join(name.part)) == (run, part)


def test_threads_of_a_process_are_one_run() -> None:
    names = [f"CPU.20260101.1200{n:02}.4{n:02}0.{thread}.001.cpuprofile" for n in range(5) for thread in range(3)]
    side = files(dict.fromkeys(names, "main;work 10"))
    (comparison,) = compared(side[:10], side).values()  # the last processes of the baseline lack files
    assert (comparison.runs.baseline, comparison.runs.target) == (4, 5)
    assert comparison.run_totals.tolist() == [30, 30, 30, 10, *[30] * 5]


def test_worker_of_one_side_is_work() -> None:
    sides = []
    for workers in (1, 2):
        texts = {}
        for run in range(1, 6):
            texts[f"w/run-{run}/CPU.20260101.120000.{run}0.0.001.cpuprofile"] = "main 100"
            for worker in range(workers):
                texts[f"w/run-{run}/CPU.20260101.120000.{run}0.{worker + 1}.001.cpuprofile"] = "burn 400"
        sides.append(files(texts))
    comparison = compared(*sides)["w/CPU"]
    assert (comparison.runs.baseline, comparison.runs.target) == (5, 5)
    assert comparison.run_totals.tolist() == [500] * 5 + [900] * 5


def test_same_process_number_in_containers_is_another_run() -> None:
    names = [f"CPU.20260101.12000{n}.7.{thread}.00{thread}.cpuprofile" for n in range(3) for thread in range(2)]
    assert runs(files(dict.fromkeys(names, "a 1")))[0] == names[::2]


def test_files_without_a_run_are_runs() -> None:
    assert runs(files({"a/x.folded": "a 1", "a/x.txt": "a 1", "a/cpu-0a1b2c30.folded": "a 1"}))[0] == [
        "a/x.folded",
        "a/x.txt",
        "a/cpu-0a1b2c30.folded",
    ]


def test_program_decides_where_names_differ_in_a_process() -> None:
    parsing = [callgrind(f"callgrind.out.{n}", "/a/bench parse --seed 1") for n in (10, 20)]
    side = [*parsing, *(callgrind(f"callgrind.out.{n}", "../b/bench render", 7) for n in (11, 21))]
    found = compared(side, side)
    assert {name: one.run_totals.tolist() for name, one in found.items()} == {
        "callgrind (bench parse --seed 1)": [5] * 4,
        "callgrind (bench render)": [7] * 4,
    }


def test_commands_with_random_arguments_are_one_program() -> None:
    sides = [[callgrind(f"callgrind.out.{n}", f"bench /tmp/{side}{n}") for n in range(3)] for side in "ab"]
    assert compared(*sides)["callgrind"].runs.baseline == 3


@pytest.mark.parametrize(
    ("baseline", "target"),
    [
        (["main", "main"], ["main", "main", "child", "child"]),  # work may have moved to the child
        (["main", "child", "child"], ["main", "child", "child"]),  # which child belongs to which run?
    ],
)
def test_unknown_runs_are_not_tested(baseline: list[str], target: list[str]) -> None:
    sides = [[callgrind(f"callgrind.out.{n}", name) for n, name in enumerate(side)] for side in (baseline, target)]
    found = compare_sources(PipelineInput(sides[0], sides[1]))
    assert not found.comparisons
    assert [(one.name, one.side, one.reason.code) for one in found.not_compared] == [
        ("callgrind", "both", ReasonCode.RUNS_UNCLEAR)
    ]


def test_processes_of_a_run_without_a_common_function_are_not_added() -> None:
    side = files({"run-1/a.100.folded": "main;parse 5", "run-1/a.101.folded": "sh;true 2"})
    assert [one.reason.code for one in compare_sources(PipelineInput(side, side)).not_compared] == [
        ReasonCode.RUNS_UNCLEAR
    ]


def test_children_of_a_stated_run_are_added_by_program() -> None:
    side = []
    for run in (1, 2):
        processes = [(f"{run}0", "main", 3), (f"{run}1", "child", 5), (f"{run}2", "child", 7)]
        side += [callgrind(f"run-{run}/callgrind.out.{n}", command, cost) for n, command, cost in processes]
    found = compared(side, side)
    assert {name: one.run_totals.tolist() for name, one in found.items()} == {
        "callgrind (main)": [3] * 4,
        "callgrind (child)": [12] * 4,
    }


def test_single_process_of_a_stated_run_needs_no_program() -> None:
    programs = ["bench"] * 4 + ["module"]  # Node may have executed an imported module first
    sides = [
        [callgrind(f"run-{run}/callgrind.out.{n}{run}", name) for run, name in enumerate(names)]
        for n, names in enumerate((programs, ["bench"] * 5))
    ]
    assert compared(*sides)["callgrind"].run_totals.tolist() == [5] * 10


def test_empty_file_beside_threads_is_no_run() -> None:
    side = [source_of("callgrind.out.7", b""), *(callgrind(f"callgrind.out.7-0{n}", "a") for n in (1, 2))]
    assert compared(side, side)["callgrind"].run_totals.tolist() == [10, 10]
    found = compare_sources(PipelineInput([*side, source_of("callgrind.out.8", b"")], side))
    assert [one.reason.reasons[0].code for one in found.not_compared] == [ReasonCode.EMPTY_FILE]


@pytest.mark.parametrize(
    ("baseline", "target", "workload"),
    [
        ("artifact/api/run-1.folded", "api/run-1.folded", "api"),
        ("api/run-1.folded", "a/b/api/run-1.folded", "api"),
        ("api/run-1.folded", "cli/run-1.folded", None),
        ("api/x.folded", "api/api/x.folded", None),
    ],
)
def test_folder_of_one_side_is_left_out(baseline: str, target: str, workload: str | None) -> None:
    sides = [files({path: "a 1", path.replace("1", "2").replace("x", "y"): "a 1"}) for path in (baseline, target)]
    assert list(compared(*sides)) == ([] if workload is None else [workload])


def test_files_of_an_execution_are_one_run() -> None:
    names = ["api.folded", "api.1.folded", "CPU.20260101.120000.7.0.001.cpuprofile"]
    side = files({in_run(name, run): "a 1" for run in (1, 2) for name in names})
    assert runs(side)[0] == [f"run-{run}/{name}" for run in (1, 2) for name in (names[0], names[2])]


def profile(metrics: tuple[Metric, ...], *values: int, period: int | None = None) -> Profile:
    frames = FrameList(["main", "work"], ["a.c", None], [1, 2], ["a", None], [None, 4])
    stacks = Stacks(
        depth=np.array([0, 1], np.uint16),
        frame=np.array([0, 1]),
        leaf=np.array([False, True]),
        values=np.array(values).reshape(-1, 1),
        root_values=np.full(len(values), 1),
    )
    return Profile("run-1.x", metrics=metrics, frames=frames, stacks=stacks, periods=(period,) * len(values))


def test_sum_has_all_metrics_in_the_smallest_unit() -> None:
    time, size = Metric("time", "nanoseconds"), Metric("size", "bytes")
    precise = Metric("time", "nanoseconds", exponent=-3)
    one, two = profile((time, size), 7, 30, period=2), profile((precise,), 5000, period=1999)
    two = Profile("run-1.2.x", two.configuration, two.metrics, two.frames, two.stacks, periods=two.periods)
    (((total,),), unclear) = in_runs([[one, two]])
    assert not unclear
    assert [(metric.name, metric.exponent) for metric in total.metrics] == [("time", -3), ("size", 0)]
    assert total.stacks is not None
    assert total.stacks.frame.tolist() == [0, 1, 2, 3]
    assert sorted(total.stacks.values.T.tolist()) == [[5000, 0], [7000, 30]]
    assert total.stacks.root_values.tolist() == [1001, 1]
    assert total.periods == (1999,)
    assert total.frames.executed == [None, 4, None, 4]


def test_lines_and_calls_of_graphs_are_added() -> None:
    lines = "fn=main\n3 1\ncfn={0}\ncalls=2 9\n4 {1}\nfn={0}\n9 {1}\n"
    head = "# callgrind format\npid: 1\nevents: Ir\n\nfl=a.c\n"
    texts = {f"callgrind.out.7-0{n}": head + lines.format("work", 10 * n) for n in (1, 2)}
    comparison = compared(files(texts), files(texts))["callgrind"]
    names = comparison.symbols.names
    assert comparison.self_value[0].tolist() == [{"main": 2, "work": 30}[name] for name in names]
    assert comparison.total_value[0].tolist() == [{"main": 32, "work": 30}[name] for name in names]
    assert comparison.edges is not None
    assert comparison.lines is not None


def failed(seed: int, name: str) -> bool:
    """Whether unchanged code fails, if a function differs more between the runs than between the files of a run."""
    numbers, sides = np.random.default_rng(seed), []
    for _ in range(2):
        texts = {}
        for run in range(5):
            cost = numbers.normal(2000, 300)
            for worker in range(4):
                own = int(cost + numbers.normal(0, 100))
                texts[name.format(run=run, worker=worker)] = f"main;parse {own}\nmain;render 3000\nmain;store 3000"
        sides.append(files(texts))
    return compare(PipelineInput(sides[0], sides[1], pages=0)).report.verdict.fails


def test_files_of_a_run_do_not_count_as_independent() -> None:
    assert not any(failed(seed, "run-{run}/gw{worker}.folded") for seed in range(20))
    assert any(failed(seed, "api.{run}{worker}.folded") for seed in range(20))  # as if each file were a run
