"""Resolves names of revisions to commits, and loads the stored readings of both sides of a comparison."""

import glob
import re
from collections.abc import Callable, Sequence
from functools import partial

from profgate.errors import ProfgateError, did_you_mean
from profgate.history import stored_profiles
from profgate.history.ancestry import ancestry_of
from profgate.history.history_store import HistoryStore
from profgate.history.stored_profiles import stored_sides
from profgate.history.trends import past_of
from profgate.io.files import exists
from profgate.io.git import commit_hash, commits_before
from profgate.loading import profiles_at
from profgate.model.history import Reading, StoredCommit
from profgate.model.policy import Policy
from profgate.model.sides import Side
from profgate.pipeline import PipelineInput


def commit_named(rev: str, known: dict[str, StoredCommit] | None = None) -> str:
    """Return the commit of a name that git resolves, or of a unique prefix of a ``known`` hash.

    Raises ProfgateError if there is no such commit.
    """
    try:
        return commit_hash(rev)
    except ProfgateError:
        found = []
        if re.fullmatch("[0-9a-f]{4,64}", rev):
            found = [sha for sha in known or () if sha.startswith(rev)]
        if len(found) == 1:
            return found[0]
        raise


def graph_before(sha: str, store: HistoryStore) -> dict[str, StoredCommit]:
    """Return the commit, its ancestors according to git, and all commits in the history; those of git are preferred."""
    known = store.commits()
    try:
        return known | commits_before(sha)
    except ProfgateError:  # no repository, or the clone does not contain the commit
        if not known.get(sha, StoredCommit("")).parents:
            raise
        return known


def newest_past(store: HistoryStore) -> Callable[[str], Sequence[Reading]]:
    """Return a function that returns the newest readings of a series, for a baseline whose commit is unknown."""
    commits = store.commits()
    newest_first = sorted(commits, key=lambda sha: (-commits[sha].time, sha))
    return partial(past_of, store, newest_first)


def stored_name(text: str) -> tuple[str, str] | None:
    """Split ``REV:WORKLOAD`` into revision and workload, or return None for a path."""
    if exists(text) or ":" not in text:
        return None
    rev, _, workload = text.partition(":")
    return (rev, workload) if rev and not glob.has_magic(text) else None


def stored_input(baseline: str, target: str, store: HistoryStore, policy: Policy) -> PipelineInput:
    """Load both sides of a comparison. At least one side must come from the history.

    If the baseline comes from the history, the noise is estimated from earlier commits. Raises ProfgateError if a
    commit or workload is not in the history.
    """
    (before, side), (after, target_side) = (_side(text, store, policy) for text in (baseline, target))
    before_files, after_files = stored_sides(before, after)
    past = None if side.sha is None else partial(past_of, store, ancestry_of(side.sha, graph_before(side.sha, store)))
    return PipelineInput(
        before_files, after_files, policy=policy, baseline_side=side, target_side=target_side, past=past
    )


def _side(text: str, store: HistoryStore, policy: Policy) -> tuple[list[Reading], Side]:
    named = stored_name(text)
    if named is None:
        return stored_profiles.readings(profiles_at(text)[0], policy, "", "", keep=True), Side(text)
    rev, workload = named
    sha = commit_named(rev, store.commits())
    here = store.measured_commits().get(sha, frozenset())
    series = [each for each in store.series() if each.key in here]
    chosen = [each for each in series if workload in ("", each.workload)]
    if not chosen:
        names = dict.fromkeys(each.workload for each in series)
        known = did_you_mean(workload, names) if names else "this commit was not measured"
        raise ProfgateError(f"{sha[:12]}:{workload}", f"is not in the history; {known}")
    readings = [reading for each in chosen for reading in store.readings(each.key, [sha], profiles=True)]
    return readings, Side(workload, sha)
