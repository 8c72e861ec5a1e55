"""Comparison of commits with their nearest measured ancestors."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from profgate import pipeline
from profgate.errors import ProfgateError
from profgate.history.ancestry import ancestors, ancestry_of, in_order, nearest, reduced
from profgate.history.checks import Checks
from profgate.history.history_store import HistoryStore
from profgate.history.revisions import commit_named, graph_before
from profgate.history.stored_profiles import stored_sides
from profgate.history.trends import past_of
from profgate.loading import Progress, silent
from profgate.model.history import Reading, StoredCommit
from profgate.model.report import Report
from profgate.model.sides import Side
from profgate.pipeline import PipelineInput

Graph = dict[str, StoredCommit]


def checks_at(
    store: HistoryStore, rev: str, last: int | None, given: PipelineInput, progress: Progress = silent
) -> Checks:
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
    for number, sha in enumerate(newest):
        groups, without = _baselines(sha, graph, measured_at)
        for (distance, baseline), keys in sorted(groups.items()):
            # distance is the number of commits from the baseline to the target
            sides = _side(baseline, graph, distance - 1), _side(sha, graph)
            compared = replace(given, baseline_side=sides[0], target_side=sides[1])
            reports.append(_compared(store, keys, compared, ancestry_of(baseline, graph)))
        first += [(sha, workloads[key]) for key in without]
        progress("checking", (number + 1) / len(newest))
    drawn = {*newest, *(report.baseline.sha or "" for report in reports)} if last is None else newest
    return Checks(tuple(reduced(graph, drawn)), tuple(reports), tuple(first), len(measured) - len(newest))


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


def _side(sha: str, graph: Graph, distance: int | None = None) -> Side:
    return Side(graph[sha].title[:60] if sha in graph else "", sha, distance=distance)
