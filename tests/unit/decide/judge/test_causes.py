"""Findings of one change of the code have one cause."""

import report_samples as samples
from profgate.decide.judge.accepted import with_causes
from profgate.model.change import Location
from profgate.model.record import replace
from profgate.model.report import Cause, Colour, Finding, FunctionCosts, MetricReport, WorkloadReport


def row(name: str, delta: float, *, inclusive: float | None = None, colour: Colour = "red") -> Finding:
    kind = {"red": "SevereDegradation", "yellow": "MaybeDegradation"}.get(colour, "SevereOptimization")
    found = samples.finding(name, 1e9, 1e9 + delta, kind=kind, colour=colour)
    total = delta if inclusive is None else inclusive
    return replace(found, costs=FunctionCosts(inclusive_from=2e9, inclusive_to=2e9 + total))


def cause(name: str, end: str, direction: str = "worse") -> Cause:
    return Cause(Location(name), "worse" if direction == "worse" else "better", Location(end))


def causes_of(*metrics: MetricReport) -> dict[tuple[str, str], tuple[int | None, str | None]]:
    """(workload, name) to the number of the cause and what explains the finding."""
    loads = [WorkloadReport(f"w{place}", (), (metric,)) for place, metric in enumerate(metrics)]
    return {
        (load.name, finding.location.name): (finding.cause, finding.explained_by.name if finding.explained_by else None)
        for load in with_causes(samples.report(*loads)).workloads
        for metric in load.metrics
        for finding in metric.findings
    }


def metric_of(*findings: Finding, causes: tuple[Cause, ...] = ()) -> MetricReport:
    return replace(samples.metric(*findings), causes=causes)


def test_callee_explains_its_callers() -> None:
    callers = (row("serve", 0.1e9, inclusive=2e9), row("parse", 0.2e9, inclusive=2e9))
    causes = (cause("serve", "lex"), cause("parse", "lex"))
    assert causes_of(metric_of(*callers, row("lex", 1.9e9), causes=causes)) == {
        ("w0", "serve"): (1, "lex"),
        ("w0", "parse"): (1, "lex"),
        ("w0", "lex"): (1, None),
    }


def test_deepest_row_with_half_of_the_change_names_it() -> None:
    # the end of the walk itself has no finding: parse holds most of what serve and parse have of their own
    found = (row("serve", 0.9e9, inclusive=2e9), row("parse", 1.5e9, inclusive=1.6e9))
    causes = (cause("serve", "lex"), cause("parse", "lex"))
    assert causes_of(metric_of(*found, causes=causes))["w0", "serve"] == (1, "parse")
    light = (row("serve", 0.9e9, inclusive=2e9), row("parse", 0.1e9, inclusive=1.6e9))
    assert causes_of(metric_of(*light, causes=causes))["w0", "parse"] == (1, "serve")


def test_yellow_finding_never_explains_a_red_one() -> None:
    found = (row("serve", 0.4e9, inclusive=2e9), row("lex", 1.9e9, colour="yellow"))
    assert causes_of(metric_of(*found, causes=(cause("serve", "lex"),))) == {
        ("w0", "serve"): (1, None),
        ("w0", "lex"): (1, "serve"),
    }


def test_findings_of_other_causes_and_directions_stay_apart() -> None:
    better = row("render", -1e9, colour="green")
    found = causes_of(metric_of(row("parse", 1e9), row("write", 2e9), better, causes=(cause("render", "parse"),)))
    assert found == {("w0", "parse"): (2, None), ("w0", "write"): (1, None), ("w0", "render"): (3, None)}


def test_functions_of_one_name_have_two_causes() -> None:
    found = [replace(row("parse", 1e9), location=Location("parse", file)) for file in ("a.py", "b.py")]
    report = with_causes(samples.report(WorkloadReport("w", (), (metric_of(*found),))))
    assert sorted(finding.cause or 0 for _, _, finding in report.findings) == [1, 2]


def test_workloads_share_a_cause() -> None:
    first = metric_of(row("parse", 1e9))
    second = metric_of(row("parse", 1.01e9), row("write", 0.5e9))
    assert causes_of(first, second) == {
        ("w0", "parse"): (1, None),
        ("w1", "parse"): (1, None),
        ("w1", "write"): (2, None),
    }


def test_notes_and_totals_have_no_cause() -> None:
    note = row("note", 1e9, colour="neutral")
    total = replace(row("total", 1e9), share_from=None, share_to=None)
    assert causes_of(metric_of(note, total)) == {("w0", "note"): (None, None), ("w0", "total"): (None, None)}


def test_function_called_total_has_a_cause() -> None:
    assert causes_of(metric_of(row("total", 1e9))) == {("w0", "total"): (1, None)}
