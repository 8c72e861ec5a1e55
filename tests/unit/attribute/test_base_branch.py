from dataclasses import replace

from profgate.attribute.base_branch import account, with_base_branch
from profgate.model.change import Location
from profgate.model.report import Report
from report_samples import finding, metric, report, workload

NAME = "main at 1234567"


def of(*names: str, faster: tuple[str, ...] = ()) -> Report:
    slow = [finding(name, 2e9, 3e9) for name in names]
    fast = [finding(name, 3e9, 2e9, kind="Optimization", colour="green") for name in faster]
    return report(workload(metric(*slow, *fast), name="api"))


def names(keys: tuple[tuple[str, str, Location], ...]) -> list[str]:
    return [key[2].name for key in keys]


def test_each_change_is_on_one_of_three_accounts() -> None:
    told = account(of("mine", "both"), of("both", "theirs"))
    assert (names(told.own), names(told.shared), names(told.drift)) == (["mine"], ["both"], ["theirs"])


def test_the_opposite_direction_is_not_the_same_change() -> None:
    told = account(of("f"), of(faster=("f",)))
    assert (names(told.own), names(told.shared), names(told.drift)) == (["f"], [], ["f"])


def test_hints_and_carried_rows_are_on_no_account() -> None:
    hint = report(workload(metric(finding("f", 2e9, 3e9, colour="neutral")), name="api"))
    carried = replace(finding("f", 2e9, 3e9), carried_by=Location("g"))
    assert account(of("f"), hint).shared == ()
    assert account(of("f"), report(workload(metric(carried), name="api"))).shared == ()


def test_a_finding_says_what_the_base_branch_did_there() -> None:
    told = with_base_branch(of("mine", "both"), of("both", "a", "b", "c", "d"), NAME)
    mine, both = told.workloads[0].metrics[0].findings
    assert mine.evidence is None
    assert (both.evidence or {})["base branch"] == "changed there too (+50.0 %)"
    assert told.warnings == (
        (
            f"seen beside {NAME}: 1 of the changes are this pull request's, 1 are already there, 4 are only there"
            " (a, b, c and 1 more)"
        ),
    )
    assert told.verdict == of("mine", "both").verdict
