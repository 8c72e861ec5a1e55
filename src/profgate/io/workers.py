"""Execution of tasks in forked processes, which return their results in shared memory."""

import mmap
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Generic, TypeVar

Result = TypeVar("Result")
_NUMBER = 4  # bytes per batch number
_BATCHES = 1000  # maximum number of batches, so that all batch numbers fit in a pipe of 4,096 bytes
_LENGTH = 8  # bytes per length field
_SHARED = 1 << 14  # minimum number of bytes of a shared array; copying a smaller array takes less memory


def processors() -> int:
    """Return the number of processes that can run at the same time."""
    if sys.platform != "linux":
        return 1
    return len(os.sched_getaffinity(0))


def done(tasks: Sequence[Callable[[], Result]], processes: int) -> Iterator[tuple[int, Result]]:
    """Yield the number and the result of each task as soon as the result is available.

    The calling process also runs tasks. A task that fails in another process is repeated in the calling process, so
    that the error is raised there. If the system is not Linux or the calling process has other threads, all tasks run
    in the calling process, because a forked process would not contain these threads.
    """
    helpers = min(processes, len(tasks)) - 1
    if helpers < 1 or sys.platform != "linux" or len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208 - counts only
        yield from ((number, task()) for number, task in enumerate(tasks))
        return
    waiting = _queue(len(tasks))
    missing = set(range(len(tasks)))
    children = [_Child(tasks, waiting) for _ in range(helpers)]
    try:
        for number in _taken(waiting, len(tasks)):
            yield number, tasks[number]()
            missing.remove(number)
        for child in children:
            for number, result in child.results():
                missing.remove(number)
                yield number, result
    finally:
        os.close(waiting)
        for child in children:
            child.end()
    yield from ((number, tasks[number]()) for number in sorted(missing))


def _batch(tasks: int) -> int:
    return -(-tasks // _BATCHES)


def _queue(tasks: int) -> int:
    """Return the read end of a pipe that contains the batch numbers. Only one process can read each number."""
    waiting, numbers = os.pipe()
    starts = range(0, tasks, _batch(tasks))
    os.write(numbers, b"".join(start.to_bytes(_NUMBER, "little") for start in starts))
    os.close(numbers)
    return waiting


def _taken(waiting: int, tasks: int) -> Iterator[int]:
    while first := os.read(waiting, _NUMBER):
        start = int.from_bytes(first, "little")
        yield from range(start, min(start + _batch(tasks), tasks))


class _Child(Generic[Result]):
    """A forked process that runs batches of tasks until the queue is empty."""

    _made: int

    def __init__(self, tasks: Sequence[Callable[[], Result]], waiting: int) -> None:
        if sys.platform != "linux":
            raise NotImplementedError(
                "processes are forked only on Linux; `done` runs all tasks in this process elsewhere"
            )
        self._made = os.memfd_create("results")
        self._pid: int | None = os.fork()
        if self._pid:
            return
        code = 1
        with suppress(BaseException):  # the parent repeats the task and raises the error
            _write([(number, tasks[number]()) for number in _taken(waiting, len(tasks))], self._made)
            code = 0
        os._exit(code)

    def results(self) -> list[tuple[int, Result]]:
        """Wait for the results and return them, or an empty list if the process failed."""
        if self._pid is None:
            return []
        _, status = os.waitpid(self._pid, 0)
        self._pid = None
        return _read(self._made) if status == 0 else []

    def end(self) -> None:
        """Kill the process if it is still running."""
        if sys.platform == "linux" and self._pid is not None:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            self._pid = None
        os.close(self._made)


def _write(made: object, file: int) -> None:
    buffers: list[pickle.PickleBuffer] = []

    def copied(buffer: pickle.PickleBuffer) -> bool:
        small = buffer.raw().nbytes < _SHARED
        if not small:
            buffers.append(buffer)
        return small

    head = pickle.dumps(made, protocol=5, buffer_callback=copied)
    with open(file, "wb", closefd=False) as stream:
        for part in (memoryview(head), *(buffer.raw() for buffer in buffers)):
            stream.write(part.nbytes.to_bytes(_LENGTH, "little"))
            stream.write(part)


def _read(file: int) -> list[tuple[int, Result]]:
    """Return the results from shared memory, without copying large arrays."""
    data = memoryview(mmap.mmap(file, 0, access=mmap.ACCESS_READ))
    parts, place = [], 0
    while place < len(data):
        start = place + _LENGTH
        place = start + int.from_bytes(data[place:start], "little")
        parts.append(data[start:place])
    made: list[tuple[int, Result]] = pickle.loads(parts[0], buffers=parts[1:])  # noqa: S301 - our own data
    return made
