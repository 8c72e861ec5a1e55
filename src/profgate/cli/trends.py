"""The ``profgate trends`` command."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain

import click

from profgate.cli.options import (
    command,
    config_option,
    executor_option,
    format_option,
    history_option,
    last_option,
    running,
    workload_option,
)
from profgate.history.ancestry import first_line
from profgate.history.checks import newest_of
from profgate.history.opening import location, open_any
from profgate.history.revisions import commit_named, graph_before
from profgate.history.stored_profiles import trend_rules
from profgate.history.trend_report import trends_json, trends_lines, trends_page
from profgate.history.trends import Trend, reported_texts, totals_along, trends_along, unreported
from profgate.io.executors import TaskRunner
from profgate.io.terminal import show
from profgate.model.policy import Policy

TASKS = 16  # number of tasks for an executor
MOST_READ = 200  # default number of commits; a history keeps all symbols for the same number of runs


@command("profgate trends", "profgate trends main --new --format json")
@click.argument("rev", default="HEAD")
@click.option(
    "--new", is_flag=True, help="Show only changes that have not been reported yet, and mark them as reported."
)
@config_option
@format_option("terminal", "json", "html")
@history_option
@workload_option
@last_option(MOST_READ)
@executor_option
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
        with running(executor) as runner:
            if runner is None:
                found = trends_along(store, known[-last:], trend_rules(policy), keys)
            else:
                task = partial(_trends_of, location(history), workload, known[-last:], policy)
                found = _trends_by(runner, task, sorted(keys))
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


def _trends_by(runner: TaskRunner, task: Callable[[Sequence[str]], list[Trend]], keys: Sequence[str]) -> list[Trend]:
    """Return the trends of all series. Each task opens the history and reads a part of the series."""
    size = max(len(keys) // TASKS, 1)
    tasks = (partial(task, keys[start : start + size]) for start in range(0, len(keys), size))
    return list(chain.from_iterable(runner(tasks, list[Trend])))


def _trends_of(
    folder: str, workload: str | None, line: Sequence[str], policy: Policy, keys: Sequence[str]
) -> list[Trend]:
    with open_any(folder, workload=workload) as store:
        return trends_along(store, line, trend_rules(policy), frozenset(keys))
