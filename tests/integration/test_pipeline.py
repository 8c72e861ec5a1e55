"""The pipeline with parts of our own making."""

import itertools
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from profgate import overlaying, pipeline
from profgate.decide.judge.shards import Shard, merge_reports
from profgate.io.files import write_bytes
from profgate.model.policy import Policy
from profgate.model.reason import Side
from profgate.model.record import replace
from profgate.model.report import Report
from profgate.model.source import SourceFile, source_of
from profgate.pipeline import PipelineInput
from profgate.report.json_report import to_json

STACKS = b"main;parse 3000\nmain;write 2000\n"
MANY = 104  # workloads, so that a report of them is brief


def many_workloads(runs: int = 5) -> tuple[list[SourceFile], list[SourceFile]]:
    """Runs on each side of workloads of ten functions, two of which have a slower function."""
    chance, sides = np.random.default_rng(5), (list[SourceFile](), list[SourceFile]())
    for number, side, run in itertools.product(range(MANY), (0, 1), range(runs)):
        means = np.full(10, 500.0)
        means[3] *= 3.0 if side and number in {7, 60} else 1.0
        text = "".join(f"main;f{place} {count}\n" for place, count in enumerate(chance.poisson(means).tolist()))
        sides[side].append(source_of(f"w{number:03}/{run}.folded", text.encode()))
    return sides


def one_report(sides: Sequence[Sequence[SourceFile]]) -> Report:
    given = PipelineInput(sides[0], sides[1], interleaved=True, pages=0)
    given = replace(given, baseline_side=Side("baseline"), target_side=Side("target"))
    return pipeline.compare(given).report


@pytest.fixture(name="whole", scope="module")
def fixture_whole() -> Report:
    return one_report(many_workloads())


def test_processes_give_the_report_of_one(whole: Report, tmp_path: Path) -> None:
    for side, files in zip(("baseline", "target"), many_workloads(), strict=True):
        for file in files:
            write_bytes(str(tmp_path / side / file.name), file.read(file.size))
    command = [sys.executable, "-m", "profgate", "compare", "baseline", "target", "--interleaved", "--format", "json"]
    compared = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert compared.stdout == to_json(whole)


def merged_shards(sides: Sequence[Sequence[SourceFile]]) -> Report:
    names = [f"w{number:03}/" for number in range(MANY)]
    shards = [
        Shard(str(first), one_report([[file for file in side if file.name[:5] in names[first::4]] for side in sides]))
        for first in range(4)
    ]
    return merge_reports(shards, Policy())[0]


@pytest.mark.slow
def test_enough_runs_let_shards_find_what_one_report_finds() -> None:
    sides = many_workloads(6)
    whole, merged = one_report(sides), merged_shards(sides)
    assert (merged.verdict.conclusion, merged.verdict.exit_code) == ("fail", 1)
    assert {load for load, _, _ in reds(merged)} == {"w007", "w060"}
    assert reds(merged) <= reds(whole)


@pytest.mark.slow
def test_five_runs_are_too_few_for_red_in_four_shards(whole: Report) -> None:
    merged = merged_shards(many_workloads())
    assert reds(whole)
    assert not reds(merged)
    assert {(load, name) for load, name, _ in coloured(merged)} >= {(load, name) for load, name, _ in reds(whole)}


def mixed_files() -> tuple[list[SourceFile], list[SourceFile]]:
    """Files that are paired by their paths or their content, files without a counterpart, and damaged files."""
    results = (
        '{{"machine_info": {{}}, "benchmarks": [{{"fullname": "a::fib", "stats": {{"mean": {}}}}}], "version": "5"}}'
    )
    sides = many_workloads()
    for side in sides:
        del side[40:]
        for run in range(3):
            side.append(source_of(f"results/{run}.json", results.format(0.01 + run / 1000).encode()))
        side.append(source_of("damaged/1.folded", b"no profile"))
    sides[0].append(source_of("old/1.folded", STACKS))
    sides[1].append(source_of("new/1.folded", STACKS))
    return sides


@pytest.mark.parametrize("most", [1, 2, 3])
def test_reading_in_parts_does_not_change_the_report(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = one_report(mixed_files())
    monkeypatch.setattr(overlaying, "MOST_IN_PART", most)
    assert {load.name for load in whole.workloads} >= {"w000", "w003", "a::fib"}
    assert to_json(one_report(mixed_files())) == to_json(whole)


def coloured(report: Report) -> set[tuple[str, str, str]]:
    return {
        (load.name, finding.location.name, finding.colour)
        for load, _, finding in report.findings
        if finding.colour != "neutral"
    }


def reds(report: Report) -> set[tuple[str, str, str]]:
    return {found for found in coloured(report) if found[2] == "red"}
