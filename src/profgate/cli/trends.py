"""The ``profgate trends`` command."""

import sys

import click

from profgate.cli import options as opt
from profgate.history.ancestry import first_line
from profgate.history.checks import newest_of
from profgate.history.history_store import open_history
from profgate.history.stored_sides import commit_named, graph_before
from profgate.history.trend_report import trends_json, trends_lines
from profgate.history.trends import reported, reported_texts, trend_rules, trends_along, unknown_of
from profgate.io.terminal import show
from profgate.model.policy import Policy


@opt.command("profgate trends", "profgate trends main --new --format json")
@click.argument("rev", default="HEAD")
@click.option(
    "--new", is_flag=True, help="Show only changes that have not been reported yet, and mark them as reported."
)
@opt.config_option
@opt.format_option("terminal", "json")
@opt.history_option
@opt.last_option(200)  # a history stores all symbols for as many runs
def trends(rev: str, policy: Policy, output: str, history: str, last: int, *, new: bool) -> int:
    """Show persistent changes in totals, sudden or gradual, in the history up to REV (default: HEAD)."""
    with open_history(history, write=True, create=False) as store:
        newest = commit_named(rev, store.commits())
        graph = graph_before(newest, store)
        measured = store.measured_commits()
        line = first_line(newest, graph)
        known = [sha for sha in line if sha in measured]
        found = trends_along(store, known[-last:], trend_rules(policy))
        unknown = unknown_of(found, reported(store), line)
        if new:
            store.add_reported_trends(reported_texts(store, unknown))
    shown = unknown if new else found
    if output == "json":
        sys.stdout.write(trends_json(shown, unknown, max(len(known) - last, 0)))
    else:
        nothing = f"no persistent change{' that was not reported before' if new else ''}"
        show(trends_lines(shown, graph) or nothing, sys.stdout)
        if last < len(known):
            show([("quiet", newest_of(last, len(known)))], sys.stdout)
    return 0
