"""One run of a program under its profiler."""

import lzma
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.field.programs import CALLGRIND, NODE, PERF, PY_SPY

RATE = 1000  # samples a second
PERF_RATE = 999  # not in step with the timer of the system
TIMEOUT = 120.0
TRIES = 3  # py-spy sometimes fails while a process starts or ends


class RecordError(Exception):
    """A recording could not be made: what is missing and what to do."""


def tool(name: str) -> str:
    """The path of a program. Raises RecordError where it is not installed."""
    found = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        raise RecordError(f"{name} was not found; install it (py-spy: pip install py-spy)")
    return found


def plain_command(recorder: str, file: str, rounds: int) -> list[str]:
    """The program without its profiler."""
    if recorder == PY_SPY:
        return [sys.executable, "-S", file, str(rounds)]
    return [tool("node"), file, str(rounds)] if recorder == NODE else ["./program", str(rounds)]


def environment() -> dict[str, str]:
    """One order of hashes for all runs: another order of sets and dictionaries is another program."""
    return dict(os.environ, PYTHONPATH="lib", PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1")


def run(call: Sequence[str], tree: Path, variables: Mapping[str, str] | None = None) -> None:
    """Run a command in the tree, again where it fails. Raises RecordError with its last line of output."""
    given = environment() | dict(variables or {})
    for _ in range(TRIES):
        outcome = subprocess.run(
            call, cwd=tree, env=given, capture_output=True, text=True, check=False, timeout=TIMEOUT
        )
        if outcome.returncode == 0:
            return
    last = (outcome.stderr.strip().splitlines() or ["no output"])[-1]
    raise RecordError(f"{' '.join(call)}: {last}")


def record(recorder: str, tree: Path, file: str, rounds: int, output: Path) -> None:
    """Record one run to ``output``, compressed with xz. Raises RecordError."""
    plain = plain_command(recorder, file, rounds)
    raw = tree.parent / f"{tree.name}-recorded"
    if recorder == PY_SPY:
        options = ["--rate", str(RATE), "--format", "speedscope", "--output", str(raw)]
        run([tool("py-spy"), "record", *options, "--", *plain], tree)
    elif recorder == NODE:
        options = ["--cpu-prof", "--cpu-prof-interval", "1000", "--cpu-prof-dir", str(raw.parent)]
        run([plain[0], *options, f"--cpu-prof-name={raw.name}", *plain[1:]], tree)
    elif recorder == PERF:
        record_with_perf(plain, tree, raw, PERF_RATE)
    elif recorder == CALLGRIND:
        run([tool("valgrind"), "--tool=callgrind", f"--callgrind-out-file={raw}", *plain], tree)
    store(raw, output)


def record_with_perf(
    call: Sequence[str],
    tree: Path,
    raw: Path,
    rate: int,
    variables: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
) -> None:
    """Record a command with perf and write the samples as text, with options of perf script. Raises RecordError."""
    data = raw.with_name(f"{raw.name}.data")
    run([tool("perf"), "record", "-F", str(rate), "-g", "-o", str(data), "--", *call], tree, variables)
    with raw.open("wb") as stream:
        script = [tool("perf"), "script", *options, "-i", str(data)]
        subprocess.run(script, stdout=stream, stderr=subprocess.DEVNULL, check=True)
    data.unlink()


def store(raw: Path, output: Path) -> None:
    """Move a recording to a file, compressed with xz, which exists only as a whole."""
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f".{output.name}")
    partial.write_bytes(lzma.compress(raw.read_bytes(), preset=3))
    partial.rename(output)
    raw.unlink()
