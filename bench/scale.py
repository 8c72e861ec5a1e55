"""Compare many workloads by different executors: ./run bench scale [--workloads 1000,10000] [--executors LIST].

Prints wall time, CPU time and the peak memory of the command in each. The exit code is 1 if a comparison fails, or if
two executors write different reports.
"""

import argparse
import contextlib
import hashlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.harness import ENVIRONMENT, MEBIBYTE, SAMPLED_EVERY
from bench.load import written

EXECUTORS = "default,processes:1,processes:2,processes:4"


@dataclass(frozen=True, slots=True)
class _Cost:
    """One comparison: seconds, processor seconds of all processes, and the peak memory of the command itself."""

    seconds: float
    processor: float
    client: int


def main(words: Sequence[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="bench scale", description=__doc__)
    parser.add_argument("--workloads", default="1000", metavar="LIST", help="numbers of workloads of each side")
    parser.add_argument("--executors", default=EXECUTORS, metavar="LIST")
    parser.add_argument("--case", default="files", choices=["files", "runs"], help="one run of each side, or five")
    parser.add_argument("--timeout", type=float, default=3600, metavar="SECONDS", help="for a single run")
    options = parser.parse_args(words)
    failed = False
    print(
        "| workloads | executor | seconds | CPU seconds | peak MiB of the command | report |\n|---|---|---|---|---|---|"
    )
    for count in map(int, options.workloads.split(",")):
        folder = written(options.case, count)
        reports = set()
        for name in options.executors.split(","):
            output = folder / f"report-{name.replace(':', '-')}"
            cost = _cost(_command(folder, name, output), options.timeout)
            if cost is None:
                print(f"| {count:,} | {name} | failed |", flush=True)
                failed = True
                continue
            digest = hashlib.sha256((output / "report.json").read_bytes()).hexdigest()[:8]
            reports.add(digest)
            times = f"{cost.seconds:.1f} | {cost.processor:.1f}"
            print(f"| {count:,} | {name} | {times} | {cost.client / MEBIBYTE:.0f} | {digest} |", flush=True)
        failed |= len(reports) > 1
    return int(failed)


def _command(folder: Path, name: str, output: Path) -> list[str]:
    command = [sys.executable, "-I", "-m", "profgate", "compare", str(folder / "baseline"), str(folder / "target")]
    executor = [] if name == "default" else ["--executor", name]
    return [*command, "--fail-on", "never", "--output-dir", str(output), *executor]


def _cost(command: Sequence[str], timeout: float) -> _Cost | None:
    """Run a command. Returns None if it fails or takes longer than ``timeout`` seconds."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=ENVIRONMENT, process_group=0)
    client, status = 0, Path(f"/proc/{process.pid}/status")
    while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
        with contextlib.suppress(OSError):
            peak = re.search(r"VmHWM:\s+(\d+)", status.read_text(encoding="utf-8"))
            client = int(peak[1]) << 10 if peak else client
        if time.perf_counter() - started > timeout:
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(SAMPLED_EVERY)
    _, process.returncode, usage = ended
    cost = _Cost(time.perf_counter() - started, usage.ru_utime + usage.ru_stime, client)
    return None if process.returncode else cost
