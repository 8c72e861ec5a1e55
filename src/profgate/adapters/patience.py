"""How long GitHub may keep a run waiting: one budget for waits and failures, so that the run can tell what it knows."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Self

from profgate.errors import GitHubError

SECONDS = 300.0


class OutOfPatienceError(GitHubError):
    """Too much time was lost: nothing is asked any more."""


class Patience:
    """The ``seconds`` that waits and failed requests may take together; ``sleep`` and ``clock`` are the machine's."""

    def __init__(
        self,
        seconds: float = SECONDS,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit = self._left = seconds
        self._sleep = sleep
        self._clock = clock

    def fresh(self) -> Self:
        """A budget of the same size with nothing taken from it."""
        return type(self)(self._limit, sleep=self._sleep, clock=self._clock)

    def wait(self, seconds: float, where: str) -> None:
        """Sleeps. Raises OutOfPatienceError at once where that is more than is left."""
        if seconds > self._left:
            raise self._used_up(where)
        self._left -= seconds
        self._sleep(seconds)

    @contextmanager
    def spent_on(self, where: str) -> Iterator[None]:
        """Takes the time of a block that fails from the budget. Raises OutOfPatienceError where nothing is left."""
        if self._left <= 0:
            raise self._used_up(where)
        start = self._clock()
        try:
            yield
        except Exception:
            self._left -= self._clock() - start
            raise

    def _used_up(self, where: str) -> OutOfPatienceError:
        what = f"waiting for GitHub may take {self._limit:g} seconds of a run, which are used up; run again later"
        return OutOfPatienceError(where, what)
