"""Requests to GitHub's API: every way one can fail is said in our words, and repeated where that can help.

PyGithub carries them (connections, pauses between requests). What a rate limit refused was not done, so it is sent
again after the wait that GitHub asks for; a GET or PATCH is also sent again where GitHub failed. All of that has a
budget of time.
"""

import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from profgate.adapters.broken_lines import broken, stays_broken
from profgate.adapters.patience import Patience
from profgate.errors import GitHubError, NotAllowed

if TYPE_CHECKING:
    from github import Github
    from github.GithubException import GithubException

Result = TypeVar("Result")

API_VERSION = "2022-11-28"
PAGE = 100
TIMEOUT = 30  # seconds without an answer
REPEATABLE = frozenset({"GET", "PATCH"})
SECONDARY_WAIT = 60.0  # what GitHub asks for where it names no time
_SECONDS = re.compile(r"[0-9]{1,10}")  # as HTTP and GitHub write them
# what PyGithub raises over an answer that it did not expect
_STUMBLES = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


class NotFoundError(GitHubError):
    """GitHub has no such thing, or does not show it to this token."""


class ServerFailedError(GitHubError):
    """GitHub failed or the line broke: whether a write arrived is not known."""


class RateLimitedError(GitHubError):
    """GitHub wants to be asked later; nothing was done. ``wait`` are the seconds it asks for."""

    wait = SECONDARY_WAIT


class Requests:
    """The API behind one token; ``made`` counts what was sent.

    ``pauses`` are the seconds between requests and between writes, ``retries`` and ``backoff`` how often and how slowly
    is sent again, ``max_wait`` the longest single wait for a rate limit.
    """

    def __init__(
        self,
        token: str,
        api_url: str,
        *,
        pauses: tuple[float, float],
        retries: int,
        backoff: float,
        max_wait: float,
        verify: bool | str,
        patience: Patience,
    ) -> None:
        self._token = token
        self._api_url = api_url
        self._pauses = pauses
        self._retries = retries
        self._backoff = backoff
        self._max_wait = max_wait
        self._verify = verify
        self._patience = patience
        self.made = 0

    def close(self) -> None:
        """Gives the connections back; without any, nothing happens."""
        if (github := self.__dict__.pop("_github", None)) is not None:
            github.close()

    def call(self, verb: str, url: str, body: object = None) -> tuple[dict[str, str], Any]:
        """Headers and value of an answer."""
        where = f"{verb} {url.partition('?')[0]}"

        def once() -> tuple[dict[str, str], Any]:
            headers, answer = self._github.requester.requestJsonAndCheck(verb, url, input=body)
            return headers, answer

        return self._patiently(where, once, again=verb in REPEATABLE)

    def graphql(self, query: str, variables: Mapping[str, object]) -> Any:  # noqa: ANN401 - JSON
        """The answer to a query or mutation, which is not repeated where GitHub failed."""
        return self._patiently(
            "POST graphql", lambda: self._github.requester.graphql_query(query, dict(variables))[1], again=False
        )

    def _patiently(self, where: str, once: Callable[[], Result], *, again: bool) -> Result:
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                self.made += 1
                with self._patience.spent_on(where), _translated(where):
                    return once()
            except RateLimitedError as error:
                if last or error.wait > self._max_wait:
                    raise
                self._patience.wait(error.wait, where)
            except ServerFailedError:
                if last or not again:
                    raise
                self._patience.wait(self._backoff * 2**attempt, where)
        raise AssertionError("the last attempt returns or raises")

    @cached_property
    def _github(self) -> "Github":
        """PyGithub, imported when the first request is made: it takes half a second."""
        from github import Auth, Github

        logging.getLogger("github").setLevel(logging.CRITICAL)  # it would write by itself what a server says
        return Github(
            auth=Auth.Token(self._token),
            base_url=self._api_url,
            per_page=PAGE,
            api_version=API_VERSION,
            timeout=TIMEOUT,
            lazy=True,
            verify=self._verify,
            user_agent="profgate",
            retry=None,
            seconds_between_requests=self._pauses[0],
            seconds_between_writes=self._pauses[1],
        )


@contextmanager
def _translated(where: str) -> Iterator[None]:
    """Every way a call can fail, said in our words."""
    from github.GithubException import GithubException
    from requests import RequestException

    try:
        yield
    except GithubException as error:
        raise _refusal(error, where) from error
    except RequestException as error:
        if stays_broken(error):
            raise GitHubError(where, f"GitHub cannot be asked ({broken(error)})") from error
        raise ServerFailedError(where, f"GitHub did not answer ({broken(error)}); run again later") from error
    except _STUMBLES as error:
        what = f"{type(error).__name__}: {error}; check GITHUB_API_URL"
        raise GitHubError(where, what) from error


def _refusal(error: "GithubException", where: str) -> GitHubError:
    from github.GithubException import RateLimitExceededException

    status, headers = error.status, {key.lower(): value for key, value in (error.headers or {}).items()}
    message = _said(error.data)
    if isinstance(error, RateLimitExceededException) or status == 429 or (status == 403 and "retry-after" in headers):
        return _limited(where, headers)
    if status == 401:
        return NotAllowed(where, "GitHub does not accept the token; pass token: ${{ github.token }}")
    if status == 403:
        return NotAllowed(where, _missing_permission(message, headers.get("x-accepted-github-permissions", "")))
    if status in {404, 410} or (status == 422 and message.startswith("No commit found")):
        return NotFoundError(where, _gone(status, headers.get("x-accepted-github-permissions", "")))
    if status >= 500:
        return ServerFailedError(where, f"GitHub answered {status}; run again later")
    return GitHubError(where, f"GitHub answered {status} {message}".rstrip() + "; not tried again")


def _said(data: object) -> str:
    """GitHub's own word, which GraphQL puts into a list."""
    if not isinstance(data, dict):
        return ""
    errors = data.get("errors")
    first = errors[0] if "message" not in data and isinstance(errors, list) and errors else data
    return str(first.get("message", "")) if isinstance(first, dict) else ""


def _limited(where: str, headers: Mapping[str, str]) -> RateLimitedError:
    """The limit with the seconds that GitHub asks to wait, reckoned from GitHub's own clock."""
    after, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    wait = SECONDARY_WAIT
    if _SECONDS.fullmatch(after):
        wait = float(after)
    elif headers.get("x-ratelimit-remaining") == "0" and _SECONDS.fullmatch(reset):
        wait = max(0.0, int(reset) - _now(headers)) + 1  # the second in which it ends is not over yet
    try:
        until = datetime.fromtimestamp(_now(headers) + wait, UTC).strftime("%H:%M UTC")
    except (OverflowError, OSError, ValueError):  # no calendar goes so far
        until = "an unknown time"
    limited = RateLimitedError(where, f"the rate limit of this repository is used up until {until}; run again then")
    limited.wait = wait
    return limited


def _now(headers: Mapping[str, str]) -> float:
    try:
        return parsedate_to_datetime(headers.get("date", "")).timestamp()
    except (OverflowError, TypeError, ValueError):
        return time.time()


def _gone(status: int, accepted: str) -> str:
    if status == 410:
        return "has expired on GitHub; run the workflow that makes it again"
    needed = f"the permission {_ways(accepted)}" if accepted else "the token's permissions"
    return f"GitHub finds nothing, or the token may not see it; check the name and {needed}"


def _missing_permission(message: str, accepted: str) -> str:
    if not accepted:
        return f"{message or 'GitHub answered 403'}; add the permission to the job's permissions: block"
    return f"{message or 'GitHub answered 403'}; add to the job's permissions: {_ways(accepted)}"


def _ways(accepted: str) -> str:
    """Permissions as a workflow writes them: ``issues=write; pull_requests=write`` are two ways, a comma means both."""
    ways = [
        ", ".join(part.strip().replace("=", ": ").replace("_", "-") for part in way.split(","))
        for way in accepted.split(";")
    ]
    return " or ".join(ways)
