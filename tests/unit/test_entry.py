import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from profgate import __main__ as entry
from profgate.io.native import LIBRARY, is_compiled
from profgate.version import VERSION

ROOT = Path(__file__).parents[2]
PROFGATE = [sys.executable, "-I", "-m", "profgate"]


@pytest.mark.parametrize("words", [["--version"], ["--version", "compare"]])
@pytest.mark.parametrize(("compiled", "how"), [(True, "compiled kernels"), (False, "pure Python")])
def test_version_states_how_profgate_was_built(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], compiled: bool, how: str
) -> None:
    monkeypatch.setattr("profgate.io.native.is_compiled", lambda: compiled)
    assert entry.main(words) == 0
    assert capsys.readouterr().out == f"profgate {VERSION} ({how})\n"


def test_broken_kernels_are_not_called_compiled(tmp_path: Path) -> None:
    (tmp_path / "kernels.so").write_bytes(b"\x7fELF of another machine")
    assert not is_compiled(tmp_path / "kernels.so")
    assert not is_compiled(tmp_path / "none.so")


@pytest.mark.skipif(not is_compiled(), reason="the compiled functions were not built")
@pytest.mark.parametrize(("added", "works"), [("", True), ("\n", False)])
def test_kernels_of_older_code_are_not_used(tmp_path: Path, added: str, works: bool) -> None:
    """A checkout was updated, but the library is still that of the commit before."""
    (tmp_path / "src" / "profgate").mkdir(parents=True)
    (tmp_path / "native").mkdir()
    library = shutil.copy(LIBRARY, tmp_path / "src" / "profgate")
    (tmp_path / "native" / "kernels.c").write_text((ROOT / "native" / "kernels.c").read_text() + added)
    assert is_compiled(library) is works


def test_version_imports_no_dependency() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-X", "importtime", "-m", "profgate", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    ours = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines() if "profgate" in line}
    named = {"profgate.version", "profgate.io", "profgate.io.native", "profgate.model", "profgate.model.kernels"}
    assert ours <= {"profgate", "profgate.__main__"} | named
    assert "numpy" not in done.stderr


def test_a_folder_of_our_name_does_not_hijack_the_program(tmp_path: Path) -> None:
    hostile = tmp_path / "profgate"
    hostile.mkdir()
    for name in ("__init__.py", "__main__.py", "version.py"):
        (hostile / name).write_text("print('hijacked')\n", encoding="utf-8")
    done = subprocess.run([*PROFGATE, "--version"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"profgate {VERSION} (")


def test_error_is_one_line_with_its_exit_code(tmp_path: Path) -> None:
    done = subprocess.run(
        [*PROFGATE, "compare", "absent-1", "absent-2"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("profgate: ")
    assert "absent-1" in done.stderr
    assert "Traceback" not in done.stderr


def test_bug_shows_its_place_and_exits_4(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(_arguments: object) -> int:
        return 1 // 0

    monkeypatch.setattr("profgate.cli.main.run_command", broken)
    assert entry.main(["compare", "a", "b"]) == 4
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_missing_memory_is_error_with_exit_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def exhausted(_: object) -> int:
        raise MemoryError

    monkeypatch.setattr("profgate.cli.main.run_command", exhausted)
    assert entry.main(["formats"]) == 2
    assert capsys.readouterr().err.startswith("profgate: memory: the input needs more memory")


def test_ctrl_c_shows_no_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(_arguments: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("profgate.cli.main.run_command", interrupted)
    assert entry.main(["compare", "a", "b"]) == 130
    assert capsys.readouterr().err == "profgate: interrupted\n"


def test_unencodable_name_is_escaped() -> None:
    code = "import profgate.__main__ as e, profgate.cli.main as m\n"
    code += "m.run_command = lambda _: print('caf\\xe9 \\ud800') or 0\nraise SystemExit(e.main(['x']))"
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "caf\\xe9 \\ud800\n"


def test_closed_output_is_exit_141() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    program = subprocess.run([*PROFGATE, "--help"], stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert program.returncode == 141
    assert "Traceback" not in program.stderr
    assert "Exception ignored" not in program.stderr
