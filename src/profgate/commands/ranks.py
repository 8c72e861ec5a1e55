"""``profgate ranks``: a cheap sentinel that counts how many tests keep their place in the order of duration."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

COMMANDS = {
    "record": "keep the durations of a test run, for a baseline and for the history",
    "check": "compare the order of the durations with that of the baseline runs",
    "history": "the count over all runs that are kept, departures marked",
}
EPILOG = """
profgate ranks record --repeat 3 -- sh -c 'pytest --junitxml="$PROFGATE_OUT/junit.xml"'
profgate ranks check new/junit.xml

Durations are read from JUnit XML, 'pytest --durations=0', 'go test -json', benchmark results and profiles.
docs/ranks.md says what the ranks see, what they do not, and how often they are wrong.
"""


def run(argv: Sequence[str]) -> int:
    """The exit code of the sub-command. Raises ProfgateError."""
    parser = argparse.ArgumentParser(
        prog="profgate ranks",
        description=__doc__.replace("`", ""),
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, meaning in COMMANDS.items():
        commands.add_parser(name, help=meaning, add_help=False)
    chosen = parser.parse_known_args(list(argv[:1]))[0].command
    code: int = import_module(f"profgate.commands.ranks_{chosen}").run(list(argv[1:]))
    sys.stdout.flush()
    return code
