"""The command line: every sub-command by name, its module imported only when it is called."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from profgate.errors import ProfgateError
from profgate.version import VERSION

COMMANDS = {
    "compare": "compare the profiles of two builds and judge the difference",
    "confirm": "measure again what fails the gate, both sides in turns",
    "check": "compare a commit with its nearest ancestor that was measured the same way",
    "trends": "where totals and shares changed for good along the history",
    "store": "keep what was measured at a commit, list it, make it small",
    "init": "write the workflow and the policy for a repository",
    "flamegraph": "draw one profile or the difference of two",
    "fold": "print a profile as folded stacks",
    "report": "merge the reports of several legs into one",
    "overweight": "who carries the change of the total",
    "track": "how benchmarks did over versions, and where they jumped",
    "ranks": "a cheap sentinel over the durations of tests: record, check, history",
    "strategies": "what each detection strategy finds, needs and misses; new NAME writes one",
    "explain-name": "what becomes of a frame's name before two builds are compared, and why",
    "formats": "which profile formats are read",
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="profgate", description="What a change does to performance, function by function."
    )
    parser.add_argument("--version", action="version", version=f"profgate {VERSION}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, meaning in COMMANDS.items():
        commands.add_parser(name, help=meaning, add_help=False)
    return parser


def run_command(argv: Sequence[str]) -> int:
    """The exit code of the sub-command that ``argv`` names. Raises ProfgateError."""
    chosen, rest = _parser().parse_known_args([argv[0]] if argv else [])[0].command, list(argv[1:])
    run: Callable[[Sequence[str]], int] = import_module(f"profgate.cli.{chosen.replace('-', '_')}").run
    if sys.stdout is None:  # closed by the caller, who wants the exit code and the files alone
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - lasts as long as the process
    try:
        code = run(rest)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is not None:  # about a file, not about the stream
            raise
        # what waits in the buffer must not fail a second time at the exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise ProfgateError("standard output", f"{error.strerror or error}; make room for it") from error
    return code
