"""Send requests to GitHub's API, with rate limits, a retry budget and typed responses.

A request that was refused because of a rate limit is sent again after the time that GitHub specifies. A repeatable
request is also sent again after a server failure.
"""

import json
import re
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar
from urllib.parse import urlencode, urlsplit

from profgate.errors import GitHubError, NotAllowed
from profgate.github.connections import RetryBudget, failure_of, is_permanent, with_token

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from requests import Response, Session

Result = TypeVar("Result")

API_VERSION = "2022-11-28"
PAGE = 100
MAX_PAGES = 100  # maximum number of pages, in case pagination does not end
TIMEOUT = 30  # maximum number of seconds without a response
REPEATABLE = frozenset({"GET", "PATCH"})
MOST_REDIRECTS = 5
MOVED = frozenset({301, 307, 308})  # GitHub answers requests for a renamed repository with one of these statuses
DOWNLOAD = 302
STILL_COMPUTING = 202
SECONDARY_WAIT = 60.0  # in seconds; GitHub documents this value for responses that do not specify a waiting time
_SECONDS = re.compile(r"[0-9]{1,10}")  # format of numbers in HTTP headers
CLOSED = ("is locked", "was archived")  # parts of GitHub's messages for conversations and repositories


class NotFoundError(GitHubError):
    """GitHub does not have the resource, or the token may not read it."""


class ServerFailedError(GitHubError):
    """GitHub or the connection failed. It is not known whether a write request took effect."""


class RateLimitedError(GitHubError):
    """The request exceeds a rate limit. ``wait`` is the number of seconds to wait before the next request."""

    wait = SECONDARY_WAIT


class GitHubConnection:
    """The API of one repository, accessed with one token.

    ``pauses`` contains the minimum number of seconds between requests and between writes. A failed request is sent
    again at most ``retries`` times. The first pause takes ``backoff`` seconds, and every further pause takes twice as
    long as the previous one. ``max_wait`` limits a single wait for a rate limit, and ``budget`` limits the total time
    spent on waits and failed requests. Every method raises NotAllowed if the token is refused or lacks a permission,
    and GitHubError on other failures. A closed connection is reopened by the next request.
    """

    def __init__(
        self,
        token: str,
        api_url: str,
        repository: str,
        *,
        pauses: tuple[float, float] = (0.25, 1.0),
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
        self._last = self._last_write = -60.0  # times at which a request and a write ended

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        if (session := self.__dict__.pop("_session", None)) is not None:
            session.close()

    def _call(self, verb: str, path: str, body: object = None, *, repeats: int = 0) -> tuple[dict[str, str], Any]:
        """Send a request for a path below the repository or an absolute URL. Return the headers and the parsed body.

        After a failure, GET and PATCH requests are sent again. Other requests are sent again at most ``repeats`` times.
        """
        url = path if path.startswith("http") else f"/repos/{self._repository}{path}"
        where = f"{verb} {url.partition('?')[0]}"
        return self._retried(where, verb, url, body, self._retries if verb in REPEATABLE else repeats)

    def _get(self, path: str, kind: type[Result], *keys: str, **query: object) -> Result:
        """Send a GET request, and parse the value at the given keys of the response.

        Parameters in ``query`` whose value is None are omitted.
        """
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
        body = {"query": query, "variables": dict(variables)}
        return self._retried("POST graphql", "POST", self._graphql_url, body, repeats)[1]

    @property
    def _graphql_url(self) -> str:
        return f"{self._api_url.removesuffix('/v3')}/graphql"

    def _retried(self, where: str, verb: str, url: str, body: object, repeats: int) -> tuple[dict[str, str], Any]:
        limits = failures = 0
        while True:
            try:
                with self._budget.spent_on(where):
                    return self._checked(where, verb, url, body)
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

    def _checked(self, where: str, verb: str, url: str, body: object) -> tuple[dict[str, str], Any]:
        """Send a request once. Return the headers, whose names are in lower case, and the parsed body."""
        from requests import RequestException

        from profgate.github import answers

        try:
            answer = answers.within(answers.ANSWER_SECONDS, lambda: self._followed(where, verb, url, body))
        except (RequestException, ValueError) as error:  # an invalid address causes a ValueError
            if isinstance(error, answers.AnswerTooSlow):
                self.close()  # the request is still running, so its connection cannot be used for other requests
            raise unreachable(where, error) from error
        headers, status = dict(answer.headers.lower_items()), answer.status_code
        if status == STILL_COMPUTING and verb == "GET":
            raise ServerFailedError(where, "GitHub is still computing the answer; run again later")
        try:
            data = json.loads(answer.content) if answer.content else None
        except (ValueError, RecursionError) as error:
            if status < 400:
                raise undocumented(where, f"{type(error).__name__}: {error}") from error
            data = None
        if status < 400 and url == self._graphql_url and isinstance(data, dict) and data.get("errors"):
            status = 400
        if status >= 400:
            raise refusal(where, status, headers, _message(data))
        return headers, data

    def _followed(self, where: str, verb: str, url: str, body: object) -> "Response":
        """Send a request and return the response.

        If the resource was moved on the same host, the request is sent to its new address. The redirect of a download
        is returned, because the token must not be sent to the storage host.
        """
        from requests import TooManyRedirects

        url = url if url.startswith("http") else f"{self._api_url}{url}"
        for _ in range(MOST_REDIRECTS):
            if urlsplit(url)[:2] != urlsplit(self._api_url)[:2]:
                raise GitHubError(where, "leads to another host; check GITHUB_API_URL")
            answer = self._sent(verb, url, body)
            if not 300 <= answer.status_code < 400 or (answer.status_code == DOWNLOAD and url.endswith("/zip")):
                return answer
            if answer.status_code not in MOVED:
                what = f"the server answered {answer.status_code}, a redirect that is not followed"
                raise GitHubError(where, f"{what}; check GITHUB_API_URL")
            url = answer.headers.get("Location", "").partition("#")[0]
        raise TooManyRedirects

    def _sent(self, verb: str, url: str, body: object) -> "Response":
        """Send a request after the pause since the last request, or, for a write, since the last write."""
        ready = self._last + self._pauses[0]
        if verb != "GET":
            ready = max(ready, self._last_write + self._pauses[1])
        time.sleep(max(0.0, ready - time.monotonic()))
        try:
            return self._session.request(
                verb, url, json=body, timeout=TIMEOUT, allow_redirects=False, verify=self._verify
            )
        finally:
            self._last = time.monotonic()
            self._last_write = self._last_write if verb == "GET" else self._last

    @cached_property
    def _session(self) -> "Session":
        """The connections. `requests` is imported only on first use, because not every run needs it."""
        from requests import Session

        from profgate.github.answers import limit_answer

        session = Session()
        session.auth = with_token(self._token)
        session.hooks["response"] = [limit_answer]
        session.headers.update(
            {"Accept": "application/vnd.github+json", "User-Agent": "profgate", "X-GitHub-Api-Version": API_VERSION}
        )
        return session


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


def unreachable(where: str, error: Exception) -> GitHubError:
    """Return the error to raise for a failed connection."""
    if is_permanent(error):
        return GitHubError(where, f"GitHub cannot be reached ({failure_of(error)})")
    return ServerFailedError(where, f"GitHub did not answer ({failure_of(error)}); run again later")


def refusal(where: str, status: int, headers: Mapping[str, str], message: str) -> GitHubError:
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
