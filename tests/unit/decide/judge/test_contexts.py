"""Rows of calling contexts: which are listed, and how they join the function's finding."""

from collections.abc import Sequence

import pytest

import report_samples as samples
from comparisons import from_stacks, timed
from profgate.decide.detect.builtin import detections_of, selected
from profgate.decide.detect.call_context import CallContext
from profgate.decide.judge.changes import LISTED_CONTEXTS, metric_report
from profgate.decide.judge.findings import GateContext, drafts_of, judged_findings
from profgate.decide.judge.verdict import judge
from profgate.model.attribution import SourceState, SourceStates
from profgate.model.calibration import Calibration
from profgate.model.change import Change, Context, Location
from profgate.model.comparison import LONGEST_PATH, Comparison
from profgate.model.policy import Policy, Rule
from profgate.model.reason import Side
from profgate.model.record import replace
from profgate.model.report import TOTAL, Attribution, Finding, MetricReport, Report, Verdict, WorkloadReport
from profgate.report.json_report import from_json, to_json
from terminal_text import terminal_text

GATING = Policy()


def row(kind: str, context: str, share_from: float, share_to: float) -> Change:
    path = tuple(context.split(";"))
    (change,) = samples.finding(path[-1], 1000 * share_from, 1000 * share_to, kind=kind, whole=1000).changes
    location = Location(path[-1], context=path)
    return replace(change, strategy="call_context", family="S", location=location, result=None)


def listed(comparison: Comparison, context: Context | None = None) -> MetricReport:
    return metric_report(comparison, [CallContext().detect(comparison, {}, context or Context())])


def judged(comparison: Comparison, sources: dict[str, SourceState] | None = None, policy: Policy = GATING) -> Report:
    names = comparison.symbols.names
    nothing = (None,) * len(names)
    states = SourceStates(tuple((sources or {}).get(name, "unknown") for name in names), nothing, nothing)
    chosen = selected(policy, comparison.configuration, comparison.metric)
    detections = detections_of(comparison, chosen, Context(source_states=states))
    workload = WorkloadReport("w", (), (metric_report(comparison, detections),))
    return judge(Report(Side("b"), Side("t"), Verdict("not_compared", "neutral", ()), (workload,)), policy)


def findings(report: Report) -> dict[str, Finding]:
    return {finding.location.name: finding for finding in report.workloads[0].metrics[0].findings}


def finding_of(rows: Sequence[Change]) -> Finding | None:
    metric = replace(samples.metric(), unjudged=drafts_of(rows), calibration=Calibration())
    found = judged_findings(metric, GateContext(Policy(), 0.01)).findings
    return found[0] if found else None


def test_function_called_total_does_not_lend_its_evidence_to_the_total() -> None:
    function = replace(samples.finding("total", 1e9, 2e9), attribution=Attribution(reach_path="changed"))
    tested = replace(function.changes[0], strategy="totals", location=TOTAL, share_from=None, share_to=None)
    metric = replace(samples.metric(function), unjudged=drafts_of([tested]), calibration=Calibration())
    findings = judged_findings(metric, GateContext(Policy(), 0.01)).findings
    found = {item.is_total: item.attribution.reach_path for item in findings}
    assert found == {False: "changed", True: None}


def test_heaviest_of_contexts_that_agree_counts() -> None:
    found = finding_of([row("MaybeDegradation", "a;f", 0.1, 0.12), row("Degradation", "b;f", 0.1, 0.2)])
    assert found is not None
    assert [(change.strategy, change.kind) for change in found.results] == [("call_context", "Degradation")]
    assert found.location == Location("f")


def test_new_and_gone_contexts_are_no_finding() -> None:
    rows = [row("NotInBaseline", "a;f", 0.0, 0.2), row("NotInTarget", "b;f", 0.2, 0.0)]
    assert finding_of(rows) is None
    found = finding_of([*rows, row("MaybeDegradation", "c;f", 0.1, 0.2)])
    assert found is not None
    assert [change.kind for change in found.results] == ["MaybeDegradation"]


def test_context_rows_have_paths() -> None:
    report = listed(from_stacks([{"a;f": 100, "b": 900}], [{"b;f": 105, "b": 900}], metric=timed()))
    rows = {change.location.context: change.kind for change in report.changes}
    assert rows == {
        ("a",): "NotInTarget",
        ("a", "f"): "NotInTarget",
        ("b",): "MaybeDegradation",
        ("b", "f"): "NotInBaseline",
    }


def test_end_of_a_long_chain_is_listed() -> None:
    deep = ";".join(f"f{place}" for place in range(300))
    report = listed(from_stacks([{deep: 100, "rest": 900}], [{deep: 400, "rest": 900}], metric=timed()))
    cause = report.changes[0].location
    assert cause.name == "f299"
    assert cause.context is not None
    assert len(cause.context) == LONGEST_PATH + 1
    assert cause.context[49:52] == ("f49", "(200 frames)", "f250")
    assert report.counts["cut"] == 300 - LISTED_CONTEXTS


def test_new_context_is_not_a_new_function() -> None:
    before = {f"main;a;f{n}": 2000 for n in range(20)} | {"main;a;hot": 4000}
    after = {f"main;a;f{n}": 2000 for n in range(20)} | {"main;b;hot": 4000}
    found = findings(judged(from_stacks([before], [after])))
    assert "hot" not in found


@pytest.mark.parametrize(("state", "colour"), [("unknown", "neutral"), ("changed", "yellow")])
def test_shift_alone_is_a_note_unless_the_source_changed(state: SourceState, colour: str) -> None:
    before, after = {"main;work": 200, "main;rest": 800}, {"main;work": 280, "main;rest": 720}
    alone = Policy(rules=(Rule("ctx"),))
    found = findings(judged(from_stacks([before], [after], metric=timed()), {"work": state}, alone))["work"]
    assert [change.strategy for change in found.results] == ["call_context"]
    assert (found.colour, found.direction, found.severity) == (colour, "worse", "maybe")


def test_reports_show_the_context_of_a_change() -> None:
    report = judged(from_stacks([{"main;a;f": 3000, "b": 9000}], [{"main;a;f": 9000, "b": 9000}]))
    again = from_json(to_json(report))
    assert again == report
    assert ("main", "a", "f") in {change.location.context for change in again.workloads[0].metrics[0].changes}
    assert "in main › a › f" in terminal_text(report, verbose=True)
    assert judge(again, GATING) == report
