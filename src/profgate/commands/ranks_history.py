"""``profgate ranks history``: the count of stable ranks over all runs that are kept, departures marked.

Each run is compared with the usual runs before it. Runs are the files that ``profgate ranks record`` wrote, or what a
history holds of each commit and job, in the order in which they were recorded.
"""

import argparse
import shutil
import sys
from collections.abc import Sequence

from profgate.commands.inputs import side
from profgate.commands.rank_inputs import FOLDER, add_rules, count, rules_of, runs_in, stored_runs
from profgate.compare.durations import side_by_side
from profgate.history.rank_history import rank_history
from profgate.publish.terminal import show
from profgate.report.rank_history_report import history_json, history_lines, history_markdown

NOT_COMPARED = 3


def run(argv: Sequence[str]) -> int:
    """Exit code: 0, or 3 where no run could be compared. Raises ProfgateError."""
    arguments = _arguments(argv)
    runs = stored_runs(arguments.history) if arguments.history else []
    runs += [run for place in arguments.folders or ([] if runs else [FOLDER]) for run in runs_in(place)]
    points = rank_history(runs, rules_of(arguments), side_by_side, arguments.window)
    if arguments.format == "json":
        sys.stdout.write(history_json(points))
    elif arguments.format == "markdown":
        sys.stdout.write(history_markdown(points))
    else:
        show(history_lines(points, width=shutil.get_terminal_size((100, 24)).columns), sys.stdout)
    return 0 if any(point.check.order != "unknown" for point in points) else NOT_COMPARED


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="profgate ranks history", description=__doc__.replace("`", ""))
    parser.add_argument("folders", metavar="DIR", nargs="*", type=side, help=f"folders of runs (default: {FOLDER})")
    parser.add_argument(
        "--history", metavar="DIR", type=side, help="a history, as profgate store fills it (default: none)"
    )
    parser.add_argument("--window", type=count, default=5, metavar="K", help="usual runs to compare with (default: 5)")
    add_rules(parser)
    parser.add_argument(
        "--format", choices=("terminal", "markdown", "json"), default="terminal", help="(default: terminal)"
    )
    return parser.parse_args(argv)
