"""Windows and macOS lack modules and functions of Linux. A process without them imports profgate and runs it."""

import subprocess
import sys
from pathlib import Path

import pytest

SHOP = Path(__file__).parents[2] / "examples" / "shop" / "profiles"
MODULES = ("fcntl", "grp", "posix", "pty", "pwd", "resource", "termios")
MISSING = {
    "os": ("chown", "fork", "fwalk", "getuid", "killpg", "memfd_create", "sched_getaffinity", "setpgid"),
    "signal": ("SIGHUP", "alarm", "setitimer"),
}
# The standard library is imported first, because it needs its own system.
PROGRAM = f"""
import asyncio, ctypes, importlib, multiprocessing, os, pkgutil, signal, subprocess, sys, tempfile, zipfile, zoneinfo
import click, jinja2, numpy, pydantic, requests, tree_sitter, yaml

for name in {MODULES}:
    sys.modules[name] = None
for module, names in {MISSING}.items():
    for name in names:
        vars(sys.modules[module]).pop(name, None)
sys.platform = "win32"

import profgate
from profgate.__main__ import main

for module in pkgutil.walk_packages(profgate.__path__, "profgate."):
    if module.name != "profgate.kernels":  # a library of C functions
        importlib.import_module(module.name)
"""
COMMAND = f"""
import sys
from profgate.io.processes import output_of
assert output_of([sys.executable, "-c", "print('measured')"], ".", {{}}, 60) == "measured\\n"
sys.exit(main(["compare", {str(SHOP / "baseline")!r}, {str(SHOP / "target")!r}, "--output-dir", sys.argv[1]]))
"""
TIME_LIMIT = """
from profgate.action.time_limit import exit_code_within
from profgate.errors import ProfgateError
try:
    exit_code_within(1, lambda: 0)
except ProfgateError as error:
    print(error)
"""


def run(program: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-I", "-c", PROGRAM + program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.slow
def test_compare_needs_no_function_of_linux(tmp_path: Path) -> None:
    done = run(COMMAND, str(tmp_path))
    assert (done.returncode, done.stderr) == (1, ""), done.stderr
    assert done.stdout.startswith("FAILED  find_duplicates is 7.4x slower")
    assert (tmp_path / "report.json").is_file()


@pytest.mark.slow
def test_events_with_a_time_limit_are_refused_on_windows() -> None:
    done = run(TIME_LIMIT)
    assert "this event needs a Linux or macOS runner" in done.stdout, done.stderr
