"""Code that was rearranged, from stacks to what a person reads: one story, and red only for what it really cost."""

from collections.abc import Mapping

import pytest

from profgate.detect.registry import STRATEGIES
from profgate.model.policy import Policy
from profgate.model.report import Finding, Report
from profgate.model.source import SourceFile, source_of
from profgate.pipeline import PipelineInput, build_report
from profgate.report.comment import render_comment
from profgate.report.csv_report import to_csv
from profgate.report.json_report import from_json, to_json
from profgate.report.terminal_report import render_terminal
from profgate.wiring import read_all

AROUND = {f"main;serve;step{place:02}": 2000 + 100 * place for place in range(20)}
GATING = Policy(gate_without_history=True)


def side(stacks: Mapping[str, int]) -> list[SourceFile]:
    text = "".join(f"{stack} {count}\n" for stack, count in {**AROUND, **stacks}.items())
    return [source_of("a.folded", text.encode())]


def report(baseline: Mapping[str, int], target: Mapping[str, int]) -> Report:
    given = PipelineInput(side(baseline), side(target), named=True, policy=GATING)
    return build_report(given, read_all, STRATEGIES).report


def findings(of: Report) -> dict[str, Finding]:
    return {finding.location.name: finding for finding in of.workloads[0].metrics[0].findings}


def said(finding: Finding) -> dict[str, str]:
    return {name: text for name, text in (finding.evidence or {}).items() if name != "contexts"}


def told(of: Report) -> list[str]:
    return [render_comment(of).text, render_terminal(of, verbose=True), to_csv(of)]


def test_a_renamed_function_is_compared_with_its_old_name() -> None:
    same = report({"main;serve;parse_line": 4000}, {"main;serve;parse_row": 4000})
    assert (same.verdict.colour, findings(same)) == ("green", {})
    assert all("renamed, compared as one" in text and "parse_line" in text for text in told(same)[:2])
    slower = report({"main;serve;parse_line": 4000}, {"main;serve;parse_row": 5800})
    found = findings(slower)["parse_row"]
    assert (found.colour, found.from_value, found.to_value) == ("red", 4000.0, 5800.0)
    assert said(found) == {"cost": "renamed", "from": "parse_line"}
    assert all("renamed from" in text and "parse_line" in text for text in told(slower))


def test_a_split_function_is_one_row_that_costs_what_it_did() -> None:
    split = report(
        {"main;serve;parse": 6000},
        {"main;serve;parse": 2000, "main;serve;parse;lex": 2000, "main;serve;parse;emit": 2050},
    )
    found = findings(split)
    assert set(found) == {"parse"}
    assert (found["parse"].kind, found["parse"].from_value, found["parse"].to_value) == ("NoChange", 6000.0, 6050.0)
    assert split.verdict.colour == "green"
    assert all("split into emit, lex" in text for text in told(split))


def test_a_split_function_that_costs_more_than_before_is_red_as_a_whole() -> None:
    costly = report({"main;serve;parse": 6000}, {"main;serve;parse": 4000, "main;serve;parse;lex": 3900})
    (found,) = findings(costly).values()
    assert (found.location.name, found.colour, found.from_value, found.to_value) == ("parse", "red", 6000.0, 7900.0)
    assert all("split into lex" in text for text in told(costly))


def test_inlined_functions_are_one_row() -> None:
    inlined = report({"main;serve;parse": 2000, "main;serve;parse;lex": 4000}, {"main;serve;parse": 6000})
    assert set(findings(inlined)) == {"parse"}
    assert inlined.verdict.colour == "green"
    assert all("took in lex" in text for text in told(inlined))


def test_cost_that_moved_is_not_a_regression() -> None:
    moved = report(
        {"main;serve;work;parse": 6000, "main;serve;work;check": 3000},
        {"main;serve;work;parse": 3000, "main;serve;work;check": 6000},
    )
    assert set(findings(moved)) == {"check"}
    assert said(findings(moved)["check"]) == {"cost": "moved", "from": "parse"}
    assert moved.verdict.colour == "green"
    assert all("cost moved from parse" in text for text in told(moved))


def test_new_cost_is_red_by_what_it_did_to_its_caller() -> None:
    stacks = {"main;serve;work": 3000}
    added = report(stacks, {**stacks, "main;serve;work;validate": 6000})
    found = findings(added)["validate"]
    assert (found.kind, found.colour, said(found)) == ("NotInBaseline", "red", {"cost": "new", "through": "work"})
    assert added.verdict.exit_code == 1
    assert added.verdict.reasons[0].startswith("validate is new")
    assert all("reached through work" in text for text in told(added))


def test_new_cost_its_caller_does_not_show_is_no_more_than_a_hint() -> None:
    baseline = {"main;serve;work;old": 3000, "main;serve;work;rest": 3000}
    replaced = report(baseline, {"main;serve;work;alpha;beta": 3000, "main;serve;work;rest": 3000})
    assert (replaced.verdict.colour, findings(replaced)["beta"].colour) == ("green", "neutral")
    assert findings(replaced)["beta"].reasons == ("the caller it is new in costs what it did",)


def test_a_rewritten_program_is_one_row() -> None:
    old = {f"main;serve;parse;old{place}_{'abc'[place % 3] * 4}": 1500 for place in range(6)}
    new = {f"main;serve;parse;{'xyz'[place % 3] * 5}{place}": 1300 for place in range(6)}
    rewritten = report({**old, "main;serve;parse;join": 20}, {**new, "main;serve;parse;join": 1200})
    found = [finding for finding in findings(rewritten).values() if (finding.evidence or {}).get("cost") == "moved"]
    assert len(found) == 1
    assert (found[0].from_value, found[0].to_value) == (9020.0, 9000.0)
    assert rewritten.verdict.colour == "green"
    assert all("cost moved from" in text and "and 9 more" in text for text in told(rewritten))


@pytest.mark.parametrize(
    "target",
    [
        {"main;serve;parse_row": 5800},
        {"main;serve;parse_line": 1500, "main;serve;parse_line;lex": 2500},
        {"main;serve;parse_line": 4000, "main;serve;parse_line;slow": 6000},
    ],
)
def test_the_stored_report_gives_the_same_judgement(target: Mapping[str, int]) -> None:
    from profgate.judge.verdict import judge

    first = report({"main;serve;parse_line": 4000}, target)
    assert to_json(judge(from_json(to_json(first)), GATING)) == to_json(first)
