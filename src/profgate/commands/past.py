"""What commands share that look into the history: commits by the names people use, and what was stored of them."""

import argparse
import glob
import re
from collections.abc import Callable, Sequence
from itertools import islice

from profgate import wiring
from profgate.adapters.files import exists
from profgate.adapters.git import commits_before, resolved
from profgate.adapters.history_store import HistoryStore
from profgate.commands.inputs import folder, stored_files
from profgate.errors import ProfgateError
from profgate.history.ancestry import ancestors
from profgate.history.past import past_of
from profgate.model.history import Reading, StoredCommit, StoredJob
from profgate.model.policy import Policy
from profgate.model.report import Side
from profgate.pipeline import PipelineInput

FOLDER = ".profgate"
FARTHEST = 500  # commits that are looked through for them
HASH = re.compile(r"[0-9a-f]{4,64}")


def add_history(parser: argparse.ArgumentParser) -> None:
    """The option that names the folder of the history."""
    parser.add_argument(
        "--history", metavar="DIR", type=folder, default=FOLDER, help="folder of the history (default: %(default)s)"
    )


def add_last(parser: argparse.ArgumentParser, default: int, which: str = "") -> None:
    """The option that says how far back is looked; every commit costs time."""
    parser.add_argument(
        "--last",
        type=_at_least_one,
        default=default,
        metavar="N",
        help=f"{which}look at so many of the newest measured commits (default: %(default)s)",
    )


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or len(text) > 9 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)


def commit_named(rev: str, known: dict[str, StoredCommit] | None = None) -> str:
    """The hash of a commit by git, else by the beginning of a hash among the ``known`` ones. Raises ProfgateError."""
    try:
        return resolved(rev)
    except ProfgateError:
        found = [sha for sha in known or () if sha.startswith(rev)] if HASH.fullmatch(rev) else []
        if len(found) == 1:
            return found[0]
        raise


def graph_before(sha: str, store: HistoryStore) -> dict[str, StoredCommit]:
    """Every commit that git or the history knows, git's word first."""
    known = store.commits()
    try:
        return known | commits_before(sha)
    except ProfgateError:  # outside of the repository, or the commit is not in this clone
        if not known.get(sha, StoredCommit("")).parents:
            raise
        return known


def past_before(
    store: HistoryStore, graph: dict[str, StoredCommit], baseline: str
) -> Callable[[str], Sequence[Reading]]:
    """What gives the readings of a baseline's ancestors by the key of a series, back to the last lasting change."""
    way_back = [one.sha for one in islice(ancestors(baseline, graph), FARTHEST) if one.distance]
    return lambda key: past_of(store, way_back, key)


def newest_past(store: HistoryStore) -> Callable[[str], Sequence[Reading]]:
    """The same where nothing says at which commit a baseline was measured: of the newest commits there are."""
    commits = store.commits()
    way_back = sorted(commits, key=lambda sha: (-commits[sha].time, sha))
    return lambda key: past_of(store, way_back, key)


def stored_name(text: str) -> tuple[str, str] | None:
    """Commit and workload where a side is named ``REV:WORKLOAD``; None for what is a path."""
    if exists(text) or ":" not in text:
        return None
    rev, _, workload = text.partition(":")
    return (rev, workload) if rev and not glob.has_magic(text) else None


def stored_input(baseline: str, target: str, store: HistoryStore, policy: Policy) -> PipelineInput:
    """Both sides of a comparison, of which at least one is stored; noise comes from before a stored baseline.

    Raises ProfgateError for a commit or workload the history does not hold.
    """
    readings, sides = list[list[Reading]](), list[Side]()
    for text in (baseline, target):
        named = stored_name(text)
        if named is None:
            files = stored_files(text)
            readings.append(wiring.readings(files, policy, "", StoredJob(), keep=True))
            sides.append(Side(text))
        else:
            sha = commit_named(named[0], store.commits())
            readings.append(_stored(store, sha, named[1]))
            sides.append(Side(named[1], sha))
    before, after = wiring.stored_sides(*readings)
    start = sides[0].sha
    past = None if start is None else past_before(store, graph_before(start, store), start)
    return PipelineInput(before, after, policy=policy, baseline_side=sides[0], target_side=sides[1], past=past)


def _stored(store: HistoryStore, sha: str, workload: str) -> list[Reading]:
    here = store.measured_commits().get(sha, frozenset())
    series = [one for one in store.series() if one.key in here]
    chosen = [one for one in series if workload in ("", one.workload)]
    if not chosen:
        known = ", ".join(dict.fromkeys(one.workload for one in series)) or "nothing"
        raise ProfgateError(f"{sha[:12]}:{workload}", f"is not in the history, which holds {known} of this commit")
    return [reading for one in chosen for reading in store.readings(one.key, [sha], profiles=True)]
