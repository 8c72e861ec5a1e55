"""The ``profgate report merge`` command."""

from collections.abc import Sequence
from pathlib import PurePath

import click

from profgate.api import Report
from profgate.cli import options as opt
from profgate.cli.compare import end_with
from profgate.cli.main import Commands
from profgate.decide.judge.shards import Shard, merge_reports
from profgate.errors import SettingsError
from profgate.model.links import Links
from profgate.model.policy import Policy
from profgate.report.json_report import REPORT_NAME


@opt.command("profgate report merge linux/report.json mac/report.json", of=click.group, cls=Commands)
def report() -> None:
    """Work with finished reports."""


@opt.command("profgate report merge linux/report.json mac/report.json -o merged", of=report.command)
@click.argument("reports", nargs=-1, required=True, type=opt.FILE, metavar="REPORT...")
@opt.policy_options
@opt.format_option("terminal", "json", "markdown", "csv")
@opt.output_option("comment.md, report.json and links.json")
@opt.verbose_option()
def merge(reports: tuple[str, ...], policy: Policy, output: str, output_dir: str | None, *, verbose: bool) -> int:
    """Merge the reports of several shards and judge them as one report.

    Each REPORT is a report.json; a links.json in the same folder is also read.
    """
    if len(set(reports)) < len(reports):
        raise SettingsError("REPORT", "contains the same file twice; name each report once")
    shards = []
    for place, name in _names(reports).items():
        loaded = Report.load(place)
        shards.append(Shard(name, loaded.data, loaded.links or Links()))
    merged, links = merge_reports(shards, policy)
    return end_with(Report(merged, links=links), output_dir, output, verbose=verbose)


def _names(places: Sequence[str]) -> dict[str, str]:
    """Map each path to a name: the fewest last parts of the path that make all names unique."""
    parts = {place: _distinctive(place) for place in places}
    for length in range(1, max(map(len, parts.values())) + 1):
        names = {place: "/".join(part[-length:]) for place, part in parts.items()}
        if len(set(names.values())) == len(places):
            return names
    return {place: place for place in places}


def _distinctive(place: str) -> tuple[str, ...]:
    """Return the parts of a path without the extension. The usual file name of a report is omitted."""
    path = PurePath(place)
    parts = path.parts[:-1] if path.name == REPORT_NAME else (*path.parts[:-1], path.stem)
    return parts or (path.stem,)
