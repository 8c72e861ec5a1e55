"""The pipeline with parts of our own making."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from profgate.detect.builtin import STRATEGIES
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.source import source_of
from profgate.pipeline import PipelineInput, build_report
from profgate.wiring import read_all
from report_samples import texts

STACKS = b"main;parse 3000\nmain;write 2000\n"


class Broken:
    """Raises, as a strategy of another package may."""

    name, short, family = "broken", "brk", "X"
    options: tuple[OptionSpec, ...] = ()

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:
        raise ZeroDivisionError(f"{comparison.workload}{len(options)}{context.source_states}")


def test_failing_strategy_prevents_green() -> None:
    sides = [source_of("a.folded", STACKS)]
    given = PipelineInput(sides, sides, strategies=("broken", "clr", "tot"), named=True)
    report = build_report(given, read_all, (*STRATEGIES, Broken())).report
    (metric,) = report.workloads[0].metrics
    assert any("broken" in text and "ZeroDivisionError" in text for text in texts(metric.not_tested))
    assert report.verdict.colour != "green"


def test_sides_swapped_turn_the_verdict() -> None:
    slower = STACKS.replace(b"3000", b"9000")
    sides = ([source_of("a.folded", STACKS)], [source_of("a.folded", slower)])
    directions = []
    for before, after in (sides, sides[::-1]):
        report = build_report(PipelineInput(before, after, named=True), read_all, STRATEGIES).report
        found = [one for one in report.workloads[0].metrics[0].findings if one.location.name == "parse"]
        directions.append([one.direction for one in found])
    assert directions == [["worse"], ["better"]]


def test_one_run_a_side_is_inconclusive() -> None:
    sides = ([source_of("a.folded", STACKS)], [source_of("a.folded", STACKS.replace(b"000", b"0000"))])
    verdict = build_report(PipelineInput(*sides, named=True), read_all, STRATEGIES).report.verdict
    assert (verdict.conclusion, verdict.exit_code) == ("inconclusive", 0)
    assert verdict.reasons[0].code == "too_few_runs"


def test_calls_without_stacks_are_noted_on_the_page() -> None:
    content = (Path(__file__).parents[1] / "data" / "pstats" / "cprofile-3.11.pstats").read_bytes()
    sides = [source_of("calls.pstats", content)]
    built = build_report(PipelineInput(sides, sides, named=True), read_all, STRATEGIES)
    (page,) = built.pages
    assert '"estimated": "edges"' in page.document.text
    assert '["calls", ' in page.document.text
