"""Functions that run user commands as subprocesses with a log and a timeout. The subprocesses are always terminated."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from profgate.errors import ProfgateError
from profgate.io.git import without_git
from profgate.io.scratch import scratch_folder
from profgate.model.record import Record

PREFIX = "PROFGATE_"


class Outcome(Record):
    """Result of a command. ``failure`` is empty if the command succeeded.

    ``output`` is the end of its output, which has ``size`` bytes.
    """

    nanoseconds: int
    failure: str = ""
    output: str = ""
    size: int = 0

    def explained(self, folder: str) -> str:
        """Return the failure of a command in a folder, with its last lines."""
        # lines without a letter or digit are blank, or mark a place in the line above; a profiler prints its own stack
        # after the error of the program that it runs
        text = self.output.partition("\nStack backtrace:")[0]
        shown = (line.strip() for line in text.splitlines() if any(map(str.isalnum, line)))
        lines = " | ".join(shown)[-500:]
        return f"{self.failure} in {folder}; its last lines: {lines or 'none'}"

    @property
    def problem(self) -> str:
        """The failure and the last line with an error or the last line, or "" if the command succeeded."""
        lines = self.output.strip().splitlines() if self.failure else []
        shown = next((line for line in reversed(lines) if "Error" in line), lines[-1] if lines else "")
        return f"{self.failure}: {shown.strip()}" if shown else self.failure


def variables(values: Mapping[str, str]) -> dict[str, str]:
    """Return the values as environment variables for a command, such as ``PROFGATE_OUT`` for ``out``."""
    return {f"{PREFIX}{name.upper()}": value for name, value in values.items()}


def with_values(words: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """Replace every ``{name}`` in the words with its value, in which placeholders and other braces stay unchanged."""
    pattern = re.compile("|".join(re.escape(f"{{{name}}}") for name in values))
    return [pattern.sub(lambda found: values[found[0][1:-1]], word) for word in words]


def run_command(
    words: Sequence[str],
    *,
    folder: str,
    environment: Mapping[str, str],
    log: str,
    timeout: float,
    on_start: Callable[[int], None] = lambda _: None,
) -> Outcome:
    """Run a command and write its output to the log. Its process group has always ended when this function returns.

    ``on_start`` is called with the number of the group. The ``timeout`` begins when it returns.
    """
    try:
        opened = Path(log).open("wb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise ProfgateError(log, f"cannot be written: {error.strerror}") from error
    with opened as output:
        start = time.perf_counter_ns()
        try:
            process = subprocess.Popen(  # noqa: S603 - runs the user's own command
                words,
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:  # ValueError is raised for a null byte in a word
            return Outcome(0, f"{words[0]} cannot be started: {getattr(error, 'strerror', None) or error}")
        try:
            on_start(process.pid)
            code = process.wait(timeout)
            failure = "" if not code else f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        except subprocess.TimeoutExpired:
            failure = f"took longer than {timeout:g} s"
        finally:
            spent = time.perf_counter_ns() - start
            _end(process)
    with Path(log).open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        stream.seek(max(size - (1 << 16), 0))
        return Outcome(spent, failure, stream.read().decode("utf-8", "replace"), size)


def output_of(words: Sequence[str], folder: str, variables: Mapping[str, str], timeout: float) -> str:
    """Run a command with additional environment variables and return the end of its output.

    Raises ProfgateError if the command cannot start, fails or exceeds the timeout.
    """
    environment = without_git(os.environ) | dict(variables)  # git finds the repository of the folder
    with scratch_folder() as scratch:
        log = str(Path(scratch, "log"))
        outcome = run_command(words, folder=folder, environment=environment, log=log, timeout=timeout)
    if outcome.failure:
        raise ProfgateError(" ".join(words)[:200], outcome.explained(folder))
    return outcome.output


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process group, or on Windows the command. A running command first gets SIGTERM and a short time."""
    if sys.platform == "win32":
        process.kill()
        process.wait()
        return
    try:
        if process.poll() is None:
            _signal(process.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5.0)  # SIGKILL follows
    finally:  # the group must also be killed after a second Ctrl-C
        _signal(process.pid, signal.SIGKILL)  # kills the children, and the command if it ignored SIGTERM
        process.wait()


def _signal(group: int, number: int) -> None:
    if sys.platform == "win32":
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
