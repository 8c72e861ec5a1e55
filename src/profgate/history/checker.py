"""Comparison of commits with their nearest measured ancestors."""

from collections.abc import Sequence
from functools import partial

from profgate import wiring
from profgate.errors import ProfgateError
from profgate.history.ancestry import ancestors, in_order, nearest, reduced
from profgate.history.checks import Check, Checks
from profgate.history.false_alarms import with_false_alarms
from profgate.history.history_store import HistoryStore
from profgate.history.revisions import commit_named, graph_before, past_before
from profgate.history.stored_profiles import stored_sides
from profgate.model.history import StoredCommit
from profgate.model.policy import Policy
from profgate.model.report import Side
from profgate.pipeline import PipelineInput, Progress, silent

Graph = dict[str, StoredCommit]


class Checker:
    """Checks of a revision and of the commits before it. ``verbose`` adds unchanged rows to the reports."""

    def __init__(
        self, store: HistoryStore, rev: str, policy: Policy, strategies: tuple[str, ...] | None, *, verbose: bool
    ) -> None:
        self._store = store
        self._target = commit_named(rev, store.commits())
        self._graph: Graph = graph_before(self._target, store)
        self._measured = store.measured_commits()
        self._series = {series.key: series for series in store.series()}
        self._policy = with_false_alarms(policy, store.verdicts())
        self._strategies, self._verbose = strategies, verbose

    def checks(self, last: int | None, progress: Progress = silent) -> Checks:
        """Check one commit or, if ``last`` is given, the newest ``last`` measured commits up to this commit.

        Raises ProfgateError if no commit was measured.
        """
        before = [self._target] if last is None else [commit.sha for commit in ancestors(self._target, self._graph)]
        measured = in_order(self._graph, [sha for sha in before if sha in self._measured])
        if not measured:
            where = "at this commit" if last is None else "at this commit or before it"
            what = f"nothing was measured {where}; add profiles with 'profgate store add'"
            raise ProfgateError(self._target[:12], what)
        newest = measured[-(last or 1) :]
        checks, first = list[Check](), list[tuple[str, str]]()
        for number, sha in enumerate(newest):
            progress(f"checking {sha[:12]}", number / len(newest))
            groups, without = self._baselines(sha)
            checks += [self._check(sha, *baseline, keys) for baseline, keys in sorted(groups.items())]
            first += [(sha, self._series[key].workload) for key in without]
        drawn = {*newest, *(check.baseline for check in checks)} if last is None else newest
        return Checks(tuple(reduced(self._graph, drawn)), tuple(checks), tuple(first), len(measured) - len(newest))

    def _baselines(self, target: str) -> tuple[dict[tuple[int, str], list[str]], list[str]]:
        """Return two values: the series by nearest measured ancestor, and the series that have no such ancestor.

        Each ancestor is identified by its distance and hash.
        """
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

    def _check(self, target: str, distance: int, baseline: str, keys: Sequence[str]) -> Check:
        read = partial(self._store.readings, profiles=True)
        before, after = stored_sides(
            *([reading for key in keys for reading in read(key, [sha])] for sha in (baseline, target))
        )
        given = PipelineInput(
            before,
            after,
            policy=self._policy,
            # distance is the number of commits from the baseline to the target
            baseline_side=self._side(baseline, distance - 1),
            target_side=self._side(target),
            strategies=self._strategies,
            verbose=self._verbose,
            pages=0,
            past=past_before(self._store, self._graph, baseline),
        )
        return Check(baseline, target, distance, wiring.compare(given).report)

    def _side(self, sha: str, distance: int | None = None) -> Side:
        return Side(self._graph[sha].title[:60] if sha in self._graph else "", sha, distance=distance)
