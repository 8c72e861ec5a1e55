from dataclasses import replace

from profgate.github.step_outputs import OUTPUTS, Published, outputs_of
from profgate.model.change import Location
from profgate.model.report import Finding, MetricReport, Report, Total, Verdict, WorkloadReport
from profgate.model.sides import Side

FINDING = Finding(
    severity="severe",
    colour="red",
    kind="Degradation",
    direction="worse",
    location=Location("f"),
    from_value=1.0,
    to_value=2.0,
    delta=1.0,
    relative=1.0,
    share_from=None,
    share_to=None,
    changes=(),
)
METRIC = MetricReport(
    name="cpu",
    unit="samples",
    better="lower",
    kind="sampled",
    state="compared",
    runs={},
    total=Total(1.0, 2.0, 1.0, 1.0),
    findings=(FINDING, replace(FINDING, colour="yellow")),
    counts={},
)
REPORT = Report(
    baseline=Side("main", sha="a" * 40, distance=0),
    target=Side("this", sha="b" * 40),
    verdict=Verdict("fail", "red", ()),
    workloads=(WorkloadReport("w", {}, (), (METRIC,)),),
)


def test_every_declared_output_has_a_value() -> None:
    values = outputs_of(REPORT, Published("out/report.json", "https://page", "https://comment", 9))
    assert values == {
        "conclusion": "fail",
        "findings": "2",
        "red": "1",
        "report": "out/report.json",
        "page-url": "https://page",
        "comment-url": "https://comment",
        "baseline-sha": "a" * 40,
        "baseline-distance": "0",
        "base-runs": "9",
        "release-notes": "",
    }


def test_without_a_report_nothing_reads_as_passed() -> None:
    values = outputs_of(None, Published())
    assert set(values) == set(OUTPUTS)
    assert values["conclusion"] == "not_compared"
    assert values["baseline-distance"] == ""


def test_passing_report_has_no_findings() -> None:
    found = (replace(FINDING, direction="better", colour="green"), replace(FINDING, colour="neutral"))
    load = replace(REPORT.workloads[0], metrics=(replace(METRIC, findings=found),))
    values = outputs_of(replace(REPORT, workloads=(load,), verdict=Verdict("pass", "green", ())), Published())
    assert (values["findings"], values["red"]) == ("0", "0")
