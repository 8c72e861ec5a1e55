"""Commands of the user as processes: with a log, within a time limit, and never left running."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from profgate.errors import ProfgateError

GRACE = 5.0  # seconds between asking a command to end and ending it
LAST_OUTPUT = 1 << 16  # bytes of a log that are returned
PREFIX = "PROFGATE_"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended; ``failure`` is empty where it ended well, ``output`` is the end of what it printed."""

    nanoseconds: int
    failure: str = ""
    output: str = ""

    @property
    def problem(self) -> str:
        """The failure with the last line that the command printed; empty where it ended well."""
        lines = self.output.strip().splitlines() if self.failure else []
        return f"{self.failure}: {lines[-1].strip()}" if lines else self.failure


@dataclass(frozen=True, slots=True)
class Started:
    """A process group, distinguished from a later one of the same number by its start time in clock ticks."""

    group: int
    ticks: int


def variables(values: Mapping[str, str]) -> dict[str, str]:
    """Environment variables for a command: ``PROFGATE_OUT`` for the value ``out``."""
    return {f"{PREFIX}{name.upper()}": value for name, value in values.items()}


def filled(words: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """The words with every ``{name}`` replaced by its value, once; other braces stay."""
    pattern = re.compile("|".join(re.escape(f"{{{name}}}") for name in values))
    return [pattern.sub(lambda found: values[found[0][1:-1]], word) for word in words]


def run_command(
    words: Sequence[str],
    *,
    folder: str,
    environment: Mapping[str, str],
    log: str,
    timeout: float,
    on_start: Callable[[Started], None] = lambda _: None,
) -> Outcome:
    """Runs a command in a process group of its own; what it prints goes to the log.

    However this call is left, by the end of the command, by the end of its time or by Ctrl-C, the group is ended.
    """
    try:
        opened = Path(log).open("ab")  # noqa: SIM115 - closed below
    except OSError as error:
        raise ProfgateError(log, f"cannot be written: {error.strerror}") from error
    with opened as output:
        start = time.perf_counter_ns()
        try:
            process = subprocess.Popen(  # noqa: S603 - the command of the user
                words,
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:  # ValueError: a null byte among the words
            return Outcome(0, f"{words[0]} cannot be started: {getattr(error, 'strerror', None) or error}")
        try:
            on_start(Started(process.pid, _ticks(process.pid)))
            code = process.wait(timeout)
            spent = time.perf_counter_ns() - start
        except subprocess.TimeoutExpired:
            return Outcome(time.perf_counter_ns() - start, f"took longer than {timeout:g} s")
        finally:
            _end(process)
    failure = "" if not code else f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
    return Outcome(spent, failure, _tail(log))


def output_of(words: Sequence[str], folder: str, variables: Mapping[str, str], timeout: float) -> str:
    """The end of what a command prints, with these variables added to the environment.

    Raises ProfgateError for a command that cannot start, fails or takes longer.
    """
    environment = os.environ | variables
    with tempfile.NamedTemporaryFile(prefix="profgate-") as log:
        outcome = run_command(words, folder=folder, environment=environment, log=log.name, timeout=timeout)
    if outcome.failure:
        lines = " | ".join(line for line in outcome.output.splitlines() if line.strip())[-500:]
        what = f"{outcome.failure} in {folder}; its last lines: {lines or 'none'}"
        raise ProfgateError(" ".join(words)[:200], what)
    return outcome.output


def end_leftover(started: Started) -> bool:
    """Ends a group that an earlier, killed profgate left running; returns whether there was one."""
    if sys.platform != "linux" or not started.ticks or _ticks(started.group) != started.ticks:
        return False  # ended, or the number belongs to another process
    _signal(started.group, signal.SIGKILL)
    return True


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the group: first with a request where the command itself still runs."""
    try:
        if process.poll() is None:
            _signal(process.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)
    finally:  # also where a second Ctrl-C ends the waiting
        _signal(process.pid, signal.SIGKILL)  # the command if it ignored the request, and its children
        process.wait()


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _tail(log: str) -> str:
    with Path(log).open("rb") as stream:
        stream.seek(max(os.fstat(stream.fileno()).st_size - LAST_OUTPUT, 0))
        return stream.read().decode("utf-8", "replace")


def _ticks(process: int) -> int:
    """When a process was started, in clock ticks since the machine's start; 0 where that is not known."""
    try:
        text = Path(f"/proc/{process}/stat").read_text("utf-8", "replace")
    except OSError:
        return 0
    return int(text.rsplit(")", 1)[1].split()[19])
