"""The commands profgate check, profgate trends and profgate store, which work on a history."""

import sys

import click

from profgate import api
from profgate.cli import options as opt
from profgate.cli.compare import end_with
from profgate.cli.main import Commands
from profgate.errors import ProfgateError
from profgate.history.ancestry import ancestry_of, first_line
from profgate.history.checks import checks_json, checks_lines, newest_of
from profgate.history.drift import drift_report
from profgate.history.history_store import open_history, open_untrusted
from profgate.history.parquet_export import export_rows
from profgate.history.stored_sides import checks_at, commit_named, graph_before, readings
from profgate.history.trend_report import trends_json, trends_lines
from profgate.history.trends import reported, reported_texts, trends_along, unknown_of
from profgate.io.git import commits_before, newest_release
from profgate.io.terminal import show
from profgate.loading import profiles_at
from profgate.model.history import Retention, StoredCommit
from profgate.model.policy import LAST_RELEASE, DriftRule, Policy, with_strategies
from profgate.model.record import replace
from profgate.model.visible_text import cut, plain
from profgate.pipeline import PipelineInput
from profgate.private_events import without_private_events
from profgate.report.numbers import counted


@opt.command("profgate check", "profgate check v1.2 --fail-on severe", "profgate check --since last-release")
@click.argument("rev", default="HEAD")
@click.option("--all", "every", is_flag=True, help="Check REV and every measured commit before it.")
@opt.last_option(50, "Use with --all. ")  # each check can take seconds
@click.option(
    "--since",
    metavar="REF",
    help="Instead, add up all changes since a tag, branch or commit, or last-release. From the limit of gate: drift in "
    "the policy on (default: 5%), they fail.",
)
@opt.history_option
@opt.policy_options
@opt.strategies_option
@opt.format_option("terminal", "json")
@opt.verbose_option("Show the results of each strategy, including unchanged rows.")
def check(
    rev: str,
    last: int,
    since: str | None,
    history: str,
    policy: Policy,
    strategies: tuple[str, ...],
    output: str,
    *,
    every: bool,
    verbose: bool,
) -> int:
    """Compare the stored profiles of commit REV (default: HEAD) with those of its nearest comparable ancestor.

    The exit code is 0 if the gate passed or is only advisory, 1 if the gate failed, and 3 if something was not
    compared.
    """
    with open_history(history) as store:
        if since is not None:
            now = commit_named(rev, store.commits())
            rule = replace(policy.drift or DriftRule(), since=newest_release(now) if since == LAST_RELEASE else since)
            start = commit_named(rule.since, store.commits())
            fixed = {start, *ancestry_of(start, graph_before(start, store))}
            report = drift_report(store, graph_before(now, store), now, fixed, rule, policy)
            return end_with(api.Report(report), None, output, verbose=verbose)
        given = PipelineInput((), (), policy=with_strategies(policy, strategies), verbose=verbose, pages=0)
        checks = checks_at(store, rev, last if every else None, given)
    if output == "json":
        sys.stdout.write(checks_json(checks))
    else:
        show(checks_lines(checks, verbose=verbose, width=opt.width()), sys.stdout)
    return checks.exit_code


@opt.command("profgate trends", "profgate trends main --new --format json")
@click.argument("rev", default="HEAD")
@click.option(
    "--new", is_flag=True, help="Show only changes that have not been reported yet, and mark them as reported."
)
@opt.format_option("terminal", "json")
@opt.history_option
@opt.last_option(200)  # a history stores all symbols for as many runs
def trends(rev: str, output: str, history: str, last: int, *, new: bool) -> int:
    """Show persistent changes in totals, sudden or gradual, in the history up to REV (default: HEAD)."""
    with open_history(history, write=True, create=False) as store:
        newest = commit_named(rev, store.commits())
        graph = graph_before(newest, store)
        measured = store.measured_commits()
        line = first_line(newest, graph)
        known = [sha for sha in line if sha in measured]
        found = trends_along(store, known[-last:])
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
    files = [without_private_events(source) for place in profiles for source in profiles_at(place)[0]]
    sha = commit_named(commit)
    read = readings(files, policy, sha, job, keep=True)
    with open_history(history, write=True) as opened, opened.writing():
        opened.add_commits([commits_before(sha, most=1).get(sha, StoredCommit(sha))])
        added = opened.add(read)
    known = f", {len(read) - added} already stored" if added < len(read) else ""
    show(f"{sha[:12]}: {counted(added, 'reading')} added{known}", sys.stdout)
    return 0


@opt.command("profgate store list", of=store.command, name="list")
@opt.history_option
def list_commits(history: str) -> int:
    """List the measured commits of the history."""
    with open_history(history) as opened:
        measured, commits = opened.measured_commits(), opened.commits()
    if not measured:
        raise ProfgateError("history", "is empty; add profiles with 'profgate store add PROFILES'")
    lines = [
        f"{sha[:12]}  {counted(len(measured[sha]), 'workload')}  {cut(plain(commits[sha].title), 60)}".rstrip()
        for sha in sorted(measured, key=lambda sha: -commits[sha].time)
    ]
    show("\n".join(lines), sys.stdout)
    return 0


@opt.command("profgate store prune --runs 100 --profiles 20", of=store.command)
@_newest("runs", "Number of newest runs that are kept.")
@_newest("profiles", "Number of newest runs that retain their files.")
@opt.history_option
def prune(runs: int, profiles: int, history: str) -> int:
    """Remove old runs and the files of profiles."""
    with open_history(history, write=True, create=False) as opened:
        pruned = opened.prune(Retention(runs, profiles))
    show(f"{counted(pruned, 'reading')} removed", sys.stdout)
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
