"""Findings of one cause are one story, told once."""

from dataclasses import replace

import report_samples as samples
from profgate.judge.stories import with_stories
from profgate.model.change import Location
from profgate.model.report import Cause, Colour, Finding, MetricReport, WorkloadReport


def row(name: str, delta: float, *, inclusive: float | None = None, colour: Colour = "red") -> Finding:
    kind = {"red": "SevereDegradation", "yellow": "MaybeDegradation"}.get(colour, "SevereOptimization")
    found = samples.finding(name, 1e9, 1e9 + delta, kind=kind, colour=colour)
    total = delta if inclusive is None else inclusive
    return replace(found, statistics={"inclusive_from": 2e9, "inclusive_to": 2e9 + total, "weight": delta / 40e9})


def cause(name: str, end: str, steps: int, direction: str = "worse") -> Cause:
    return Cause(Location(name), "worse" if direction == "worse" else "better", Location(end), steps)


def told(*metrics: MetricReport) -> dict[tuple[str, str], tuple[int | None, str | None]]:
    """(workload, name) to the number of the story and who carries the finding."""
    loads = [WorkloadReport(f"w{place}", {}, (), (metric,)) for place, metric in enumerate(metrics)]
    return {
        (load.name, finding.location.name): (finding.story, finding.carried_by.name if finding.carried_by else None)
        for load in with_stories(loads)
        for metric in load.metrics
        for finding in metric.findings
    }


def metric_of(*findings: Finding, causes: tuple[Cause, ...] = ()) -> MetricReport:
    return replace(samples.metric(*findings), causes=causes)


def test_callers_are_carried_by_the_callee_that_names_the_story() -> None:
    callers = (row("serve", 0.1e9, inclusive=2e9), row("parse", 0.2e9, inclusive=2e9))
    causes = (cause("serve", "lex", 2), cause("parse", "lex", 1))
    assert told(metric_of(*callers, row("lex", 1.9e9), causes=causes)) == {
        ("w0", "serve"): (1, "lex"),
        ("w0", "parse"): (1, "lex"),
        ("w0", "lex"): (1, None),
    }


def test_the_deepest_row_with_half_of_the_change_of_its_own_names_it() -> None:
    # the end of the walk itself has no finding: parse holds most of what serve and parse have of their own
    found = (row("serve", 0.9e9, inclusive=2e9), row("parse", 1.5e9, inclusive=1.6e9))
    causes = (cause("serve", "lex", 2), cause("parse", "lex", 1))
    assert told(metric_of(*found, causes=causes))["w0", "serve"] == (1, "parse")
    light = (row("serve", 0.9e9, inclusive=2e9), row("parse", 0.1e9, inclusive=1.6e9))
    assert told(metric_of(*light, causes=causes))["w0", "parse"] == (1, "serve")


def test_a_red_finding_is_never_carried_by_a_yellow_one() -> None:
    found = (row("serve", 0.4e9, inclusive=2e9), row("lex", 1.9e9, colour="yellow"))
    assert told(metric_of(*found, causes=(cause("serve", "lex", 1),))) == {
        ("w0", "serve"): (1, None),
        ("w0", "lex"): (1, "serve"),
    }


def test_findings_of_other_causes_and_directions_stay_apart() -> None:
    better = row("render", -1e9, colour="green")
    found = told(metric_of(row("parse", 1e9), row("write", 2e9), better, causes=(cause("render", "parse", 1),)))
    assert found == {("w0", "parse"): (2, None), ("w0", "write"): (1, None), ("w0", "render"): (3, None)}


def test_one_cause_in_several_workloads_is_one_story() -> None:
    first = metric_of(row("parse", 1e9))
    second = metric_of(row("parse", 1.01e9), row("write", 0.5e9))
    assert told(first, second) == {("w0", "parse"): (1, None), ("w1", "parse"): (1, None), ("w1", "write"): (2, None)}


def test_hints_and_totals_belong_to_no_story() -> None:
    hint = row("hint", 1e9, colour="neutral")
    total = row("total", 1e9)
    assert told(metric_of(hint, total)) == {("w0", "hint"): (None, None), ("w0", "total"): (None, None)}
