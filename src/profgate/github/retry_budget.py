"""The time that waits and failures of one run may take."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Self

from profgate.errors import GitHubError

SECONDS = 300.0


class RetryBudgetExceededError(GitHubError):
    """Waits and failures took too long: no further request is sent."""


class RetryBudget:
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
        """An unused budget of the same size."""
        return type(self)(self._limit, sleep=self._sleep, clock=self._clock)

    def wait(self, seconds: float, where: str) -> None:
        """Sleeps. Raises RetryBudgetExceededError at once where less is left."""
        if seconds > self._left:
            raise self._exceeded(where)
        self._left -= seconds
        self._sleep(seconds)

    @contextmanager
    def spent_on(self, where: str) -> Iterator[None]:
        """Subtracts the time of a block that fails. Raises RetryBudgetExceededError where nothing is left."""
        if self._left <= 0:
            raise self._exceeded(where)
        start = self._clock()
        try:
            yield
        except Exception:
            self._left -= self._clock() - start
            raise

    def _exceeded(self, where: str) -> RetryBudgetExceededError:
        what = f"waits for GitHub may take {self._limit:g} seconds of a run, which are used up; run again later"
        return RetryBudgetExceededError(where, what)
