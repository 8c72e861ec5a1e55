"""A second measurement withdraws what it does not show again, and proves what was open."""

from dataclasses import replace

import pytest
from profgate.judge.confirmation import Suspect, confirmed, suspects

from comparisons import from_exclusive
from judged import BASE, SLOWER, codes, findings, judged
from profgate.judge.verdict import judge, policy_stated_in
from profgate.model.policy import Policy
from profgate.model.report import Finding, Report, StatedPolicy
from profgate.model.tests import Second
from profgate.model.units import CALLS, MetricKind
from profgate.report.json_report import from_json, to_json

SAME = Second(0.001, 2.0, 0.03, (5, 5))
REQUIRED = Policy(confirm="required")


def report_of(runs: int = 5, policy: Policy | None = None, after: dict[str, int] | None = None) -> Report:
    return judged(from_exclusive([BASE] * runs, [after or SLOWER] * runs), policy=policy)


def f07(report: Report) -> Finding:
    return findings(report)["f07"]


def functions(found: list[Suspect]) -> list[tuple[str, bool]]:
    return [(suspect.finding.location.name, suspect.certain) for suspect in found if not suspect.total]


def measured(report: Report, second: Second | None, policy: Policy | None = None) -> Report:
    """The report confirmed by this measurement of its functions; nothing is seen of the total."""
    return confirmed(report, policy or Policy(), lambda suspect: None if suspect.total else second)


@pytest.mark.parametrize(("runs", "certain"), [(5, True), (4, False), (1, False)])
def test_red_and_open_findings_are_suspects(runs: int, certain: bool) -> None:
    assert functions(suspects(report_of(runs), Policy())) == [("f07", certain)]


def test_settled_findings_are_no_suspects() -> None:
    assert suspects(report_of(after=BASE), Policy()) == []
    assert functions(suspects(judged(from_exclusive([SLOWER] * 5, [BASE] * 5)), Policy())) == []
    assert functions(suspects(report_of(policy=Policy(fail_on="never")), Policy(fail_on="never"))) == []


def test_total_of_unknown_order_is_suspect() -> None:
    totals = [suspect for suspect in suspects(report_of(), Policy()) if suspect.total]
    assert [(suspect.finding.colour, suspect.certain) for suspect in totals] == [("yellow", False)]


def test_repeated_change_stays_red_with_its_numbers() -> None:
    report = measured(report_of(), SAME)
    (reason,) = f07(report).reasons
    assert (f07(report).colour, report.verdict.exit_code) == ("red", 1)
    assert (reason.code.value, reason.parameters) == ("confirmed", {"runs": "5 + 5", "change": "1", "p": "0.001"})
    evidence = f07(report).evidence
    assert [evidence.confirmed, evidence.confirmed_runs, evidence.confirmed_change] == ["yes", "5 + 5", "1"]


@pytest.mark.parametrize(
    "second",
    [replace(SAME, p=0.06), replace(SAME, ratio=0.5), replace(SAME, ratio=1.04), replace(SAME, delta_share=0.001)],
)
def test_change_that_does_not_repeat_is_withdrawn(second: Second) -> None:
    report = measured(report_of(), second)
    assert (f07(report).colour, codes(f07(report))) == ("yellow", ["not_repeated"])
    assert report.verdict.exit_code == 0
    assert judge(from_json(to_json(report)), Policy()).verdict == report.verdict


@pytest.mark.parametrize(
    ("p", "certain", "possible"), [(0.005, "red", "red"), (0.006, "red", "yellow"), (0.05, "red", "yellow")]
)
def test_open_finding_needs_stronger_proof(p: float, certain: str, possible: str) -> None:
    second = replace(SAME, p=p)
    assert [f07(measured(report_of(runs), second)).colour for runs in (5, 4, 1)] == [certain, possible, possible]


def test_total_is_confirmed_by_its_own_change() -> None:
    def total(ratio: float) -> Finding:
        second = Second(0.004, ratio, ratio - 1.0, (5, 5))
        return findings(confirmed(report_of(), Policy(), lambda suspect: second if suspect.total else None))["total"]

    assert (total(1.03).colour, total(1.03).kind, codes(total(1.03))) == ("red", "TotalDegradation", ["confirmed"])
    assert total(1.009).colour == "yellow"


def test_unseen_change_stays_red() -> None:
    report = measured(report_of(), None)
    assert (f07(report).colour, report.verdict.exit_code) == ("red", 1)
    assert f07(report).evidence.confirmed == "not seen"


def test_calls_are_not_confirmed() -> None:
    metric = replace(CALLS, kind=MetricKind.COUNTED)
    report = judged(from_exclusive([BASE] * 5, [SLOWER] * 5, metric=metric))
    assert suspects(report, Policy()) == []
    assert f07(measured(report, SAME)).colour == "yellow"


def test_newer_measurement_replaces_an_older_one() -> None:
    refuted = measured(report_of(), replace(SAME, p=0.9))
    assert functions(suspects(refuted, Policy())) == [("f07", True)]
    assert measured(refuted, SAME).verdict.exit_code == 1


def test_nothing_is_red_before_a_required_confirmation() -> None:
    first = report_of(policy=REQUIRED)
    assert (codes(f07(first)), first.verdict.exit_code) == (["waits"], 0)
    stored = from_json(to_json(first))
    assert policy_stated_in(stored) == REQUIRED
    exit_codes = [measured(stored, second, REQUIRED).verdict.exit_code for second in (SAME, None, replace(SAME, p=0.5))]
    assert exit_codes == [1, 1, 0]


@pytest.mark.parametrize(("distance", "colour"), [(1.5, "red"), (1.4, "yellow")])
def test_far_changes_need_no_possible_confirmation(distance: float, colour: str) -> None:
    report = report_of()
    (workload,) = report.workloads
    (metric,) = workload.metrics
    changes = [replace(change, evidence={**change.evidence, "distance": distance}) for change in metric.changes]
    metrics = (replace(metric, changes=tuple(changes)),)
    draft = replace(report, workloads=(replace(workload, metrics=metrics),))
    assert f07(judge(draft, Policy(confirm="when-possible"))).colour == colour


def test_report_without_policy_has_the_built_in_one() -> None:
    assert policy_stated_in(replace(report_of(), policy=StatedPolicy())) == Policy()
