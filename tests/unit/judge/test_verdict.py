"""From comparisons to the verdict: severity, redness, states, colours and exit codes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from comparisons import SAMPLES, from_exclusive, from_stacks
from model_samples import Given
from profgate.compare.cost_models import cost_models
from profgate.detect.base import Strategy
from profgate.detect.best_model_order_equality import BestModelOrderEquality
from profgate.detect.calibrated_log_ratio import CalibratedLogRatio
from profgate.detect.integral_comparison import IntegralComparison
from profgate.detect.rules import selected, words_on
from profgate.judge.changes import metric_report
from profgate.judge.findings import importance
from profgate.judge.severity import severity
from profgate.judge.verdict import judge, policy_stated_in
from profgate.model.acceptance import Acceptance
from profgate.model.change import Context
from profgate.model.comparison import Comparison, Note
from profgate.model.policy import Policy
from profgate.model.profile import Configuration, FrameList, Profile
from profgate.model.report import Finding, NotCompared, Report, Side, Verdict, WorkloadReport
from profgate.report.json_report import from_json, to_json

GATING = Policy(gate_without_history=True)
BASE = {f"f{place:02}": 4000 + 100 * place for place in range(30)}
SLOWER = {**BASE, "f07": 9400}


def draft(*comparisons: Comparison, policy: Policy = GATING, missing: Sequence[NotCompared] = ()) -> Report:
    context = Context(max(1, len(comparisons)))
    workloads = tuple(
        WorkloadReport(
            comparison.workload,
            {},
            (),
            (
                metric_report(
                    comparison,
                    words_on(comparison, selected(policy, comparison.configuration, comparison.metric), context),
                ),
            ),
        )
        for comparison in comparisons
    )
    empty = Verdict("not_compared", "neutral", ())
    return Report(Side("baseline"), Side("target"), empty, workloads, tuple(missing))


def judged(*comparisons: Comparison, policy: Policy = GATING, missing: Sequence[NotCompared] = ()) -> Report:
    return judge(draft(*comparisons, policy=policy, missing=missing), policy)


def findings(report: Report) -> dict[str, Finding]:
    return {finding.location.name: finding for finding in report.workloads[0].metrics[0].findings}


def test_identical_profiles_are_green_with_nothing_listed() -> None:
    report = judged(from_exclusive([BASE], [BASE]), policy=Policy())
    metric = report.workloads[0].metrics[0]
    assert (metric.changes, metric.findings) == ((), ())
    assert metric.counts["no_change"] > 30
    assert (report.verdict.conclusion, report.verdict.colour, report.verdict.exit_code) == ("pass", "green", 0)
    assert report.verdict.reasons == ("no change beyond noise in 1 comparison",)


def test_a_clear_slowdown_is_red_and_named_first() -> None:
    report = judged(from_exclusive([BASE], [SLOWER]))
    found = findings(report)["f07"]
    assert (found.colour, found.direction, found.kind) == ("red", "worse", "SevereDegradation")
    assert (found.from_value, found.to_value, found.delta) == (4700.0, 9400.0, 4700.0)
    assert found.relative == pytest.approx(1.0)
    assert {vote.family for vote in found.strategies if vote.agrees} == {"T", "A", "S"}
    verdict = report.verdict
    assert (verdict.conclusion, verdict.colour, verdict.exit_code, verdict.advisory) == ("fail", "red", 1, False)
    assert verdict.reasons[0].startswith("f07 got worse (+100 %), from 2.9 % to 5.6 % of the run, in w, samples")
    assert "the total changed by +2.9 %" in verdict.reasons[0]


def test_without_history_the_gate_is_advisory() -> None:
    report = judged(from_exclusive([BASE], [SLOWER]), policy=Policy())
    assert findings(report)["f07"].colour == "yellow"
    assert (report.verdict.conclusion, report.verdict.exit_code, report.verdict.advisory) == ("warn", 0, True)
    assert "calibrating: 1 of 8 base runs, advisory until then" in report.verdict.reasons


def test_eight_base_runs_make_it_a_gate() -> None:
    noise = [{name: count + 7 * ((place * 31 + count) % 5) for name, count in BASE.items()} for place in range(7)]
    report = judged(from_exclusive([BASE], [SLOWER], noise=noise), policy=Policy())
    assert report.workloads[0].metrics[0].calibration["state"] == "calibrated"
    assert report.verdict.colour == "red"


def test_an_improvement_is_green() -> None:
    report = judged(from_exclusive([SLOWER], [BASE]))
    assert (findings(report)["f07"].colour, report.verdict.colour) == ("green", "green")
    assert report.verdict.reasons[0].startswith("f07 got better (−50.0 %)")


@pytest.mark.parametrize(("fail_on", "colour"), [("never", "yellow"), ("severe", "red"), ("maybe", "red")])
def test_fail_on(fail_on: Any, colour: str) -> None:
    policy = replace(GATING, fail_on=fail_on)
    assert judged(from_exclusive([BASE], [SLOWER]), policy=policy).verdict.colour == colour


def test_a_finding_below_the_policy_is_yellow() -> None:
    slightly = from_exclusive([BASE], [{**BASE, "f07": 6900}])
    assert findings(judged(slightly))["f07"].colour == "red"
    report = judged(slightly, policy=replace(GATING, fail_on="severe"))
    assert findings(report)["f07"].colour == "yellow"
    assert findings(report)["f07"].reasons == ("severity degraded does not fail (fail-on: severe)",)


@pytest.mark.parametrize(
    ("unchanged", "colour"), [((0, 300), "red"), ((1, 20), "red"), ((2, 20), "yellow"), ((0, 0), "red")]
)
def test_a_gate_that_errs_too_often_demotes_itself_where_it_is_told_to(unchanged: tuple[int, int], colour: str) -> None:
    report = draft(from_exclusive([BASE], [SLOWER]))
    policy = replace(GATING, unchanged=unchanged)
    assert judge(report, policy).verdict.colour == "red"
    told = judge(report, replace(policy, auto_demote=True))
    assert told.verdict.colour == colour
    assert any(reason.startswith("demoted: the gate was red in 2 of 20") for reason in told.verdict.reasons) == (
        colour == "yellow"
    )
    again = judge(from_json(to_json(told)), policy_stated_in(told))
    assert again.verdict == told.verdict


def test_a_substituted_baseline_does_not_gate() -> None:
    report = replace(draft(from_exclusive([BASE], [SLOWER])), baseline=Side("baseline", distance=2))
    assert judge(report, GATING).verdict.colour == "yellow"
    assert judge(report, replace(GATING, max_gate_distance=2)).verdict.colour == "red"


def test_moved_findings_are_not_red() -> None:
    first = judged(from_exclusive([BASE], [SLOWER]))
    metric = first.workloads[0].metrics[0]
    marked = tuple(replace(found, evidence={"cost": "moved"}) for found in metric.findings)
    workload = replace(first.workloads[0], metrics=(replace(metric, findings=marked),))
    again = judge(replace(first, workloads=(workload,)), GATING)
    assert findings(again)["f07"].colour == "yellow"
    assert again.verdict.colour == "yellow"


def test_an_acceptance_in_the_report_lets_its_finding_pass_every_time() -> None:
    first = draft(from_exclusive([BASE], [SLOWER]))
    wish = Acceptance("7.0", "f07", "the new format needs it", by="octocat")
    once = judge(replace(first, acceptances=(wish,)), GATING)
    assert (once.verdict.colour, once.verdict.exit_code) == ("yellow", 0)
    assert "accepted by octocat" in once.verdict.reasons[0]
    assert once.acceptances[0].limit == pytest.approx(1.25)
    assert judge(once, GATING) == once
    assert judge(from_json(to_json(once)), GATING).acceptances == once.acceptances
    assert judge(replace(once, acceptances=()), GATING).verdict.colour == "red"


def test_judging_again_gives_the_same() -> None:
    report = judged(from_exclusive([BASE], [SLOWER]), from_exclusive([BASE] * 5, [SLOWER] * 5, workload="other"))
    assert judge(report, GATING) == report
    stored = from_json(to_json(report))
    assert to_json(judge(stored, GATING)) == to_json(report)
    assert judge(stored, GATING).verdict == report.verdict


def test_nothing_compared_is_never_green() -> None:
    report = judged()
    assert (report.verdict.conclusion, report.verdict.exit_code) == ("not_compared", 3)
    assert report.verdict.reasons[0] == "nothing was compared"


def test_a_missing_workload_is_neutral_or_fails_by_policy() -> None:
    missing = [NotCompared("gone", None, "baseline", "no profile in the target")]
    same = from_exclusive([BASE], [BASE])
    report = judged(same, missing=missing)
    assert (report.verdict.colour, report.verdict.exit_code) == ("neutral", 3)
    assert report.verdict.reasons == ("not compared: gone: no profile in the target",)
    strict = judged(same, policy=replace(GATING, on_not_compared="fail"), missing=missing)
    assert (strict.verdict.conclusion, strict.verdict.exit_code) == ("not_compared", 1)
    red = judged(from_exclusive([BASE], [SLOWER]), missing=missing)
    assert (red.verdict.colour, red.verdict.exit_code) == ("red", 1)


def test_a_new_workload_is_yellow() -> None:
    report = judged(from_exclusive([BASE], [BASE]), missing=[NotCompared("new", None, "target", "no baseline yet")])
    assert (report.verdict.colour, report.verdict.exit_code) == ("yellow", 0)


def test_a_blocking_note_leaves_the_metric_out() -> None:
    note = Note("unit", "samples against bytes", blocks=True)
    report = judged(from_exclusive([BASE], [SLOWER], notes=(note,)))
    metric = report.workloads[0].metrics[0]
    assert (metric.state, metric.changes, metric.cannot_tell) == ("not compared", (), ("samples against bytes",))
    assert report.verdict.colour == "neutral"


def test_a_failing_strategy_is_told_and_never_green() -> None:
    broken = replace(from_exclusive([BASE], [BASE]), first_seen="nonsense")  # type: ignore[arg-type]
    report = judged(broken)
    assert report.verdict.colour == "yellow"
    assert any("overweight: the strategy failed" in reason for reason in report.workloads[0].metrics[0].cannot_tell)
    blind = replace(from_exclusive([BASE], [BASE]), noise_totals=None)  # type: ignore[arg-type]
    assert judged(blind).verdict.colour == "neutral"


def test_new_cost_is_yellow_and_never_red() -> None:
    report = judged(from_exclusive([BASE], [{**BASE, "brand_new": 9000}]))
    assert findings(report)["brand_new"].kind == "NotInBaseline"
    assert (findings(report)["brand_new"].colour, report.verdict.colour) == ("yellow", "yellow")


def test_few_samples_are_yellow_at_most() -> None:
    report = judged(from_stacks([{"m;a": 10, "m;b": 20}], [{"m;a": 90, "m;b": 20}]))
    assert report.verdict.colour == "yellow"
    assert any("fewer than 1000 samples" in reason for reason in report.workloads[0].metrics[0].cannot_tell)


def test_outliers_the_test_does_not_confirm_stay_neutral() -> None:
    target = {**BASE, "f03": BASE["f03"] + 60}
    report = judged(from_exclusive([BASE], [target]))
    assert findings(report)["f03"].colour == "neutral"
    assert report.verdict.colour == "green"


def test_totals_turn_red_and_are_corrected_for_their_number() -> None:
    base = [{"a": 100_000 + 300 * step, "b": 100_000} for step in range(6)]
    slow = [{name: round(1.06 * count) for name, count in run.items()} for run in base]
    report = judged(from_exclusive(base, slow))
    assert findings(report)["total"].colour == "red"
    assert findings(report)["total"].kind == "TotalDegradation"
    assert report.verdict.reasons[0].startswith("the total got worse (+6.0 %)")
    crowd = [from_exclusive(base, slow)] + [from_exclusive(base, base, workload=f"w{n}") for n in range(30)]
    loose = replace(
        draft(*crowd),
        workloads=tuple(
            replace(
                workload,
                metrics=tuple(
                    replace(metric, calibration={**metric.calibration, "total_p": 0.003}) for metric in workload.metrics
                ),
            )
            for workload in draft(*crowd).workloads
        ),
    )
    assert "total" not in findings(judge(loose, GATING))


def test_red_findings_come_first() -> None:
    report = judged(from_exclusive([BASE], [{**SLOWER, "f20": 3000, "brand_new": 2000}]))
    found = report.workloads[0].metrics[0].findings
    assert [finding.colour for finding in found][:2] == ["red", "yellow"]
    assert list(found) == sorted(found, key=importance)


def test_golden_severity() -> None:
    assert severity(2.147816, 0.029255) == "degraded"
    assert severity(12.0, 0.05) == "severe"
    assert severity(1.4, 0.009) == "maybe"
    assert severity(20.0, 0.0001) == "degraded"


def grown(steeper: float, exponent: float) -> Comparison:
    """A location whose cost over size changed, in a run whose shares did not."""
    comparison = from_exclusive([BASE], [BASE])
    place = comparison.symbols.names.index("f07")
    models = [Given("linear", (1, 2), 0.99), Given("power", (steeper, exponent), 0.99)]
    sides = [[(profile_of([model], place), np.arange(len(BASE)))] for model in models]
    return replace(comparison, models=cost_models(sides, None))


def profile_of(models: Sequence[Given], frame: int) -> Profile:
    brought = tuple(model.model(frame) for model in models)
    return Profile("p", Configuration(), (SAMPLES,), FrameList.of_names(list(BASE)), models=brought)


def judged_by_models(comparison: Comparison) -> Report:
    strategies: tuple[Strategy, ...] = (CalibratedLogRatio(), BestModelOrderEquality(), IntegralComparison())
    words = [strategy.detect(comparison, {}, Context()) for strategy in strategies]
    workload = WorkloadReport("w", {}, (), (metric_report(comparison, words),))
    unjudged = Verdict("not_compared", "neutral", ())
    return judge(Report(Side("baseline"), Side("target"), unjudged, (workload,)), GATING)


def test_growth_that_two_strategies_see_is_worth_a_look_and_never_red() -> None:
    """The calibrated test compares shares of a run: growth in larger inputs than the run's is not its subject."""
    report = judged_by_models(grown(1, 2))
    found = findings(report)["f07"]
    assert (found.colour, found.kind, found.severity) == ("yellow", "MaybeDegradation", "maybe")
    assert found.reasons == ("its cost over size changed; no calibrated test sees it",)
    assert report.verdict.conclusion == "warn"


def test_another_shape_of_the_same_size_is_a_hint() -> None:
    """A power of 1.0 above a line is a higher order and no more cost: one strategy alone names it."""
    report = judged_by_models(grown(2, 1.003))
    assert findings(report)["f07"].colour == "neutral"
    assert report.verdict.conclusion == "pass"


def test_sides_that_share_little_are_not_passed() -> None:
    """Two programs of one file name, or names that change with every build: hardly compared, so worth a look."""
    before = {"main": 1000, "lex": 5000, "emit": 4000}
    after = {"main": 1000, "scan": 5000, "write": 4000}
    report = judged(from_exclusive([before], [after]))
    assert report.verdict.colour == "yellow"
    assert any("share only 10.0 % of the run" in reason for reason in report.verdict.reasons)
    assert "known_share" not in judged(from_exclusive([before], [before])).workloads[0].metrics[0].calibration
