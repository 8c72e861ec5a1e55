"""Connections of `urllib3` that call an application in this process, without sockets and threads."""

import io
from collections.abc import Callable, Mapping
from typing import Any, ClassVar
from urllib.parse import unquote_to_bytes, urlsplit

from urllib3 import HTTPResponse
from urllib3.connection import HTTPConnection
from urllib3.connectionpool import HTTPConnectionPool
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Request, Response

Application = Callable[[Request], Response]


class InProcessConnection(HTTPConnection):
    """Calls the application that is mounted at the connection's port. At other ports, it is an ordinary connection.

    ``requests`` works above `urllib3`, so that sessions, retries and limits are those of a real run.
    """

    mounted: ClassVar[dict[int, Application]] = {}
    _request: Request | None = None

    def request(  # type: ignore[override] # with the options passed on
        self, method: str, url: str, body: Any = None, headers: Mapping[str, str] | None = None, **options: Any
    ) -> None:
        if self.port not in self.mounted:
            super().request(method, url, body, headers, **options)
            return
        parts = urlsplit(url)
        environ = EnvironBuilder(
            unquote_to_bytes(parts.path).decode("latin-1"),
            f"http://{self.host}:{self.port}",
            parts.query,
            method,
            data=body.encode() if isinstance(body, str) else body,
            headers=list((headers or {}).items()),
        ).get_environ()
        self._request = Request({**environ, "REQUEST_URI": url})

    def getresponse(self) -> HTTPResponse:  # type: ignore[override]
        if self._request is None:
            return super().getresponse()
        request, self._request = self._request, None
        answer = self.mounted[self.port](request)
        return HTTPResponse(
            io.BytesIO(answer.get_data()),
            dict(answer.headers),
            answer.status_code,
            preload_content=False,
            request_method=request.method,
        )


def mount(application: Application) -> str:
    """Let requests to an address reach the application, and return the address. Its port is never opened."""
    HTTPConnectionPool.ConnectionCls = InProcessConnection
    port = (
        max(InProcessConnection.mounted, default=61_000) + 1
    )  # above the ephemeral ports, so that no server of a test has it
    InProcessConnection.mounted[port] = application
    return f"http://127.0.0.1:{port}"


def unmount(address: str) -> None:
    """Undo `mount`."""
    del InProcessConnection.mounted[int(address.rpartition(":")[2])]
