"""``profgate trends [REV]``: where totals and shares changed for good along the history, at once or slowly."""

import argparse
import sys
from collections.abc import Sequence

from profgate.cli.sides_options import file, policy_of
from profgate.cli.stored_sides import add_history, add_last, commit_named, graph_before
from profgate.history.ancestry import first_line
from profgate.history.checks import newest_of
from profgate.history.history_store import open_history
from profgate.history.stored_profiles import trend_rules
from profgate.history.trends import reported_texts, trends_along, trends_json, trends_lines, unreported
from profgate.io.terminal import show

LAST = 200  # measured commits: so many base runs retain all their symbols


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="profgate trends", description=__doc__.replace("`", ""))
    parser.add_argument("rev", metavar="REV", nargs="?", default="HEAD", help="the newest commit (default: HEAD)")
    parser.add_argument("--new", action="store_true", help="only what was not reported before, and is from now on")
    parser.add_argument(
        "--config", metavar="FILE", type=file, help="configuration file, for its rules of the strategy change_point"
    )
    parser.add_argument("--format", choices=("terminal", "json"), default="terminal")
    add_history(parser)
    add_last(parser, LAST)
    return parser.parse_args(argv)


def run(argv: Sequence[str]) -> int:
    """Exit code 0. Raises ProfgateError."""
    arguments = _arguments(argv)
    rules = trend_rules(policy_of(arguments.config))
    with open_history(arguments.history, write=True, create=False) as store:
        newest = commit_named(arguments.rev, store.commits())
        graph = graph_before(newest, store)
        measured = store.measured_commits()
        line = first_line(newest, graph)
        known = [sha for sha in line if sha in measured]
        newest_known = known[-arguments.last :]
        trends = trends_along(store, newest_known, rules)
        new = unreported(store, trends, line)
        if arguments.new:
            store.add_reported_trends(reported_texts(store, new))
    shown = new if arguments.new else trends
    if arguments.format == "json":
        sys.stdout.write(trends_json(shown, new, len(known) - len(newest_known)))
    else:
        lines = trends_lines(shown, graph)
        show(lines or f"no lasting change{' that was not reported before' if arguments.new else ''}", sys.stdout)
        if len(newest_known) < len(known):
            show([("quiet", newest_of(len(newest_known), len(known)))], sys.stdout)
    return 0
