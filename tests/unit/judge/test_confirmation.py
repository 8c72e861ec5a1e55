"""A second measurement withdraws what it does not see again, and nothing else."""

from dataclasses import replace

import pytest

from comparisons import from_exclusive
from profgate.detect.rules import selected, words_on
from profgate.judge.changes import metric_report
from profgate.judge.confirmation import Suspect, confirmed, suspects
from profgate.judge.verdict import judge, policy_stated_in
from profgate.model.change import Context
from profgate.model.policy import Policy
from profgate.model.report import Finding, Report, Side, Verdict, WorkloadReport
from profgate.model.second_measurement import Second
from profgate.report.json_report import from_json, to_json

GATING = Policy(gate_without_history=True)
BASE = {f"f{place:02}": 4000 + 100 * place for place in range(30)}
SLOWER = {**BASE, "f07": 9400}
SAME = Second(0.001, 2.0, 0.03, (5, 5))


def red(policy: Policy = GATING) -> Report:
    comparison = from_exclusive([BASE], [SLOWER])
    words = words_on(comparison, selected(policy, comparison.configuration, comparison.metric), Context(1))
    load = WorkloadReport(comparison.workload, {}, (), (metric_report(comparison, words),))
    return judge(Report(Side("b"), Side("t"), Verdict("not_compared", "neutral", ()), (load,)), policy)


def f07(report: Report) -> Finding:
    return next(one for one in report.workloads[0].metrics[0].findings if one.location.name == "f07")


def test_what_fails_is_suspect() -> None:
    assert [(one.workload, one.metric, one.finding.location.name) for one in suspects(red(), GATING)] == [
        ("w", "samples", "f07")
    ]


def test_what_repeats_stays_red_and_says_so() -> None:
    report = confirmed(red(), GATING, lambda _: SAME)
    assert (f07(report).colour, report.verdict.exit_code) == ("red", 1)
    evidence = f07(report).evidence or {}
    assert evidence["confirmed"] == "yes"
    assert evidence["measured again"] == "confirmed by 5 + 5 interleaved runs: +100.0 %, p = 0.001"


@pytest.mark.parametrize(
    "second",
    [
        replace(SAME, p=0.06),
        replace(SAME, ratio=0.5),
        replace(SAME, ratio=1.04),
        replace(SAME, delta_share=0.001),
    ],
)
def test_what_does_not_repeat_is_withdrawn(second: Second) -> None:
    report = confirmed(red(), GATING, lambda _: second)
    assert (f07(report).colour, report.verdict.exit_code) == ("yellow", 0)
    assert "a second measurement did not confirm it" in f07(report).reasons
    assert judge(from_json(to_json(report)), GATING).verdict == report.verdict


def test_what_was_not_seen_again_stays_red() -> None:
    report = confirmed(red(), GATING, lambda _: None)
    assert (f07(report).colour, report.verdict.exit_code) == ("red", 1)
    assert (f07(report).evidence or {})["confirmed"] == "not seen"


def test_a_newer_measurement_replaces_an_older_one() -> None:
    once = confirmed(red(), GATING, lambda _: replace(SAME, p=0.9))
    assert len(suspects(once, GATING)) == 1
    assert confirmed(once, GATING, lambda _: SAME).verdict.exit_code == 1


def test_only_suspects_are_asked_for() -> None:
    asked: list[Suspect] = []

    def ask(suspect: Suspect) -> Second:
        asked.append(suspect)
        return SAME

    confirmed(red(), GATING, ask)
    assert [one.finding.location.name for one in asked] == ["f07"]


def test_where_it_is_required_nothing_is_red_before_it() -> None:
    policy = replace(GATING, confirm="required")
    first = red(policy)
    assert (f07(first).colour, first.verdict.exit_code) == ("yellow", 0)
    assert f07(first).reasons == ("waits for a second measurement (confirm: required)",)
    stored = from_json(to_json(first))
    assert policy_stated_in(stored) == policy
    assert confirmed(stored, policy, lambda _: SAME).verdict.exit_code == 1
    assert confirmed(stored, policy, lambda _: None).verdict.exit_code == 1
    assert confirmed(stored, policy, lambda _: replace(SAME, p=0.5)).verdict.exit_code == 0


def test_when_possible_leaves_what_is_certain_red() -> None:
    assert f07(red(replace(GATING, confirm="when-possible"))).colour == "red"


def test_a_policy_that_a_report_does_not_state_is_the_built_in_one() -> None:
    assert policy_stated_in(replace(red(), policy={})) == Policy()
