"""Tasks in forked processes: each is done once, however fast the processes take them."""

import subprocess
import sys

import pytest

from profgate.io.workers import started

# a process of its own: beside the threads of a test runner nothing is forked
SHARED = """
from profgate.io.workers import done

for tasks in (2, 200, 2500):
    for _ in range(20):
        found = list(done([lambda number=number: number * 7 for number in range(tasks)], 3))
        assert found == [number * 7 for number in range(tasks)], found
"""
FAILING = """
import os, signal
from profgate.io.workers import done

here = os.getpid()

def task(number):
    if os.getpid() != here and number > 20:
        {}
    return number

assert list(done([lambda number=number: task(number) for number in range(50)], 3)) == list(range(50))
"""
NESTED = """
import os
from profgate.io.workers import done

def task():
    return {os.getpid(), *done([os.getpid] * 50, 3)}

assert all(len(pids) == 1 for pids in done([task] * 50, 3))
"""

OPEN_FILES = """
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy
from profgate.io.workers import done

kept = list(done([lambda: numpy.ones(1 << 12)] * 1000, 3))  # results of this size stay in shared memory
assert len(os.listdir("/proc/self/fd")) < 100, os.listdir("/proc/self/fd")
assert sum(array.sum() for array in kept) == 1000 << 12
"""
RECORDS = """
from dataclasses import dataclass, field
from profgate.io.workers import done

@dataclass(frozen=True, slots=True)
class Frozen:
    number: int
    inner: object = None

@dataclass(frozen=True, slots=True, kw_only=True)
class Named(Frozen):
    parts: dict = field(default_factory=dict)

@dataclass(frozen=True, slots=True)
class Filled(Frozen):
    def __post_init__(self):
        object.__setattr__(self, "number", self.number + 1)

def made(number):
    return Frozen(number, (Named(number=number, parts={1: Filled(number)}), Filled(number, Frozen(1))))

assert list(done([lambda number=number: made(number) for number in range(200)], 3)) == [made(n) for n in range(200)]
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
@pytest.mark.parametrize(
    "program",
    [
        SHARED,
        OPEN_FILES,
        RECORDS,
        *map(FAILING.format, ("raise ValueError(number)", "os.kill(os.getpid(), signal.SIGKILL)")),
        NESTED,
    ],
)
def test_every_task_runs_once(program: str) -> None:
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_thread_returns_the_result() -> None:
    assert started(lambda: 42)() == 42


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_the_error_of_a_thread_is_raised_by_the_caller() -> None:
    def failing() -> None:
        raise MemoryError

    with pytest.raises(MemoryError):
        started(failing)()
