"""Time from the start of the action to its comment, with a GitHub of its own that takes 20 ms for each answer."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from types import SimpleNamespace
from typing import cast

import pytest
from bench.harness import Measured, Sample

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from werkzeug import Request, Response

from action_stage import SLOWER, Stage, profiles
from fake_github import FakeGitHub

ANSWER = 0.02  # seconds
JOBS = 8
SOURCES = {"src/cart.py": b"def parse(text):\n    return sorted(text)\n"}


class _SlowGitHub(FakeGitHub):
    """A GitHub that waits before each answer, and notes when a comment was written."""

    delay = 0.0
    commented = 0.0

    def _answer(self, request: Request) -> Response:
        time.sleep(self.delay)
        if request.method == "POST" and request.path.endswith("/comments"):
            self.commented = time.perf_counter()
        return super()._answer(request)

    def _answer_of_storage(self, request: Request) -> Response:
        time.sleep(self.delay)
        return super()._answer_of_storage(request)


class _Stage(Stage):
    """Runs the action in a new process, as the image does, once the base jobs are recorded."""

    started: float | None = None

    def launch(self, environ: Mapping[str, str]) -> int:
        """Run the action and return its exit code."""
        if self.started is None:
            with redirect_stdout(StringIO()):
                return super().launch(environ)
        self.started = time.perf_counter()
        command = [sys.executable, "-I", "-m", "profgate", "action"]
        return subprocess.run(command, env=environ, stdout=subprocess.DEVNULL, check=False).returncode


def _samples(runs: int) -> Iterator[Sample]:
    silent = SimpleNamespace(readouterr=lambda: SimpleNamespace(out=""))
    with tempfile.TemporaryDirectory() as folder, _SlowGitHub() as fake:
        stage = _Stage(fake, Path(folder), cast("pytest.CaptureFixture[str]", silent))
        stage.push_jobs(JOBS)
        stage.started, fake.delay = 0.0, ANSWER
        for _ in range(runs + 1):
            stage.open_pull(files=SOURCES)
            before = getrusage(RUSAGE_CHILDREN)
            stage.compare(profiles(SLOWER, 77))
            after = getrusage(RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            yield Sample(fake.commented - stage.started, used, after.ru_maxrss << 10)


def start_to_comment(runs: int) -> Measured:
    """Return the times from the start of the action to its comment, after a warm-up."""
    samples = tuple(_samples(runs))[1:]
    return Measured(samples, max(sample.largest for sample in samples))
