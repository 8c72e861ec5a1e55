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


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
@pytest.mark.parametrize(
    "program",
    [SHARED, *map(FAILING.format, ("raise ValueError(number)", "os.kill(os.getpid(), signal.SIGKILL)")), NESTED],
)
def test_every_task_runs_once(program: str) -> None:
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_the_error_of_a_thread_is_raised_by_the_caller() -> None:
    def failing() -> None:
        raise MemoryError

    with pytest.raises(MemoryError):
        started(failing)()
