"""The field bench: edits of programs, order of recording, comparisons and rows."""

import ast
from pathlib import Path

import pytest
from bench.field.builds import BASE, KINDS, PLANTS, UNIT, Rebuilt, files_of
from bench.field.builds import PROGRAMS as BUILDS
from bench.field.cases import BY_JOBS, INTERLEAVED, MEASURED, cases_of
from bench.field.collapsed import COLLAPSED, Collapse, broken, harness
from bench.field.judging import Outcome, bare
from bench.field.placement import agreed, differences_of
from bench.field.placement import cases_of as cases_of_pair
from bench.field.programs import PROGRAMS, Program, variants_of
from bench.field.rebuilt import order_of, pairs_in
from bench.field.session import UNCHANGED, Step, lane_steps
from bench.field.variants import edited, sources_of

BY_NAME = {program.name: program for program in PROGRAMS}
OWN_SOURCES = [program for program in PROGRAMS if program.name != "markdown"]  # markdown's edits are in its library


@pytest.mark.parametrize("program", OWN_SOURCES, ids=lambda program: program.name)
def test_every_edit_fits_its_program(program: Program) -> None:
    sources = sources_of(program, None)
    for name, edit in variants_of(program).items():
        after = edited(program, sources, edit, 100)
        assert (after == sources) == (name in {"neighbour", "everything-1.15"})
        if program.file.endswith(".py"):
            ast.parse(after[program.file])


def recorded(program: Program, folder: Path) -> list[Step]:
    """All steps of a program, with empty files as recordings."""
    steps = list(lane_steps([program], folder, quick=False))
    for step in steps:
        step.output.parent.mkdir(parents=True, exist_ok=True)
        step.output.touch()
    return steps


def test_sides_share_no_run_and_take_one_of_each_round(tmp_path: Path) -> None:
    program = BY_NAME["numeric"]
    recorded(program, tmp_path)
    cases = list(cases_of(program, tmp_path / program.name))
    assert cases == list(cases_of(program, tmp_path / program.name))
    for case in cases:
        sides = [case.baseline, case.target, *case.jobs]
        assert len(set().union(*sides)) == sum(map(len, sides))
    unchanged = [case for case in cases if case.mode == INTERLEAVED and case.row == UNCHANGED]
    for case in unchanged:
        rounds = [(int(path.name[4:].partition(".")[0]) - 1) // 4 for path in case.baseline]
        assert rounds == [0, 1, 2, 3, 4]
    assert {len(case.jobs) + 1 for case in cases if case.mode.startswith(BY_JOBS)} == {3, 5, 8}


@pytest.mark.parametrize("program", BUILDS, ids=lambda program: program.name)
def test_each_rebuilt_program_differs_but_for_its_path(program: Rebuilt) -> None:
    base = files_of(program, BASE)
    for kind in (*KINDS, *PLANTS):
        after = files_of(program, kind, 1300 if kind in PLANTS else UNIT)
        assert (after == base) == (kind == "path")
        assert ("1300" in after[program.file]) == (kind in PLANTS)
    assert {each.held_out for each in BUILDS if each.language is program.language} == {True, False}


def test_blocks_are_balanced_and_always_the_same() -> None:
    orders = order_of("words", "cold", 10)
    assert orders == order_of("words", "cold", 10) != order_of("words", "data", 10)
    assert orders.count("ABBA") == orders.count("BAAB") == 5


def recorded_pair(folder: Path, growth: float, runs: int = 10) -> Path:
    """A pair of a function that costs 20 % of the run and this much more in the other build."""
    for side, factor in (("base", 1.0), ("after", 1.0 + growth)):
        (folder / side).mkdir(parents=True)
        for run in range(runs):
            own = round(2000 * factor) + 10 * (run % 3)
            others = "".join(f"main;other{number} {700 + 10 * (run % 2)}\n" for number in range(10))
            (folder / side / f"run-{run + 1}.folded").write_text(f"main;parse {own}\n{others}")
    (folder / "done").touch()
    return folder


def test_difference_of_two_builds_and_its_noise(tmp_path: Path) -> None:
    recorded_pair(tmp_path / "plain" / "shop" / "cold", 0.06)
    recorded_pair(tmp_path / "plain" / "shop" / "plant8", 0.06)
    (pair,) = pairs_in(tmp_path)  # what a plant changes is known of own programs only
    assert (pair.machine, pair.program, pair.kind, pair.held_out) == ("plain", "shop", "cold", True)
    found = {one.function: one for one in differences_of(pair)}
    assert found["parse"].difference == pytest.approx(0.06, abs=0.01)
    assert found["parse"].excess == pytest.approx(0.06**2, rel=0.3)
    assert abs(found["other3"].difference) < 0.01
    assert [len(case.baseline) for case in cases_of_pair(pair)] == [10, 10, 5, 5]


def test_bare_names() -> None:
    names = ("parser.(*paragraph).Open", "(anonymous namespace)::run(int)", "shop::cost::h0123456789abcdef", "f.isra.0")
    assert [bare(name) for name in names] == ["Open", "run", "cost", "f"]


def test_two_machines_agree_on_the_same_red_function() -> None:
    def outcome(machine: str, *red: str) -> Outcome:
        facts = ("shop", True, MEASURED, "rebuilt, measured", f"{machine} cold", "fail")
        return Outcome(*facts, red, red, "", False, False, None)

    found = agreed([outcome("one", "parse", "load"), outcome("two", "load"), outcome("three", "parse")])
    assert sorted(each.red for each in found) == [(), ("load",), ("parse",)]
    assert {each.row for each in found} == {"rebuilt, measured, both of two machines"}


@pytest.mark.parametrize("collapse", COLLAPSED, ids=lambda collapse: collapse.name)
def test_each_broken_benchmark_differs_from_the_harness(collapse: Collapse) -> None:
    files = harness()
    after = broken(collapse, files)
    assert after
    assert after != {name: files.get(name) for name in after}
    for name in after:
        if name.endswith(".py"):
            ast.parse(after[name])
