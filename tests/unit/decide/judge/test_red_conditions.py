"""Each condition of red alone: a finding for which everything else holds, and what stands against it."""

from collections.abc import Sequence
from typing import Any

import pytest

from comparisons import from_exclusive
from judged import codes, findings, judged
from profgate.decide.judge.findings import drafts_of
from profgate.decide.judge.verdict import judge
from profgate.model.attribution import Reach
from profgate.model.calibration import Calibration
from profgate.model.change import Change, GateResult, Location, OtherMachine
from profgate.model.policy import Confirm, Policy
from profgate.model.reason import Reason, ReasonCode, Side
from profgate.model.record import replace
from profgate.model.report import TOTAL, Attribution, Finding, FunctionCosts, MetricReport, Report, Total, draft_of
from profgate.model.units import CALLS, Metric, MetricKind
from profgate.report.statements import undecided
from report_samples import finding, metric, report, workload

P = 1 / 252
NUMBERS = {"p": P, "t": 9.0, "distance": 1.2, "bound": None, "delta_share": 0.03, "ratio": 0.3}
RUNS: dict[str, Any] = {
    "state": "tested",
    "mode": "runs",
    "splits": 252,
    "base_jobs": 1,
    "total_tested": True,
    "inconclusive": None,
}
JOBS: dict[str, Any] = {"mode": "jobs", "base_jobs": 8, "total_tested": True, "inconclusive": None}


def change(strategy: str, family: str, kind: str = "Degradation", name: str = "parse", **statistics: Any) -> Change:
    (found,) = finding(name, 1000.0, 1300.0, kind=kind, whole=10_000.0).changes
    return replace(found, strategy=strategy, family=family, result=GateResult(**statistics))


def of_test(kind: str = "Degradation", **changed: Any) -> Change:
    """What the test of locations found."""
    return change("calibrated_log_ratio", "T", kind, **{**NUMBERS, **changed})


def of_total(kind: str = "TotalDegradation", **changed: Any) -> Change:
    statistics = {"p": P, "ratio": 0.06, "distance": 2.0, **changed}
    return replace(change("totals", "T", kind, "total", **statistics), share_from=None, share_to=None)


def metric_of(
    *changes: Change,
    facts: dict[str, Any] | None = None,
    drafts: Sequence[Finding] = (),
    name: str = "samples",
    unit: str = "samples",
    kind: str = "sampled",
) -> MetricReport:
    calibration = Calibration(**{**RUNS, **(facts or {})})
    made = metric(name=name, unit=unit, before=10_000.0, after=10_300.0)
    return replace(made, kind=kind, unjudged=drafts_of(changes, drafts), calibration=calibration)


def report_of(*metrics: MetricReport) -> Report:
    return report(workload(*metrics))


def found(*changes: Change, policy: Policy | None = None, **given: Any) -> Finding:
    (finding,) = judge(report_of(metric_of(*changes, **given)), policy or Policy()).workloads[0].metrics[0].findings
    return finding


def test_all_conditions_hold() -> None:
    finding = found(of_test())
    assert (finding.colour, codes(finding)) == ("red", ["no_split"])


def test_other_strategies_alone_are_notes() -> None:
    assert (
        found(change("exclusive_time_outliers", "A", "SevereDegradation"), change("overweight", "S")).colour
        == "neutral"
    )


def test_other_strategies_explain_and_never_decide() -> None:
    against = change("average_amount_threshold", "A", "Optimization")
    finding = found(of_test(), against)
    assert (finding.colour, finding.direction) == ("red", "worse")
    assert [change.family for change in finding.results] == ["T", "A"]
    assert [change.family for change in finding.agreeing] == ["T"]


def test_change_without_values_keeps_its_shares() -> None:
    finding = found(replace(change("best_model_order_equality", "G"), from_value=None, to_value=None))
    assert (finding.delta, finding.share_from, finding.share_to) == (None, 0.1, 0.13)


def test_conflict_without_the_test_is_unknown() -> None:
    finding = found(change("exclusive_time_outliers", "A"), change("overweight", "S", "Optimization"))
    assert (finding.kind, finding.direction, finding.colour) == ("Unknown", "none", "neutral")


@pytest.mark.parametrize(
    ("changed", "facts", "expected"),
    [
        ({"kind": "MaybeDegradation", "p": 2 / 252}, {}, ["few_splits"]),
        ({"kind": "MaybeDegradation"}, {}, ["below_minimum"]),
        ({"kind": "MaybeDegradation", "net": "offset"}, {}, ["offset"]),
        ({"kind": "MaybeDegradation", "p": None, "bound": 0.2}, JOBS, ["near_jobs"]),
        ({}, {"different_jobs": True, "base_jobs": 2}, ["few_jobs"]),
        ({"p": None, "bound": 0.2}, JOBS | {"common_factor": 1.4}, ["unlike_runs"]),
        ({"p": None, "bound": 0.2}, JOBS | {"common_factor": 0.7}, ["unlike_runs"]),
        ({"kind": "MaybeDegradation", "p": 0.5}, {"inconclusive": "too_few_runs"}, ["unconfirmed"]),
        ({}, {"undirected": True}, ["no_direction"]),
    ],
)
def test_doubts_are_yellow(changed: dict[str, Any], facts: dict[str, Any], expected: list[str]) -> None:
    finding = found(of_test(**changed), facts=facts)
    assert finding.colour == "yellow"
    assert [code for code in codes(finding) if code != "severity"] == expected


def test_change_without_a_direction_is_neither_better_nor_green() -> None:
    finding = found(of_test(kind="Optimization"), facts={"undirected": True})
    assert (finding.colour, finding.direction, codes(finding)) == ("yellow", "worse", ["no_direction"])


def test_base_jobs_prove_without_splits() -> None:
    finding = found(of_test(p=None, bound=0.12), facts=JOBS)
    assert finding.colour == "red"
    assert [(reason.code.value, reason.parameters) for reason in finding.reasons] == [
        ("beyond_jobs", {"jobs": 8, "bound": 0.12, "change": 0.3})
    ]


def test_exact_counts_prove_with_two_jobs() -> None:
    facts = {"mode": "exact", "exact": True, "different_jobs": True}
    finding = found(of_test(p=0.0), facts=facts, name="instructions", unit="count", kind="counted")
    assert (finding.colour, codes(finding)) == ("red", ["exact"])


def test_calls_never_fail() -> None:
    finding = found(of_test(p=0.0), facts={"exact": True}, name=CALLS.name, unit=CALLS.unit, kind="counted")
    assert (finding.colour, codes(finding)) == ("yellow", ["calls"])
    total = found(of_total(p=0.0), facts={"exact": True}, name=CALLS.name, unit=CALLS.unit, kind="counted")
    assert (total.colour, codes(total)) == ("yellow", ["calls"])


def with_calls(calls_after: float, facts: dict[str, Any] | None = None, spread: float = 0.0, **changed: Any) -> Finding:
    """A listed, uncertain change of the time of a function whose calls are known."""
    test = of_test(**{"kind": "MaybeDegradation", "p": 4 / 252, **changed})
    costs = FunctionCosts(calls_from=1000.0, calls_to=calls_after, calls_range=spread)
    return found(test, drafts=[draft_of(test.location, costs)], facts=facts, name="time", unit="nanoseconds")


@pytest.mark.parametrize(("calls", "colour"), [(1150.0, "red"), (1149.0, "yellow"), (900.0, "yellow")])
def test_calls_that_rose_prove_a_listed_time(calls: float, colour: str) -> None:
    finding = with_calls(calls)
    assert finding.colour == colour
    assert colour == "yellow" or [(reason.code.value, reason.parameters) for reason in finding.reasons] == [
        ("calls_rose", {"before": 1000.0, "after": calls})
    ]


@pytest.mark.parametrize(
    ("facts", "changed"),
    [
        ({"inconclusive": "too_few_runs"}, {}),
        ({}, {"judged": "subtree"}),
        ({}, {"net": "offset"}),
        ({"measured": True}, {"level": 0.01, "other": OtherMachine(0.0, -0.02, 0.02, 0.5)}),  # one of two machines
    ],
)
def test_calls_prove_nothing_else(facts: dict[str, Any], changed: dict[str, Any]) -> None:
    assert with_calls(2000.0, facts, **changed).colour != "red"


def test_calls_that_vary_prove_nothing() -> None:
    assert with_calls(2000.0, spread=1.0).colour == "yellow"


def test_severity_reaches_fail_on() -> None:
    assert codes(found(of_test(), policy=Policy(fail_on="severe"))) == ["severity"]
    assert found(of_test(delta_share=0.05), policy=Policy(fail_on="severe")).colour == "red"
    assert found(of_test(), policy=Policy(fail_on="never")).colour == "yellow"
    assert found(of_test("MaybeDegradation", p=2 / 252), policy=Policy(fail_on="maybe")).colour == "red"


@pytest.mark.parametrize(
    ("changed", "facts", "expected"),
    [
        ({}, {"interleaved": True}, []),
        ({"everything": 1.3}, {"interleaved": True}, []),
        ({"everything": 1.3}, JOBS, ["everything"]),
        ({"p": None}, JOBS, []),
        ({"kind": "MaybeDegradation", "p": None}, JOBS, ["near_jobs"]),
        ({"kind": "MaybeDegradation"}, {}, ["order_unknown"]),
        ({"kind": "MaybeDegradation", "p": 3 / 252}, {}, ["few_splits"]),
        ({"kind": "MaybeDegradation"}, {"different_jobs": True}, ["few_jobs"]),
        ({"p": 0.0}, {"exact": True}, []),
    ],
)
def test_total_has_its_own_doubts(changed: dict[str, Any], facts: dict[str, Any], expected: list[str]) -> None:
    finding = found(of_total(**changed), facts=facts)
    assert finding.colour == ("yellow" if expected else "red")
    assert not expected or [code for code in codes(finding) if code != "severity"] == expected


@pytest.mark.parametrize(("facts", "colour"), [(JOBS, "yellow"), ({"interleaved": True}, "red")])
def test_total_is_not_red_between_cpu_models(facts: dict[str, Any], colour: str) -> None:
    report = report_of(metric_of(of_total(), facts=facts))
    note = Reason(ReasonCode.CPU_DIFFERS, {"baseline": "A", "target": "B"})
    report = replace(report, workloads=tuple(replace(load, comparability=(note,)) for load in report.workloads))
    (total,) = (found for _, _, found in judge(report, Policy()).findings)
    assert (total.colour, codes(total) == ["cpu_differs"]) == (colour, colour == "yellow")


@pytest.mark.parametrize(
    ("facts", "changed", "words"),
    [
        ({"different_jobs": True, "base_jobs": 1}, {}, "1 of 5"),
        ({"different_jobs": True, "base_jobs": 3}, {}, "2 more"),
        ({"different_jobs": True, "base_jobs": 4, "jobs_elsewhere": 1}, {}, "CPU model"),
        ({"different_jobs": True, "base_jobs": 4}, {"confirm": "required"}, "in turns decides"),
        ({"different_jobs": True, "base_jobs": 4}, {"distance": 2}, "2 commits older"),
        (JOBS, {}, ""),
        ({}, {}, ""),
    ],
)
def test_what_stored_baselines_cannot_decide_yet(facts: dict[str, Any], changed: dict[str, Any], words: str) -> None:
    policy = Policy(confirm=changed.get("confirm", "off"))
    report = judge(report_of(metric_of(of_test(), facts=facts)), policy)
    report = replace(report, baseline=Side("main", ref="main", distance=changed.get("distance")))
    shown = undecided(report, str)
    assert words in shown
    assert bool(words) == bool(shown)


@pytest.mark.parametrize(("relative", "colour"), [(0.5, "yellow"), (-0.5, "yellow"), (0.49, "green")])
def test_large_change_of_an_untested_total_needs_a_review(relative: float, colour: str) -> None:
    total = Total(100.0, 100.0 * (1 + relative), 100.0 * relative, relative)
    report = judge(report_of(replace(metric_of(facts={"total_tested": False}), total=total)), Policy())
    assert report.verdict.colour == colour


def test_nothing_is_red_while_the_total_improved() -> None:
    report = judge(report_of(metric_of(of_test(), of_total("TotalOptimization", ratio=-0.06))), Policy())
    found = {finding.location.name: finding for finding in report.workloads[0].metrics[0].findings}
    assert (found["parse"].colour, codes(found["parse"])) == ("yellow", ["offset"])
    assert report.verdict.conclusion == "warn"


@pytest.mark.parametrize(("reach", "expected"), [("not reachable", ["not_reachable"]), ("unknown", ["no_split"])])
def test_attribution_counts(reach: Reach, expected: list[str]) -> None:
    report = judge(report_of(metric_of(of_test())), Policy())
    (metric,) = report.workloads[0].metrics
    findings = tuple(replace(finding, attribution=Attribution(reach=reach)) for finding in metric.findings)
    (finding,) = judge(report_of(replace(metric, findings=findings)), Policy()).workloads[0].metrics[0].findings
    assert codes(finding) == expected


MEASURED: dict[str, Any] = {"interleaved": True, "measured": True, "splits": 5000}
SHOWN: dict[str, Any] = {"p": 0.0004, "level": 0.002, "low": 0.28, "high": 0.34}


@pytest.mark.parametrize("confirm", ["off", "required"])
def test_measured_change_is_red_with_its_interval(confirm: Confirm) -> None:
    finding = found(of_test(**SHOWN), facts=MEASURED, policy=Policy(confirm=confirm))
    (reason,) = finding.reasons
    assert (finding.colour, codes(finding)) == ("red", ["measured"])
    assert [reason.parameters[name] for name in ("low", "high", "p")] == [0.28, 0.34, 0.0004]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"p": 0.003}, ["still_possible"]),
        ({"level": 0.0}, ["still_possible"]),
        ({"level": None}, ["still_possible"]),
        ({"kind": "MaybeDegradation"}, ["below_minimum"]),
        ({"net": "offset"}, ["offset"]),
    ],
)
def test_measured_change_has_doubts(changed: dict[str, Any], expected: list[str]) -> None:
    finding = found(of_test(**{**SHOWN, **changed}), facts=MEASURED)
    assert (finding.colour, codes(finding)) == ("yellow", expected)


@pytest.mark.parametrize(("kind", "colour"), [("TotalDegradation", "red"), ("MaybeDegradation", "yellow")])
def test_measured_total_can_be_red(kind: str, colour: str) -> None:
    finding = found(of_total(kind, **SHOWN), facts=MEASURED)
    assert (finding.colour, codes(finding)[0]) == (colour, "measured" if colour == "red" else "still_possible")


@pytest.mark.parametrize(("confirm", "expected"), [("required", ("yellow", ["waits"])), ("off", ("red", ["no_split"]))])
def test_red_waits_for_a_measurement(confirm: Confirm, expected: tuple[str, list[str]]) -> None:
    finding = found(of_test(distance=9.0), policy=Policy(confirm=confirm))
    assert (finding.colour, codes(finding)) == expected


@pytest.mark.parametrize(("jitter", "colour", "code"), [(0, "red", "exact"), (2400, "yellow", "few_splits")])
def test_function_whose_runs_differ_is_no_pass(jitter: int, colour: str, code: str) -> None:
    """The totals of the runs are equal, because another function offsets the difference."""
    metric = Metric("instructions", "count", kind=MetricKind.COUNTED)
    base = {"f": 1_000_000, "g": 1_000_000, "main": 10_000_000}
    slower = [{**base, "f": 1_200_000 + more, "g": 1_000_000 - more} for more in (0, jitter)]
    report = judged(from_exclusive([base] * 2, slower, metric=metric))
    assert (findings(report)["f"].colour, codes(findings(report)["f"])) == (colour, [code])
    assert report.verdict.conclusion == ("fail" if colour == "red" else "warn")


@pytest.mark.parametrize(("reach", "colour"), [("not reachable", "yellow"), ("unknown", "red"), (None, "red")])
def test_total_after_a_change_without_effect_is_not_red(reach: Reach | None, colour: str) -> None:
    drafts = [draft_of(location, attribution=Attribution(reach=reach)) for location in (Location("f"), TOTAL)]
    changes = [replace(of_test(p=0.0), location=Location("f")), of_total(p=0.0)]
    report = judge(report_of(metric_of(*changes, facts={"mode": "exact", "exact": True}, drafts=drafts)), Policy())
    assert [found.colour for _, _, found in report.findings] == [colour, colour]


def test_counts_of_unlike_machines_are_never_red() -> None:
    facts = {"mode": "exact", "exact": True, "unlike": "CPU model"}
    report = judge(report_of(metric_of(of_test(p=0.0), of_total(p=0.0), facts=facts)), Policy())
    assert [found.colour for _, _, found in report.findings] == ["yellow", "yellow"]
    assert {found.reasons[0].code for _, _, found in report.findings} == {"counts_apart"}
