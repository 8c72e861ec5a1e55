"""The headline and the order of findings on the page of one metric."""

import pytest

from golden_files import Golden
from profgate.model.policy import Confirm, StatedPolicy
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import replace
from profgate.model.report import Attribution, FunctionCosts, Report
from profgate.report.groups import ordered
from profgate.report.metric_headline import metric_headline, view_of_metric
from profgate.report.view import View
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


def judged_by(
    *reasons: Reason, attribution: Attribution | None = None, confirm: Confirm = "off", sha: str = ""
) -> Report:
    """A report with a possible regression."""
    yellow = replace(finding("parse", 1e9, 1.3e9, kind="MaybeDegradation", colour="yellow"), reasons=reasons)
    yellow = replace(yellow, attribution=attribution or Attribution())
    given = report(workload(metric(yellow)), verdict=verdict("warn"))
    return replace(given, policy=StatedPolicy(confirm=confirm), baseline=replace(given.baseline, sha=sha))


def self_cost(judged: str, before: float, after: float) -> Report:
    costs = FunctionCosts(inclusive_from=before, inclusive_to=after)
    found = with_result(replace(finding("dot", 121e6, 153e6), costs=costs), judged=judged)
    return report(workload(metric(found, before=1.64e9, after=1.48e9)), verdict=RED)


def splits(p: float, number: int | str) -> Reason:
    return Reason(ReasonCode.FEW_SPLITS, {"p": p, "splits": number})


def too_few() -> Report:
    return inconclusive().with_metrics(
        lambda _, part: replace(part, calibration=replace(part.calibration, inconclusive="too_few_samples"))
    )


TOTAL = replace(finding("total", 1e9, 2e9, kind="TotalDegradation"), share_from=None, share_to=None)
CHANGED = replace(finding("dot", 121e6, 153e6), attribution=Attribution(source="changed"))
UNTESTED = Reason(ReasonCode.TOTAL_NOT_TESTED, {"workload": "api-bench", "metric": "cpu", "relative": 0.8})
BLOCKED = replace(metric(), state="not compared", not_tested=(Reason(ReasonCode.TRUNCATED, {"side": "target"}),))
HEADLINES: dict[str, Report] = {
    "regression": regression(),
    "improvement": improvement(),
    "unchanged": unchanged(),
    "inconclusive": too_few(),
    "inconclusive, but not the workload": replace(too_few(), verdict=verdict("pass")),
    "not compared": report(workload(BLOCKED), verdict=verdict("not_compared")),
    "untested total": report(workload(metric()), verdict=verdict("warn", UNTESTED)),
    "total before a changed function": report(workload(metric(TOTAL, CHANGED)), verdict=RED),
    "self cost": self_cost("", 310e6, 732e6),
    "self cost that is the total cost": self_cost("", 121e6, 153e6),
    "total cost": self_cost("subtree", 310e6, 732e6),
    "changed": judged_by(attribution=Attribution(source="changed")),
    "not reachable": judged_by(attribution=Attribution(reach="not reachable")),
    "called": judged_by(attribution=Attribution(reach="called by a changed function", reach_path="main > dot")),
    "unknown": judged_by(attribution=Attribution(reach="unknown")),
    "same": judged_by(attribution=Attribution(source="same")),
    "few runs": judged_by(UNCONFIRMED),
    "few runs of unlike machines": judged_by(UNCONFIRMED, UNLIKE),
    "few splits": judged_by(splits(0.01, 70)),
    "splits of a damaged report": judged_by(splits(0.01, "many")),
    "chance": judged_by(splits(0.01, 5000), sha="f" * 40),
    "confirmation": judged_by(UNLIKE, confirm="required"),
}


def test_headlines_of_pages(golden: Golden) -> None:
    lines = []
    for name, given in HEADLINES.items():
        for place in given.metrics:
            shown = metric_headline(given, view_of_metric(given, *place))
            lines.append(f"{name}: {' | '.join(shown)}".rstrip(" |"))
    golden.check("page_headlines.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("given", [regression(), improvement()])
def test_page_has_the_words_of_the_comment(given: Report) -> None:
    page = metric_headline(given, view_of_metric(given, *given.metrics[0]))
    assert page.text == View(given).headline(total=False)


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
