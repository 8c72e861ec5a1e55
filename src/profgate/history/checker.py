"""Compares commits with their nearest measured ancestors and stores the results."""

import json
from collections.abc import Sequence
from typing import Any

from profgate import wiring
from profgate.errors import ProfgateError
from profgate.history.ancestry import ancestors, in_order, nearest, reduced
from profgate.history.checks import Check, Checks
from profgate.history.false_alarms import with_false_alarms
from profgate.history.history_store import HistoryStore
from profgate.history.revisions import commit_named, graph_before, past_before
from profgate.history.stored_profiles import stored_sides
from profgate.model.history import StoredCommit, StoredRecord, StoredVerdict
from profgate.model.policy import Policy
from profgate.model.report import Report, Side
from profgate.pipeline import PipelineInput
from profgate.report.json_report import to_json

Graph = dict[str, StoredCommit]


class Checker:
    """Checks the commits before a revision; keyword ``verbose`` puts unchanged rows into the reports."""

    def __init__(
        self, store: HistoryStore, rev: str, policy: Policy, strategies: tuple[str, ...] | None, *, verbose: bool
    ) -> None:
        self._store = store
        self._target = commit_named(rev, store.commits())
        self._graph: Graph = graph_before(self._target, store)
        self._measured = store.measured_commits()
        self._series = {series.key: series for series in store.series()}
        self._policy = with_false_alarms(policy, store.verdicts("unchanged"))
        self._strategies, self._verbose = strategies, verbose

    def checks(self, last: int | None) -> Checks:
        """The check of the commit, or of the ``last`` measured commits up to it, the oldest first.

        Raises ProfgateError where nothing was measured.
        """
        before = [self._target] if last is None else [commit.sha for commit in ancestors(self._target, self._graph)]
        measured = in_order(self._graph, [sha for sha in before if sha in self._measured])
        if not measured:
            where = "at this commit" if last is None else "at this commit or before it"
            what = f"nothing was measured {where}; add profiles with 'profgate store add'"
            raise ProfgateError(self._target[:12], what)
        newest = measured[-(last or 1) :]
        checks, first = list[Check](), list[tuple[str, str]]()
        for sha in newest:
            groups, without = self._baselines(sha)
            checks += [self._check(sha, *baseline, keys) for baseline, keys in sorted(groups.items())]
            first += [(sha, self._series[key].workload) for key in without]
        drawn = {*newest, *(check.baseline for check in checks)} if last is None else newest
        return Checks(tuple(reduced(self._graph, drawn)), tuple(checks), tuple(first), len(measured) - len(newest))

    def _baselines(self, target: str) -> tuple[dict[tuple[int, str], list[str]], list[str]]:
        """The series by distance and hash of their nearest measured ancestor, and those that have none."""
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
        before, after = stored_sides(
            *(
                [reading for key in keys for reading in self._store.readings(key, [sha], profiles=True)]
                for sha in (baseline, target)
            )
        )
        given = PipelineInput(
            before,
            after,
            policy=self._policy,
            baseline_side=self._side(baseline, distance - 1),  # commits between; the parent itself is at 0
            target_side=self._side(target),
            strategies=self._strategies,
            verbose=self._verbose,
            pages=0,
            past=past_before(self._store, self._graph, baseline),
        )
        built = wiring.compare(given)
        # each strategy's record replaces its former one; a fixed change is gone with it
        with self._store.writing():
            self._store.add_records(
                StoredRecord(
                    baseline, target, workload, strategy, json.dumps(_changes(built.report, workload, strategy))
                )
                for workload, strategies in wiring.strategies_of(built, given).items()
                for strategy in strategies
            )
            self._store.add_verdicts([_verdict(built.report, baseline, target)])
        return Check(baseline, target, distance, built.report)

    def _side(self, sha: str, distance: int | None = None) -> Side:
        return Side(self._graph[sha].title[:60] if sha in self._graph else "", sha, distance=distance)


def _changes(report: Report, workload: str, strategy: str) -> list[dict[str, Any]]:
    """The changes that a strategy reports of a workload, to be read without the report."""
    return [
        {
            "metric": metric.name,
            "unit": metric.unit,
            "kind": change.kind,
            "subtype": change.subtype,
            "name": change.location.name,
            "file": change.location.file,
            "context": list(change.location.context) if change.location.context else None,
            "from": change.from_value,
            "to": change.to_value,
            "delta": change.delta,
            "relative": change.relative,
            "confidence": {"type": change.confidence_type, "value": change.confidence},
        }
        for compared in report.workloads
        if compared.name == workload
        for metric in compared.metrics
        for change in metric.changes
        if change.strategy == strategy
    ]


def _verdict(report: Report, baseline: str, target: str) -> StoredVerdict:
    metrics = [metric for workload in report.workloads for metric in workload.metrics]
    reds = sum(finding.colour == "red" for metric in metrics for finding in metric.findings)
    return StoredVerdict("gate", baseline, target, "", report.verdict.conclusion, reds, len(metrics), to_json(report))
