"""The program's entry: version at once, the container's door or the command line, and errors as exit codes."""

import gc
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import NoReturn

from profgate.version import VERSION

INTERNAL_ERROR = 4
INTERRUPTED = 130  # 128 + SIGINT, as shells report it
SIGNALLED = 128  # and the number of any other signal: SIGTERM is 143
NOBODY_READS = 141  # 128 + SIGPIPE: never 0, for the gate may not have been asked


def main(argv: Sequence[str] | None = None) -> int:
    """Run profgate on these arguments (default: the process's own) and return its exit code."""
    # Matrices here are small; a pool of threads costs more to start than it saves.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # What stays is columns and names, without cycles; looking for some every 700 objects takes a twentieth of a run.
    gc.set_threshold(100_000, 20, 20)
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["--version"]:
        sys.stdout.write(f"profgate {VERSION}\n")
        return 0
    if argv is None:
        _heed_requests_to_end()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show must not end the run
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has left, as `head` does; the flush at exit must not fail a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOBODY_READS
    except KeyboardInterrupt as ended:
        sys.stderr.write("profgate: interrupted\n")
        return SIGNALLED + int(ended.args[0]) if ended.args else INTERRUPTED
    return code


def _heed_requests_to_end() -> None:
    """Lets SIGTERM, and a terminal that closes, end the program as Ctrl-C does.

    Commands that run below are ended then, what is done is told, and scratch folders go. What the caller had ignored
    (nohup) stays so.
    """
    import signal

    for name in ("SIGTERM", "SIGHUP"):  # Windows knows the first one only
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)


def _interrupt(number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt(number)


def _run(arguments: Sequence[str]) -> int:
    """The exit code of the chosen door; its errors are told on stderr."""
    from profgate.errors import ProfgateError
    from profgate.model.visible_text import visible

    try:
        if arguments == ["action"]:
            from profgate.action.entry import main as run_action

            return run_action()
        from profgate.cli.main import run_command

        return run_command(arguments)
    except ProfgateError as error:
        told = "\n".join(map(visible, str(error).splitlines()))  # it may quote names of files and functions
        sys.stderr.write(f"profgate: {told}\n")
        return error.exit_code
    except BrokenPipeError:
        raise
    except SystemExit as told:  # argparse has shown its help or the mistake
        return told.code if isinstance(told.code, int) else 0
    except Exception:  # noqa: BLE001 - the last door: a bug must show its place and its own exit code
        import traceback

        sys.stderr.write("profgate: internal error, please report it with these lines\n")
        traceback.print_exc()
        return INTERNAL_ERROR


if __name__ == "__main__":
    sys.exit(main())
