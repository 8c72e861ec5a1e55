"""Comparison of commits with their nearest measured ancestors."""

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
from profgate.model.policy import Policy
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


class Checker:
    """Checks of a revision and of the commits before it. ``verbose`` adds unchanged rows to the reports.

    ``runner`` distributes the checks; its workers read the history in ``folder``.
    """

    def __init__(
        self,
        store: History,
        rev: str,
        policy: Policy,
        strategies: tuple[str, ...] | None,
        *,
        verbose: bool,
        folder: str = "",
        runner: TaskRunner | None = None,
    ) -> None:
        self._folder, self._runner = folder, runner
        self._store = store
        self._target = commit_named(rev, store.commits())
        self._graph: Graph = graph_before(self._target, store)
        self._measured = store.measured_commits()
        self._series = {series.key: series for series in store.series()}
        policy = with_false_alarms(policy, store.verdicts())
        self._given = PipelineInput((), (), policy=policy, strategies=strategies, verbose=verbose, pages=0)

    def checks(self, last: int | None, progress: Progress = silent) -> Checks:
        """Check one commit, or the newest ``last`` measured commits up to it. Raises ProfgateError if there is none."""
        before = [self._target] if last is None else [commit.sha for commit in ancestors(self._target, self._graph)]
        measured = in_order(self._graph, [sha for sha in before if sha in self._measured])
        if not measured:
            where = "at this commit" if last is None else "at this commit or before it"
            what = f"nothing was measured {where}; add profiles with 'profgate store add'"
            raise ProfgateError(self._target[:12], what)
        newest = measured[-(last or 1) :]
        tasks, first = list[CheckTask](), list[tuple[str, str]]()
        for sha in newest:
            groups, without = self._baselines(sha)
            for (distance, baseline), keys in sorted(groups.items()):
                # distance is the number of commits from the baseline to the target
                sides = self._side(baseline, distance - 1), self._side(sha)
                given = replace(self._given, baseline_side=sides[0], target_side=sides[1])
                tasks.append(CheckTask(self._folder, tuple(keys), ancestry_of(baseline, self._graph), given))
            first += [(sha, self._series[key].workload) for key in without]
        reports = list[Report]()
        read = (task.report(self._store) for task in tasks)
        for report in read if self._runner is None else self._runner(tasks, Report):
            reports.append(report)
            progress("checking", len(reports) / len(tasks))
        drawn = {*newest, *(report.baseline.sha or "" for report in reports)} if last is None else newest
        return Checks(tuple(reduced(self._graph, drawn)), tuple(reports), tuple(first), len(measured) - len(newest))

    def _baselines(self, target: str) -> tuple[dict[tuple[int, str], list[str]], list[str]]:
        """Return the series by distance and hash of their nearest measured ancestor, and the series without one."""
        groups: dict[tuple[int, str], list[str]] = {}
        without = []
        for key in sorted(self._measured[target]):
            measured = frozenset(sha for sha, keys in self._measured.items() if key in keys)
            found = nearest(target, self._graph, measured)
            if found is None:
                without.append(key)
            else:
                groups.setdefault((found.distance, found.sha), []).append(key)
        return groups, without

    def _side(self, sha: str, distance: int | None = None) -> Side:
        return Side(self._graph[sha].title[:60] if sha in self._graph else "", sha, distance=distance)
