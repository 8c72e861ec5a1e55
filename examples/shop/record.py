"""Records the profiles of both versions of the shop; needs py-spy (`pip install py-spy==0.4.3`) and may need root.

    python examples/shop/record.py

Each version is copied to the same place before it runs, so that its functions have the same names on both sides.
The runs of both sides take turns, so that a busy minute of the machine does not fall on one side alone.
"""

import hashlib
import json
import marshal
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
SIDES = {"baseline": "v1", "target": "v2"}
RUNS = 5
RATE = 200  # samples a second
COMMAND = "python -m shop"


def main() -> None:
    """Replace the folder `profiles`."""
    with tempfile.TemporaryDirectory() as folder:
        work, recorded = Path(folder, "work"), Path(folder, "profiles")
        for run in range(1, RUNS + 1):
            for side, source in SIDES.items():
                check_out(source, work)
                record_samples(work, recorded / side / "pyspy" / f"run-{run}.folded")
                record_calls(work, recorded / side / "cprofile" / f"run-{run}.pstats")
        for side in SIDES:
            write_manifest(recorded / side)
        shutil.rmtree(HERE / "profiles", ignore_errors=True)
        shutil.copytree(recorded, HERE / "profiles")


def check_out(source: str, work: Path) -> None:
    """This version, and nothing else, in the work folder."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(HERE / source, work, ignore=shutil.ignore_patterns("__pycache__"))


def record_samples(work: Path, output: Path) -> None:
    """One run under py-spy as folded stacks."""
    output.parent.mkdir(parents=True, exist_ok=True)
    py_spy = shutil.which("py-spy", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if py_spy is None:
        sys.exit("record.py: py-spy was not found; run: pip install py-spy==0.4.3")
    options = ["--format", "raw", "--rate", str(RATE), "--output", output]
    subprocess.run(
        [py_spy, "record", *options, "--", sys.executable, "-m", "shop"],
        cwd=work,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def record_calls(work: Path, output: Path) -> None:
    """One run under cProfile."""
    output.parent.mkdir(parents=True, exist_ok=True)
    raw = work / "raw.pstats"
    subprocess.run(
        [sys.executable, "-m", "cProfile", "-o", raw, "-m", "shop"], cwd=work, check=True, stdout=subprocess.DEVNULL
    )
    output.write_bytes(marshal.dumps(with_short_files(marshal.loads(raw.read_bytes()), work)))  # noqa: S302 - our own


def with_short_files(stats: dict, work: Path) -> dict:
    """The same statistics without the folders of this machine, as py-spy writes file names."""
    libraries = (sysconfig.get_path("purelib"), sysconfig.get_path("stdlib"))
    prefixes = [f"{folder}/" for folder in (work, work.resolve(), *libraries)]

    def short(function: tuple) -> tuple:
        file, line, name = function
        for prefix in prefixes:
            file = file.removeprefix(prefix)
        return file, line, name.replace(str(work), "")

    return {
        short(function): (*numbers, {short(caller): edge for caller, edge in callers.items()})
        for function, (*numbers, callers) in stats.items()
    }


def write_manifest(side: Path) -> None:
    """Write for each file of this side how it was recorded."""
    manifest = {
        "schema": "profgate.manifest/2",
        "os": platform.system(),
        "architecture": platform.machine(),
        "files": [
            {
                "path": path.relative_to(side).as_posix(),
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                "configuration": COMMAND,
                "truncated": False,
                **recorder_of(path),
            }
            for path in sorted(side.rglob("*"))
            if path.is_file()
        ],
    }
    text = json.dumps(manifest, indent=2, sort_keys=True)
    (side / "profgate-manifest.json").write_text(text + "\n", encoding="utf-8")


def recorder_of(path: Path) -> dict:
    """The format of this file and the profiler that wrote it."""
    if path.suffix == ".folded":
        return {
            "format": "folded",
            "profiler": "py-spy",
            "profiler_version": version("py-spy"),
            "rate": float(RATE),
        }
    return {
        "format": "pstats",
        "profiler": "cProfile",
        "profiler_version": platform.python_version(),
    }


if __name__ == "__main__":
    main()
