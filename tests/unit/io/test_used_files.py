import os
import shutil
import sys
from pathlib import Path

import pytest

from profgate.io.processes import run_command
from profgate.io.used_files import used_files

PROGRAM = """
import mmap, subprocess, time
read = open("read")
written = open("written", "w")
file = open("mapped", "r+b")
mapped = mmap.mmap(file.fileno(), 0)
subprocess.run(["./copy", "0.3"], start_new_session=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is needed")
def test_files_of_all_processes_of_a_command_are_found(tmp_path: Path) -> None:
    for name in ("read", "written", "mapped", "unused", "config"):
        (tmp_path / name).write_text("x")
    (tmp_path / "program.py").write_text(PROGRAM)
    shutil.copy(shutil.which("sleep") or "", tmp_path / "copy")
    words = [sys.executable, "program.py", "--config=config", "unknown"]
    found: set[str] = set()
    with used_files(found) as watch:
        log = str(tmp_path / "log")
        folder = os.path.realpath(tmp_path)
        outcome = run_command(words, folder=folder, environment={}, log=log, timeout=60, on_start=watch)
    assert not outcome.problem
    own = {Path(path).name for path in found if Path(path).parent == Path(folder)}
    assert own == {"program.py", "config", "read", "mapped", "copy"}
    assert os.path.realpath(sys.executable) in found
