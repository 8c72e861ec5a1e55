"""Drift: how much slower a branch became since a fixed commit, and which commits contributed most.

The level of a commit is the median of its cost and the costs of its two neighbours, so that one odd job moves nothing.
The drift is the difference between two levels, and the sum of the steps from each level to the next.
`docs/how-to/history.md` has an example.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from profgate.compare.comparability import on_other_machine
from profgate.decide.judge.findings import TOTAL_TEST, drafts_of
from profgate.decide.judge.verdict import judge
from profgate.history.ancestry import first_line
from profgate.history.history_store import HistoryStore
from profgate.history.trends import MetricLine, levels_of, lines_of, noise_of
from profgate.model.arrays import FloatArray
from profgate.model.calibration import Calibration
from profgate.model.change import Change, GateResult, Kind
from profgate.model.history import Reading, StoredCommit
from profgate.model.levels import FEWEST_JOBS
from profgate.model.policy import DriftRule, Policy
from profgate.model.reason import NotCompared, Reason, ReasonCode, Side
from profgate.model.record import replace
from profgate.model.report import TOTAL, MetricReport, Report, Step, Total, Verdict, WorkloadReport
from profgate.model.units import CALLS

MOST_STEPS = 20  # in a report
BOUND = 4.0  # times the noise; a smaller drift is not certain
PULL = re.compile(r"(?:^Merge pull request |\()#([0-9]{1,9})(?: from |\)$)")


def drift_report(
    store: HistoryStore,
    graph: Mapping[str, StoredCommit],
    now: str,
    fixed: Collection[str],
    rule: DriftRule,
    policy: Policy,
) -> Report:
    """Return the report on the drift up to the commit ``now``.

    ``fixed`` are the fixed commit and its ancestors. The drift begins at the newest measured one of them that is on the
    first-parent history.
    """
    branch, measured = first_line(now, graph), store.measured_commits()
    start = next((sha for sha in reversed(branch) if sha in measured and sha in fixed), None)
    if start is None:
        what = "the history has no measured commit up to there: none was measured, it expired, or the clone is shallow"
        return untested(what, now, rule, policy)
    before = frozenset(branch[: branch.index(start) + 1])
    loads, gone = list[WorkloadReport](), list[NotCompared]()
    for series in store.series():
        here = [sha for sha in branch if series.key in measured.get(sha, ())]
        if here[-1:] == [now] and here[0] in before:
            lines = lines_of(_on_one_model(list(store.readings(series.key, here)), now), here)
            costs = (line for line in lines if line.metric.name != CALLS.name)
            metrics = tuple(drift_of(line, before, graph, rule) for line in costs)
            loads.append(WorkloadReport(series.workload, (), metrics))
        elif start in here:
            gone.append(NotCompared(series.workload, None, "baseline", Reason(ReasonCode.MISSING_IN_TARGET)))
    return _judged(Side(rule.since, start), now, policy, loads, gone)


def untested(what: str, now: str, rule: DriftRule, policy: Policy) -> Report:
    """Return the report if the drift cannot be computed, with the reason."""
    missing = NotCompared(f"since {rule.since}", None, "both", Reason(ReasonCode.TEXT, {"text": what}))
    return _judged(Side(rule.since), now, policy, (), [missing])


def _judged(
    start: Side, now: str, policy: Policy, loads: Sequence[WorkloadReport], missing: Sequence[NotCompared]
) -> Report:
    """Return the report with its verdict. The limit of the drift replaces fail-on, and nothing needs a confirmation."""
    draft = Report(start, Side("", now), Verdict("not_compared", "neutral", ()), tuple(loads), tuple(missing))
    return judge(draft, replace(policy, fail_on="degradation", confirm="off"))


def _on_one_model(readings: Sequence[Reading], now: str) -> list[Reading]:
    """Return the readings on the CPU model on which the newest commit was measured."""
    newest = [reading.facts for reading in readings if reading.commit == now]
    return [reading for reading in readings if not on_other_machine(reading.facts, newest)]


def drift_of(
    line: MetricLine, before: Collection[str], graph: Mapping[str, StoredCommit], rule: DriftRule
) -> MetricReport:
    """Return the report on the drift of one metric since the last of the commits ``before``."""
    metric, first = line.metric, sum(sha in before for sha in line.commits) - 1
    report = MetricReport(
        name=metric.name,
        unit=metric.unit,
        better=metric.better,
        kind=str(metric.kind),
        state="not compared",
        runs={"baseline": len(line.columns[first]), "target": len(line.columns[-1])},
        total=Total(None, None, None, None),
        findings=(),
        counts={},
    )
    if first < 0 or len(line.commits) <= FEWEST_JOBS or line.totals().min() <= 0:
        what = f"{len(line.commits)} measured commits on this CPU model show no noise; {FEWEST_JOBS + 1} are needed"
        return replace(report, not_tested=(Reason(ReasonCode.TEXT, {"text": what}),))
    costs, steps, factors, common = line.corrected()
    levels, rest = levels_of(costs), levels_of(common / factors)
    start, end = float(levels[first]), float(levels[-1])
    relative, bound = end / start - 1.0, BOUND * float(noise_of(costs)) / start
    sign, kind = 1.0 if metric.better == "lower" else -1.0, Kind.NO_CHANGE
    if sign * relative >= rule.limit:
        kind = Kind.TOTAL_DEGRADATION if abs(relative) > bound else Kind.MAYBE_DEGRADATION
    # a persistent factor of all functions may be another machine
    shared = float(rest[-1] / rest[first])
    everything = shared if sign * (shared - 1.0) >= sign * relative / 2.0 else None
    values = (start, end, end - start, relative)
    subject = (TOTAL_TEST, "T", kind.word, "total", TOTAL, *values, None, None, "none", None)
    return replace(
        report,
        state="compared",
        total=Total(*values),
        unjudged=drafts_of([Change(*subject, result=GateResult(bound=bound, ratio=relative, everything=everything))]),
        calibration=Calibration(
            state="tested",
            mode="jobs",
            base_jobs=int((np.abs(costs - levels) <= bound * start).sum()),
            common_factor=float(factors[-1] / factors[first]),
            total_tested=True,
        ),
        drift=rule,
        steps=tuple(_largest(line, first, sign * steps[first:] / start, graph)),
    )


def _largest(line: MetricLine, first: int, sizes: FloatArray, graph: Mapping[str, StoredCommit]) -> Iterator[Step]:
    """Yield the steps for the worse of the commits after the ``first``, largest first."""
    for place in np.argsort(-sizes).tolist()[:MOST_STEPS]:
        if sizes[place] > 0:
            before, sha = line.commits[first + place : first + place + 2]
            pull = PULL.search(graph[sha].title)
            name = f"#{pull[1]}" if pull else sha[:10]
            if before not in graph[sha].parents:  # commits between them were not measured, and may have made the step
                name = f"{before[:10]}..{sha[:10]}"
            yield Step(sha, name, float(sizes[place]))
