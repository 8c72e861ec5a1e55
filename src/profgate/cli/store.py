"""The ``profgate store`` command."""

import json
import sys

import click

from profgate.cli import options as opt
from profgate.cli.main import Commands
from profgate.errors import ProfgateError
from profgate.history.history_store import open_history, open_untrusted
from profgate.history.parquet_export import export_rows
from profgate.history.stored_sides import commit_named, readings
from profgate.io.git import commits_before
from profgate.io.terminal import show
from profgate.loading import profiles_at
from profgate.model.history import Retention, StoredCommit
from profgate.model.policy import Policy
from profgate.model.visible_text import cut, plain
from profgate.report.numbers import counted


def _newest(name: str, content: str) -> opt.Decorator:
    return click.option(
        f"--{name}",
        type=opt.Number(0, 999_999_999),
        default=getattr(Retention(), name),
        metavar="N",
        help=content,
    )


@opt.command("profgate store add profiles/", "profgate store list", of=click.group, cls=Commands)
def store() -> None:
    """Store the profiles of a commit; list, prune, merge and export histories."""


@opt.command(
    "profgate store add profiles/", "profgate store add --commit v1.2 --job nightly profiles/", of=store.command
)
@click.argument("profiles", nargs=-1, required=True, type=opt.PROFILES, metavar="PROFILES...")
@click.option("--commit", default="HEAD", metavar="REV", help="Commit that was measured.")
@click.option(
    "--job",
    default="",
    show_default=False,
    metavar="ID",
    help="Job that recorded the profiles. Runs of the same job are not independent.",
)
@opt.config_option
@opt.history_option
def add(profiles: tuple[str, ...], commit: str, job: str, policy: Policy, history: str) -> int:
    """Store the profiles of one commit in the history."""
    files = [source for place in profiles for source in profiles_at(place)[0]]
    sha = commit_named(commit)
    read = readings(files, policy, sha, job, keep=True)
    with open_history(history, write=True) as opened, opened.writing():
        opened.add_commits([commits_before(sha, most=1).get(sha, StoredCommit(sha))])
        added = opened.add(read)
    known = f", {len(read) - added} already stored" if added < len(read) else ""
    show(f"{sha[:12]}: {counted(added, 'reading')} added{known}", sys.stdout)
    return 0


@opt.command("profgate store list --format json", of=store.command, name="list")
@opt.format_option("terminal", "json")
@opt.history_option
def list_commits(output: str, history: str) -> int:
    """List the measured commits of the history."""
    with open_history(history) as opened:
        measured, commits, series = opened.measured_commits(), opened.commits(), opened.series()
    if output == "json":
        rows = [
            {
                "commit": sha,
                "title": commits[sha].title,
                "workloads": sorted(each.workload for each in series if each.key in keys),
            }
            for sha, keys in measured.items()
        ]
        sys.stdout.write(json.dumps({"schema": "profgate.history-list/1", "commits": rows}, indent=1) + "\n")
        return 0
    if not measured:
        raise ProfgateError("history", "is empty; add profiles with 'profgate store add PROFILES'")
    lines = [
        f"{sha[:12]}  {counted(len(measured[sha]), 'workload')}  {cut(plain(commits[sha].title), 60)}".rstrip()
        for sha in sorted(measured, key=lambda sha: -commits[sha].time)
    ]
    show("\n".join(lines), sys.stdout)
    return 0


@opt.command("profgate store prune --runs 100 --profiles 20", of=store.command)
@_newest("runs", "Number of newest runs that retain all symbols.")
@_newest("symbols", "Number of heaviest symbols that older runs retain.")
@_newest("profiles", "Number of newest runs that retain their files.")
@opt.history_option
def prune(runs: int, symbols: int, profiles: int, history: str) -> int:
    """Reduce old runs to their totals and heaviest symbols."""
    with open_history(history, write=True, create=False) as opened:
        pruned = opened.prune(Retention(runs, symbols, profiles))
    show(f"{counted(pruned, 'reading')} reduced to the heaviest symbols", sys.stdout)
    return 0


@opt.command("profgate store merge artifact/history.sqlite", of=store.command)
@click.argument("file", type=opt.FILE)
@opt.history_option
def merge(file: str, history: str) -> int:
    """Add the content of another history.

    FILE is a history.sqlite from any source; it is treated as untrusted.
    """
    with open_history(history, write=True, create=True) as opened, open_untrusted(file) as other:
        added = opened.merge(other)
    show(f"{counted(added, 'reading')} added", sys.stdout)
    return 0


@opt.command("profgate store export history.parquet", of=store.command)
@click.argument("file", type=opt.FILE)
@opt.history_option
def export(file: str, history: str) -> int:
    """Write the history as a Parquet file, which other programs can query.

    FILE gets one row for each commit, job, run, metric and function.
    """
    with open_history(history) as opened:
        rows = export_rows(opened, file)
    show(f"{file}: {counted(rows, 'row')} written", sys.stdout)
    return 0
