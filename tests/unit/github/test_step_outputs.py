from dataclasses import replace

from profgate.github.step_outputs import OUTPUTS, outputs_of
from profgate.model.report import Verdict
from profgate.model.sides import Side
from report_samples import finding, metric, report, workload

RED, YELLOW = finding("f", 1e9, 2e9), finding("g", 1e9, 2e9, colour="yellow")
PUBLISHED = {
    "report": "out/report.json",
    "page-url": "https://page",
    "comment-url": "https://comment",
    "base-runs": "9",
}
REPORT = report(workload(metric(RED, YELLOW)), verdict=Verdict("fail", "red", ()))


def test_every_declared_output_has_a_value() -> None:
    judged = replace(REPORT, baseline=Side("main", sha="a" * 40, distance=0))
    values = outputs_of(judged, PUBLISHED)
    assert values == {
        "conclusion": "fail",
        "findings": "2",
        "red": "1",
        **PUBLISHED,
        "baseline-sha": "a" * 40,
        "baseline-distance": "0",
    }


def test_without_a_report_nothing_reads_as_passed() -> None:
    values = outputs_of(None)
    assert set(values) == set(OUTPUTS)
    assert values["conclusion"] == "not_compared"
    assert values["baseline-distance"] == ""


def test_passing_report_has_no_findings() -> None:
    found = finding("f", 2e9, 1e9, colour="green"), finding("g", 1e9, 2e9, colour="neutral")
    values = outputs_of(report(workload(metric(*found))))
    assert (values["findings"], values["red"]) == ("0", "0")
