"""Each condition of red alone: a finding for which everything else holds, and the one thing that stands against it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from comparisons import from_exclusive, timed
from profgate.detect.rules import selected, words_on
from profgate.judge.changes import metric_report
from profgate.judge.verdict import judge
from profgate.model.change import Change, Context, Location
from profgate.model.policy import Policy
from profgate.model.report import Finding, MetricReport, Report, Side, Total, Verdict, WorkloadReport

GATING = Policy(gate_without_history=True)
NUMBERS = {"q": 0.01, "z": 5.0, "d": 0.3, "distance": 3.5, "delta_share": 0.03, "detectable": 0.2}
CALIBRATED: dict[str, float | int | str | None] = {"state": "calibrated", "base_runs": 8, "q": 0.05}


def word(strategy: str, family: str, kind: str = "Degradation", **evidence: Any) -> Change:
    return Change(
        strategy=strategy,
        family=family,
        kind=kind,
        subtype="amount",
        location=Location("parse"),
        from_value=1000.0,
        to_value=1300.0,
        delta=300.0,
        relative=0.3,
        share_from=0.1,
        share_to=0.13,
        confidence_type="none",
        confidence=None,
        evidence=evidence,
    )


def calibrated(**changed: Any) -> Change:
    return word("calibrated_log_ratio", "T", **{**NUMBERS, **changed})


SECOND = word("exclusive_time_outliers", "A", "SevereDegradation")
BOTH = (calibrated(), SECOND)


def report_of(
    *changes: Change, pairs: int = 1, kind: str = "sampled", calibration: Any = CALIBRATED, distance: int = 0
) -> Report:
    metrics = [
        MetricReport(
            name=f"m{place}",
            unit="samples",
            better="lower",
            kind=kind,
            state="compared",
            runs={"baseline": 1, "target": 1, "noise": 7},
            total=Total(10_000.0, 10_300.0, 300.0, 0.03),
            changes=changes if not place else (),
            findings=(),
            counts={},
            calibration=calibration,
        )
        for place in range(pairs)
    ]
    workload = WorkloadReport("w", {}, (), tuple(metrics))
    return Report(Side("b", distance=distance), Side("t"), Verdict("not_compared", "neutral", ()), (workload,))


def found(report: Report, policy: Policy = GATING) -> Finding:
    (finding,) = judge(report, policy).workloads[0].metrics[0].findings
    return finding


def colour(*changes: Change, policy: Policy = GATING, **given: Any) -> str:
    return found(report_of(*changes, **given), policy).colour


def test_all_conditions_hold() -> None:
    assert found(report_of(*BOTH)).reasons == ("every condition of the gate holds",)
    assert found(report_of(*BOTH)).colour == "red"


def test_1_it_is_worse() -> None:
    better = [replace(change, kind="Optimization") for change in BOTH]
    assert colour(*better) == "green"


def test_2_the_calibrated_test_votes_worse() -> None:
    assert colour(SECOND, word("overweight", "S")) == "neutral"
    assert found(report_of(calibrated(kind="MaybeDegradation"), SECOND)).reasons == (
        "below the floors of the gate",
        "severity maybe does not fail (fail-on: degradation)",
    )


def test_2_q_counts_all_comparisons_of_the_report() -> None:
    assert colour(*BOTH, pairs=2) == "red"
    assert found(report_of(*BOTH, pairs=3)).reasons == ("not certain enough among 3 comparisons",)
    stated: Any = {**CALIBRATED, "gate_q": 0.05}
    assert colour(*BOTH, pairs=5, calibration=stated) == "red"
    assert colour(*BOTH, pairs=6, calibration=stated) == "yellow"


def test_2_a_repository_may_ask_the_gate_for_more_than_the_list() -> None:
    strict: Any = {**CALIBRATED, "gate_q": 0.005}
    assert colour(*BOTH, calibration=strict) == "yellow"
    assert colour(calibrated(q=0.004), SECOND, calibration=strict) == "red"


def test_2_no_other_calibrated_test_votes_better() -> None:
    against = word("outside_test", "T", "Optimization")
    finding = found(report_of(*BOTH, against))
    assert finding.colour != "red"
    assert not next(vote for vote in finding.strategies if vote.name == "outside_test").agrees


def test_4_severity_reaches_fail_on() -> None:
    light = (calibrated(distance=1.0, delta_share=0.006), SECOND)
    assert found(report_of(*light)).reasons == ("severity maybe does not fail (fail-on: degradation)",)
    assert colour(*light, policy=replace(GATING, fail_on="maybe")) == "red"
    assert colour(*BOTH, policy=replace(GATING, fail_on="severe")) == "red"
    assert colour(*BOTH, policy=replace(GATING, fail_on="never")) == "yellow"


def test_5_a_second_family_agrees_or_certainty_overwhelms() -> None:
    assert found(report_of(calibrated())).reasons == ("only the calibrated tests see it",)
    assert colour(calibrated(q=0.0009)) == "red"
    assert colour(calibrated(), word("exclusive_time_outliers", "A", "MaybeDegradation")) == "yellow"
    # two strategies of one family are one witness, and T is no second family to itself
    assert colour(calibrated(), word("outside_test", "T")) == "yellow"


def test_5_a_family_that_disagrees_in_itself_does_not_vote() -> None:
    against = word("average_amount_threshold", "A", "Optimization")
    assert colour(*BOTH, against) == "yellow"
    assert colour(*BOTH, against, word("overweight", "S")) == "red"


def test_t_wins_against_another_family_and_both_are_shown() -> None:
    finding = found(report_of(calibrated(q=0.0001), replace(SECOND, kind="Optimization")))
    assert (finding.colour, finding.direction) == ("red", "worse")
    assert [(vote.family, vote.agrees) for vote in finding.strategies] == [("T", True), ("A", False)]


def test_a_conflict_without_t_is_unknown() -> None:
    blind = {"state": "unknown", "base_runs": 8}
    finding = found(report_of(SECOND, word("overweight", "S", "Optimization"), calibration=blind))
    assert (finding.kind, finding.direction, finding.colour) == ("Unknown", "none", "neutral")
    assert [vote.kind for vote in finding.strategies] == ["SevereDegradation", "Optimization"]


@pytest.mark.parametrize("evidence", [{"cost": "moved"}, {"cost": "split"}])
def test_6_cost_that_moved_is_not_red(evidence: dict[str, str]) -> None:
    assert _marked(evidence=evidence) == "yellow"


def test_6_a_renamed_location_is_judged_like_any_other() -> None:
    assert _marked(evidence={"cost": "renamed"}) == "red"


def test_6_a_finding_is_not_accepted_by_what_a_report_says_of_it() -> None:
    assert _marked(acknowledgement={"by": "owner"}) == "red"  # only the list of acceptances does, see test_acceptances


def test_7_what_is_not_reachable_is_not_red() -> None:
    assert _marked(evidence={"reach": "not reachable"}) == "yellow"
    assert _marked(evidence={"reach": "unknown"}) == "red"


def test_8_what_a_second_measurement_refutes_is_not_red() -> None:
    assert _marked(evidence={"confirmed": "no"}) == "yellow"


def _marked(**change: Any) -> str:
    report = judge(report_of(*BOTH), GATING)
    (metric,) = report.workloads[0].metrics
    marked = replace(metric, findings=tuple(replace(one, **change) for one in metric.findings))
    return found(replace(report, workloads=(replace(report.workloads[0], metrics=(marked,)),))).colour


def test_fewer_than_eight_base_runs_are_advisory_unless_values_are_counted() -> None:
    young: Any = {**CALIBRATED, "base_runs": 7}
    assert colour(*BOTH, policy=Policy(), calibration=young) == "yellow"
    assert colour(*BOTH, policy=Policy(), calibration=young, kind="counted") == "red"
    assert colour(*BOTH, policy=Policy()) == "red"


def test_base_runs_that_cannot_show_their_noise_are_advisory() -> None:
    blind: Any = {**CALIBRATED, "state": "uncalibrated"}
    assert colour(*BOTH, policy=Policy(), calibration=blind) == "yellow"
    assert colour(*BOTH, calibration=blind) == "red"


def test_a_substituted_baseline_is_advisory() -> None:
    assert colour(*BOTH, distance=1) == "yellow"


def test_one_timed_run_needs_more_than_a_second_family_that_sees_the_same_run() -> None:
    alone: Any = {**CALIBRATED, "base_runs": 1}
    assert colour(*BOTH, calibration=alone, kind="timed") == "yellow"
    assert colour(calibrated(q=0.0009), SECOND, calibration=alone, kind="timed") == "red"
    assert colour(*BOTH, calibration={**alone, "base_runs": 2}, kind="timed") == "red"


BUSY = {"dict.get": 62_600_000, **{f"f{place:02}": 30_000_000 + 10_000_000 * place for place in range(20)}}


def _of_calls(baseline: Sequence[dict[str, int]], target: Sequence[dict[str, int]]) -> Report:
    comparison = from_exclusive(baseline, target, metric=timed())
    words = words_on(comparison, selected(GATING, comparison.configuration, comparison.metric), Context())
    draft = replace(report_of(), workloads=(WorkloadReport("w", {}, (), (metric_report(comparison, words),)),))
    return judge(draft, GATING)


def test_a_loaded_machine_under_one_run_of_a_deterministic_profiler_is_not_red() -> None:
    """Times of one run as a busy machine gave them: dict.get 62.6 ms, then 92.9 ms with as many calls."""
    assert _of_calls([BUSY], [{**BUSY, "dict.get": 92_900_000}]).verdict.colour == "green"


def test_three_runs_show_what_one_could_not() -> None:
    def runs(factor: float) -> list[dict[str, int]]:
        spread = (0.99, 1.0, 1.02)
        return [{**BUSY, "f10": round(BUSY["f10"] * factor * part)} for part in spread]

    assert _of_calls(runs(1.0), runs(1.5)).verdict.colour == "red"
    assert _of_calls(runs(1.0)[:1], runs(5.0)[:1]).verdict.colour == "red"
