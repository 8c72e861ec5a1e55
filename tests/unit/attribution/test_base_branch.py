from dataclasses import replace

from profgate.attribution.base_branch import with_base_branch
from profgate.model.change import Location
from profgate.model.report import Attribution, Report
from profgate.report.rows import base_branch_text
from report_samples import finding, metric, report, texts, workload

NAME = "main at 1234567"


def of(*names: str, faster: tuple[str, ...] = ()) -> Report:
    slow = [finding(name, 2e9, 3e9) for name in names]
    fast = [finding(name, 3e9, 2e9, kind="Optimization", colour="green") for name in faster]
    return report(workload(metric(*slow, *fast), name="api"))


def shared(here: Report, there: Report) -> list[str]:
    marked = with_base_branch(here, there, NAME).workloads[0].metrics[0].findings
    return [item.location.name for item in marked if item.attribution.base_branch]


def test_opposite_direction_is_another_change() -> None:
    marked = with_base_branch(of("f"), of(faster=("f",)), NAME)
    assert texts(marked.warnings)[-1].endswith(f"1 change of its own and shares 0; {NAME} has 1 more (f)")


def test_neutral_and_explained_findings_do_not_count() -> None:
    neutral = report(workload(metric(finding("f", 2e9, 3e9, colour="neutral")), name="api"))
    explained = replace(finding("f", 2e9, 3e9), explained_by=Location("g"))
    assert shared(of("f"), neutral) == []
    assert shared(of("f"), report(workload(metric(explained), name="api"))) == []


def test_finding_shows_the_change_on_the_base_branch() -> None:
    marked = with_base_branch(of("mine", "both"), of("both", "a", "b", "c", "d"), NAME)
    mine, both = marked.workloads[0].metrics[0].findings
    assert mine.attribution == Attribution()
    assert base_branch_text(both) == "also changed without this pull request (+50.0 %)"
    assert texts(marked.warnings) == [
        (
            f"compared with {NAME}, this pull request has 1 change of its own and shares 1; {NAME} has 4 more "
            "(a, b, c and 1 more)"
        )
    ]
    assert marked.verdict == of("mine", "both").verdict
