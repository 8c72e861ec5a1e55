"""Conditions that one processor can imitate: what a program shares its processor with, and where its memory is.

They stand for other machines. One kind of processor cannot imitate other caches, branch predictors, memory or clock
frequencies: .github/workflows/machines.yml records the same programs on hosted runners.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

_WHILE_STARTED = "import os\nparent = os.getppid()\ndata = bytearray(1 << 26)\nwhile os.getppid() == parent:\n"
BURNER = f"{_WHILE_STARTED}    pass\n"
STREAMER = f"{_WHILE_STARTED}    data[:] = data[1:] + data[:1]\n"  # uses the memory that processors share
QUOTA = 0.01  # seconds that a program with half of a processor runs, and is stopped, in turns


@dataclass(frozen=True, slots=True)
class Condition:
    """How a program is recorded: its neighbour and the rank of its processor, the words before its command, variables.

    With ``quota``, it has half of a processor.
    """

    name: str
    neighbour: str = ""
    elsewhere: bool = False
    words: Sequence[str] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    quota: bool = False


PLAIN = Condition("plain")
CONDITIONS = (
    PLAIN,
    Condition("environment", variables={"PADDING": "x" * 5000}),
    Condition("addresses", words=("setarch", "-R")),
    Condition("neighbour", neighbour=BURNER, words=("nice", "-n", "2")),
    Condition("memory", neighbour=STREAMER, elsewhere=True),
    Condition("quota", quota=True),
)
BY_NAME = {condition.name: condition for condition in CONDITIONS}


@contextmanager
def neighbour_of(condition: Condition, processors: Sequence[int], own: int) -> Iterator[None]:
    """Run the neighbour of a condition, if it has one, on the same or on another of the processors."""
    if not condition.neighbour:
        yield
        return
    others = [processor for processor in processors if processor != own]
    place = others[0] if condition.elsewhere and others else own
    with subprocess.Popen([sys.executable, "-S", "-c", condition.neighbour]) as process:
        os.sched_setaffinity(process.pid, {place})
        try:
            yield
        finally:
            process.kill()


@contextmanager
def quota_of(condition: Condition, work: Path) -> Iterator[Sequence[str]]:
    """Yield words before a command that write its process number, and stop the process in turns, as a quota does."""
    if not condition.quota:
        yield ()
        return
    started, done = work / "process", threading.Event()
    started.unlink(missing_ok=True)
    thread = threading.Thread(target=_stopped_in_turns, args=(started, done), daemon=True)
    thread.start()
    try:
        yield ("sh", "-c", f'echo $$ > "{started}" && exec "$@"', "sh")
    finally:
        done.set()
        thread.join()


def _stopped_in_turns(started: Path, done: threading.Event) -> None:
    signals = (signal.SIGSTOP, signal.SIGCONT)
    while not done.wait(QUOTA):
        for number in signals:
            text = started.read_text(encoding="utf-8").strip() if started.exists() else ""
            try:
                if text:
                    os.kill(int(text), number)
            except ProcessLookupError:
                started.unlink(missing_ok=True)
            if number == signal.SIGSTOP:
                done.wait(QUOTA)
