"""Judge stored reports again under another policy, from what they contain."""

from collections.abc import Mapping
from typing import Any, get_args

from profgate.decide.judge.findings import GATE_TEST, TOTAL_TEST
from profgate.decide.judge.verdict import judge, policy_stated_in
from profgate.model.change import BY_WORD, Change, Kind
from profgate.model.policy import OnNotCompared, Policy, Rule
from profgate.model.record import Record, replace
from profgate.model.report import Finding, MetricReport, Report

METHODS = {"clr": GATE_TEST, "tot": TOTAL_TEST}
FLOORS = frozenset({"own", "listed_share", "gate_share", "floor"})  # options that stored results can be compared with
UNCERTAIN = {Kind.DEGRADATION: Kind.MAYBE_DEGRADATION, Kind.OPTIMIZATION: Kind.MAYBE_OPTIMIZATION}


class Candidate(Record):
    """A policy, or None for the one that a report states, with the fields that are replaced in it."""

    name: str
    policy: Policy | None = None
    changed: Mapping[str, Any] = {}


def replayed(report: Report, candidate: Candidate) -> Report:
    """Return the report as it would be under another policy.

    Of the rules, only floors of the gate's tests apply, and only those that are larger than when the report was
    written, because smaller changes were not stored.
    """
    stated = policy_stated_in(report)
    policy = candidate.policy or stated
    # its default depends on the event, so a policy without this key has the value of the report
    if policy.on_not_compared not in get_args(OnNotCompared):
        policy = replace(policy, on_not_compared=stated.on_not_compared)
    policy = replace(policy, **candidate.changed)
    floors: dict[str, float] = {}
    for rule in policy.rules:
        floors |= floors_of(rule)
    raised = report.with_metrics(lambda _, metric: _raised(metric, floors)) if floors else report
    return judge(raised, policy)


def floors_of(rule: Rule) -> dict[str, float]:
    """Return the floors that a rule sets for all workloads, by option."""
    known = METHODS.get(rule.method, rule.method) in {GATE_TEST, TOTAL_TEST} and not rule.keys
    return {name: float(value) for name, value in rule.options.items() if known and name in FLOORS}


def _raised(metric: MetricReport, floors: Mapping[str, float]) -> MetricReport:
    def raised(finding: Finding) -> Finding:
        changes = (replace(change, kind=_kind(change, metric, floors).word) for change in finding.changes)
        return replace(finding, changes=tuple(changes))

    return replace(metric, findings=tuple(map(raised, metric.findings)), unjudged=tuple(map(raised, metric.unjudged)))


def _kind(change: Change, metric: MetricReport, floors: Mapping[str, float]) -> Kind:
    """Return the kind that the strategy would have reported with these floors."""
    kind, result = BY_WORD[change.kind], change.result
    if result is None:
        return kind
    if change.strategy == TOTAL_TEST:
        return Kind.NO_CHANGE if abs(change.relative or 0.0) < floors.get("floor", 0.0) else kind
    # the growth of a new function, or of one that calls new ones, has no relative size
    is_small = result.ratio is not None and not result.new_callees and abs(result.ratio) < floors.get("own", 0.0)
    share = abs(result.delta_share or 0.0)
    if share < floors.get("listed_share", 0.0) or (is_small and metric.kind != "counted"):
        return Kind.NO_CHANGE
    return UNCERTAIN.get(kind, kind) if is_small or share < floors.get("gate_share", 0.0) else kind
