"""One cause is one row in what people read, whoever else its cost passes through, in however many workloads."""

from profgate.detect.registry import STRATEGIES
from profgate.model.policy import Policy
from profgate.model.report import Report
from profgate.model.source import SourceFile, source_of
from profgate.pipeline import PipelineInput, build_report
from profgate.publish.step_outputs import Published, outputs_of
from profgate.report.comment import render_comment
from profgate.report.csv_report import to_csv
from profgate.report.terminal_report import render_terminal
from profgate.wiring import read_all

CALM = {f"main;calm{place:02}": 2000 + 100 * place for place in range(20)}
CHAIN = {"main;serve": 3000, "main;serve;parse": 3000, "main;serve;parse;lex": 3000}
SLOWER = {"main;serve": 3000, "main;serve;parse": 4200, "main;serve;parse;lex": 9000}


def files(stacks: dict[str, int], workloads: int) -> list[SourceFile]:
    text = "".join(f"{stack} {count}\n" for stack, count in {**CALM, **stacks}.items()).encode()
    return [source_of(f"load{place}.folded", text) for place in range(workloads)]


def report(workloads: int) -> Report:
    given = PipelineInput(files(CHAIN, workloads), files(SLOWER, workloads), policy=Policy(gate_without_history=True))
    return build_report(given, read_all, STRATEGIES).report


def test_a_caller_is_carried_by_the_cause() -> None:
    one = report(1)
    found = {finding.location.name: finding for finding in one.workloads[0].metrics[0].findings}
    assert found["lex"].carried_by is None
    carrier = found["parse"].carried_by
    assert (found["parse"].colour, carrier and carrier.name) == ("red", "lex")
    assert one.verdict.reasons[0].startswith("lex got worse")
    assert not [reason for reason in one.verdict.reasons if reason.startswith("parse")]
    comment = render_comment(one).text
    assert comment.index("carries 1 row more") < comment.index("of these stories") < comment.index("carried by lex")
    assert "`parse`" not in comment[: comment.index("of these stories")]
    assert "carried by lex" in to_csv(one)
    assert "of the same story" in render_terminal(one)


def test_several_workloads_tell_it_once_and_outputs_count_causes() -> None:
    three = report(3)
    comment = render_comment(three).text
    assert "also in 2 more workloads" in comment
    assert outputs_of(three, Published())["red"] == "1"
    assert len([reason for reason in three.verdict.reasons if reason.startswith("lex got worse")]) == 1
