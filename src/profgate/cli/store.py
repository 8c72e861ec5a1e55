"""``profgate store add PROFILES``: stores what was measured at a commit; also lists, prunes and merges histories."""

import argparse
import json
import sys
from collections.abc import Sequence

from profgate.cli.sides_options import file, policy_of, side, stored_files
from profgate.cli.stored_sides import add_history, commit_named, whole_number
from profgate.errors import ProfgateError
from profgate.history.history_reader import open_untrusted
from profgate.history.history_store import HistoryStore, open_history
from profgate.history.stored_profiles import readings
from profgate.io.git import commits_before
from profgate.io.terminal import show
from profgate.model.history import Reading, Retention, StoredCommit, StoredJob
from profgate.model.visible_text import cut, plain
from profgate.report.numbers import counted


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="profgate store", description=__doc__.replace("`", ""))
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, meaning: str) -> argparse.ArgumentParser:
        command = actions.add_parser(name, help=meaning, description=f"{meaning[:1].upper()}{meaning[1:]}.")
        add_history(command)
        return command

    adding = action("add", "store the profiles of a commit")
    adding.add_argument("profiles", metavar="PROFILES", nargs="+", type=side, help="files or folders of profiles")
    adding.add_argument("--commit", metavar="REV", default="HEAD", help="where they were measured (default: HEAD)")
    adding.add_argument("--job", default="", metavar="ID", help="who measured; runs of one job are not independent")
    adding.add_argument("--config", metavar="FILE", type=file, help="configuration file, for its rules about names")
    adding.add_argument("--summaries", action="store_true", help="store the cost of each symbol, not the files")
    listing = action("list", "show what the history holds")
    listing.add_argument("--format", choices=("terminal", "json"), default="terminal")
    pruning = action("prune", "make it small: old runs retain their heaviest symbols and their totals")
    for name, meaning in (
        ("runs", "newest runs that retain all symbols"),
        ("symbols", "symbols that older runs retain"),
        ("profiles", "newest runs that retain their files"),
    ):
        default, text = getattr(Retention(), name), f"{meaning} (default: %(default)s)"
        pruning.add_argument(f"--{name}", type=whole_number(0), default=default, metavar="N", help=text)
    merging = action("merge", "add what another history holds and this one lacks")
    merging.add_argument("file", metavar="FILE", type=file, help="a history.sqlite from anywhere; it is not trusted")
    return parser.parse_args(argv)


def run(argv: Sequence[str]) -> int:
    """Exit code 0. Raises ProfgateError."""
    arguments = _arguments(argv)
    sha, added = "", list[Reading]()
    if arguments.action == "add":  # read before a history is created for them
        files = [source for place in arguments.profiles for source in stored_files(place)]
        sha, policy = commit_named(arguments.commit), policy_of(arguments.config)
        added = readings(files, policy, sha, StoredJob(arguments.job), keep=not arguments.summaries)
    creates = arguments.action in {"add", "merge"}
    with open_history(arguments.history, write=arguments.action != "list", create=creates) as store:
        match arguments.action:
            case "add":
                text = _added(store, sha, added)
            case "prune":
                retention = Retention(arguments.runs, arguments.symbols, arguments.profiles)
                text = f"{counted(store.prune(retention), 'reading')} lost the lighter symbols"
            case "merge":
                with open_untrusted(arguments.file) as other:
                    text = f"{counted(store.merge(other), 'reading')} added"
            case _:
                text = _listed(store, as_json=arguments.format == "json")
    show(text, sys.stdout)
    return 0


def _added(store: HistoryStore, sha: str, readings: Sequence[Reading]) -> str:
    with store.writing():
        store.add_commits([commits_before(sha, most=1).get(sha, StoredCommit(sha))])
        added = store.add(readings)
    known = len(readings) - added
    return f"{sha[:12]}: {counted(added, 'reading')} added" + (f", {known} already stored" if known else "")


def _listed(store: HistoryStore, *, as_json: bool) -> str:
    measured, commits, series = store.measured_commits(), store.commits(), store.series()
    if as_json:
        rows = [
            {
                "commit": sha,
                "title": commits[sha].title,
                "workloads": sorted(one.workload for one in series if one.key in keys),
            }
            for sha, keys in measured.items()
        ]
        return json.dumps({"schema": "profgate.history-list/1", "commits": rows}, indent=1) + "\n"
    if not measured:
        raise ProfgateError("history", "is empty; fill it with 'profgate store add PROFILES'")
    lines = [
        f"{sha[:12]}  {counted(len(keys), 'workload')}  {cut(plain(commits[sha].title), 60)}".rstrip()
        for sha, keys in sorted(measured.items(), key=lambda one: -commits[one[0]].time)
    ]
    return "\n".join(lines)
