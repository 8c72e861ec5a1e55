"""Comparison of commits with their nearest measured ancestors."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from profgate import wiring
from profgate.errors import ProfgateError
from profgate.history.ancestry import ancestors, in_order, nearest, reduced
from profgate.history.checks import Checks
from profgate.history.false_alarms import with_false_alarms
from profgate.history.opening import History, open_any
from profgate.history.revisions import ancestry_of, commit_named, graph_before
from profgate.history.stored_profiles import stored_sides
from profgate.history.trends import past_of
from profgate.io.executors import TaskRunner
from profgate.model.history import StoredCommit
from profgate.model.report import Report
from profgate.model.sides import Side
from profgate.pipeline import PipelineInput, Progress, silent

Graph = dict[str, StoredCommit]


@dataclass(frozen=True, slots=True)
class CheckTask:
    """A check that any process can do that can read the history in ``folder``. ``ancestry`` precedes the baseline.

    ``given`` has no files yet, and ``keys`` are the series of the readings to compare.
    """

    folder: str
    keys: tuple[str, ...]
    ancestry: tuple[str, ...]
    given: PipelineInput

    def __call__(self) -> Report:
        """Read the history and return the report."""
        with open_any(self.folder) as store:
            return self.report(store)

    def report(self, store: History) -> Report:
        """Return the report of the readings in a history."""
        read = partial(store.readings, profiles=True)
        sides = self.given.baseline_side, self.given.target_side
        before, after = stored_sides(
            *([reading for key in self.keys for reading in read(key, [side.sha or ""])] for side in sides)
        )
        given = replace(self.given, baseline=before, target=after, past=partial(past_of, store, self.ancestry))
        return wiring.compare(given).report


def checks_at(
    store: History,
    rev: str,
    last: int | None,
    given: PipelineInput,
    *,
    folder: str = "",
    runner: TaskRunner | None = None,
    progress: Progress = silent,
) -> Checks:
    """Check a revision or, if ``last`` is given, the newest ``last`` measured commits up to this commit.

    ``given`` has the policy and the options of the comparisons. ``runner`` distributes them; its workers read the
    history in ``folder``. Raises ProfgateError if no commit was measured.
    """
    target = commit_named(rev, store.commits())
    graph, measured_at = graph_before(target, store), store.measured_commits()
    workloads = {series.key: series.workload for series in store.series()}
    given = replace(given, policy=with_false_alarms(given.policy, store.verdicts()))
    before = [target] if last is None else [commit.sha for commit in ancestors(target, graph)]
    measured = in_order(graph, [sha for sha in before if sha in measured_at])
    if not measured:
        where = "at this commit" if last is None else "at this commit or before it"
        what = f"nothing was measured {where}; add profiles with 'profgate store add'"
        raise ProfgateError(target[:12], what)
    newest = measured[-(last or 1) :]
    tasks, first = list[CheckTask](), list[tuple[str, str]]()
    for sha in newest:
        groups, without = _baselines(sha, graph, measured_at)
        for (distance, baseline), keys in sorted(groups.items()):
            # distance is the number of commits from the baseline to the target
            sides = _side(baseline, graph, distance - 1), _side(sha, graph)
            compared = replace(given, baseline_side=sides[0], target_side=sides[1])
            tasks.append(CheckTask(folder, tuple(keys), ancestry_of(baseline, graph), compared))
        first += [(sha, workloads[key]) for key in without]
    reports = list[Report]()
    for report in (task.report(store) for task in tasks) if runner is None else runner(tasks, Report):
        reports.append(report)
        progress("checking", len(reports) / len(tasks))
    drawn = {*newest, *(report.baseline.sha or "" for report in reports)} if last is None else newest
    return Checks(tuple(reduced(graph, drawn)), tuple(reports), tuple(first), len(measured) - len(newest))


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
            groups.setdefault((found.distance, found.sha), []).append(key)
    return groups, without


def _side(sha: str, graph: Graph, distance: int | None = None) -> Side:
    return Side(graph[sha].title[:60] if sha in graph else "", sha, distance=distance)
