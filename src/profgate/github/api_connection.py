"""The connections through which PyGithub sends requests, with limits on responses and redirects."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from github.Requester import HTTPRequestsConnectionClass, HTTPSRequestsConnectionClass, RequestsResponse
from requests import RequestException, Session, TooManyRedirects

from profgate.github.answers import limit_answer

MOST_REDIRECTS = 5
MOVED = frozenset({301, 307, 308})  # GitHub answers requests for a renamed repository with one of these statuses
DOWNLOAD = 302
STILL_COMPUTING = 202


class NotYetComputed(RequestException):
    """GitHub is still computing the response. Without this error, PyGithub would repeat the request indefinitely."""


class HttpConnection(HTTPRequestsConnectionClass):
    """A connection over HTTP."""

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - the arguments are passed on
        super().__init__(*args, **options)
        _limit(self.session)

    def getresponse(self) -> RequestsResponse:
        """Send the request and return the response."""
        return _answer(self, super().getresponse)


class HttpsConnection(HTTPSRequestsConnectionClass):
    """A connection over HTTPS."""

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - the arguments are passed on
        super().__init__(*args, **options)
        _limit(self.session)

    def getresponse(self) -> RequestsResponse:
        """Send the request and return the response."""
        return _answer(self, super().getresponse)


def _limit(session: Session) -> None:
    session.hooks["response"] = [limit_answer]


def _answer(connection: HttpConnection | HttpsConnection, send: Callable[[], RequestsResponse]) -> RequestsResponse:
    """Send the request and return the response.

    If the resource was moved on the same host, the request is sent to its new address. The redirect of a download is
    returned, because the token must not be sent to the storage host. Any other redirect raises RuntimeError; otherwise,
    PyGithub would return its body as if the request had succeeded.
    """
    for _ in range(MOST_REDIRECTS):
        answer = send()
        if answer.status == STILL_COMPUTING and connection.verb == "GET":
            raise NotYetComputed
        if not 300 <= answer.status < 400:
            return answer
        location = urlsplit(answer.headers.get("Location", ""))
        if answer.status in MOVED and (location.scheme, location.hostname) == (connection.protocol, connection.host):
            connection.url = location._replace(scheme="", netloc="", fragment="").geturl()
        elif answer.status == DOWNLOAD and connection.url.endswith("/zip"):
            return answer
        else:
            raise RuntimeError(f"the server answered {answer.status}, a redirect that is not followed")
    raise TooManyRedirects
