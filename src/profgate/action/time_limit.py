"""Run code that reads untrusted data in a child process, which is killed when it reaches a time limit.

A signal handler or a thread cannot interrupt a regular expression or native code.
"""

import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context

from profgate.errors import ProfgateError

INTERNAL_ERROR = 4


def exit_code_within(seconds: float, run: Callable[[], int]) -> int | None:
    """Return the exit code of ``run``, or None if it exceeded the time limit or was killed, for example by the kernel.

    Raises ProfgateError on Windows, which has no function for copying a process.
    """
    if sys.platform == "win32":
        raise ProfgateError("runs-on", "this event needs a Linux or macOS runner, because it reads data of a fork")
    child = get_context("fork").Process(target=_exit_with, args=(run,))
    child.start()
    with suppress(OSError):  # both processes do this, because either may run first
        os.setpgid(child.pid or 0, child.pid or 0)
    try:
        child.join(seconds)
        return None if child.exitcode is None or child.exitcode < 0 else child.exitcode
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid or 0, signal.SIGKILL)


def _exit_with(run: Callable[[], int]) -> None:
    """Exit with the code that ``run`` returns. An exception is printed."""
    if sys.platform != "win32":
        os.setpgid(0, 0)  # so that the children of this process are killed with it
    code = INTERNAL_ERROR
    try:
        code = run()
    except BaseException:  # noqa: BLE001 - its code must not be that of a failed gate
        traceback.print_exc()
    sys.exit(code)
