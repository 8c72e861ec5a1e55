"""No decision depends on a sentence: with a code in the place of every sentence all reports decide alike."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import report_samples as samples
from comparisons import from_exclusive, from_stacks
from judged import BASE, SLOWER, judged
from profgate import pipeline
from profgate.decide.judge.shards import Shard, merge_reports, suspects_in
from profgate.decide.judge.verdict import judge, policy_stated_in
from profgate.io.files import sources_under
from profgate.model.acceptance import Acceptance
from profgate.model.comparison import Note
from profgate.model.policy import Policy
from profgate.model.reason import NotCompared, Parameter, Reason, ReasonCode
from profgate.model.record import replace
from profgate.model.report import Report
from profgate.model.source import source_of
from profgate.pipeline import PipelineInput
from profgate.report import wording
from profgate.report.comment import render_comment, render_summary
from profgate.report.groups import grouped, not_compared
from profgate.report.json_report import from_json, to_json
from profgate.report.rows import tag_of
from profgate.report.terminal_report import terminal_lines
from profgate.report.view import View

DEMO = Path(__file__).parents[2] / "examples" / "shop" / "profiles"
STACKS = b"main;parse 3000\nmain;render 7000\n"


def demo() -> Report:
    baseline, target = (sources_under(str(DEMO / side)) for side in ("baseline", "target"))
    accepted = tuple(Acceptance(name, name, "needed") for name in ("total", "find_duplicates", "unknown"))
    return pipeline.compare(PipelineInput(baseline, target, acceptances=accepted)).report


def damaged() -> Report:
    """Files of which some cannot be read, are empty, or stand on one side only."""
    base = [source_of("a.folded", STACKS), source_of("b.folded", b""), source_of("gone.folded", STACKS)]
    target = [
        source_of("a.folded", STACKS * 2),
        source_of("b.folded", b"what is this"),
        source_of("new.folded", STACKS),
    ]
    return pipeline.compare(PipelineInput(base, target, noise=[[source_of("a.folded", b"\0")]])).report


def noted() -> Report:
    """Notes that block, that are advisory, and that inform only, and strategies that cannot test."""
    blocking = Note(
        Reason(ReasonCode.FACT_DIFFERS, {"fact": "runtime", "baseline": "3.11", "target": "3.12"}), blocks=True
    )
    cpu = Note(Reason(ReasonCode.CPU_DIFFERS, {"baseline": "a", "target": "b"}))
    rates = Note(Reason(ReasonCode.RATES_DIFFER, {"baseline": "100", "target": "200"}))
    return judged(
        replace(from_exclusive([BASE] * 5, [SLOWER] * 5, workload="blocked"), notes=(blocking,)),
        replace(from_exclusive([BASE] * 5, [SLOWER] * 5, workload="advisory"), notes=(cpu,)),
        replace(from_stacks([{"m;a": 10}] * 5, [{"m;a": 30}] * 5), notes=(rates,)),
        from_exclusive([BASE], [SLOWER], workload="single"),
        missing=[NotCompared("lost", None, "both", Reason(ReasonCode.SHARD_FAILED, {"results": "failure"}))],
    )


def lenient() -> Report:
    policy = Policy(fail_on="maybe", confirm="required")
    return judged(from_exclusive([BASE] * 4, [SLOWER] * 4), policy=policy)


def merged() -> Report:
    shards = [
        Shard("linux", noted()),
        Shard("mac", damaged()),
        Shard("bsd", replace(noted(), workloads=(), not_compared=())),
    ]
    return merge_reports(shards, Policy())[0]


BUILDERS: dict[str, Callable[[], Report]] = {
    "demo": demo,
    "damaged": damaged,
    "noted": noted,
    "lenient": lenient,
    "merged": merged,
    "regression": samples.regression,
    "inconclusive": samples.inconclusive,
}


def decisions(name: str) -> dict[str, Any]:
    """What a report decides and shows, without its sentences."""
    report = BUILDERS[name]()
    again = judge(from_json(to_json(report)), policy_stated_in(report))
    groups = {
        group: [
            (row.workload, row.metric.name, row.finding.location, tag_of(row.finding), row.elsewhere) for row in found
        ]
        for group, found in grouped(again)._asdict().items()
    }
    comment, summary = render_comment(View(report)).text, render_summary(View(report)).text
    lines = terminal_lines(View(report), verbose=True)
    return {
        "verdicts": [
            (one.conclusion, one.colour, one.exit_code, list(codes(one.reasons)))
            for one in (report.verdict, again.verdict)
        ],
        "groups": groups,
        "findings": [
            (finding.colour, finding.severity, finding.kind, list(codes(finding.reasons)))
            for load in again.workloads
            for metric in load.metrics
            for finding in metric.findings
        ],
        "suspects": suspects_in(report),
        "missing": [(entry.name, entry.metric, entry.side) for entry in not_compared(again)],
        "acceptances": [(one.id, one.state, one.limit) for one in again.acceptances],
        "comment rows": [len(re.findall(r"^(?:\||- |<details>)", text, re.MULTILINE)) for text in (comment, summary)],
        "tones": [tone for tone, _ in lines],
    }


def codes(reasons: tuple[Reason, ...]) -> Iterator[str]:
    for reason in reasons:
        yield reason.code.value
        yield from codes(reason.reasons)


def as_code(code: ReasonCode, parameters: Mapping[str, Parameter]) -> str:
    """A code with its parameters, in which no word of a sentence is left."""
    return f"{code.name} {[str(value) for _, value in sorted(parameters.items())]}"


@pytest.mark.parametrize("name", BUILDERS)
def test_no_decision_depends_on_a_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = decisions(name)
    for code in ReasonCode:
        monkeypatch.setitem(wording.SENTENCES, code, partial(as_code, code))
    assert decisions(name) == expected
