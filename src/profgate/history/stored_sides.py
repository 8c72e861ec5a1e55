"""Readings of profiles, sides of comparisons from stored readings, and comparisons of commits with their ancestors."""

import glob
import hashlib
import pickle
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from profgate import loading, pipeline
from profgate.compare.columns import CompareOptions
from profgate.compare.readings import is_benchmark, profile_of, readings_of
from profgate.compare.runs import in_runs, without_empty_parts
from profgate.errors import ProfgateError, ProfileError, did_you_mean
from profgate.history.ancestry import ancestors, ancestry_of, in_order, nearest
from profgate.history.checks import Checks
from profgate.history.history_store import HistoryStore
from profgate.history.trends import past_of
from profgate.io.files import exists
from profgate.io.git import commit_hash, commits_before
from profgate.model.history import Reading, StoredCommit
from profgate.model.policy import Policy
from profgate.model.profile import Profile
from profgate.model.reason import Side
from profgate.model.record import replace, to_builtins
from profgate.model.report import Report
from profgate.model.source import SourceFile, source_of, source_of_profile
from profgate.pipeline import PipelineInput
from profgate.report.wording import reason_text

LARGEST_STORED = 32 << 20  # in bytes; files of larger profiles are not stored
Graph = dict[str, StoredCommit]


def readings(sources: Sequence[SourceFile], policy: Policy, commit: str, job: str, *, keep: bool) -> list[Reading]:
    """Return the readings of these files. With ``keep``, the readings also contain the files.

    Raises ProfileError if files are unreadable, and ComparisonError if values overflow.
    """
    sources = without_empty_parts(sources)
    read = loading.read_sources(sources)
    broken = [error for error in read if isinstance(error, ProfileError)]
    if broken:
        raise ProfileError("\n".join(map(str, broken)))
    options = CompareOptions(policy.ignore, policy_aliases=policy.aliases)
    profiles = [profile for profile in read if isinstance(profile, Profile)]
    (runs,), unclear = in_runs([profiles])
    for name, reason in unclear.items():
        raise ProfileError(f"{name}: {reason_text(reason, str)}")
    files = {id(profile): source for profile, source in zip(profiles, sources, strict=True)}
    made = []
    for profile in runs:
        source = files.get(id(profile))  # None for the sum of several files, of which only the readings are stored
        content = pickle.dumps(profile.stacks or profile.graph) if source is None else source.read(LARGEST_STORED)
        run = f"{profile.name}\0{hashlib.sha256(content).hexdigest()}"
        stored = content if source is not None and keep and len(content) <= LARGEST_STORED else None
        made += readings_of(profile, options, commit, job, run, stored)
    return made


def stored_sides(*sides: Sequence[Reading]) -> list[list[SourceFile]]:
    """Return the stored files of each side or, if any file is missing, profiles made from the readings.

    Raises ProfileError if a stored file is unreadable.
    """
    if not any(reading.profile is None or is_benchmark(reading) for side in sides for reading in side):
        return [_stored_files(side) for side in sides]
    return [[source_of_profile(profile_of(reading, number)) for number, reading in enumerate(side)] for side in sides]


def _stored_files(side: Sequence[Reading]) -> list[SourceFile]:
    files = {(reading.name, reading.profile, reading.job): reading for reading in side}
    read = loading.readable_profiles([source_of(reading.name, reading.profile or b"") for reading in files.values()])
    sources = []
    for reading, profile in zip(files.values(), read, strict=True):
        facts = {name: value for name, value in to_builtins(reading.facts).items() if value is not None}
        sources.append(source_of_profile(replace(profile, facts=replace(profile.facts, **facts))))
    return sources


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
        return readings(loading.profiles_at(text)[0], policy, "", "", keep=True), Side(text)
    rev, workload = named
    sha = commit_named(rev, store.commits())
    here = store.measured_commits().get(sha, frozenset())
    series = [each for each in store.series() if each.key in here]
    chosen = [each for each in series if workload in ("", each.workload)]
    if not chosen:
        names = dict.fromkeys(each.workload for each in series)
        known = did_you_mean(workload, names) if names else "this commit was not measured"
        raise ProfgateError(f"{sha[:12]}:{workload}", f"is not in the history; {known}")
    stored = [reading for each in chosen for reading in store.readings(each.key, [sha], profiles=True)]
    return stored, Side(workload, sha)


def checks_at(store: HistoryStore, rev: str, last: int | None, given: PipelineInput) -> Checks:
    """Check a revision or, if ``last`` is given, the newest ``last`` measured commits up to this commit.

    ``given`` has the policy and the options of the comparisons. Raises ProfgateError if no commit was measured.
    """
    target = commit_named(rev, store.commits())
    graph, measured_at = graph_before(target, store), store.measured_commits()
    workloads = {series.key: series.workload for series in store.series()}
    before = [target] if last is None else [sha for sha, _ in ancestors(target, graph)]
    measured = in_order(graph, [sha for sha in before if sha in measured_at])
    if not measured:
        where = "at this commit" if last is None else "at this commit or before it"
        what = f"nothing was measured {where}; add profiles with 'profgate store add'"
        raise ProfgateError(target[:12], what)
    newest = measured[-(last or 1) :]
    reports, first = list[Report](), list[tuple[str, str]]()
    for sha in newest:
        groups, without = _baselines(sha, graph, measured_at)
        for (distance, baseline), keys in sorted(groups.items()):
            # distance is the number of commits from the baseline to the target
            sides = _titled_side(baseline, graph, distance - 1), _titled_side(sha, graph)
            compared = replace(given, baseline_side=sides[0], target_side=sides[1])
            reports.append(_compared(store, keys, compared, ancestry_of(baseline, graph)))
        first += [(sha, workloads[key]) for key in without]
    drawn = {*newest, *(report.baseline.sha or "" for report in reports)} if last is None else newest
    commits = [graph.get(sha, StoredCommit(sha)) for sha in reversed(in_order(graph, drawn))]
    return Checks(tuple(commits), tuple(reports), tuple(first), len(measured) - len(newest))


def _compared(store: HistoryStore, keys: Sequence[str], given: PipelineInput, ancestry: Sequence[str]) -> Report:
    """Compare the readings of these series at both commits; the noise is that of the ancestors of the baseline."""
    sides = list[list[Reading]]()
    for side in (given.baseline_side, given.target_side):
        sides.append([reading for key in keys for reading in store.readings(key, [side.sha or ""], profiles=True)])
    before, after = stored_sides(*sides)
    return pipeline.compare(
        replace(given, baseline=before, target=after, past=partial(past_of, store, ancestry))
    ).report


def _baselines(
    target: str, graph: Graph, measured_at: Mapping[str, frozenset[str]]
) -> tuple[dict[tuple[int, str], list[str]], list[str]]:
    """Return the series by distance and hash of their nearest measured ancestor, and the series without one."""
    groups: dict[tuple[int, str], list[str]] = {}
    without = []
    for key in sorted(measured_at[target]):
        found = nearest(target, graph, frozenset(sha for sha, keys in measured_at.items() if key in keys))
        if found is None:
            without.append(key)
        else:
            sha, distance = found
            groups.setdefault((distance, sha), []).append(key)
    return groups, without


def _titled_side(sha: str, graph: Graph, distance: int | None = None) -> Side:
    return Side(graph[sha].title[:60] if sha in graph else "", sha, distance=distance)
