"""The connections through which PyGithub sends requests, with limits on responses and redirects."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from github.Requester import HTTPRequestsConnectionClass, HTTPSRequestsConnectionClass, RequestsResponse
from requests import RequestException, Session, TooManyRedirects

from profgate.github.answers import limit_answer

MOST_REDIRECTS = 5
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
    """Send the request and return the response. A redirect to the same host is followed."""
    for _ in range(MOST_REDIRECTS):
        answer = send()
        if answer.status == STILL_COMPUTING and connection.verb == "GET":
            raise NotYetComputed
        location = urlsplit(answer.headers.get("Location", ""))
        if answer.status != 301 or (location.scheme, location.hostname) != (connection.protocol, connection.host):
            return answer  # PyGithub refuses redirects to other hosts
        connection.url = location._replace(scheme="", netloc="", fragment="").geturl()
    raise TooManyRedirects
