"""The ``profgate trends`` command."""

import sys
from collections.abc import Sequence
from functools import partial
from itertools import chain

import click

from profgate.cli import options as opt
from profgate.history.ancestry import first_line
from profgate.history.checks import newest_of
from profgate.history.opening import location, open_any
from profgate.history.revisions import commit_named, graph_before
from profgate.history.stored_profiles import trend_rules
from profgate.history.trend_report import trends_json, trends_lines, trends_page
from profgate.history.trends import Trend, reported_texts, totals_along, trends_along, unreported
from profgate.io.terminal import show
from profgate.model.policy import Policy

TASKS = 16  # number of tasks for an executor
MOST_READ = 200  # default number of commits; a history keeps all symbols for the same number of runs


@opt.command("profgate trends", "profgate trends main --new --format json")
@click.argument("rev", default="HEAD")
@click.option(
    "--new", is_flag=True, help="Show only changes that have not been reported yet, and mark them as reported."
)
@opt.config_option
@opt.format_option("terminal", "json", "html")
@opt.history_option
@opt.workload_option
@opt.last_option(MOST_READ)
@opt.executor_option
def trends(
    rev: str,
    policy: Policy,
    output: str,
    history: str,
    workload: str | None,
    last: int,
    executor: str | None,
    *,
    new: bool,
) -> int:
    """Show persistent changes in totals and functions, sudden or gradual, in the history up to REV (default: HEAD)."""
    with open_any(history, write=True, create=False, workload=workload) as store:
        newest = commit_named(rev, store.commits())
        graph = graph_before(newest, store)
        measured = store.measured_commits()
        keys = frozenset(each.key for each in store.series() if workload in (None, each.workload))
        line = first_line(newest, graph)
        known = [sha for sha in line if keys & measured.get(sha, frozenset())]
        with opt.running(executor) as runner:
            if runner is None:
                found = trends_along(store, known[-last:], trend_rules(policy), keys)
            else:
                names, size = sorted(keys), max(len(keys) // TASKS, 1)
                parts = (names[start : start + size] for start in range(0, len(names), size))
                task = partial(_trends_of, location(history), workload, known[-last:], policy)
                found = list(chain.from_iterable(runner((partial(task, part) for part in parts), list[Trend])))
        unknown = unreported(store, found, line)
        totals = totals_along(store, known[-last:], trend_rules(policy), keys) if output == "html" else ()
        if new:
            store.add_reported_trends(reported_texts(store, unknown))
    shown = unknown if new else found
    nothing = f"no persistent change{' that was not reported before' if new else ''}"
    if output == "json":
        sys.stdout.write(trends_json(shown, unknown, max(len(known) - last, 0)))
    elif output == "html":
        sys.stdout.write(trends_page(shown, graph, newest, nothing, totals))
    else:
        show(trends_lines(shown, graph) or nothing, sys.stdout)
        if last < len(known):
            show([("quiet", newest_of(last, len(known)))], sys.stdout)
    return 0


def _trends_of(
    folder: str, workload: str | None, line: Sequence[str], policy: Policy, keys: Sequence[str]
) -> list[Trend]:
    """Open the history, and return the trends of these series. A task of an executor reads a part of them."""
    with open_any(folder, workload=workload) as store:
        return trends_along(store, line, trend_rules(policy), frozenset(keys))
