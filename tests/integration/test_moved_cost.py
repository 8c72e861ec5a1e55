"""Rearranged code, from stacks to reports: a row shows the function that costs more when its callees are added up."""

import random
from collections.abc import Mapping

import pytest

from profgate import pipeline
from profgate.attribution.unified_diff import parse_diff
from profgate.model.attribution import SourceDiff
from profgate.model.record import replace
from profgate.model.report import Finding, Report
from profgate.model.source import SourceFile, source_of
from profgate.pipeline import PipelineInput
from profgate.report.comment import render_comment
from profgate.report.groups import grouped
from profgate.report.json_report import from_json, to_json
from profgate.report.view import View
from terminal_text import terminal_text

AROUND = {f"main;serve;step{place:02}": 2000 + 100 * place for place in range(20)}
CHAIN = {"main;serve": 3000, "main;serve;parse": 3000, "main;serve;parse;lex": 3000}
SLOWER_CHAIN = {"main;serve": 3000, "main;serve;parse": 4200, "main;serve;parse;lex": 9000}


def side(stacks: Mapping[str, int], seed: int, workloads: int) -> list[SourceFile]:
    """Five runs whose sample counts scatter as sampling does."""
    files = []
    for place in range(workloads):
        for run in range(5):
            chance = random.Random(100 * seed + 10 * place + run)
            counts = {stack: round(chance.gauss(count, count**0.5)) for stack, count in (AROUND | dict(stacks)).items()}
            text = "".join(f"{stack} {count}\n" for stack, count in counts.items())
            files.append(source_of(f"load{place}/{run}.folded", text.encode()))
    return files


def report(
    baseline: Mapping[str, int], target: Mapping[str, int], workloads: int = 1, diff: SourceDiff | None = None
) -> Report:
    given = PipelineInput(side(baseline, 1, workloads), side(target, 2, workloads), diff=diff)
    return pipeline.compare(given).report


def findings(of: Report, colour: str = "red") -> dict[str, Finding]:
    found = of.workloads[0].metrics[0].findings
    return {finding.location.name: finding for finding in found if finding.colour == colour}


@pytest.mark.parametrize(
    ("baseline", "target"),
    [
        pytest.param({"main;serve;parse_line": 4000}, {"main;serve;parse_row": 4000}, id="renamed"),
        pytest.param(
            {"main;serve;parse": 6000},
            {"main;serve;parse": 2000, "main;serve;parse;lex": 2000, "main;serve;parse;emit": 2050},
            id="split",
        ),
        pytest.param(
            {"main;serve;parse": 2000, "main;serve;parse;lex": 4000}, {"main;serve;parse": 6000}, id="inlined"
        ),
        pytest.param(
            {"main;serve;work;parse": 6000, "main;serve;work;check": 3000},
            {"main;serve;work;parse": 3000, "main;serve;work;check": 6000},
            id="moved",
        ),
        pytest.param(
            {"main;serve;work;old": 3000, "main;serve;work;rest": 3000},
            {"main;serve;work;alpha;beta": 3000, "main;serve;work;rest": 3000},
            id="replaced",
        ),
        pytest.param(
            {f"main;serve;parse;old{place}": 1500 for place in range(6)} | {"main;serve;parse;join": 20},
            {f"main;serve;parse;new{place}": 1300 for place in range(6)} | {"main;serve;parse;join": 1200},
            id="rewritten",
        ),
    ],
)
def test_rearranged_cost_passes(baseline: Mapping[str, int], target: Mapping[str, int]) -> None:
    found = report(baseline, target)
    assert found.verdict.conclusion == "pass"
    assert (findings(found), findings(found, "yellow")) == ({}, {})


def test_costlier_split_is_red_as_a_whole() -> None:
    costly = report({"main;serve;parse": 6000}, {"main;serve;parse": 4000, "main;serve;parse;lex": 3900})
    (found,) = findings(costly).values()
    assert found.location.name == "parse"
    assert [found.from_value, found.to_value] == pytest.approx([5938, 7883], abs=1)
    assert found.result.judged == "subtree"


def test_new_function_is_shown_under_its_caller() -> None:
    stacks = {"main;serve;work": 3000}
    added = report(stacks, {**stacks, "main;serve;work;validate": 6000})
    (found,) = findings(added).values()
    assert (found.location.name, found.result.new_callees) == ("work", ("validate",))
    assert [found.from_value, found.to_value] == pytest.approx([2956, 8988], abs=1)
    assert added.verdict.exit_code == 1
    assert [(part.callee.name, part.new) for part in added.workloads[0].metrics[0].parts] == [("validate", True)]
    assert "mostly in `validate` +6,0" in render_comment(View(added)).text
    for text in (render_comment(View(added)).text, terminal_text(added, verbose=True)):
        assert "validate" in text


def test_collector_names_the_function_that_it_interrupted() -> None:
    stacks = {"main;serve;work": 3000, "main;serve;work;(garbage collector)": 500}
    slower = report(stacks, {**stacks, "main;serve;work;(garbage collector)": 4000})
    parts = [(part.location.name, part.callee.name) for part in slower.workloads[0].metrics[0].parts]
    assert ("(garbage collector)", "work") in parts


def test_caller_is_part_of_the_cause() -> None:
    slower = report(CHAIN, SLOWER_CHAIN)
    found = findings(slower)
    carrier = found["parse"].explained_by
    assert (found["lex"].explained_by, carrier and carrier.name) == (None, "lex")
    assert [reason.parameters["function"] for reason in slower.verdict.reasons] == ["lex"]
    comment = render_comment(View(slower)).text
    assert "`parse`" not in comment.partition("<details>")[0]
    assert "part of the change of" in comment


def test_one_cause_in_three_workloads_counts_once() -> None:
    three = report(CHAIN, SLOWER_CHAIN, workloads=3)
    assert [reason.parameters["function"] for reason in three.verdict.reasons] == ["lex"]
    assert "also in 2 more workloads" in render_comment(View(three)).text


DIFF = replace(
    parse_diff(
        """\
diff --git a/src/lines.c b/src/lines.c
--- a/src/lines.c
+++ b/src/lines.c
@@ -20,3 +20,3 @@
 char *peek(void) {
-    return line;
+    return copied(line);
 }
""",
        "x.diff",
    ),
    repository_files=frozenset({"src/lines.c", "src/parser.c"}),
)
PEEK, PARSE = "peek (src/lines.c:21)", "parse (src/parser.c:8)"
ELSEWHERE = {f"main;serve;step00;{name}": 1500 for name in ("malloc", "free", "memcpy")}
BEFORE = {f"main;serve;{PARSE}": 2000, f"main;serve;{PARSE};{PEEK}": 500, **ELSEWHERE}


def rows_of(found: Report) -> dict[str, list[str]]:
    groups = grouped(found)
    functions = {name: [row for row in getattr(groups, name) if not row.total] for name in ("worse", "related")}
    return {name: [row.finding.location.name for row in rows] for name, rows in functions.items()}


def test_consequences_belong_to_the_changed_function() -> None:
    calls = {f"main;serve;{PARSE};{PEEK};{name}": 900 for name in ("malloc", "free", "memcpy")}
    found = report(BEFORE, {**BEFORE, **calls}, diff=DIFF)
    assert sorted(findings(found)) == ["free", "malloc", "memcpy"]
    (lead,), others = rows_of(found)["worse"], rows_of(found)["related"]
    assert sorted([lead, *others]) == ["free", "malloc", "memcpy"]
    assert View(found).headline().startswith(f"peek, changed here, makes {lead} slower: +6")
    assert len(rows_of(report(BEFORE, {**BEFORE, **calls}))["worse"]) == 3, "without sources, there is no known cause"


def test_changed_function_leads_its_larger_consequences() -> None:
    calls = {f"main;serve;{PARSE};{PEEK};{name}": 600 for name in ("malloc", "free", "memcpy")}
    found = report(BEFORE, {**BEFORE, **calls, f"main;serve;{PARSE};{PEEK}": 1100}, diff=DIFF)
    assert rows_of(found)["worse"] == ["peek"]
    assert View(found).headline().startswith("peek is 2.2x slower")
    assert set(findings(found)) <= {"peek", *rows_of(found)["related"]}
    assert from_json(to_json(found)) == found


LIBC = "(/usr/lib/libc.so.6)"


def test_owner_of_library_code_is_the_headline() -> None:
    stacks = {"main;serve;lookup": 900, f"main;serve;lookup;compare {LIBC};memcmp {LIBC}": 800}
    found = report(stacks, {**stacks, f"main;serve;lookup;compare {LIBC};memcmp {LIBC}": 4400})
    assert list(findings(found)) == ["memcmp"], "the finding stays the tested function"
    assert View(found).headline().startswith("lookup is 3.2x slower (1,679 → 5,296 samples)")
    assert ", mostly in memcmp" in View(found).headline()
    comment = render_comment(View(found)).text
    assert "- `lookup` is 3.2x slower" in comment
    assert "mostly in `memcmp` +3,6" in comment
    for text in (comment, terminal_text(found)):
        assert "lookup" in text
    assert from_json(to_json(found)) == found


def test_relation_to_the_change_comes_before_size() -> None:
    stacks = {**BEFORE, f"main;serve;read {LIBC}": 3000}
    after = {**stacks, "main;serve;step19": 9000, f"main;serve;read {LIBC}": 12000, f"main;serve;{PARSE};{PEEK}": 1500}
    red = report(stacks, after, diff=DIFF).workloads[0].metrics[0].findings
    names = [finding.location.name for finding in red if finding.colour == "red" and not finding.is_total]
    assert names == ["peek", "step19", "read"]


def test_own_regressions_stay_apart_from_a_changed_caller() -> None:
    other = {"main;serve;step19": 6000}
    found = report(BEFORE, {**BEFORE, **other, f"main;serve;{PARSE};{PEEK}": 1500}, diff=DIFF)
    assert sorted(rows_of(found)["worse"]) == ["peek", "step19"]


def test_command_of_perf_calls_no_function() -> None:
    def perf(counts: Mapping[str, int]) -> list[SourceFile]:
        stacks = [name for name, count in counts.items() for _ in range(count)]
        text = "".join(
            f"bench 7 {place}.0:  1000 cpu-clock: \n\t 1 {name} (/lib/libc.so.6)\n\n"
            for place, name in enumerate(stacks)
        )
        return [source_of(f"load/{run}.perf", text.encode()) for run in range(5)]

    functions = {f"step{place}": 40 for place in range(8)}
    given = PipelineInput(perf(functions), perf({**functions, "audit": 80}))
    (metric,) = pipeline.compare(given).report.workloads[0].metrics
    assert [finding.location.name for finding in metric.findings if finding.colour == "red"] == ["audit"]
