"""Downloads from a host that refuses tokens, breaks lines and names files as it likes."""

import gc
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from fake_github import FakeGitHub
from profgate.action.github import downloads
from profgate.action.github.downloads import TryAgainError, fetch
from profgate.errors import GitHubError


@contextmanager
def raw_server(answer: bytes | Callable[[socket.socket], None]) -> Iterator[str]:
    """A host that sends these bytes to one client and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                if callable(answer):
                    answer(connection)
                else:
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/file?sig=secret"
        thread.join()


def answer_of(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def test_no_credentials_of_the_machine_are_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", os.fspath(netrc))
    with FakeGitHub() as fake:
        assert fetch(fake.blobs.offer(b"data", "text/plain", "a.txt"), "a") == b"data"
        assert fake.blobs.tokens_received == 0


def test_proxy_of_the_runner_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with raw_server(answer_of(b"data")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.partition("/file")[0])
        assert fetch("http://results.invalid/a", "a") == b"data"


def test_the_cap_holds_whatever_length_was_announced() -> None:
    for answer in (answer_of(b"x" * 11), b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 11):
        with raw_server(answer) as url, pytest.raises(GitHubError, match="larger than 10 bytes"):
            fetch(url, "a", max_bytes=10)


SHORT = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"


def reset(connection: socket.socket) -> None:
    """Reset the connection within the body."""
    connection.sendall(SHORT)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        SHORT,
        reset,
        answer_of(b"", status="503 Server Busy"),
        answer_of(b"", status="403 Signature expired"),
    ],
)
def test_broken_download_hides_its_signature(answer: bytes | Callable[[socket.socket], None]) -> None:
    with raw_server(answer) as url, pytest.raises(TryAgainError) as caught:
        fetch(url, "artifact profiles")
    assert "artifact profiles" in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # requests leaves the socket open
@pytest.mark.parametrize("host", ["a..b", "a" * 70 + ".invalid", "\u00ff" * 70, "[::1", "127.0.0.1:99999", "%00", "*"])
def test_invalid_host_of_a_redirect_is_a_failed_download(host: str) -> None:
    redirect = f"HTTP/1.1 302 Found\r\nLocation: http://{host}/?sig=secret\r\nConnection: close\r\n\r\n"
    with raw_server(redirect.encode("latin-1")) as url, pytest.raises(TryAgainError, match="download failed") as caught:
        fetch(url, "asset", token="t")
    assert "secret" not in str(caught.value)
    gc.collect()


@pytest.mark.parametrize(
    ("limit", "start", "kind"),
    [("STALL_SECONDS", b"", TryAgainError), ("TOTAL_SECONDS", b"HTTP/1.1 200 OK\r\n\r\n", GitHubError)],
)
def test_slow_download_ends(monkeypatch: pytest.MonkeyPatch, limit: str, start: bytes, kind: type[GitHubError]) -> None:
    monkeypatch.setattr(downloads, limit, 0.2)
    ended = threading.Event()

    def drip(connection: socket.socket) -> None:
        connection.sendall(start)
        with suppress(OSError):
            while start and not ended.wait(0.02):
                connection.sendall(b"x")
        ended.wait()

    with raw_server(drip) as url:
        begin = time.monotonic()
        try:
            with pytest.raises(kind):
                fetch(url, "a")
            assert time.monotonic() - begin < 5
        finally:
            ended.set()


@pytest.mark.parametrize("status", ["302 Found", "404 Not Found", "206 Partial"])
def test_other_answers_are_no_data(status: str) -> None:
    with raw_server(answer_of(b"x", "Location: http://127.0.0.1:9/", status=status)) as url:
        with pytest.raises(GitHubError, match=f"answered {status[:3]}") as caught:
            fetch(url, "a")
        assert not isinstance(caught.value, TryAgainError)
