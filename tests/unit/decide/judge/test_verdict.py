"""From comparisons to the verdict: states, colours, reasons and exit codes."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

import report_samples as samples
from comparisons import SAMPLES, from_exclusive
from judged import BASE, SLOWER, codes, findings, judged
from model_samples import Given
from profgate.compare.growth import cost_models
from profgate.decide.detect.amounts import ExclusiveTimeOutliers
from profgate.decide.detect.builtin import Selection, detections_of
from profgate.decide.detect.gate_tests import CalibratedLogRatio
from profgate.decide.detect.overweight import Overweight
from profgate.decide.detect.regression_models import BestModelOrderEquality, IntegralComparison
from profgate.decide.detect.strategy import Strategy
from profgate.decide.judge.changes import metric_report
from profgate.decide.judge.verdict import judge
from profgate.model.acceptance import Acceptance
from profgate.model.change import Context, Detection
from profgate.model.comparison import Comparison, Note
from profgate.model.policy import Policy
from profgate.model.profile import Configuration, FrameList, Profile
from profgate.model.reason import NotCompared, Reason, ReasonCode, Side, as_reason
from profgate.model.record import replace
from profgate.model.report import Attribution, Finding, FunctionCosts, Report, Verdict, WorkloadReport
from profgate.model.units import CALLS, Metric, MetricKind
from profgate.report.json_report import from_json, to_json
from report_samples import texts

COUNTED = Metric("instructions", "count", kind=MetricKind.COUNTED)


def same(**given: Any) -> Comparison:
    return from_exclusive([BASE] * 5, [BASE] * 5, **given)


def slower(after: dict[str, int] = SLOWER, **given: Any) -> Comparison:
    return from_exclusive([BASE] * 5, [after] * 5, **given)


def reasons(report: Report) -> list[str]:
    return [reason.code.value for reason in report.verdict.reasons]


def test_identical_profiles_are_green() -> None:
    report = judged(same())
    metric = report.workloads[0].metrics[0]
    assert (metric.changes, metric.findings) == ((), ())
    assert metric.counts["no_change"] > 30
    assert (report.verdict.conclusion, report.verdict.colour, report.verdict.exit_code) == ("pass", "green", 0)
    assert [(reason.code.value, reason.parameters) for reason in report.verdict.reasons] == [
        ("no_change", {"comparisons": 1})
    ]


def test_clear_slowdown_is_red_and_named_first() -> None:
    report = judged(slower())
    found = findings(report)["f07"]
    assert (found.colour, found.direction, found.kind) == ("red", "worse", "Degradation")
    assert (found.from_value, found.to_value, found.delta, found.relative) == (4700.0, 9400.0, 4700.0, 1.0)
    assert {change.family for change in found.agreeing} == {"T", "A", "S"}
    assert [(reason.code.value, reason.parameters) for reason in found.reasons] == [
        ("no_split", {"splits": 252, "runs": 10})
    ]
    assert (report.verdict.conclusion, report.verdict.colour, report.verdict.exit_code) == ("fail", "red", 1)
    first = report.verdict.reasons[0]
    assert (first.code.value, first.parameters["function"], first.parameters["relative"]) == ("finding", "f07", 1.0)


def test_inconclusive_names_the_functions_that_grew_most() -> None:
    few = {name: count // 1000 for name, count in BASE.items()}
    grown = few | {f"f{place:02}": few[f"f{place:02}"] + 5 * place for place in range(1, 8)}
    report = judged(from_exclusive([few] * 4, [grown | {"audit": 32}] * 4))
    suspects = [reason.parameters for reason in report.verdict.reasons if reason.code.value == "suspect"]
    assert [suspect["function"] for suspect in suspects] == ["audit", "f07", "f06", "f05", "f04"]
    assert suspects[1]["to"] == pytest.approx(float(suspects[1]["from"] or 0.0) + 35)
    assert judge(report, Policy()) == report


def test_functions_below_two_percent_are_no_suspects() -> None:
    few = {f"f{place:03}": 2 for place in range(100)}
    report = judged(from_exclusive([few] * 4, [few | {"f007": 3}] * 4))
    assert [reason.code.value for reason in report.verdict.reasons] == ["too_few_samples"]


SHORT, EXACT = from_exclusive([BASE], [BASE]), from_exclusive([BASE] * 2, [BASE] * 2, metric=COUNTED)
MEMORY = replace(EXACT, metric=replace(COUNTED, name="allocated", unit="bytes"))
FAILING, OTHER = replace(slower(), workload="failing"), replace(SHORT, workload="other")
GONE = NotCompared("gone", None, "baseline", as_reason("no profile in the target"))
NEW = NotCompared("new", None, "target", as_reason("no baseline yet"))
LENIENT, DECISIVE, STRICT = Policy(fail_on="never"), Policy(on_inconclusive="fail"), Policy(on_not_compared="fail")


@pytest.mark.parametrize(
    ("given", "missing", "policy", "conclusion", "colour", "code", "reason"),
    [
        ([], [], Policy(), "not_compared", "neutral", 3, "nothing_compared"),
        ([same()], [GONE], Policy(), "not_compared", "neutral", 3, "not_compared"),
        ([same()], [GONE], STRICT, "not_compared", "neutral", 1, "not_compared"),
        ([same()], [NEW], Policy(), "warn", "yellow", 0, "new_workload"),
        ([SHORT], [], DECISIVE, "inconclusive", "neutral", 1, "too_few_runs"),
        ([same()], [], DECISIVE, "pass", "green", 0, "no_change"),
        ([SHORT, EXACT], [], Policy(), "pass", "green", 0, "no_change"),
        ([OTHER, EXACT], [], Policy(), "inconclusive", "neutral", 0, "too_few_runs"),
        ([SHORT, MEMORY], [], Policy(), "inconclusive", "neutral", 0, "too_few_runs"),
        ([MEMORY], [], Policy(), "pass", "green", 0, "no_change"),
        ([FAILING, SHORT], [GONE], Policy(), "fail", "red", 1, "finding"),
        ([same(), OTHER], [GONE], Policy(), "not_compared", "neutral", 3, "not_compared"),
        ([FAILING, SHORT], [], LENIENT, "inconclusive", "neutral", 0, "too_few_runs"),
        ([FAILING], [], LENIENT, "warn", "yellow", 0, "finding"),
    ],
)
def test_conclusions_have_an_order(
    given: list[Comparison],
    missing: list[NotCompared],
    policy: Policy,
    conclusion: str,
    colour: str,
    code: int,
    reason: str,
) -> None:
    verdict = judged(*given, policy=policy, missing=missing).verdict
    assert (verdict.conclusion, verdict.colour, verdict.exit_code) == (conclusion, colour, code)
    assert verdict.reasons[0].code.value == reason


def test_inconclusive_calls_are_not_named_beside_times() -> None:
    report = judged(SHORT, replace(SHORT, metric=replace(CALLS, kind=MetricKind.COUNTED)))
    named = [reason.parameters["metric"] for reason in report.verdict.reasons if reason.code == "too_few_runs"]
    assert named == ["samples"]


def test_acceptance_in_the_report_always_holds() -> None:
    accepted = Acceptance("7.0", "f07", "the new format needs it", by="octocat", limit=1.25)
    report = judge(replace(judged(slower()), acceptances=(accepted,)), Policy())
    assert (report.verdict.colour, report.verdict.exit_code) == ("yellow", 0)
    assert codes(findings(report)["f07"]) == ["accepted"]
    assert judge(report, Policy()) == report
    assert judge(from_json(to_json(report)), Policy()).acceptances == report.acceptances
    assert judge(replace(report, acceptances=()), Policy()).verdict.colour == "red"


def test_families_share_the_level_of_red() -> None:
    """Two families that could show red share 1 %: 1 of 252 splits still is; three do not."""
    loads = [from_exclusive([BASE] * 5, [BASE] * runs, workload=f"w{runs}") for runs in (3, 6, 7)]
    few, more, most = (judged(slower(), *loads[: 1 + place]) for place in range(3))
    assert few.verdict.colour == more.verdict.colour == "red"  # 56 splits of 5 + 3 runs show nothing as red
    assert (most.verdict.colour, codes(findings(most)["f07"])) == ("yellow", ["few_splits"])


UNREAD = Reason(ReasonCode.ARTIFACT_UNUSABLE, {"run": 7, "text": "cut off"})


@pytest.mark.parametrize("why", [UNREAD, Reason(ReasonCode.NO_BASELINE, reasons=(UNREAD,))])
def test_unreadable_baseline_fails_unless_relaxed(why: Reason) -> None:
    missing = [NotCompared("baseline", None, "both", why)]
    report = judged(same(), missing=missing)
    assert (report.verdict.conclusion, report.verdict.exit_code, reasons(report)) == ("fail", 1, ["not_compared"])
    assert judge(from_json(to_json(report)), Policy()).verdict == report.verdict
    relaxed = judged(same(), policy=Policy(on_not_compared="pass"), missing=missing)
    assert (relaxed.verdict.conclusion, relaxed.verdict.exit_code) == ("not_compared", 3)


def test_blocking_note_leaves_the_metric_out() -> None:
    why = as_reason("samples against bytes")
    report = judged(slower(notes=(Note(why, blocks=True),)))
    metric = report.workloads[0].metrics[0]
    assert (metric.state, metric.changes, metric.not_tested) == (
        "not compared",
        (),
        (as_reason("samples against bytes"),),
    )
    assert report.verdict.colour == "neutral"


def test_failing_strategy_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Overweight, "detect")
    report = judged(same())
    assert (report.verdict.colour, reasons(report)) == ("yellow", ["strategy_failed"])
    assert any("overweight: the strategy failed" in text for text in texts(report.workloads[0].metrics[0].not_tested))


class FailingTest:
    """A strategy of another package that replaces a test of the gate."""

    name, short, family, options = "odd", "odd", "T", ()

    def detect(self, *_: object) -> Detection:
        raise OSError


def test_failing_test_of_the_gate_compares_nothing() -> None:
    chosen: list[Selection] = [(FailingTest(), {}), (ExclusiveTimeOutliers(), {})]  # type: ignore[list-item]
    report = judged_by(same(), detections_of(same(), chosen, Context()))
    assert (report.workloads[0].metrics[0].state, report.verdict.exit_code) == ("not compared", 3)


def test_new_function_is_red() -> None:
    report = judged(slower({**BASE, "brand_new": 9000}))
    assert (findings(report)["brand_new"].colour, findings(report)["brand_new"].relative) == ("red", None)


def test_outliers_that_the_test_does_not_find_are_neutral() -> None:
    report = judged(slower({**BASE, "f03": BASE["f03"] + 60}))
    assert (findings(report)["f03"].colour, report.verdict.colour) == ("neutral", "green")


def test_red_findings_come_first() -> None:
    report = judged(slower({**SLOWER, "f20": 5000, "brand_new": 500}))
    found = report.workloads[0].metrics[0].findings
    assert [finding.colour for finding in found][:2] == ["red", "yellow"]
    assert list(found) == sorted(found, key=attrgetter("importance"))


def test_findings_are_sorted_by_their_relation_to_the_change() -> None:
    def related(name: str, size: float, whole: float = 0.0, **known: Any) -> Finding:
        found = replace(samples.finding(name, 1e9, 1e9 + size), weight=size / 40e9, attribution=Attribution(**known))
        return replace(found, costs=FunctionCosts(inclusive_to=whole))

    expected = [
        related("changed", 1e9, 40e9, source="changed", reach="changed here"),
        related("inlines", 1e9, reach="calls a changed function"),
        related("called", 1e9, reach="called by a changed function"),
        related("library of a dependency", 0.9e9, reach="dependency changed", library=True),
        related("larger", 3e9, reach="unknown", source="same"),
        related("smaller", 2e9),
        related("malloc", 9e9, library=True),
        related("bench", 9e9, 39e9, reach="calls a changed function"),
        related("(garbage collector)", 8e9),
        replace(related("possible", 5e9, source="changed"), colour="yellow"),
    ]
    found = expected[::-1]
    assert sorted(found, key=attrgetter("importance")) == expected


def grown(steeper: float, exponent: float) -> Comparison:
    """A location whose cost over size changed, in a run whose shares did not."""
    comparison = same()
    place = comparison.symbols.names.index("f07")
    models = [Given("linear", (1, 2), 0.99), Given("power", (steeper, exponent), 0.99)]
    sides = [[(profile_of([model], place), np.arange(len(BASE)))] for model in models]
    return replace(comparison, attachments=(cost_models(sides, None),))


def profile_of(models: Sequence[Given], frame: int) -> Profile:
    brought = tuple(model.model(frame) for model in models)
    return Profile("p", Configuration(), (SAMPLES,), FrameList.of_names(list(BASE)), attachments=brought)


def judged_by_models(comparison: Comparison) -> Report:
    strategies: tuple[Strategy, ...] = (CalibratedLogRatio(), BestModelOrderEquality(), IntegralComparison())
    return judged_by(comparison, [strategy.detect(comparison, {}, Context()) for strategy in strategies])


def judged_by(comparison: Comparison, detections: Sequence[Detection]) -> Report:
    workload = WorkloadReport("w", (), (metric_report(comparison, detections),))
    unjudged = Verdict("not_compared", "neutral", ())
    return judge(Report(Side("baseline"), Side("target"), unjudged, (workload,)), Policy())


def test_growth_that_two_strategies_see_is_yellow() -> None:
    """The test compares shares of a run: growth in larger inputs than the run's is not its subject."""
    report = judged_by_models(grown(1, 2))
    found = findings(report)["f07"]
    assert (found.colour, found.kind, found.severity) == ("yellow", "MaybeDegradation", "maybe")
    assert codes(found) == ["models"]
    assert report.verdict.conclusion == "warn"


def test_another_shape_of_the_same_size_is_neutral() -> None:
    """A power of 1.0 above a line is a higher order and no more cost: a single strategy names it."""
    report = judged_by_models(grown(2, 1.003))
    assert findings(report)["f07"].colour == "neutral"
    assert report.verdict.conclusion == "pass"


def test_sides_that_share_little_need_a_review() -> None:
    """Two programs of the same file name, or names that change with every build: hardly compared."""
    before = {"main": 1000, "lex": 5000, "emit": 4000}
    after = {"main": 1000, "scan": 5000, "write": 4000}
    report = judged(from_exclusive([before] * 5, [after] * 5), policy=Policy(fail_on="never"))
    assert report.verdict.colour == "yellow"
    (reason,) = [reason for reason in report.verdict.reasons if reason.code.value == "few_shared_names"]
    assert reason.parameters["share"] == pytest.approx(0.1)
    assert not reason.reasons
    assert judged(same()).workloads[0].metrics[0].calibration.known_share is None
    single = judged(from_exclusive([{"lex": 1}], [{"scan": 1}]))
    assert single.workloads[0].metrics[0].calibration.known_share == 0.0


def test_new_function_of_most_of_the_run_is_not_a_difference_of_names() -> None:
    before, after = {"main": 1000, "work": 4000}, {"main": 1000, "work": 4000, "audit": 9000}
    report = judged(from_exclusive([before] * 5, [after] * 5))
    assert ReasonCode.FEW_SHARED_NAMES not in {reason.code for reason in report.verdict.reasons}
