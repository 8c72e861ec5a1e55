"""Calls that cProfile counts are in the reports."""

import marshal

import pytest

from profgate import pipeline
from profgate.decide.judge.verdict import judge
from profgate.model.policy import Policy
from profgate.model.report import Finding, Report
from profgate.model.source import SourceFile, source_of
from profgate.pipeline import PipelineInput
from profgate.report.comment import render_comment
from profgate.report.json_report import from_json, to_json
from profgate.report.view import View


def run(name: str, calls: int, seconds: float) -> SourceFile:
    """A profile in which `main` calls ``__eq__``, and `steady` always takes the same time."""
    main = ("app.py", 1, "main")
    table = {
        main: (1, 1, 1.0, 2.0 + seconds, {}),
        ("app.py", 9, "steady"): (5, 5, 1.0, 1.0, {main: (5, 5, 1.0, 1.0)}),
        ("app.py", 5, "__eq__"): (calls, calls, seconds, seconds, {main: (calls, calls, seconds, seconds)}),
    }
    return source_of(f"load/{name}.pstats", marshal.dumps(table))


def compared(after: list[int]) -> Report:
    baseline = [run(str(place), 100, 1.0 + place / 100) for place in range(5)]
    target = [run(str(place), calls, 3.0 + place / 100) for place, calls in enumerate(after)]
    return pipeline.compare(PipelineInput(baseline, target)).report


def finding_of(report: Report) -> Finding:
    (found,) = (finding for _, _, finding in report.findings if finding.location.name == "__eq__")
    return found


@pytest.mark.parametrize(
    ("after", "reason", "calls", "why"),
    [
        ([400] * 5, "calls_rose", "100 → 400 calls", "called 4.0x as often"),
        ([400, 400, 400, 400, 401], "no_split", "100 → 400 calls", "called 4.0x as often"),
        ([120] * 5, "no_split", "100 → 120 calls", "slower per call"),
        ([100] * 5, "no_split", "", "slower per call"),
    ],
)
def test_calls_of_a_call_graph_explain_a_finding(after: list[int], reason: str, calls: str, why: str) -> None:
    report = compared(after)
    assert [one.code.value for one in finding_of(report).reasons] == [reason]
    comment = render_comment(View(report)).text.replace("\N{NO-BREAK SPACE}", " ")
    assert calls in comment
    assert (" calls ·" in comment) == bool(calls)
    assert f"is 3.0x slower (1.02 → 3.02 s), {why}; total" in comment
    assert judge(from_json(to_json(report)), Policy()) == report
