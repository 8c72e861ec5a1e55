"""``profgate trends [REV]``: where totals and shares changed for good along the history, at once or slowly."""

import argparse
import sys
from collections.abc import Sequence

from profgate.adapters.history_store import HistoryStore, open_history
from profgate.commands.past import add_history, commit_named, graph_before
from profgate.history.ancestry import first_line
from profgate.history.trends import trends_of, unknown_of
from profgate.model.history import StoredRecord
from profgate.model.trend import Trend
from profgate.publish.terminal import show
from profgate.report.trends import trends_json, trends_lines, trends_of_record, trends_record

STRATEGY = "change_point"
NOWHERE = ""  # the target of its records: a trend belongs to no single commit


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="profgate trends", description=__doc__.replace("`", ""))
    parser.add_argument("rev", metavar="REV", nargs="?", default="HEAD", help="the newest commit (default: HEAD)")
    parser.add_argument("--new", action="store_true", help="only what was not reported before, and is from now on")
    parser.add_argument("--format", choices=("terminal", "json"), default="terminal")
    add_history(parser)
    return parser.parse_args(argv)


def run(argv: Sequence[str]) -> int:
    """Exit code 0. Raises ProfgateError."""
    arguments = _arguments(argv)
    with open_history(arguments.history, write=True, make=False) as store:
        newest = commit_named(arguments.rev, store.commits())
        graph = graph_before(newest, store)
        line = first_line(newest, graph)
        trends = [one for series in store.series() for one in _of_series(store, series.key, line)]
        known = [one for record in store.records(NOWHERE) for one in _remembered(record)]
        new = unknown_of(trends, known, line)
        if arguments.new:
            _remember(store, [*known, *new])
    told = new if arguments.new else trends
    if arguments.format == "json":
        sys.stdout.write(trends_json(told, new))
    else:
        lines = trends_lines(told, graph)
        show(lines or f"no lasting change{' that was not reported before' if arguments.new else ''}", sys.stdout)
    return 0


def _of_series(store: HistoryStore, key: str, line: Sequence[str]) -> list[Trend]:
    measured = store.measured_commits(key)
    readings = list(store.readings(key, [sha for sha in line if sha in measured]))
    return trends_of(readings, line) if readings else []


def _remembered(record: StoredRecord) -> list[Trend]:
    return trends_of_record(record.content) if record.strategy == STRATEGY else []


def _remember(store: HistoryStore, trends: Sequence[Trend]) -> None:
    store.put_records(
        StoredRecord(NOWHERE, NOWHERE, key, STRATEGY, trends_record([one for one in trends if one.series == key]))
        for key in {one.series for one in trends}
    )
