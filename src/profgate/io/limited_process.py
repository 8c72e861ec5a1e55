"""Runs a module on untrusted data in a child process that has limits on memory and time.

The parent sends requests, and the child answers each request with one response. Both are single lines.
"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from threading import Timer
from types import TracebackType
from typing import Self

MEMORY = 512 << 20  # maximum address space in bytes; the largest valid sources need 220 MB
CPU_SECONDS = 30  # maximum CPU time of one child; the largest valid sources need 10 seconds
SECONDS = 120  # maximum run time of one child, which may be much longer than its CPU time on a busy machine
STARTS = 4  # maximum number of children, of which all but the first replace a child that ended
ENVIRONMENT = ("LD_LIBRARY_PATH", "SYSTEMROOT")  # environment variables that Python may need to start


def isolated_python(module: str) -> tuple[list[str], dict[str, str]]:
    """Return the command that runs a module, and its environment: no tokens, because data may take control of it."""
    environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    return [sys.executable, "-I", "-m", module], environment


class LimitedProcess:
    """A child process that runs a module, which must call `serve`.

    It starts with the first request, and again for the next request if it ended, at most `STARTS` times.
    """

    def __init__(self, module: str) -> None:
        self._command, self._environment = isolated_python(module)
        self._process: subprocess.Popen[bytes] | None = None
        self._timer: Timer | None = None
        self._starts = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def start(self) -> None:
        """Start the child, so that it imports its modules before the first request."""
        with contextlib.suppress(OSError):  # a request tries again
            self._start()

    def response(self, request: bytes) -> bytes | None:
        """Return the response to a request, or None if the child ended or cannot be started."""
        try:
            process = self._process or self._start()
            if process is None or process.stdin is None or process.stdout is None:
                return None
            if self._timer is None:  # not before, because a process with threads cannot be forked
                self._timer = Timer(SECONDS, process.kill)
                self._timer.start()
            process.stdin.write(request + b"\n")
            process.stdin.flush()
            response = process.stdout.readline(16 << 20)
        except OSError:
            response = b""
        if response.endswith(b"\n"):
            return response
        self.end()
        return None

    def _start(self) -> "subprocess.Popen[bytes] | None":
        if self._starts == STARTS:
            return None
        self._starts += 1
        self._process = subprocess.Popen(  # noqa: S603 - Python itself
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self._environment,
        )
        return self._process

    def end(self) -> None:
        """Kill the child if it is still running."""
        process, self._process = self._process, None
        timer, self._timer = self._timer, None
        if process is not None:
            with contextlib.suppress(OSError), process:  # closing the pipe writes the rest of a request
                process.kill()
        if timer is not None:
            timer.cancel()
            timer.join()


def serve(respond: Callable[[bytes], bytes]) -> None:
    """Limit this process, then read requests and write responses until the parent closes the pipe.

    Windows and some versions of macOS have no limit on memory; the parent's limit on time applies everywhere.
    """
    _limit()
    for request in sys.stdin.buffer:
        sys.stdout.buffer.write(respond(request) + b"\n")
        sys.stdout.buffer.flush()


def _limit() -> None:
    if sys.platform == "win32":
        return
    import resource

    # a core file would contain the data, and writing it takes time
    for kind, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, CPU_SECONDS), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(kind)[1]
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (limit, limit))
