"""Send requests to GitHub's API, with rate limits, a retry budget and typed responses.

No library for GitHub is used: PyGithub follows a moved repository without the query, so that a file would be read at
another commit.
"""

import json
import re
import time
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self, TypeVar
from urllib.parse import urlencode, urljoin, urlsplit

from profgate.action.github.connections import (
    RetryBudget,
    TemporaryError,
    failure_of,
    is_permanent,
    read_body,
    repeated,
    stated_pause,
    with_token,
)
from profgate.errors import GitHubError, NotAllowed
from profgate.model.record import adapter_of

if TYPE_CHECKING:
    from requests import Response, Session

Result = TypeVar("Result")
Answer = tuple[Mapping[str, str], Any]  # headers and parsed body

API_VERSION = "2022-11-28"
PAGE = 100
MAX_PAGES = 100  # maximum number of pages, in case pagination does not end
TIMEOUT = 30.0  # maximum number of seconds without a response
ANSWER_SECONDS = 120.0
MAX_ANSWER = 64 * 1024 * 1024  # in bytes; far more than a page with 100 entries needs
REPEATABLE = frozenset({"GET", "PATCH"})
MOVED = frozenset({301, 307, 308})  # GitHub answers requests for a renamed repository with one of these statuses


class NotFoundError(GitHubError):
    """GitHub does not have the resource, or the token may not read it."""


class ServerFailedError(TemporaryError):
    """GitHub or the connection failed. It is not known whether a write request took effect."""


class RateLimitedError(TemporaryError):
    """GitHub refused a request because there were too many."""


class GitHubConnection:
    """The API of one repository, accessed with one token.

    There are at least ``write_pause`` seconds between writes. A failed request is sent again at most ``retries`` times,
    with a pause that begins with ``backoff`` seconds and doubles each time. ``budget`` limits all waits and failed
    requests. Every method raises NotAllowed if the token is refused or lacks a permission, and GitHubError on other
    failures.
    """

    def __init__(
        self,
        token: str,
        api_url: str,
        repository: str,
        *,
        write_pause: float = 1.0,
        retries: int = 4,
        backoff: float = 1.0,
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
        self._write_pause = write_pause
        self._last_write = 0.0
        self._retries = retries
        self._backoff = backoff
        self._verify = verify
        self._budget = budget or RetryBudget()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, which the next request opens again."""
        if "_session" in self.__dict__:
            self._session.close()

    @cached_property
    def _session(self) -> "Session":
        from requests import Session

        session = Session()
        session.auth = with_token(self._token)
        session.headers["Accept"] = "application/vnd.github+json"
        session.headers["User-Agent"] = "profgate"
        session.headers["X-GitHub-Api-Version"] = API_VERSION
        return session

    def _call(self, verb: str, path: str, body: object = None, *, repeat: bool = False) -> Answer:
        """Send a request for a path below the repository or an absolute URL. Return the headers and the parsed body.

        After a rate limit, any request is sent again. After a failure of the server or the connection, GET and PATCH
        requests are sent again, and others only if ``repeat`` is set.
        """
        url = path if path.startswith("http") else f"{self._api_url}/repos/{self._repository}{path}"
        kinds = (RateLimitedError, ServerFailedError) if repeat or verb in REPEATABLE else (RateLimitedError,)
        once = partial(self._sent, verb, url, body)
        return repeated(once, self._budget, self._backoff, self._retries + 1, *kinds)

    def _sent(self, verb: str, url: str, body: object) -> Answer:
        from requests import RequestException

        where = f"{verb} {url.removeprefix(self._api_url).partition('?')[0]}"
        try:
            answer = self._answer(verb, url, body)
            data = read_body(answer, ANSWER_SECONDS, MAX_ANSWER)
        except RequestException as error:
            kind = GitHubError if is_permanent(error) else ServerFailedError
            raise kind(where, f"GitHub did not answer ({failure_of(error)}); run again later") from error
        except ValueError as error:  # an address that is not valid
            raise GitHubError(where, f"{type(error).__name__}: {error}; check GITHUB_API_URL") from error
        return _checked(where, answer, data)

    def _answer(self, verb: str, url: str, body: object) -> "Response":
        """Return the response. A resource that was moved on the same host is requested at its new address.

        The redirect of a download is returned, because the token must not be sent to the storage host.
        """
        if verb != "GET" and not url.endswith("/graphql"):  # the queries only read
            time.sleep(max(0.0, self._last_write + self._write_pause - time.monotonic()))
            self._last_write = time.monotonic()
        host = urlsplit(self._api_url)[:2]
        for _ in range(5):
            if urlsplit(url)[:2] != host:
                break
            answer = self._session.request(
                verb, url, json=body, timeout=TIMEOUT, verify=self._verify, allow_redirects=False, stream=True
            )
            location = answer.headers.get("Location")
            if answer.status_code not in MOVED or not location:
                return answer
            answer.close()
            url = urljoin(url, location)
        raise ValueError("the server redirects to another host, or endlessly")

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

    def _graphql(self, query: str, variables: Mapping[str, object]) -> Any:  # noqa: ANN401 - JSON
        # on a server of its own, GraphQL is not below the version of the REST API
        url = f"{self._api_url.removesuffix('/v3')}/graphql"
        headers, answer = self._call("POST", url, {"query": query, "variables": dict(variables)}, repeat=True)
        if not isinstance(answer, dict) or "errors" in answer:
            raise _refusal("POST graphql", 400, headers, answer)
        return answer


def parsed(where: str, kind: type[Result], answer: Any, *keys: str) -> Result:  # noqa: ANN401 - JSON
    """Parse the value at the given keys of a response as ``kind``. Raises GitHubError if the value does not match."""
    from pydantic import ValidationError

    try:
        for key in keys:
            answer = answer[key]
        value: Result = adapter_of(kind).validate_python(answer)  # type: ignore[arg-type] # types are hashable
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


def _checked(where: str, answer: "Response", data: bytes) -> Answer:
    """Return the headers and the parsed body of a response. Raises GitHubError unless the request succeeded."""
    status, value = answer.status_code, None
    if status == 302 and where.endswith("/zip"):  # the address of a download
        return answer.headers, None
    if status < 200 or 300 <= status < 400:
        raise GitHubError(where, f"the server answered {status}, which is not followed; check GITHUB_API_URL")
    try:
        value = json.loads(data) if data else None
    except (ValueError, RecursionError) as error:
        if status < 300:
            raise undocumented(where, type(error).__name__) from error
    if status >= 400:
        raise _refusal(where, status, answer.headers, value)
    return answer.headers, value


def _refusal(where: str, status: int, headers: Mapping[str, str], answer: object) -> GitHubError:
    """Return the error to raise for a response with this status."""
    message = _message(answer)
    limited = "Retry-After" in headers or "rate limit" in message.lower()
    # for example, ``issues=write; pull_requests=write``, which are alternatives
    accepted = headers.get("x-accepted-github-permissions", "").replace("=", ": ").replace("_", "-")
    needed = " or ".join(", ".join(map(str.strip, way.split(","))) for way in accepted.split(";"))
    if status == 429 or (status == 403 and limited):
        what = "the rate limit of this repository is used up; run again later"
        return RateLimitedError(where, what, _pause(headers))
    kind: type[GitHubError] = GitHubError
    what = f"GitHub answered {status} {message}".rstrip() + "; it is not repeated"
    if status == 401:
        kind, what = NotAllowed, "GitHub does not accept the token; pass token: ${{ github.token }}"
    elif status == 403 and ("is locked" in message or "was archived" in message):
        what = f"{message.rstrip('.')}; nothing can be written there"
    elif status == 403:
        how = f"add to the job's permissions: {needed}" if needed else "add the permission to the job's permissions:"
        kind, what = NotAllowed, f"{message or 'GitHub answered 403'}; {how}"
    elif status == 410:
        kind, what = NotFoundError, "has expired on GitHub; run the workflow that creates it again"
    elif status == 404 or (status == 422 and message.startswith("No commit found")):
        allowed = f"the permission {needed}" if needed else "the token's permissions"
        kind = NotFoundError
        what = f"GitHub finds nothing, or the token may not see it; check the name and {allowed}"
    elif status >= 500:
        kind, what = ServerFailedError, f"GitHub answered {status}; run again later"
    return kind(where, what)


def _pause(headers: Mapping[str, str]) -> float:
    """Return the seconds until a rate limit ends. GitHub requires a minute if it states no time."""
    stated, reset = stated_pause(headers), headers.get("X-RateLimit-Reset", "")
    if stated is None and headers.get("X-RateLimit-Remaining") == "0" and reset.isdecimal():
        return max(0.0, float(reset) - time.time()) + 1.0
    return 60.0 if stated is None else stated


def _message(data: object) -> str:
    """Return the error message of a response. If a GraphQL response contains several errors, return the first one."""
    if not isinstance(data, dict):
        return ""
    errors = data.get("errors")
    first = errors[0] if "message" not in data and isinstance(errors, list) and errors else data
    return str(first.get("message", "")) if isinstance(first, dict) else ""
