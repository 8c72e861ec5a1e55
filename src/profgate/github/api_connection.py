"""The connections through which PyGithub sends requests, with limits on responses and redirects."""

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


class _LimitedConnection:
    """What is added to a connection of PyGithub: limits on responses and redirects."""

    session: Session
    verb: str
    url: str
    host: str
    protocol: str

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - the arguments are passed on
        super().__init__(*args, **options)
        self.session.hooks["response"] = [limit_answer]

    def getresponse(self) -> RequestsResponse:
        """Send the request and return the response.

        If the resource was moved on the same host, the request is sent to its new address. The redirect of a download
        is returned, because the token must not be sent to the storage host. Any other redirect raises RuntimeError;
        otherwise, PyGithub would return its body as if the request had succeeded.
        """
        for _ in range(MOST_REDIRECTS):
            answer: RequestsResponse = super().getresponse()  # type: ignore[misc] # of PyGithub's class
            if answer.status == STILL_COMPUTING and self.verb == "GET":
                raise NotYetComputed
            if not 300 <= answer.status < 400:
                return answer
            location = urlsplit(answer.headers.get("Location", ""))
            if answer.status in MOVED and (location.scheme, location.hostname) == (self.protocol, self.host):
                self.url = location._replace(scheme="", netloc="", fragment="").geturl()
            elif answer.status == DOWNLOAD and self.url.endswith("/zip"):
                return answer
            else:
                raise RuntimeError(f"the server answered {answer.status}, a redirect that is not followed")
        raise TooManyRedirects


class HttpConnection(_LimitedConnection, HTTPRequestsConnectionClass):
    """A connection over HTTP."""


class HttpsConnection(_LimitedConnection, HTTPSRequestsConnectionClass):
    """A connection over HTTPS."""
