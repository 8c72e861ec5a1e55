"""The field bench: edits of programs, order of recording, comparisons and rows."""

import ast
import lzma
from itertools import pairwise
from pathlib import Path

import pytest
from bench.field.cases import BY_JOBS, INTERLEAVED, SAME_COST, Case, cases_of, upgrade_cases
from bench.field.judging import Outcome, achieved, judge, profile_of, worse_findings
from bench.field.main import judge_recordings, main
from bench.field.page import COUNTS, table_text
from bench.field.programs import LIBRARY, PROGRAMS, Growth, Program, Rewrite, variants_of
from bench.field.session import JOBS, UNCHANGED, Step, lane_steps
from bench.field.table import reached
from bench.field.truth import interval
from bench.field.upgrades import UPGRADES
from bench.field.variants import EditError, edited, rewritten, sources_of, with_statement

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


def test_an_edit_of_another_program_is_refused() -> None:
    edit = variants_of(BY_NAME["records"])["moved"]
    assert isinstance(edit, Rewrite)
    with pytest.raises(EditError, match="occurs not once"):
        rewritten(sources_of(BY_NAME["numeric"], None), edit.file.read_text(encoding="utf-8"))
    with pytest.raises(EditError, match="no function"):
        with_statement("def a():\n    pass\n", "b", "pass", ".py")


def test_a_statement_goes_behind_the_docstring() -> None:
    source = 'class A:\n    def b(self):\n        """Text."""\n        return 1\n'
    assert with_statement(source, "A.b", "pass", ".py").splitlines()[3:] == ["        pass", "        return 1"]


def recorded(program: Program, folder: Path) -> list[Step]:
    """All steps of a program, with empty files as recordings."""
    steps = list(lane_steps([program], folder, quick=False))
    for step in steps:
        step.output.parent.mkdir(parents=True, exist_ok=True)
        step.output.touch()
    return steps


def test_rounds_and_jobs_are_spread_over_the_session(tmp_path: Path) -> None:
    steps = recorded(BY_NAME["numeric"], tmp_path)
    assert len({step.output for step in steps}) == len(steps)
    places = [number for number, step in enumerate(steps) if step.output.parent.name.startswith("base-")]
    assert len(places) == 5 * JOBS
    assert max(late - early for early, late in pairwise(places)) < len(steps) / 4
    first, second = (
        [
            step.variant
            for step in steps
            if step.output.stem.startswith(f"run-{run}.") and "jobs" not in str(step.output)
        ]
        for run in (1, 2)
    )
    assert [name for name in second if name not in {UNCHANGED, "few"}] == [
        name for name in reversed(first) if name not in {UNCHANGED, "few"}
    ]


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


def test_the_truth_decides_the_row_of_an_upgrade(tmp_path: Path) -> None:
    upgrade = UPGRADES[0]
    for side in ("before", "after"):
        folder = tmp_path / "upgrades" / upgrade.name / side
        folder.mkdir(parents=True)
        for run in range(1, 6):
            (folder / f"run-{run}.speedscope.json.xz").touch()
    rows = [
        case.row
        for ratio in (1.3, 1.05, 1.0)
        for _, case in upgrade_cases(tmp_path, {upgrade.name: [ratio, ratio, ratio]})
    ]
    assert rows == ["upgrade slower", "upgrade between", "upgrade not slower"]


def folded(folder: Path, name: str, rows: dict[str, int]) -> Path:
    """A small recording."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("".join(f"{stack} {count}\n" for stack, count in rows.items()), encoding="utf-8")
    return path


def test_growth_is_measured_without_the_speed_of_the_run(tmp_path: Path) -> None:
    before = folded(tmp_path, "a.folded", {"main;work": 900, "main;parse": 100})
    after = folded(tmp_path, "b.folded", {"main;work": 1800, "main;parse": 400})
    case = Case(INTERLEAVED, "x", "x", (before,), (after,), (), ("parse",), 10, (before,))
    assert achieved(case) == pytest.approx(0.1)


def test_a_report_is_judged_from_profiles(tmp_path: Path) -> None:
    others = {f"main;f{number}": 400 for number in range(8)}
    sides = [
        [
            profile_of(folded(tmp_path / side, f"run-{run}.folded", others | {"main;parse": cost + run}))
            for run in range(1, 6)
        ]
        for side, cost in (("before", 400), ("after", 1600))
    ]
    report = judge(sides[0], sides[1], [], interleaved=True)
    assert "parse" in {finding.location.name for finding in worse_findings(report)}


def outcome(row: str, *, red: tuple[str, ...] = (), named: bool = False, held_out: bool = True) -> Outcome:
    """What one comparison showed."""
    conclusion = "fail" if red else "pass"
    return Outcome("numeric", held_out, INTERLEAVED, row, row, conclusion, red, red, "", named, named, None)


def test_rows_count_red_and_named_outcomes() -> None:
    outcomes = [outcome(UNCHANGED)] * 99 + [outcome(UNCHANGED, red=("a",))]
    outcomes += [outcome("new 10", red=("recheck",), named=True), outcome("new 10", red=("a",))]
    rows = {one.row.name: one for one in reached(outcomes)}
    unchanged, new = rows["unchanged: red"], rows["new function of 10 %: red by name"]
    assert (unchanged.hits, unchanged.tried, unchanged.met) == (1, 100, True)
    assert (new.hits, new.tried, new.met) == (1, 2, False)
    assert rows["everything 3x slower, 8 base jobs: red"].met is None


def test_a_table_counts_one_half_of_the_programs() -> None:
    outcomes = [outcome(SAME_COST, red=("a",), held_out=False), outcome(SAME_COST)]
    assert table_text(outcomes, "held-out")[1]
    assert not table_text(outcomes, "dev")[1]
    assert "1 of 2, 50.0 %" in table_text(outcomes, "all")[0]


def test_truth_is_the_ratio_of_medians() -> None:
    assert interval([1.0, 1.0, 1.0, 9.0], [1.2] * 4) == [1.2, pytest.approx(0.24, abs=0.2), 1.2]


def test_programs_of_both_halves_differ_in_language() -> None:
    for held_out in (True, False):
        files = {Path(program.file).suffix for program in PROGRAMS if program.held_out == held_out}
        assert len(files) >= 2
    assert LIBRARY.startswith("mistune==")
    assert any(isinstance(edit, Growth) for edit in variants_of(BY_NAME["markdown"]).values())


@pytest.mark.slow
def test_recordings_are_judged_by_any_executor(tmp_path: Path) -> None:
    for run in (1, 2):
        path = tmp_path / "markdown" / UNCHANGED / f"run-{run}.folded"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"main;parse {1000 + run}\nmain;write 500\n", encoding="ascii")
    outcomes = judge_recordings(tmp_path, "serial")
    assert {outcome.program for outcome in outcomes} == {"markdown"}
    assert judge_recordings(tmp_path, "processes:1") == outcomes


def test_counts_are_skipped_without_valgrind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["--counts", "--to", str(tmp_path)]) == 0
    assert capsys.readouterr().out == (
        f"{COUNTS}: skipped, because valgrind was not found; install it to record counts\n"
    )


def test_counts_are_listed_with_their_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "counts" / "words"
    for condition in range(12):
        for run in range(1, 5):
            path = place / "unchanged" / f"condition-{condition}" / f"run-{run}.callgrind.xz"
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = f"events: Ir\nfl=words.c\nfn=main\n1 {1000000 + condition}\n"
            path.write_bytes(lzma.compress(lines.encode()))
    (place / "complete.json").write_text('{"differ": false}', encoding="utf-8")
    assert main(["--counts", "--judge", str(tmp_path), "--processes", "1"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"{COUNTS}\n\n| counts |")
    assert "| unchanged, one job | red | 0 |  | 0 of 12 (0.0–26.5) |" in text
    assert text.endswith("\n\nPrograms: words\n")
