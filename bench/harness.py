"""Runs commands and pipes of commands in turn and measures wall time, processor time and peak memory of each."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from threading import Event, Thread, Timer
from time import perf_counter

MEBIBYTE = 1 << 20
SAMPLED_EVERY = 0.01  # seconds between two looks at the memory of a run
QUOTED = 400
# An installed program keeps its bytecode. Where the caller forbids it, every run would compile all modules again.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


class RunError(Exception):
    """A measured command could not be started, failed or took too long; the message has its name and the reason."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A pipe of one or more commands in a folder; the last one's output goes to ``output``, or nowhere."""

    name: str
    pipe: tuple[tuple[str, ...], ...]
    output: Path | None = None
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """One run: wall seconds, user and system seconds and the largest process in bytes."""

    wall: float
    processor: float
    largest: int


@dataclass(frozen=True, slots=True)
class Measured:
    """All timed runs of one contender, and its peak memory in bytes.

    The peak is the largest sum over all its processes at one moment, shared pages counted by share. It is sampled in
    the warm-up run, so that looking costs no time in the timed runs, and is at least the largest single process.
    """

    samples: tuple[Sample, ...]
    peak: int

    @property
    def wall(self) -> float:
        """Median wall seconds."""
        return median(sample.wall for sample in self.samples)

    @property
    def processor(self) -> float:
        """Median user and system seconds."""
        return median(sample.processor for sample in self.samples)


def run_once(contender: Contender, timeout: float) -> Sample:
    """One timed run. Raises RunError."""
    return _run(contender, timeout, None)


def warm_up(contender: Contender, timeout: float) -> int:
    """A run that is not timed, because sampling slows it down; the peak memory of all its processes in bytes.

    Raises RunError.
    """
    watch = _MemoryWatch()
    return max(_run(contender, timeout, watch).largest, watch.peak)


def measure_in_turn(contenders: Sequence[Contender], runs: int, timeout: float) -> dict[str, Measured | RunError]:
    """Every contender by name: a warm-up each, then A B A B; one that fails is left out of further rounds."""
    outcome: dict[str, Measured | RunError] = {}
    peaks, samples = dict[str, int](), dict[str, list[Sample]]()
    for contender in contenders:
        try:
            peaks[contender.name] = warm_up(contender, timeout)
            samples[contender.name] = []
        except RunError as error:
            outcome[contender.name] = error
    for _ in range(runs):
        for contender in contenders:
            if contender.name in outcome:
                continue
            try:
                samples[contender.name].append(run_once(contender, timeout))
            except RunError as error:
                outcome[contender.name] = error
    for name, taken in samples.items():
        outcome.setdefault(name, Measured(tuple(taken), peaks[name]))
    return outcome


def paired_ratio(ours: Measured, theirs: Measured) -> float:
    """Median of the wall ratios round by round: neighbours in time share the machine's mood."""
    return median(one.wall / other.wall for one, other in zip(ours.samples, theirs.samples, strict=True))


def _run(contender: Contender, timeout: float, watch: "_MemoryWatch | None") -> Sample:
    with tempfile.TemporaryFile() as complaints:
        started = perf_counter()
        processes = _start(contender, complaints.fileno())
        late = Event()

        def give_up() -> None:
            late.set()
            _kill(processes)

        timer = Timer(timeout, give_up)
        timer.start()
        if watch is not None:
            watch.start(processes[0].pid)
        try:
            usages = [_wait(process) for process in processes]
        except BaseException:
            _kill(processes)
            raise
        finally:
            timer.cancel()
            if watch is not None:
                watch.stop()
        wall = perf_counter() - started
        if late.is_set():
            raise RunError(f"{contender.name}: took longer than {timeout:g} s")
        if any(process.returncode for process in processes):
            complaints.seek(0)
            last_line = complaints.read().decode("utf-8", "replace").strip().rpartition("\n")[2][:QUOTED]
            codes = ", ".join(str(process.returncode) for process in processes)
            raise RunError(f"{contender.name}: ended with exit code {codes}: {last_line}")
    return Sample(
        wall,
        sum(usage.ru_utime + usage.ru_stime for usage in usages),
        max(usage.ru_maxrss for usage in usages) << 10,
    )


def _start(contender: Contender, complaints: int) -> list[subprocess.Popen[bytes]]:
    """The processes of a pipe, all in the process group of the first."""
    processes: list[subprocess.Popen[bytes]] = []
    last = len(contender.pipe) - 1
    with (contender.output or Path(os.devnull)).open("wb") as output:
        for place, command in enumerate(contender.pipe):
            source = processes[-1].stdout if processes else subprocess.DEVNULL
            try:
                process = subprocess.Popen(
                    command,
                    stdin=source,
                    stdout=output if place == last else subprocess.PIPE,
                    stderr=complaints,
                    cwd=contender.folder,
                    env=ENVIRONMENT,
                    process_group=processes[0].pid if processes else 0,
                )
            except OSError as error:
                _kill(processes)
                for started in processes:
                    _wait(started)
                raise RunError(f"{contender.name}: cannot start {command[0]}: {error.strerror}") from error
            finally:
                if processes and processes[-1].stdout is not None:
                    processes[-1].stdout.close()
            processes.append(process)
    return processes


def _wait(process: subprocess.Popen[bytes]) -> "os.struct_rusage":  # type: ignore[name-defined]
    """What a process and the children it has waited for have used."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage


def _kill(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Ends a pipe and the workers it has started."""
    for process in processes:
        if process.returncode is None:
            try:
                os.killpg(processes[0].pid, signal.SIGKILL)
            except ProcessLookupError:
                return


class _MemoryWatch:
    """Looks at the memory of a process group until stopped; knows nothing where there is no /proc."""

    def __init__(self) -> None:
        self.peak = 0
        self._ended = Event()
        self._thread: Thread | None = None

    def start(self, group: int) -> None:
        self._thread = Thread(target=self._look, args=(group,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _look(self, group: int) -> None:
        while not self._ended.wait(SAMPLED_EVERY):
            self.peak = max(self.peak, sum(_proportional_size(process) for process in _members(group)))


def _members(group: int) -> list[str]:
    """Process numbers of a process group."""
    members: list[str] = []
    try:
        entries = os.listdir("/proc")  # noqa: PTH208 - names are all that is wanted, many times a second
    except FileNotFoundError:
        return members
    for entry in entries:
        if entry.isdigit():
            try:
                if os.getpgid(int(entry)) == group:
                    members.append(entry)
            except ProcessLookupError:
                continue
    return members


def _proportional_size(process: str) -> int:
    """Bytes in memory, shared pages by share; 0 when the process has gone."""
    try:
        for line in Path("/proc", process, "smaps_rollup").read_bytes().splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0
