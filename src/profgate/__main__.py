"""The entry point of the command line and of the container image. It maps errors and signals to exit codes."""

import gc
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from profgate.version import VERSION

TYPE_CHECKING = False  # importing it from typing would take a third of the time of --version
if TYPE_CHECKING:
    from typing import NoReturn

INTERNAL_ERROR = 4
INTERRUPTED = 130  # exit code that shells use for SIGINT: 128 plus the signal number
SIGNALLED = 128  # added to the number of any other signal; SIGTERM, for example, results in 143
CLOSED_OUTPUT = 141  # exit code for SIGPIPE; it is not 0, because the gate may not have run


def main(argv: Sequence[str] | None = None) -> int:
    """Run profgate with these arguments (default: ``sys.argv``) and return its exit code."""
    # The matrices are small, so starting a thread pool takes more time than it saves.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Long-lived data contain no cycles, but garbage collection at the default threshold would take 5 % of a run.
    gc.set_threshold(100_000, 20, 20)
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["--version"]:
        from profgate.io.native import is_compiled  # a fast import: only the standard library is needed

        sys.stdout.write(f"profgate {VERSION} ({'compiled kernels' if is_compiled() else 'pure Python'})\n")
        return 0
    if argv is None:
        _install_signal_handlers()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a name that the terminal cannot encode must not end the run
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The program that reads the output has exited, for example `head`. The flush at exit must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_OUTPUT
    except KeyboardInterrupt as interrupt:
        sys.stderr.write("profgate: interrupted\n")
        return SIGNALLED + int(interrupt.args[0]) if interrupt.args else INTERRUPTED
    if argv is None:
        gc.freeze()  # otherwise, the exit of the interpreter would search all objects for cycles
    return code


def _install_signal_handlers() -> None:
    """Handle SIGTERM and SIGHUP like Ctrl-C, so that the program stops its subprocesses and removes scratch folders.

    A signal that the caller ignores, as nohup does, stays ignored.
    """
    import signal

    for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)


def _interrupt(number: int, _frame: object) -> "NoReturn":
    raise KeyboardInterrupt(number)


def _run(arguments: Sequence[str]) -> int:
    """Run the command line or the action. Workflow commands in the output of the command line are disabled."""
    if arguments == ["action"] or os.environ.get("GITHUB_ACTIONS") != "true":
        return _run_with_errors(arguments)
    from profgate.io.terminal import commands_disabled

    with commands_disabled():
        return _run_with_errors(arguments)


def _run_with_errors(arguments: Sequence[str]) -> int:
    """Run the command line or the action, write errors to stderr and return the exit code."""
    from profgate.errors import ProfgateError, known_error
    from profgate.model.visible_text import visible

    try:
        if arguments == ["action"]:
            from profgate.action.entry import limited_main as run_action

            return run_action()
        from profgate.cli.main import run_command

        return run_command(arguments)
    except (ProfgateError, MemoryError) as raised:
        error = known_error(raised)
        message = "\n".join(map(visible, str(error).splitlines()))  # the message may quote names of files and functions
        sys.stderr.write(f"profgate: {message}\n")
        return error.exit_code
    except BrokenPipeError:
        raise
    except Exception:  # noqa: BLE001 - every bug is reported with its traceback and a separate exit code
        import traceback

        sys.stderr.write("profgate: internal error, please report it with these lines\n")
        traceback.print_exc()
        return INTERNAL_ERROR


if __name__ == "__main__":
    sys.exit(main())
