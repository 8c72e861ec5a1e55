"""Join the results of machines that measured the same commits: a change is certain only if every machine shows it."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from profgate.decide.judge.claims import joined_claims
from profgate.decide.judge.findings import GATE_TEST, TOTAL_TEST
from profgate.decide.judge.shards import Shard, is_open, without_measurement
from profgate.decide.judge.verdict import judge
from profgate.errors import ProfgateError
from profgate.model.change import BY_WORD, MAYBE, Change, GateResult, Kind, Location, OtherMachine
from profgate.model.levels import DEVIATIONS, PLACEMENT, PLACEMENT_WEIGHT
from profgate.model.measurement import Measurement, Outcome, Suspect
from profgate.model.policy import Policy
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import replace
from profgate.model.report import Finding, MetricReport, Report, WorkloadReport, direction_of
from profgate.model.units import MetricKind

Key = tuple[str, Location, str]  # strategy, location, and "subtree" if the test included its callees


def joined_by_machine(shards: Sequence[Shard], policy: Policy) -> list[Shard]:
    """Return the shards, with the results of machines joined into the report of the comparison that they confirm.

    Raises:
        ProfgateError: if the results describe different commits.
    """
    results: dict[str, list[Shard]] = {}
    for shard in shards:
        if shard.report.confirms:
            results.setdefault(shard.report.confirms, []).append(shard)
    firsts = [shard for shard in shards if not shard.report.confirms]
    known = {shard.digest for shard in firsts}
    # without the first comparison, its report is that of the first machine without what was measured
    firsts += [replace(own[0], digest=digest) for digest, own in results.items() if digest not in known]
    return [
        replace(first, report=with_machines(first, results[first.digest], policy)) if first.digest in results else first
        for first in firsts
    ]


def with_machines(first: Shard, results: Sequence[Shard], policy: Policy) -> Report:
    """Return the first report with what every machine measured. Two results of one machine count as one.

    Raises:
        ProfgateError: if the results describe different commits.
    """
    reports: list[Report] = []
    machines: set[str] = set()
    failed: list[Reason] = []
    for shard in results:
        report, measurement = shard.report, shard.report.measurement
        if report.confirms != first.digest:
            what = f"measures another comparison than {first.name}; use the results of one run"
            raise ProfgateError(f"report {shard.name}", what)
        if report.target.sha != first.report.target.sha:
            own, other = (side.sha or "an unknown commit" for side in (report.target, first.report.target))
            what = f"is a result of {own}, {first.name} is a comparison of {other}; use the results of one run"
            raise ProfgateError(f"report {shard.name}", what)
        failed += [warning for warning in report.warnings if warning.code is ReasonCode.NOT_MEASURED_AGAIN]
        if measurement is not None and machines.isdisjoint(measurement.machines) and len(machines) < policy.machines:
            reports.append(report)
            machines.update(measurement.machines)
    if len({report.baseline.sha for report in reports}) > 1:
        what = "are results of different baselines; use the results of one run"
        raise ProfgateError(f"reports {', '.join(shard.name for shard in results)}", what)
    if len(machines) >= policy.machines:
        # the costs are those of the machine that shows most changes
        reports.sort(key=_certain_changes, reverse=True)
        return judge(replace(reduce(_joined, reports), confirms=""), policy)
    if not is_open(first.report):
        return first.report
    parameters = [warning.parameters for warning in failed]
    side = next((str(each["side"]) for each in parameters if each.get("side")), "")
    why = [f"{len(machines)} of {policy.machines} machines have a result", *(str(each["text"]) for each in parameters)]
    # what a single machine measured is possible at most
    draft = first.report.with_metrics(
        lambda _, metric: _joined_metric(metric, None, 0.0, {}) if metric.calibration.measured else metric
    )
    draft = replace(draft, confirms="")
    return without_measurement(draft, "; ".join(dict.fromkeys(why)), side, policy)


def _joined(one: Report, other: Report) -> Report:
    assert one.measurement is not None  # noqa: S101 - both are results of machines
    assert other.measurement is not None  # noqa: S101
    extent = _joined_extent(one.measurement, other.measurement)
    theirs = {(workload.name, metric.name): metric for workload, metric in other.metrics}
    results: dict[tuple[str, str], dict[Location | None, Suspect]] = {}
    for suspect in other.measurement.suspects:
        results.setdefault((suspect.workload, suspect.metric), {})[suspect.location] = suspect

    def joined(workload: WorkloadReport, metric: MetricReport) -> MetricReport:
        if not metric.calibration.measured:
            return metric
        # a count does not depend on the placement of the code
        placement = 0.0 if metric.kind == MetricKind.COUNTED else extent.placement or 0.0
        key = workload.name, metric.name
        return _joined_metric(metric, theirs.get(key), placement, results.get(key, {}))

    return replace(one.with_metrics(joined), measurement=extent, claims=joined_claims((one, other)))


def _certain_changes(report: Report) -> int:
    return sum(_is_certain(change) for _, metric in report.metrics for change in metric.changes)


def placement_of(disagreements: Sequence[tuple[float, float]]) -> float:
    """Return the standard deviation of the change of a function that only runs on another machine.

    A disagreement is the difference between the changes of a function on two machines, in natural logarithms, and its
    variance by chance. Half of its square without this variance estimates the variance by placement. Its weight is 1
    without chance, and falls with the variance: DerSimonian and Laird (1986), where `PLACEMENT` is assumed for the
    weights. `PLACEMENT` counts as much as `PLACEMENT_WEIGHT` functions without chance.
    """
    found, weights = 0.0, 0.0
    for difference, variance in disagreements:
        weight = 1.0 / (1.0 + variance / (2.0 * PLACEMENT**2))
        weights += weight
        found += weight * (difference**2 - variance) / 2.0
    return math.sqrt((PLACEMENT_WEIGHT * PLACEMENT**2 + max(0.0, found)) / (PLACEMENT_WEIGHT + weights))


def _disagreements(one: Measurement, other: Measurement) -> list[tuple[float, float]]:
    theirs = {(each.workload, each.metric, each.location): each for each in other.largest}
    pairs = ((each, theirs.get((each.workload, each.metric, each.location))) for each in one.largest)
    found = []
    for mine, same in pairs:
        ours, others = _in_logarithms(mine), same and _in_logarithms(same)
        if ours and others:
            found.append((ours[0] - others[0], ours[1] ** 2 + others[1] ** 2))
    return found


def _in_logarithms(suspect: Suspect) -> tuple[float, float] | None:
    """Return the change and its standard error, which is a quarter of the 95 % confidence interval."""
    if suspect.low is None or suspect.high is None:
        return None
    ratio = 1.0 + (suspect.low + suspect.high) / 2.0
    return (math.log(ratio), (suspect.high - suspect.low) / 4.0 / ratio) if ratio > 0 else None


def _joined_metric(
    metric: MetricReport, other: MetricReport | None, placement: float, results: Mapping[Location | None, Suspect]
) -> MetricReport:
    """Return the metric with the results of both machines, of which ``other`` is None if it has none.

    ``results`` are those of the other machine, also of what it does not list.
    """
    theirs: dict[Key, Change] = {}
    if other is not None and other.calibration.measured:
        theirs = {_key(change): change for change in other.changes if change.result is not None}

    def agreed(finding: Finding) -> Finding:
        changes = (_agreed(change, theirs.get(_key(change)), placement, results) for change in finding.changes)
        return replace(finding, changes=tuple(changes))

    own = {_key(change) for change in metric.changes}
    findings = list(map(agreed, metric.findings))
    for finding in other.findings if other is not None else ():
        new = [change for change in finding.changes if _is_certain(change) and _key(change) not in own]
        if new:
            findings.append(replace(finding, changes=tuple(_agreed(change, None, placement, {}) for change in new)))
    return replace(metric, findings=tuple(findings), unjudged=tuple(map(agreed, metric.unjudged)))


def _key(change: Change) -> Key:
    return change.strategy, change.location, change.result.judged if change.result is not None else ""


def _is_certain(change: Change) -> bool:
    kind = BY_WORD[change.kind]
    return change.result is not None and kind not in MAYBE and direction_of(kind) != "none"


def _least(result: GateResult, placement: float) -> float | None:
    """Return the smallest relative change that exceeds the effect of placement, or None for a new function."""
    if result.least is None or result.low is None or result.high is None:
        return None
    return DEVIATIONS[2] * math.hypot((result.high - result.low) / 4.0, placement)


def _agreed(
    change: Change, theirs: Change | None, placement: float, results: Mapping[Location | None, Suspect]
) -> Change:
    """Return the change with the result of the other machine. It is possible if only one of them is certain."""
    if change.result is None or change.strategy not in {GATE_TEST, TOTAL_TEST}:
        return change
    result = (theirs and theirs.result) or GateResult()
    other = OtherMachine(result.ratio, result.low, result.high, result.p)
    if theirs is None and (same := results.get(None if change.strategy == TOTAL_TEST else change.location)):
        other = OtherMachine(None, same.low, same.high, same.p)
    own = replace(change.result, other=other, least=_least(change.result, placement))
    changed = replace(change, result=own)
    certain = [each for each in (change, theirs) if each is not None and _is_certain(each)]
    directions = {direction_of(BY_WORD[each.kind]) for each in certain}
    are_large = all(abs(each.ratio or 0.0) >= (_least(each, placement) or 0.0) for each in (own, result))
    if not certain or (len(certain) > 1 and len(directions) == 1 and are_large):
        return changed
    possible = Kind.MAYBE_DEGRADATION if "worse" in directions else Kind.MAYBE_OPTIMIZATION
    return replace(changed, kind=possible.word)


def _joined_extent(one: Measurement, other: Measurement) -> Measurement:
    """Return the extent of both measurements. A suspect is confirmed if both confirm it."""
    theirs = {(each.workload, each.metric, each.location): each for each in other.suspects}
    suspects = []
    for suspect in one.suspects:
        same = theirs.get((suspect.workload, suspect.metric, suspect.location))
        suspects.append(suspect if same is None else _joined_suspect(suspect, same))
    return replace(
        one,
        runs=min(one.runs, other.runs),
        seconds=max(one.seconds, other.seconds),
        needed=one.needed or other.needed,
        suspects=tuple(suspects),
        machines=(*one.machines, *other.machines),
        placement=placement_of(_disagreements(one, other)),
    )


def _joined_suspect(one: Suspect, other: Suspect) -> Suspect:
    outcomes = {one.outcome, other.outcome}
    outcome: Outcome = "not measured" if "not measured" in outcomes else "possible"
    if len(outcomes) == 1:
        outcome = one.outcome or outcome
    low, high = _widest(min, one.low, other.low), _widest(max, one.high, other.high)
    return replace(one, low=low, high=high, p=_widest(max, one.p, other.p), outcome=outcome)


def _widest(chosen: Callable[..., float | None], *values: float | None) -> float | None:
    """Return the smallest or largest of the known values, or None if all are unknown."""
    return chosen((value for value in values if value is not None), default=None)
