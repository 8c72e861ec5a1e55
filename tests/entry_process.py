"""The container's entry point in processes of its own, without the imports of each start.

One process imports what the action needs, as the image's command would, and copies itself for each run. A copy gets the
runner's variables, the arguments of the image's entry point, and its output in a file.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

# Pauses are counted against the retry budget but not slept.
PROGRAM = """
import json, os, sys, time
from profgate import __main__ as program
from profgate.action import base_runs, compared_sides, entry
from profgate.action.job import Pace
from profgate.github import api_retry, downloads
from profgate.github.connections import RetryBudget

quick = Pace(0, 4, 1, 3, RetryBudget(sleep=lambda _: None), RetryBudget(60, sleep=lambda _: None))
entry.limited_main.__defaults__ = (None, quick, 1200)
base_runs.extend_history = compared_sides.known_before = lambda *_: None  # has tests of its own
now = time.time


def run(job):
    os.environ.clear()
    os.environ.update(job["environ"])
    for number, place in enumerate(job["outputs"], 1):
        os.dup2(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    time.time = lambda: now() + job["clock"]
    downloads.TOTAL_SECONDS = job["download_seconds"]
    sys.argv = ["profgate", "action"]
    code = 4
    try:
        code = program.main()
        sys.stdout.flush()
    finally:
        os._exit(code)


for line in sys.stdin:
    copies = []
    for job in json.loads(line):
        copies.append(os.fork())
        if not copies[-1]:
            run(job)
    print(*copies, flush=True)
    codes = [os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) for copy in copies]
    print(*codes, flush=True)
"""


class EntryProcess:
    """Starts runs of the action and waits for them."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def start(
        self, environs: Sequence[Mapping[str, str]], log: Path, *, clock: float = 0, download_seconds: float = 900
    ) -> list[int]:
        """Start one run for each environment, at the same time; ``clock`` is the error of the machine's clock."""
        jobs: list[dict[str, Any]] = [
            {
                "environ": {**os.environ, **environ},
                "outputs": [f"{log}-{number}", f"{log}-{number}.err"],
                "clock": clock,
                "download_seconds": download_seconds,
            }
            for number, environ in enumerate(environs)
        ]
        assert self._process.stdin is not None
        print(json.dumps(jobs), file=self._process.stdin, flush=True)
        return self._numbers()

    def codes(self) -> list[int]:
        """The exit codes of the runs that were started, when all have ended."""
        return self._numbers()

    def _numbers(self) -> list[int]:
        assert self._process.stdout is not None
        return [int(word) for word in self._process.stdout.readline().split()]
