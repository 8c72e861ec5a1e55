"""Execution of a task in a thread."""

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")


def started(task: Callable[[], Result]) -> Callable[[], Result]:
    """Run a task in a thread, and return a function that waits for its result or repeats a task that failed."""
    results: list[Result] = []
    thread = Thread(target=lambda: results.append(task()))
    thread.start()

    def result() -> Result:
        thread.join()
        return results[0] if results else task()

    return result
