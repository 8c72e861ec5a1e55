from pathlib import Path

import pytest
from bench import mutants


def test_mutants_change_one_part_of_what_is_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    path = tmp_path / "a.py"
    path.write_text('def f(x: "int | None" = 1) -> "é":\n    log("é", x < 2 and not x)\n')
    drawn = list(mutants.mutants_of(path))
    assert [mutant.line for mutant in drawn] == [0, 2, 2, 2, 2, 2]
    changed = [mutant.apply(path.read_bytes()).decode().split("\n")[:2] for mutant in drawn]
    head, call = path.read_text().split("\n")[:2]
    assert sorted(changed) == sorted(
        [
            [head.replace("= 1", "= 2"), call],
            [head, "    pass"],
            [head, call.replace("x < 2 and not x", "(x < 2 or not x)")],
            [head, call.replace("x < 2", "(x <= 2)")],
            [head, call.replace("2", "3")],
            [head, call.replace("not x", "(x)")],
        ]
    )
