"""The field bench: edits of programs, order of recording, comparisons and rows."""

import ast
from pathlib import Path

import pytest
from bench.field.cases import BY_JOBS, INTERLEAVED, cases_of
from bench.field.programs import PROGRAMS, Program, variants_of
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
