"""Functions whose names hold numbers that a build, process or run sets anew."""

from collections.abc import Mapping, Sequence

import pytest

from comparisons import folded
from history_samples import reading
from profgate.compare.columns import CompareOptions
from profgate.compare.overlay import compare_workload
from profgate.model.comparison import Comparison
from profgate.model.history import Reading
from profgate.model.profile import Configuration, Workload

Runs = Sequence[Mapping[str, int]]


def overlaid(baseline: Runs, target: Runs, noise: Runs = (), past: Sequence[Reading] = ()) -> Comparison:
    workload = Workload("w", Configuration(), *(tuple(folded(runs)) for runs in (baseline, target, noise)))
    (comparison,), _ = compare_workload(workload, (), CompareOptions(), None, past)
    return comparison


def costs(comparison: Comparison) -> dict[str, tuple[int, int]]:
    """The self cost of each side by name."""
    own, split = comparison.self_value, comparison.runs.baseline
    sums = zip(own[:split].sum(axis=0).tolist(), own[split:].sum(axis=0).tolist(), strict=True)
    return {name: pair for name, pair in zip(comparison.symbols.names, sums, strict=True) if any(pair)}


def below(caller: str, values: Mapping[str, int]) -> dict[str, int]:
    return {f"{caller};{stack}": value for stack, value in values.items()}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param({"run.func1": 9}, {"run.func2": 8}, {"run.func2": (9, 8)}, id="one of its shape"),
        pytest.param({"run.func1": 9}, {"run.func1": 1, "run.func2": 8}, {"run.func*": (9, 9)}, id="inserted"),
        pytest.param(
            {"run.func1;parse": 9, "run.func2;emit": 5, "run.func2": 1},
            {"run.func1;log": 1, "run.func2;parse": 8, "run.func3;emit": 6, "run.func3": 2},
            {"parse": (9, 8), "emit": (5, 6), "log": (0, 1), "run.func3": (1, 2)},
            id="inserted, distinguished by callees",
        ),
        pytest.param(
            {"a;run.func1": 9, "b;run.func2": 5},
            {"b;run.func1": 6, "a;run.func2": 8, "c;run.func3": 1},
            {"run.func1": (5, 6), "run.func2": (9, 8), "run.func3": (0, 1)},
            id="inserted, distinguished by callers",
        ),
        pytest.param(
            {"a;f_1;g_1": 9, "b;f_2;g_2": 5},
            {"a;f_7;g_8": 8, "b;f_9;g_6": 6},
            {"g_8": (9, 8), "g_6": (5, 6)},
            id="distinguished by callees that are distinguished",
        ),
        pytest.param(
            {"run.func1;parse": 9, "run.func2;emit": 5, "run.func1": 1},
            {"run.func2;parse": 8, "run.func1;emit": 6, "run.func2": 2},
            {"parse": (9, 8), "emit": (5, 6), "run.func2": (1, 2)},
            id="equal names of other functions",
        ),
        pytest.param(
            {"iter_1230": 9, "iter_1232": 5},
            {"iter_1232": 8, "iter_1234": 6},
            {"iter_1232": (9, 8), "iter_1234": (5, 6)},
            id="one number matches by chance",
        ),
        pytest.param(
            {"step_1": 9, "step_2": 5, "step_3": 1},
            {"step_1": 8, "step_2": 6, "step_4": 2, "step_5": 3},
            {"step_1": (9, 8), "step_2": (5, 6), "step_*": (1, 5)},
            id="most numbers match",
        ),
        pytest.param(
            {"sha1": 9, "sha256": 5},
            {"sha256": 6, "sha512": 1, "sha384": 2},
            {"sha256": (5, 6), "sha*": (9, 3)},
            id="numbers within words",
        ),
        pytest.param(
            {"vec2": 9}, {"vec2": 8, "vec3": 1}, {"vec2": (9, 8), "vec3": (0, 1)}, id="new function of the program"
        ),
        pytest.param(
            {"X$$1a2b413d.f": 9, "X$$5c6d7e8f.f": 5},
            {"X$$1a2b413d.f": 8, "X$$0c1d2e3f.f": 6},
            {"X$$1a2b413d.f": (9, 8), "X$$0c1d2e3f.f": (5, 6)},
            id="equal hashes are one class",
        ),
        pytest.param(
            {"X$$1a2b413d.f": 9, "X$$5c6d7e8f.f": 5},
            {"X$$9a2b413d.f": 8, "X$$0c1d2e3f.f": 6},
            {"X$$*.f": (14, 14)},
            id="hashes have no order",
        ),
        pytest.param(
            {"pool;Thread 7f12;f": 9}, {"pool;Thread 7f19;f": 5, "pool;Thread 7f2a;f": 3}, {"f": (9, 8)}, id="threads"
        ),
        pytest.param(
            {"run.func1;a": 9, "run.func2;b": 5, "run.func2": 1, "run.func1": 1},
            {"run.func1;b": 6, "run.func1": 2},
            {"a": (9, 0), "b": (5, 6), "run.func1": (1, 2), "run.func1 (before)": (1, 0)},
            id="gone, and its number is another function's",
        ),
    ],
)
def test_functions_of_one_shape(
    before: Mapping[str, int], after: Mapping[str, int], expected: dict[str, tuple[int, int]]
) -> None:
    assert costs(overlaid([below("main", before)], [below("main", after)])) == expected
    if not any("(before)" in name for name in expected):
        mirrored = costs(overlaid([below("main", after)], [below("main", before)]))
        assert sorted(mirrored.values()) == sorted((new, old) for old, new in expected.values())


def test_numbers_of_each_run() -> None:
    runs = [{f"main_{n};parse_{n + 1}": 10 + n, f"main_{n};emit_{n + 2}": 5} for n in (10, 20, 30, 40)]
    assert costs(overlaid(runs[:2], runs[2:])) == {"parse_*": (50, 90), "emit_*": (10, 10)}


@pytest.mark.parametrize("history", [False, True])
def test_base_jobs_with_other_numbers(history: bool) -> None:
    jobs: list[dict[str, int]] = [{f"main;parse_{n}": 10 + n, f"main;emit_{n + 1}": 5} for n in (1, 3, 6)]
    past = [
        reading("".join(f"{stack} {value}\n" for stack, value in job.items()), f"c{n}", job=str(n))
        for n, job in enumerate(jobs)
    ]
    sides = [{"main;parse_7": 20, "main;emit_8": 5}], [{"main;parse_9": 21, "main;emit_10": 6}]
    made = overlaid(*sides, noise=[] if history else jobs, past=past if history else [])
    assert costs(made) == {"parse_9": (20, 21), "emit_10": (5, 6)}
    places = [made.symbols.names.index(name) for name in ("parse_9", "emit_10")]
    assert sorted(made.noise.self_value[:, places].tolist()) == [[11, 5], [13, 5], [16, 5]]


def test_group_of_one_base_job_is_a_group_everywhere() -> None:
    small = {"main;go.func1": 1, "main;go.func2": 1}  # below 1 % of the run
    jobs = [{"main;run.func1": 900, "main;run.func2": 500, "main;run.func3": 300, **small}]
    made = overlaid(jobs, jobs, [{"main;run.func1": 9, "main;run.func2": 5, "main;go.func1": 1}])
    assert costs(made) == {"run.func*": (1700, 1700), "go.func*": (2, 2)}
    assert made.noise.self_value[:, made.symbols.names.index("run.func*")].tolist() == [14]
    (group,) = [warning.parameters for warning in made.warnings if warning.code == "names_grouped"]
    assert group == {"name": "run.func*", "functions": 3}


def test_only_changed_names_are_stated() -> None:
    side = [{"main;run.func1": 9, "main;run.func2": 5, "main;iter_12": 3}]
    assert not overlaid(side, side).renamed
    renamed = overlaid(side, [{"main;run.func1": 9, "main;run.func2": 5, "main;iter_15": 3}]).renamed
    assert list(renamed.values()) == [("iter_12", None)]
