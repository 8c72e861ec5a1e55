"""``profgate measure`` of a compiled program whose target is slower for a reason outside of both commits."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from measured_repository import commit_of, committed, run_git
from profgate.__main__ import main
from profgate.io.processes import Outcome
from profgate.measuring import same_code
from profgate.measuring.checkouts import Checkout
from two_commits import pairs_take

pytestmark = pytest.mark.skipif(not (shutil.which("gcc") and shutil.which("objdump")), reason="needs gcc and objdump")
MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include "version.h"
static int steps(int base) { return base * 2; }
int main(void) {
    char path[500], word[20] = "";
    int run = atoi(getenv("PROFGATE_RUN")), other = 0, slow = 0;
    FILE *state = fopen(getenv("STATE"), "r");
    fscanf(state, "%d", &slow);
    FILE *input = fopen("input.txt", "r");
    fscanf(input, "%d", &other);
    snprintf(path, sizeof path, "%s/main.folded", getenv("PROFGATE_OUT"));
    FILE *out = fopen(path, "w");
    fprintf(out, "main;hot %d\\n", steps(500) + other + (slow ? 600 : 0) + run * 37 % 11);
    for (int i = 0; i < 8; i++) fprintf(out, "main;f%d %d\\n", i, 1000 + (run * 53 + i * 29) % 17);
    printf("%s%s", VERSION, word);
    return fclose(out);
}
"""
FILES = {
    "main.c": MAIN,
    "version.h": '#define VERSION "1.4.2"\n',
    "input.txt": "0\n",
    "notes.cfg": "a\n",
    "run.sh": "set -e\n: 1.4.2\nPROFGATE_OUT=$PROFGATE_OUT ./program > log\ncat log\n",
}


def measured(tmp_path: Path, patch: pytest.MonkeyPatch, files: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
    """The exit code, and the finding about the hot function."""
    top = committed(tmp_path / "repository", {**FILES, ".gitignore": "program\nlog\n"})
    commit_of(top, files)
    state, run = tmp_path / "state", Checkout.run

    def run_on_unequal_machine(side: Checkout, *given: Any, **more: Any) -> Outcome:
        state.write_text(str(int(side.name == "target")))
        return run(side, *given, **more)

    patch.setattr(Checkout, "run", run_on_unequal_machine)
    patch.setenv("STATE", str(state))
    patch.chdir(top)
    pairs_take(patch, 10.0)
    run_git(top, "branch", "base", "HEAD~1")
    words = ["--setup", "gcc -O1 main.c -o program", "-o", str(tmp_path / "out"), "--", "sh", "run.sh"]
    code = main(["measure", "base", "HEAD", *words])
    found = json.loads((tmp_path / "out/report.json").read_text())
    findings = found["workloads"][0]["metrics"][0]["findings"]
    return code, next(one for one in findings if one["location"]["name"] == "hot")


@pytest.mark.parametrize(
    "files",
    [
        {"version.h": '#define VERSION "1.10.0-rc.1"\n'},
        {"main.c": MAIN.replace("static int", "int unused(int n) { return n * 5; }\n\nstatic int")},
        {"notes.cfg": "b\n", "new.cfg": "c\n"},
    ],
    ids=["version", "unused function", "files that are not read"],
)
def test_same_program_is_not_red(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: Mapping[str, str]) -> None:
    code, hot = measured(tmp_path, monkeypatch, files)
    assert (code, hot["colour"], hot["attribution"]["reach"]) == (0, "yellow", "same machine code")
    assert [(one["code"], one["parameters"]) for one in hot["reasons"]] == [("not_reachable", {"case": "same_code"})]


@pytest.mark.parametrize(
    "files",
    [
        {"input.txt": "1\n"},
        {"run.sh": FILES["run.sh"].replace("1.4.2", "1.4.3")},  # versions count only in programs
        {"main.c": MAIN.replace("base * 2", "base + base + 1")},
    ],
    ids=["input", "script", "called function"],
)
def test_other_program_or_input_is_red(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: Mapping[str, str]
) -> None:
    code, hot = measured(tmp_path, monkeypatch, files)
    assert (code, hot["colour"]) == (1, "red")


@pytest.mark.parametrize("command", ["exit 127", "sleep 60", "yes"], ids=["missing", "time", "size"])
def test_disassembly_that_fails_keeps_red(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    monkeypatch.setattr(same_code, "OBJDUMP", f"ulimit -f 100; {command}")
    monkeypatch.setattr(same_code, "SECONDS", 1)
    code, hot = measured(tmp_path, monkeypatch, {"version.h": '#define VERSION "1.4.3"\n'})
    assert (code, hot["colour"]) == (1, "red")
    assert "the machine code of both sides is not compared: objdump " in capsys.readouterr().err


def test_files_that_cannot_be_read_prove_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def inputs(side: Checkout, since: int) -> list[tuple[str, bytes]]:
        raise PermissionError(side.root, since)

    monkeypatch.setattr(same_code, "_inputs", inputs)
    side = Checkout("baseline", str(tmp_path), str(tmp_path), {})
    assert not same_code.ran_same_program({"baseline": side, "target": side}, 0)
