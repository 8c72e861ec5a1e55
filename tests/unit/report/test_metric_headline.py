"""The headline and the order of findings on the page of one metric."""

from dataclasses import replace

import pytest

from profgate.model.policy import Confirm
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import Attribution, FunctionCosts, Report, StatedPolicy
from profgate.report.metric_headline import metric_headline, view_of_metric
from profgate.report.rows import ordered
from profgate.report.view import HELP, View
from profgate.report.wording import full_sentence
from report_samples import (
    RED,
    finding,
    improvement,
    inconclusive,
    metric,
    regression,
    report,
    unchanged,
    verdict,
    with_result,
    workload,
)

UNCONFIRMED = Reason(ReasonCode.UNCONFIRMED, {"baseline": 3, "target": 3})
UNLIKE = Reason(ReasonCode.UNLIKE_RUNS, {"factor": 1.36})


def headline(given: Report, place: int = 0) -> tuple[str, str, str]:
    return metric_headline(given, view_of_metric(given, *given.metrics[place]))[:3]


def test_regression_has_the_words_of_the_comment() -> None:
    assert headline(regression())[:2] == ("fails", View(regression()).headline(total=False))
    assert headline(improvement())[:2] == ("better", View(improvement()).headline(total=False))


@pytest.mark.parametrize(
    ("attribution", "text"),
    [
        (Attribution(source="changed"), "changed in this PR"),
        (Attribution(reach="not reachable"), "not reachable from the change"),
        (Attribution(reach="called by a changed function", reach_path="main > dot"), "called by changed code"),
        (Attribution(reach="unknown"), "unknown whether the change reaches it"),
        (Attribution(source="same"), "not changed in this PR; unknown whether the change reaches it"),
        (Attribution(), "no diff was given, so it is unknown whose change it is"),
    ],
)
def test_headline_says_whose_change_it_is(attribution: Attribution, text: str) -> None:
    given = report(workload(metric(replace(finding("dot", 121e6, 153e6), attribution=attribution))), verdict=RED)
    assert metric_headline(given, view_of_metric(given, *given.metrics[0])).whose == text


def test_total_before_the_function_hides_not_whose_change_it_is() -> None:
    changed = replace(finding("dot", 121e6, 153e6), attribution=Attribution(source="changed"))
    total = replace(finding("total", 1e9, 2e9, kind="TotalDegradation"), share_from=None, share_to=None)
    given = report(workload(metric(total, changed)), verdict=RED)
    assert metric_headline(given, view_of_metric(given, *given.metrics[0])).whose == "changed in this PR"


@pytest.mark.parametrize(
    ("judged", "total", "values"),
    [
        ("", (310e6, 732e6), "(self 121 → 153 ms)"),
        ("", (121e6, 153e6), "(121 → 153 ms)"),
        ("subtree", (310e6, 732e6), "(121 → 153 ms)"),
    ],
)
def test_headline_names_self_cost(judged: str, total: tuple[float, float], values: str) -> None:
    costs = FunctionCosts(inclusive_from=total[0], inclusive_to=total[1])
    found = with_result(replace(finding("dot", 121e6, 153e6), costs=costs), judged=judged)
    given = report(workload(metric(found, before=1.64e9, after=1.48e9)), verdict=RED)
    assert headline(given)[1] == f"dot +26.4 % {values}"


def test_unchanged_metric_of_failed_report_is_unchanged() -> None:
    assert headline(regression(), 1)[0] == headline(unchanged())[0] == "unchanged"


@pytest.mark.parametrize(
    ("reasons", "confirm", "sha", "step"),
    [
        ([UNCONFIRMED], "off", "", "record at least 5 runs of each side."),
        ([UNCONFIRMED, UNLIKE], "off", "", "measure both commits in turns on one machine: profgate measure."),
        ([Reason(ReasonCode.FEW_SPLITS, {"p": 0.01, "splits": 70})], "off", "", "record at least 5 runs of each side."),
        (
            [Reason(ReasonCode.FEW_SPLITS, {"p": 0.01, "splits": 5000})],
            "off",
            "f" * 40,
            "measure both commits in turns on one machine: profgate confirm report.json -- COMMAND.",
        ),
        (
            [Reason(ReasonCode.FEW_SPLITS, {"p": 0.01, "splits": "many"})],
            "off",
            "",
            "record at least 5 runs of each side.",
        ),
        ([UNLIKE], "required", "", "profgate confirm measures both commits in turns on one machine."),
    ],
)
def test_step_names_what_decides(reasons: list[Reason], confirm: Confirm, sha: str, step: str) -> None:
    yellow = replace(finding("parse", 1e9, 1.3e9, kind="MaybeDegradation", colour="yellow"), reasons=tuple(reasons))
    given = report(workload(metric(yellow)), verdict=verdict("warn"))
    given = replace(given, policy=StatedPolicy(confirm=confirm), baseline=replace(given.baseline, sha=sha))
    assert (
        metric_headline(given, view_of_metric(given, *given.metrics[0])).step == f"The check passes. To decide, {step}"
    )


def test_step_states_the_result_of_the_check() -> None:
    failed = regression()
    steps = [metric_headline(failed, view_of_metric(failed, *place))[-2:] for place in failed.metrics]
    assert steps[:2] == [("The check fails.", HELP), ("The check fails, but not because of this page.", "")]
    given = unchanged()
    assert metric_headline(given, view_of_metric(given, *given.metrics[0])).step == "Nothing to do: the check passes."


def test_inconclusive_metric_has_its_reason() -> None:
    given = inconclusive().with_metrics(
        lambda _, part: replace(part, calibration=replace(part.calibration, inconclusive="too_few_samples"))
    )
    assert headline(given)[:2] == ("inconclusive", View(given).headline())
    alone = replace(given, verdict=verdict("pass"))  # another metric decides about the workload
    assert headline(alone)[:2] == ("inconclusive", "Inconclusive")


def test_metric_that_was_not_compared_has_its_reason() -> None:
    blocked = replace(metric(), state="not compared", not_tested=(Reason(ReasonCode.TRUNCATED, {"side": "target"}),))
    given = report(workload(blocked), verdict=verdict("not_compared"))
    assert headline(given) == ("not compared", View(given).title(), "")


def test_untested_total_is_for_review() -> None:
    reason = Reason(ReasonCode.TOTAL_NOT_TESTED, {"workload": "api-bench", "metric": "cpu", "relative": 0.8})
    given = report(workload(metric()), verdict=verdict("warn", reason))
    assert headline(given)[:2] == ("review", full_sentence(reason, str))


def test_findings_follow_their_cause() -> None:
    found = (
        finding("caller", 1e9, 6e9),
        finding("cause", 1e9, 9e9),
        finding("faster", 6e9, 1e9, kind="SevereOptimization", colour="green"),
        finding("note", 1e9, 1.1e9, colour="neutral"),
    )
    cause = found[1].location
    found = (replace(found[0], cause=1, explained_by=cause), replace(found[1], cause=1), *found[2:])
    given = report(workload(metric(*found)), verdict=RED)
    names = [row.finding.location.name for row in ordered(view_of_metric(given, *given.metrics[0]).groups)]
    assert names == ["cause", "caller", "faster"]


def test_strongest_improvement_comes_first() -> None:
    found = (
        finding("a", 10e9, 5e9, kind="MaybeOptimization", colour="green"),
        finding("b", 10e9, 1e9, kind="SevereOptimization", colour="green"),
        finding("c", 10e9, 11e9, kind="MaybeDegradation", colour="yellow"),
    )
    given = report(workload(metric(*found)), verdict=verdict("warn"))
    names = [row.finding.location.name for row in ordered(view_of_metric(given, *given.metrics[0]).groups)]
    assert names == ["c", "b", "a"]
