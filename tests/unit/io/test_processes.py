import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from profgate.errors import ProfgateError
from profgate.io.processes import Outcome, output_of, run_command, variables, with_values

PYTHON = sys.executable


def run(words: Sequence[str], tmp_path: Path, timeout: float = 60.0, **environment: str) -> Outcome:
    log = str(tmp_path / "log.txt")
    return run_command(words, folder=str(tmp_path), environment=environment, log=log, timeout=timeout)


def test_command_runs_with_folder_environment_and_log(tmp_path: Path) -> None:
    words = [PYTHON, "-c", "import os; print(os.getcwd(), os.environ['SAID'])"]
    outcome = run(words, tmp_path, SAID="hello")
    assert outcome.problem == ""
    assert outcome.nanoseconds > 0
    assert (tmp_path / "log.txt").read_text() == f"{tmp_path} hello\n"


def test_failure_reports_the_last_output(tmp_path: Path) -> None:
    outcome = run([PYTHON, "-c", "import sys; print('bad', flush=True); sys.exit('no input')"], tmp_path)
    assert outcome.problem == "ended with exit code 1: no input"


def test_error_has_no_lines_that_only_mark_a_place() -> None:
    code = "print('  a(1)\\n  ~^^^\\nTypeError: a'); raise SystemExit(1)"
    with pytest.raises(ProfgateError, match=r"its last lines: a\(1\) \| TypeError: a$"):
        output_of([sys.executable, "-c", code], ".", {}, 60)


def test_problem_has_line_with_error() -> None:
    assert Outcome(1, "failed", "Error: no a.js\n  at b\n\nNode.js v22\n").problem == "failed: Error: no a.js"


def test_signal_is_reported(tmp_path: Path) -> None:
    assert "was ended by signal 9" in run([PYTHON, "-c", "import os; os.kill(os.getpid(), 9)"], tmp_path).problem


@pytest.mark.parametrize("words", [["no-such-program"], ["a\0b"], ["/"]])
def test_what_cannot_be_started_is_a_problem(words: list[str], tmp_path: Path) -> None:
    assert "cannot be started" in run(words, tmp_path).problem


def test_timeout_ends_the_command_and_its_children(tmp_path: Path) -> None:
    script = (
        "import subprocess, sys, time; p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])"
    )
    outcome = run([PYTHON, "-c", f"{script}; open('child', 'w').write(str(p.pid)); time.sleep(600)"], tmp_path, 3.0)
    assert outcome.problem == "took longer than 3 s"
    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 20  # whoever adopts the child takes it away when it gets to run
    while _lives(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _lives(child)


def _lives(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # gone, before or while it was read
        return False
    return state != "Z"


VALUES = {"out": "/o", "version": "{out}; rm", "commit": ""}


def test_values_become_variables_and_fill_placeholders() -> None:
    assert variables(VALUES) == {"PROFGATE_OUT": "/o", "PROFGATE_VERSION": "{out}; rm", "PROFGATE_COMMIT": ""}
    assert with_values(["a{out}b{out}", "{commit}", "{version}"], VALUES) == ["a/ob/o", "", "{out}; rm"]


def test_a_command_that_fails_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(ProfgateError, match=r"ended with exit code 3 .*: its \| last words"):
        output_of([sys.executable, "-c", "print('its\\nlast words'); exit(3)"], str(tmp_path), {}, 60)
