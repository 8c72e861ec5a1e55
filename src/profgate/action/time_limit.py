"""Run code that reads untrusted data in a child process, which is killed when it reaches a time limit.

A signal handler or a thread cannot interrupt a regular expression or native code.
"""

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress

from profgate.errors import ProfgateError

INTERNAL_ERROR = 4
POLL_SECONDS = 0.05


def exit_code_within(seconds: float, run: Callable[[], int]) -> int | None:
    """Return the exit code of ``run``, or None if it exceeded the time limit or was killed, for example by the kernel.

    Raises ProfgateError on Windows, which has no function for copying a process.
    """
    if sys.platform == "win32":
        raise ProfgateError("runs-on", "this event needs a Linux or macOS runner, because it reads data of a fork")
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if not child:
        os.setpgid(0, 0)  # so that the children of this process are killed with it
        os._exit(_exit_code(run))
    with suppress(OSError):  # both processes do this, because either may run first
        os.setpgid(child, child)
    deadline = time.monotonic() + seconds
    try:
        while time.monotonic() < deadline:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
            time.sleep(POLL_SECONDS)
        return None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)


def _exit_code(run: Callable[[], int]) -> int:
    """Call ``run``, flush its output, and return its exit code. An exception is printed instead of being raised."""
    code = INTERNAL_ERROR
    try:
        code = run()
    except BaseException:  # noqa: BLE001 - the child must not continue the program of its parent
        traceback.print_exc()
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    return code
