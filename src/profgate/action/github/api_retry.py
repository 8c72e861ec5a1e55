"""The retries of API requests. Importing PyGithub takes half a second, so this module is imported on first use."""

import logging
from typing import Any

from github.GithubRetry import GithubRetry

from profgate.action.github.connections import MAX_WAIT, BudgetedRetry
from profgate.action.github.requests import REPEATABLE

logging.getLogger("github").setLevel(logging.CRITICAL)  # otherwise, PyGithub would log responses


class ApiRetry(BudgetedRetry, GithubRetry):
    """Repeats any request after a rate limit, and GET and PATCH requests also after a failure of the server."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - passed on
        super().__init__(**{
            "allowed_methods": REPEATABLE,
            "max_rate_limit_wait": MAX_WAIT,
            "other": 0,  # such as a certificate that is not trusted
            "raise_on_status": False,
            **options,
        })  # fmt: skip

    def is_retry(self, method: str, status_code: int, has_retry_after: bool = False) -> bool:  # noqa: ARG002, FBT002
        """Return whether a response with this status is repeated."""
        return status_code in {403, 429} or (status_code >= 500 and method in REPEATABLE)

    def get_backoff_time(self) -> float:
        """Return the seconds until the next try. GitHub requires a minute after a 429 that does not state a time."""
        limited = bool(self.history) and self.history[-1].status == 429
        return self.secondary_rate_wait if limited else super().get_backoff_time()
