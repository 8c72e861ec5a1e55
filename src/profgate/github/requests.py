"""Send requests to GitHub's API through PyGithub, with rate limits, a retry budget and typed responses.

A request that was refused because of a rate limit is sent again after the time that GitHub specifies. A repeatable
request is also sent again after a server failure.
"""

import logging
import re
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Self, TypeVar
from urllib.parse import urlencode

from profgate.errors import GitHubError, NotAllowed
from profgate.github.connections import RetryBudget, failure_of, is_permanent

if TYPE_CHECKING:
    from concurrent.futures import Future

    from github import Github
    from github.Requester import Requester
    from pydantic import TypeAdapter

Result = TypeVar("Result")

API_VERSION = "2022-11-28"
PAGE = 100
MAX_PAGES = 100  # maximum number of pages, in case pagination does not end
AT_ONCE = 4  # maximum number of requests in the background
TIMEOUT = 30  # maximum number of seconds without a response
CONNECTING = threading.Lock()  # PyGithub takes the classes of its connections from global state
REPEATABLE = frozenset({"GET", "PATCH"})
SECONDARY_WAIT = 60.0  # in seconds; GitHub documents this value for responses that do not specify a waiting time
_SECONDS = re.compile(r"[0-9]{1,10}")  # format of numbers in HTTP headers
CLOSED = ("is locked", "was archived")  # parts of GitHub's messages for conversations and repositories
# These exceptions are raised by PyGithub for unexpected responses.
_UNEXPECTED = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


class NotFoundError(GitHubError):
    """GitHub does not have the resource, or the token may not read it."""


class ServerFailedError(GitHubError):
    """GitHub or the connection failed. It is not known whether a write request took effect."""


class RateLimitedError(GitHubError):
    """The request exceeds a rate limit. ``wait`` is the number of seconds to wait before the next request."""

    wait = SECONDARY_WAIT


class GitHubConnection:
    """The API of one repository, accessed with one token.

    ``pauses`` are the minimum seconds between requests and between writes. A failed request is sent again at most
    ``retries`` times, first after ``backoff`` seconds and then after twice the previous pause. ``max_wait`` limits a
    single wait for a rate limit, and ``budget`` all waits and failed requests. Every method raises NotAllowed if the
    token is refused or lacks a permission, and GitHubError on other failures. Each thread has its own connection, which
    is reopened when needed.
    """

    def __init__(
        self,
        token: str,
        api_url: str,
        repository: str,
        *,
        pauses: tuple[float, float] = (0.0, 1.0),
        retries: int = 4,
        backoff: float = 1.0,
        max_wait: float = 120.0,
        verify: bool | str = True,
        budget: RetryBudget | None = None,
    ) -> None:
        if not token:
            raise NotAllowed("token", "is empty; pass token: ${{ github.token }}")
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
            raise GitHubError("repository", f"{repository!r} is not of the form owner/name; check GITHUB_REPOSITORY")
        self._token = token
        self._api_url = api_url.rstrip("/")
        self._repository = repository
        self._pauses = pauses
        self._retries = retries
        self._backoff = backoff
        self._max_wait = max_wait
        self._verify = verify
        self._budget = budget or RetryBudget()
        self._threads = threading.local()
        self._at_once = threading.Semaphore(AT_ONCE)
        self._started: dict[Hashable, Future[Any]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection of this thread."""
        if (github := self._threads.__dict__.pop("github", None)) is not None:
            github.close()

    def _start(self, key: Hashable, work: Callable[[], object]) -> None:
        """Run ``work`` in the background. `_result` returns its result."""
        from profgate.github.answers import in_background

        def limited() -> object:
            with self._at_once:
                try:
                    return work()
                finally:
                    self.close()

        self._started[key] = in_background(limited)

    def _result(self, key: Hashable, work: Callable[[], Result]) -> Result:
        """Return the result of work that was started in the background, or do the work. A result is used once."""
        future = self._started.pop(key, None)
        return work() if future is None else future.result()

    def _call(self, verb: str, path: str, body: object = None, *, repeats: int = 0) -> tuple[dict[str, str], Any]:
        """Send a request for a path below the repository or an absolute URL. Return the headers and the parsed body.

        After a failure, GET and PATCH requests are sent again. Other requests are sent again at most ``repeats`` times.
        """
        if verb == "GET":
            return self._result(path, lambda: self._sent(verb, path))
        self._started.clear()
        return self._sent(verb, path, body, repeats=repeats)

    def _sent(self, verb: str, path: str, body: object = None, *, repeats: int = 0) -> tuple[dict[str, str], Any]:
        url = path if path.startswith("http") else f"/repos/{self._repository}{path}"
        where = f"{verb} {url.partition('?')[0]}"
        return self._retried(
            where,
            lambda requester: requester.requestJsonAndCheck(verb, url, input=body),
            self._retries if verb in REPEATABLE else repeats,
        )

    def _get(self, path: str, kind: type[Result], *keys: str, **query: object) -> Result:
        """Send a GET request, without parameters that are None, and parse the value at the given keys."""
        return parsed(path, kind, self._call("GET", _address(path, query))[1], *keys)

    def _items(self, path: str, kind: type[Result], *keys: str, **query: object) -> Iterator[Result]:
        """Yield the items of all pages. Each page contains at most 100 items, unless ``per_page`` is None."""
        url: str | None = _address(path, {"per_page": PAGE, **query})
        for _ in range(MAX_PAGES):
            if url is None:
                return
            headers, answer = self._call("GET", url)
            yield from parsed(path, list[kind], answer, *keys)  # type: ignore[valid-type]
            found = re.search(r'<([^<>]+)>\s*;\s*rel="next"', headers.get("link", ""))
            url = found[1] if found else None
        if url is not None:
            raise GitHubError(path, f"has more than {MAX_PAGES * PAGE:,} entries; not read to the end")

    def _graphql(self, query: str, variables: Mapping[str, object], *, repeats: int = 1) -> Any:  # noqa: ANN401
        return self._retried(
            "POST graphql",
            lambda requester: requester.graphql_query(query, dict(variables))[1],
            repeats,
        )

    def _retried(self, where: str, once: "Callable[[Requester], Result]", repeats: int) -> Result:
        limits = failures = 0
        while True:
            try:
                with self._budget.spent_on(where), _translated(where):
                    return self._limited(once)
            except RateLimitedError as error:
                limits += 1
                if limits > self._retries or error.wait > self._max_wait:
                    raise
                self._budget.wait(error.wait, where)
            except ServerFailedError:
                failures += 1
                if failures > repeats:
                    raise
                self._budget.wait(self._backoff * 2 ** (failures - 1), where)

    def _limited(self, once: "Callable[[Requester], Result]") -> Result:
        from profgate.github import answers

        requester = self._github().requester
        try:
            return answers.finished_within(answers.ANSWER_SECONDS, lambda: once(requester))
        except answers.AnswerTooSlow:
            self.close()  # the request is still running, so its connection cannot be used for other requests
            raise

    def _github(self) -> "Github":
        """Return the PyGithub client of this thread. PyGithub is imported on first use, which takes half a second."""
        if "github" not in self._threads.__dict__:
            with CONNECTING:
                self._threads.github = self._connected()
        github: Github = self._threads.github
        return github

    def _connected(self) -> "Github":
        from github import Auth, Github
        from github.Requester import Requester

        from profgate.github.api_connection import HttpConnection, HttpsConnection

        logging.getLogger("github").setLevel(logging.CRITICAL)  # otherwise, PyGithub would log responses
        Requester.injectConnectionClasses(HttpConnection, HttpsConnection)
        try:
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
        finally:
            Requester.resetConnectionClasses()


@cache
def _adapter(kind: Any) -> "TypeAdapter[Any]":  # noqa: ANN401 - any type is allowed
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def parsed(where: str, kind: type[Result], answer: Any, *keys: str) -> Result:  # noqa: ANN401 - JSON
    """Parse the value at the given keys of a response as ``kind``. Raises GitHubError if the value does not match."""
    from pydantic import ValidationError

    try:
        for key in keys:
            answer = answer[key]
        value: Result = _adapter(kind).validate_python(answer)  # type: ignore[arg-type] # types are hashable
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise undocumented(where, f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    except (LookupError, TypeError) as error:
        raise undocumented(where, f"{type(error).__name__}: {error}") from error
    return value


def undocumented(where: str, what: str) -> GitHubError:
    """Return the error to raise for a response that does not match GitHub's documentation."""
    return GitHubError(where, f"GitHub's answer is not as documented ({what}); check GITHUB_API_URL")


def _address(path: str, query: Mapping[str, object]) -> str:
    given = {key: value for key, value in query.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


@contextmanager
def _translated(where: str) -> Iterator[None]:
    """Convert errors of PyGithub and `requests` to the errors of this module."""
    from github.GithubException import GithubException, RateLimitExceededException
    from requests import RequestException

    try:
        yield
    except GithubException as error:
        headers = {key.lower(): value for key, value in (error.headers or {}).items()}
        if isinstance(error, RateLimitExceededException):
            raise _limited(where, headers) from error
        raise _refusal(where, error.status, headers, _message(error.data)) from error
    except RequestException as error:
        if is_permanent(error):
            raise GitHubError(where, f"GitHub cannot be reached ({failure_of(error)})") from error
        raise ServerFailedError(where, f"GitHub did not answer ({failure_of(error)}); run again later") from error
    except _UNEXPECTED as error:
        what = f"{type(error).__name__}: {error}; check GITHUB_API_URL"
        raise GitHubError(where, what) from error


def _refusal(where: str, status: int, headers: Mapping[str, str], message: str) -> GitHubError:
    """Return the error to raise for an HTTP status. The names of the headers must be in lower case."""
    if status == 429 or (status == 403 and ("retry-after" in headers or "rate limit" in message.lower())):
        return _limited(where, headers)
    if status == 401:
        return NotAllowed(where, "GitHub does not accept the token; pass token: ${{ github.token }}")
    needed = _permissions(headers.get("x-accepted-github-permissions", ""))
    if status == 403:
        return _forbidden(where, message, needed)
    if status in {404, 410} or (status == 422 and message.startswith("No commit found")):
        allowed = f"the permission {needed}" if needed else "the token's permissions"
        what = f"GitHub finds nothing, or the token may not see it; check the name and {allowed}"
        expired = "has expired on GitHub; run the workflow that creates it again"
        return NotFoundError(where, expired if status == 410 else what)
    if status >= 500:
        return ServerFailedError(where, f"GitHub answered {status}; run again later")
    return GitHubError(where, f"GitHub answered {status} {message}".rstrip() + "; it is not repeated")


def _forbidden(where: str, message: str, needed: str) -> GitHubError:
    if any(text in message for text in CLOSED):
        return GitHubError(where, f"{message.rstrip('.')}; nothing can be written there")
    what = f"add to the job's permissions: {needed}" if needed else "add the permission to the job's permissions:"
    return NotAllowed(where, f"{message or 'GitHub answered 403'}; {what}")


def _message(data: object) -> str:
    """Return the error message of a response. If a GraphQL response contains several errors, return the first one."""
    if not isinstance(data, dict):
        return ""
    errors = data.get("errors")
    first = errors[0] if "message" not in data and isinstance(errors, list) and errors else data
    return str(first.get("message", "")) if isinstance(first, dict) else ""


def _limited(where: str, headers: Mapping[str, str]) -> RateLimitedError:
    """Return an error with the number of seconds to wait, which is computed from the headers of the response."""
    after, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    try:
        now = parsedate_to_datetime(headers.get("date", "")).timestamp()
    except (OverflowError, TypeError, ValueError):
        now = time.time()
    wait = SECONDARY_WAIT
    if _SECONDS.fullmatch(after):
        wait = float(after)
    elif headers.get("x-ratelimit-remaining") == "0" and _SECONDS.fullmatch(reset):
        wait = max(0.0, int(reset) - now) + 1  # the limit applies until the end of that second
    try:
        until = datetime.fromtimestamp(now + wait, UTC).strftime("%H:%M UTC")
    except (OverflowError, OSError, ValueError):  # the time is outside the supported range
        until = "an unknown time"
    limited = RateLimitedError(where, f"the rate limit of this repository is used up until {until}; run again then")
    limited.wait = wait
    return limited


def _permissions(accepted: str) -> str:
    """Convert the permissions in a header to workflow syntax. The header separates alternatives with semicolons."""
    ways = [
        ", ".join(part.strip().replace("=", ": ").replace("_", "-") for part in way.split(","))
        for way in accepted.split(";")
    ]
    return " or ".join(ways)
