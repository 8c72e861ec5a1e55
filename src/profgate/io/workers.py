"""Execution of tasks in forked processes, or of a task in a thread."""

import os
import pickle
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from threading import Thread
from typing import Generic, TypeVar

Result = TypeVar("Result")
_NUMBER = 4  # bytes per batch number
_LENGTH = 8  # bytes per length field
_working = False  # whether this process does tasks together with others


def processors() -> int:
    """Return the number of processes that can run at the same time."""
    if sys.platform != "linux":
        return 1
    return len(os.sched_getaffinity(0))


def return_memory() -> None:
    """Return unused memory to the system. Otherwise, large objects need more beside that of many small ones."""
    import ctypes

    with suppress(OSError, AttributeError):  # other C libraries do not have this function
        ctypes.CDLL(None).malloc_trim(0)


def done(tasks: Sequence[Callable[[], Result]], processes: int) -> Generator[Result]:
    """Yield the results of the tasks in their order, each as soon as it and those before it are available.

    The calling process also runs tasks. A task that fails in another process is repeated in the calling process, so
    that the error is raised there. All tasks run in the calling process if the system is not Linux, if the calling
    process has other threads, because a forked process would not contain them, or if a task calls this function.
    """
    global _working  # noqa: PLW0603 - a fact about the process
    helpers = 0 if _working or sys.platform != "linux" else min(processes, len(tasks)) - 1
    if helpers < 1 or len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208 - counts only
        for task in tasks:
            yield task()
        return
    waiting = _queue(len(tasks))
    _working = True
    children = [_Child(tasks, waiting) for _ in range(helpers)]
    finished: dict[int, Result] = {}
    first = 0  # number of the first task whose result was not yielded
    try:
        for number, result in _made_together(tasks, waiting, children):
            finished[number] = result
            while first in finished:
                yield finished.pop(first)
                first += 1
    finally:
        _working = False
        os.close(waiting)
        for child in children:
            child.end()
    for number in range(first, len(tasks)):  # a child that ended early left tasks undone
        yield finished.pop(number) if number in finished else tasks[number]()


def _made_together(
    tasks: Sequence[Callable[[], Result]], waiting: int, children: "Sequence[_Child[Result]]"
) -> Iterator[tuple[int, Result]]:
    """Run batches of tasks, and yield the number and the result of each task of this and of the other processes."""
    for count, batch in enumerate(_taken(waiting, len(tasks)), start=1):
        for number in batch:
            yield number, tasks[number]()
        if count % 16 == 0:  # reading more often costs more than it saves in memory
            for child in children:
                yield from child.results()
    for child in children:
        yield from child.results(wait=True)


def started(task: Callable[[], Result]) -> Callable[[], Result]:
    """Run a task in a thread, and return a function that waits for its result or repeats a task that failed."""
    results: list[Result] = []
    thread = Thread(target=lambda: results.append(task()))
    thread.start()

    def result() -> Result:
        thread.join()
        return results[0] if results else task()

    return result


def _batch(tasks: int) -> int:
    # at most 1,000 batches, so that all batch numbers fit in a pipe of 4,096 bytes
    return -(-tasks // 1000)


def _queue(tasks: int) -> int:
    """Return the read end of a pipe that contains the batch numbers. Only one process can read each number."""
    waiting, numbers = os.pipe()
    starts = range(0, tasks, _batch(tasks))
    os.write(numbers, b"".join(start.to_bytes(_NUMBER, "little") for start in starts))
    os.close(numbers)
    return waiting


def _taken(waiting: int, tasks: int) -> Iterator[range]:
    while first := os.read(waiting, _NUMBER):
        start = int.from_bytes(first, "little")
        yield range(start, min(start + _batch(tasks), tasks))


class _Child(Generic[Result]):
    """A forked process that runs batches of tasks until the queue is empty.

    The results of each batch are in a file in memory, because a pipe would make the process wait for the parent. Then
    their length is in a pipe.
    """

    _made: int
    _lengths: int
    _place = 0

    def __init__(self, tasks: Sequence[Callable[[], Result]], waiting: int) -> None:
        if sys.platform != "linux":
            raise NotImplementedError("processes are forked only on Linux")
        self._made = os.memfd_create("results")
        self._lengths, lengths = os.pipe()
        self._pid = os.fork()
        if self._pid:
            os.close(lengths)
            return
        with suppress(BaseException):  # the parent repeats the batch and raises the error
            for batch in _taken(waiting, len(tasks)):
                data = pickle.dumps([(number, tasks[number]()) for number in batch], protocol=5)
                with open(self._made, "ab", closefd=False) as file:
                    file.write(data)
                os.write(lengths, len(data).to_bytes(_LENGTH, "little"))
        os._exit(0)

    def results(self, *, wait: bool = False) -> Iterator[tuple[int, Result]]:
        """Yield the results that the process has made, or with ``wait`` all results that it makes."""
        if sys.platform != "linux":  # only Linux forks
            return
        os.set_blocking(self._lengths, wait)
        with suppress(BlockingIOError):
            while length := os.read(self._lengths, _LENGTH):
                data = os.pread(self._made, int.from_bytes(length, "little"), self._place)
                self._place += len(data)
                yield from pickle.loads(data)  # noqa: S301 - our own data

    def end(self) -> None:
        """Kill the process if it is still running."""
        if sys.platform == "linux":
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        os.close(self._made)
        os.close(self._lengths)
