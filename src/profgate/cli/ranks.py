"""``profgate ranks``: a cheap sentinel that counts how many tests keep their place in the order of duration."""

import argparse
import shutil
import sys
from collections.abc import Sequence

from profgate.cli import ranks_record
from profgate.cli.arguments import number_in, split_command, whole_number
from profgate.cli.sides_options import side
from profgate.io.terminal import show
from profgate.model.durations import DurationRun, RankCheck
from profgate.ranks.rank_inputs import FOLDER, run_at, runs_in, stored_runs
from profgate.ranks.rank_output import history_json, history_lines, history_markdown, rank_json, rank_markdown
from profgate.ranks.rank_runs import rank_history
from profgate.report.rank_report import rank_lines
from profgate.statistics.rank_checks import RankRules, check, side_by_side

NOT_COMPARED = 3
COUNT = whole_number(1_000_000)
EPILOG = """
profgate ranks record --repeat 3 -- sh -c 'pytest --junitxml="$PROFGATE_OUT/junit.xml"'
profgate ranks check new/junit.xml

Durations are read from JUnit XML, 'pytest --durations=0', 'go test -json', benchmark results and profiles.
docs/ranks.md describes what the ranks show, what they do not, and how often they are wrong.
"""
CHECK = """
All RESULTS together are one run; it is compared with the runs below --baseline. The count of stable ranks is two-sided:
too few mean that some tests changed against the others, too many that the order is steadier than it was.
"""
HISTORY = """
Each run is compared with the usual runs before it. Runs are the files that 'profgate ranks record' wrote, or what a
history holds of each commit and job, in the order in which they were recorded.
"""


def run(argv: Sequence[str]) -> int:
    """The exit code of the sub-command. Raises ProfgateError."""
    words, command = split_command(argv) if argv[:1] == ["record"] else (argv, [])
    parser = argparse.ArgumentParser(
        prog="profgate ranks",
        description=__doc__.replace("`", ""),
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    record = commands.add_parser(
        "record",
        help="store the durations of a test run, for a baseline and for the history",
        description=ranks_record.__doc__.replace("`", ""),
        usage="%(prog)s [options] RESULTS...\n       %(prog)s [options] [--results GLOB] --repeat 3 -- COMMAND",
    )
    ranks_record.add_arguments(record)
    _add_check(commands.add_parser("check", help="compare the order of the durations", description=CHECK))
    _add_history(commands.add_parser("history", help="the count over all stored runs", description=HISTORY))
    arguments = parser.parse_args(words)
    if arguments.command == "record":
        code = ranks_record.run(record, arguments, command)
    else:
        code = _check(arguments) if arguments.command == "check" else _history(arguments)
    sys.stdout.flush()
    return code


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", metavar="RESULTS", nargs="+", type=side, help="files or folders of one run")
    parser.add_argument(
        "--baseline",
        dest="folders",
        action="append",
        metavar="DIR",
        type=side,
        help=f"folder of baseline runs, a file or a sub-folder each (default: {FOLDER}; repeatable)",
    )
    parser.add_argument("--last", type=COUNT, default=20, metavar="K", help="only the K newest runs (default: 20)")
    _add_shared(parser)
    parser.add_argument(
        "--fail-on",
        choices=("never", "slower", "departure"),
        default="never",
        help="what ends with exit code 1 (default: never)",
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="list all tests that moved (default: the farthest)"
    )


def _add_history(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", metavar="DIR", nargs="*", type=side, help=f"folders of runs (default: {FOLDER})")
    parser.add_argument("--window", type=COUNT, default=5, metavar="K", help="usual runs to compare with (default: 5)")
    _add_shared(parser)


def _add_shared(parser: argparse.ArgumentParser) -> None:
    """The stored runs, the options that define when an order has changed, and the format."""
    parser.add_argument(
        "--history",
        metavar="DIR",
        type=side,
        help="a history whose runs are used, as profgate store fills it (default: none)",
    )
    parser.add_argument(
        "--width",
        type=number_in(0.5, 100),
        default=2.0,
        metavar="W",
        help="sigmas from the mean that still count as stable (default: 2)",
    )
    parser.add_argument(
        "--sigma",
        choices=("poisson", "observed"),
        default="poisson",
        help="the root of the mean count, or the spread among five or more baseline runs (default: poisson)",
    )
    parser.add_argument(
        "--min-tests", type=COUNT, default=30, metavar="N", help="fewer tests are not compared (default: 30)"
    )
    parser.add_argument(
        "--min-duration",
        type=number_in(0, 1_000_000_000),
        default=0.0,
        metavar="MS",
        help="leave out what the baseline does quicker (default: 0)",
    )
    formats = ("terminal", "markdown", "json")
    parser.add_argument("--format", choices=formats, default="terminal", help="(default: terminal)")


def _rules(arguments: argparse.Namespace) -> RankRules:
    return RankRules(arguments.width, arguments.sigma, arguments.min_tests, arguments.min_duration * 1e6)


def _runs(arguments: argparse.Namespace) -> list[DurationRun]:
    """The runs of the history and of the folders that were named, else of the folder that record writes."""
    runs = stored_runs(arguments.history) if arguments.history else []
    return runs + [run for place in arguments.folders or ([] if runs else [FOLDER]) for run in runs_in(place)]


def _check(arguments: argparse.Namespace) -> int:
    """Exit code: 0 stable or advisory, 1 a departure that --fail-on names, 3 not compared."""
    baseline = _runs(arguments)[-arguments.last :]
    found = check(side_by_side(baseline, [run_at(arguments.results, "target")]), _rules(arguments))
    if arguments.format == "json":
        sys.stdout.write(rank_json(found, [run.label for run in baseline], arguments.results))
    elif arguments.format == "markdown":
        sys.stdout.write(rank_markdown(found))
    else:
        columns = shutil.get_terminal_size((100, 24)).columns
        show(rank_lines(found, verbose=arguments.verbose, width=columns), sys.stdout)
    return NOT_COMPARED if found.order == "unknown" else int(_fails(found, arguments.fail_on))


def _fails(found: RankCheck, fail_on: str) -> bool:
    if fail_on == "slower":
        return found.order == "below" and found.direction == "slower"
    return fail_on == "departure" and found.order != "kept"


def _history(arguments: argparse.Namespace) -> int:
    """Exit code: 0, or 3 where no run could be compared."""
    points = rank_history(_runs(arguments), _rules(arguments), arguments.window)
    if arguments.format == "json":
        sys.stdout.write(history_json(points))
    elif arguments.format == "markdown":
        sys.stdout.write(history_markdown(points))
    else:
        show(history_lines(points, width=shutil.get_terminal_size((100, 24)).columns), sys.stdout)
    return 0 if any(point.check.order != "unknown" for point in points) else NOT_COMPARED
