"""One run of a program under a profiler, in a folder that is the same for every version of its library."""

import ast
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

RATE = 400  # samples a second; more would slow the program down
PY_SPY, C_PROFILE, CPU_CLOCK = "py-spy", "cProfile", "cProfile, processor time"
SUFFIXES = {PY_SPY: ".folded", C_PROFILE: ".pstats", CPU_CLOCK: ".pstats"}
# waiting for a processor is nobody's cost: this clock does not count it
BY_CPU_CLOCK = """
import cProfile, runpy, sys, time
output, *sys.argv = sys.argv[1:]
profile = cProfile.Profile(time.process_time)
try:
    profile.runcall(runpy.run_path, sys.argv[0], run_name="__main__")
finally:
    profile.dump_stats(output)
"""


class RecordError(Exception):
    """A recording could not be made: what is missing and what to do."""


def py_spy() -> str:
    """The path of py-spy. Raises RecordError where it is not installed."""
    found = shutil.which("py-spy", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        raise RecordError("py-spy was not found; run: pip install py-spy")
    return found


def profiler_version(profiler: str) -> str:
    """What the manifest says of the profiler."""
    if profiler != PY_SPY:
        return platform.python_version()
    said = subprocess.run([py_spy(), "--version"], capture_output=True, text=True, check=True).stdout
    return said.split()[-1]


def install(requirements: Sequence[str], folder: Path) -> None:
    """These releases, without what they depend on, in this folder; what is there stays."""
    if folder.exists():
        return
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps"]
    outcome = subprocess.run(
        [*pip, "--no-compile", "--target", folder, *requirements], capture_output=True, text=True, check=False
    )
    if outcome.returncode != 0:
        shutil.rmtree(folder, ignore_errors=True)
        last = (outcome.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise RecordError(f"pip could not install {', '.join(requirements)}: {last}")


def with_loop(source: str, function: str, loops: int) -> str:
    """The source with a loop that does nothing as the first statement of ``Class.function`` or ``function``.

    Raises RecordError where there is no such function.
    """
    *classes, name = function.split(".")
    body: Sequence[ast.stmt] = ast.parse(source).body
    for one in classes:
        body = next((node.body for node in body if isinstance(node, ast.ClassDef) and node.name == one), [])
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            first = node.body[1] if ast.get_docstring(node) is not None and len(node.body) > 1 else node.body[0]
            lines = source.splitlines(keepends=True)
            indent = " " * first.col_offset
            lines.insert(first.lineno - 1, f"{indent}for _ in range({loops}): pass\n")
            return "".join(lines)
    raise RecordError(f"no function {function} to slow down")


def check_out(library: Path, program: Path, work: Path) -> None:
    """This library and this program, and nothing else, in the work folder."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(library, work / "lib", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(program, work / program.name)


def record(profiler: str, work: Path, command: Sequence[str], output: Path) -> None:
    """One run of ``python command`` in the work folder. Raises RecordError with the program's last words."""
    output.parent.mkdir(parents=True, exist_ok=True)
    # one hash order for all runs: another order of sets and dictionaries is another program
    environment = dict(os.environ, PYTHONPATH=str(work / "lib"), PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1")
    if profiler == PY_SPY:
        options = ["--format", "raw", "--rate", str(RATE), "--output", str(output), "--"]
        call = [py_spy(), "record", *options, sys.executable, *command]
    elif profiler == CPU_CLOCK:
        call = [sys.executable, "-c", BY_CPU_CLOCK, str(output), *command]
    else:
        call = [sys.executable, "-m", "cProfile", "-o", str(output), *command]
    outcome = subprocess.run(call, cwd=work, env=environment, capture_output=True, text=True, check=False)
    if outcome.returncode != 0 or not output.exists():
        last = (outcome.stderr.strip().splitlines() or ["no output"])[-1]
        raise RecordError(f"{' '.join(command)} under {profiler}: {last}")


def write_manifest(side: Path, command: str) -> None:
    """Says of every file of this side how it was recorded; the folder is named after the profiler."""
    files = []
    for path in sorted(side.glob("*/run-*")):
        profiler = path.parent.name
        entry = {
            "path": path.relative_to(side).as_posix(),
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "configuration": command,
            "truncated": False,
            "format": "folded" if profiler == PY_SPY else "pstats",
            "profiler": profiler.partition(",")[0],
            "profiler_version": profiler_version(profiler),
        }
        files.append(entry | ({"rate": float(RATE)} if profiler == PY_SPY else {}))
    manifest = {
        "schema": "profgate.manifest/1",
        "os": platform.system(),
        "architecture": platform.machine(),
        "files": files,
    }
    (side / "profgate-manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
