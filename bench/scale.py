"""Compare many workloads by different executors: ./run bench scale [--workloads 1000,10000] [--executors LIST].

Prints wall time, CPU time and peak memory of each, and the bytes that are sent for a workload. The exit code is 1 if a
comparison fails, or if two executors write different reports.
"""

import argparse
import hashlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.harness import MEBIBYTE, Contender, RunError, measure_in_turn
from bench.load import CASES, FOLDER

from profgate import api
from profgate.io.executors import InThisProcess, TaskRunner
from profgate.loading import two_sides
from profgate.model.policy import Policy

EXECUTORS = "default,serial,processes:1,processes:2,processes:4,dask:1,dask:2,dask:4"


class _Counted(InThisProcess):
    """Counts the tasks and the bytes of their arguments and results."""

    def __init__(self) -> None:
        self.tasks, self.sent, self.received = 0, 0, 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - as in the base class
        future = super().submit(fn, *args, **options)
        self.tasks += 1
        self.sent += len(args[1])
        self.received += len(future.result())
        return future


def main(words: Sequence[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="bench scale", description=__doc__)
    parser.add_argument("--workloads", default="1000", metavar="LIST", help="numbers of workloads of each side")
    parser.add_argument("--executors", default=EXECUTORS, metavar="LIST")
    parser.add_argument("--case", default="files", choices=["files", "runs"], help="one run of each side, or five")
    parser.add_argument("--runs", type=int, default=1, metavar="N", help="timed runs of each, in turns")
    parser.add_argument("--timeout", type=float, default=3600, metavar="SECONDS", help="for a single run")
    options = parser.parse_args(words)
    failed = False
    print("| workloads | executor | seconds | CPU seconds | peak MiB | report |\n|---|---|---|---|---|---|")
    for count in map(int, options.workloads.split(",")):
        folder = FOLDER / f"{options.case}-{count}"
        if not folder.exists():
            CASES[options.case](folder, range(count))
        names = options.executors.split(",")
        outcomes = measure_in_turn([_comparing(folder, name) for name in names], options.runs, options.timeout)
        reports = set()
        for name, outcome in outcomes.items():
            if isinstance(outcome, RunError):
                print(f"| {count:,} | {name} | {outcome} |", flush=True)
                failed = True
                continue
            digest = hashlib.sha256((_output(folder, name) / "report.json").read_bytes()).hexdigest()[:8]
            reports.add(digest)
            times = f"{outcome.wall:.1f} | {outcome.processor:.1f}"
            print(f"| {count:,} | {name} | {times} | {outcome.peak / MEBIBYTE:.0f} | {digest} |", flush=True)
        failed |= len(reports) > 1
        print(_sent(folder, count), flush=True)
    return int(failed)


def _comparing(folder: Path, name: str) -> Contender:
    command = [sys.executable, "-I", "-m", "profgate", "compare", str(folder / "baseline"), str(folder / "target")]
    options = ["--fail-on", "never", "--output-dir", str(_output(folder, name))]
    executor = [] if name == "default" else ["--executor", name]
    return Contender(name, ((*command, *options, *executor),))


def _output(folder: Path, name: str) -> Path:
    return folder / f"report-{name.replace(':', '-')}"


def _sent(folder: Path, count: int) -> str:
    executor = _Counted()
    given = two_sides(str(folder / "baseline"), str(folder / "target"), Policy())
    api.compare_input(given, runner=TaskRunner(executor))
    sent, received = executor.sent // count, executor.received // count
    return f"{executor.tasks:,} tasks; for each workload, {sent:,} bytes to workers and {received:,} bytes back"
