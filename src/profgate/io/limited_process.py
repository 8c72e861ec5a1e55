"""Runs a module on untrusted data in a child process that has limits on memory and time.

The child answers each request of the parent with one response. Both are single lines.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO

MEMORY = 512 << 20  # maximum address space in bytes; the largest valid sources need 220 MB
CPU_SECONDS = 30  # maximum CPU time of one child; the largest valid sources need 10 seconds
SECONDS = 120  # maximum run time of one child, which may be much longer than its CPU time on a busy machine
OUTPUT = 256 << 20  # maximum size of the responses of one child in bytes
STARTS = 4  # maximum number of children, of which all but the first replace a child that ended
ENVIRONMENT = ("LD_LIBRARY_PATH", "SYSTEMROOT")  # environment variables that Python may need to start


def isolated_python(module: str) -> tuple[list[str], dict[str, str]]:
    """Return the command that runs a module, and its environment: no tokens, because data may take control of it."""
    environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    return [sys.executable, "-I", "-m", module], environment


class LimitedProcess:
    """A child process that runs a module, which must call `serve`, on requests.

    If it ends early, another one continues after the request that ended it, at most `STARTS` times.
    """

    def __init__(self, module: str, requests: Sequence[bytes]) -> None:
        self._command, self._environment = isolated_python(module)
        self._requests = requests
        self._running: tuple[subprocess.Popen[bytes], IO[bytes]] | None = None

    def start(self, first: int = 0) -> None:
        """Start the child, which works on the requests from the ``first`` until `responses` waits for it."""
        with suppress(OSError), TemporaryFile() as requests:  # without a child, the requests have no responses
            output = TemporaryFile()  # noqa: SIM115 - pipes would make both processes wait for each other
            requests.writelines(request + b"\n" for request in self._requests[first:])
            requests.seek(0)
            process = subprocess.Popen(  # noqa: S603 - Python itself
                self._command, stdin=requests, stdout=output, stderr=subprocess.DEVNULL, env=self._environment
            )
            self._running = process, output

    def responses(self) -> list[bytes | None]:
        """Return the response to each request, or None if the child ended or cannot be started."""
        found: list[bytes | None] = []
        for _ in range(STARTS):
            if len(found) < len(self._requests):
                if self._running is None:
                    self.start(len(found))
                found += [*self.close(SECONDS), None]
        return [*found, *[None] * len(self._requests)][: len(self._requests)]

    def close(self, seconds: float = 0.0) -> list[bytes]:
        """Wait for the child, kill it if it is still running, and return its complete responses."""
        if self._running is None:
            return []
        (process, output), self._running = self._running, None
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        process.kill()
        process.wait()
        with output:
            output.seek(0)
            return [line for line in output if line.endswith(b"\n")]


def serve(respond: Callable[[bytes], bytes]) -> None:
    """Limit this process, then read the requests and write the responses.

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
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, OUTPUT),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (limit, limit))
