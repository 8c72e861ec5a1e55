"""``profgate ranks check RESULTS...``: whether tests keep their place in the order of duration.

All RESULTS together are one run; it is compared with the runs below --baseline. The count of stable ranks is two-sided:
too few mean that some tests changed against the others, too many that the order is steadier than it was.
"""

import argparse
import shutil
import sys
from collections.abc import Sequence

from profgate.commands.inputs import side
from profgate.commands.rank_inputs import FOLDER, add_rules, count, rules_of, run_at, runs_in, stored_runs
from profgate.compare.durations import side_by_side
from profgate.model.durations import RankCheck
from profgate.publish.terminal import show
from profgate.report.rank_report import rank_json, rank_lines, rank_markdown
from profgate.statistics.stable_ranks import check

NOT_COMPARED = 3
FAIL_ON = ("never", "slower", "departure")


def run(argv: Sequence[str]) -> int:
    """Exit code: 0 kept or advisory, 1 a departure that --fail-on names, 3 cannot tell. Raises ProfgateError."""
    arguments = _arguments(argv)
    baseline = stored_runs(arguments.history) if arguments.history else []
    baseline += [run for place in arguments.baseline or ([] if baseline else [FOLDER]) for run in runs_in(place)]
    baseline = baseline[-arguments.last :]
    target = run_at(arguments.results, "target")
    found = check(side_by_side(baseline, [target]), rules_of(arguments))
    if arguments.format == "json":
        sys.stdout.write(rank_json(found, [one.label for one in baseline], arguments.results))
    elif arguments.format == "markdown":
        sys.stdout.write(rank_markdown(found))
    else:
        columns = shutil.get_terminal_size((100, 24)).columns
        show(rank_lines(found, verbose=arguments.verbose, width=columns), sys.stdout)
    return exit_code(found, arguments.fail_on)


def exit_code(found: RankCheck, fail_on: str) -> int:
    """The code of a check: never a failure unless somebody asked for it."""
    if found.order == "unknown":
        return NOT_COMPARED
    slower = found.order == "below" and found.direction == "slower"
    return int((fail_on == "slower" and slower) or (fail_on == "departure" and found.order != "kept"))


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="profgate ranks check", description=__doc__.replace("`", ""))
    parser.add_argument("results", metavar="RESULTS", nargs="+", type=side, help="files or folders of one run")
    parser.add_argument(
        "--baseline",
        action="append",
        metavar="DIR",
        type=side,
        help=f"folder of baseline runs, a file or a sub-folder each (default: {FOLDER}; repeatable)",
    )
    parser.add_argument(
        "--history", metavar="DIR", type=side, help="a history whose runs are the baseline (default: none)"
    )
    parser.add_argument("--last", type=count, default=20, metavar="K", help="only the K newest runs (default: 20)")
    add_rules(parser)
    parser.add_argument(
        "--fail-on", choices=FAIL_ON, default="never", help="what ends with exit code 1 (default: never)"
    )
    parser.add_argument(
        "--format", choices=("terminal", "markdown", "json"), default="terminal", help="(default: terminal)"
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="list all tests that moved (default: the farthest)"
    )
    return parser.parse_args(argv)
