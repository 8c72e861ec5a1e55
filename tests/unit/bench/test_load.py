"""The generated loads: one file for each run, one slower function in a hundred workloads, and many functions."""

import json
from pathlib import Path

from bench.load import SIDES, SLOWER, write_results, write_runs, write_symbols


def test_each_workload_has_five_files_a_side(tmp_path: Path) -> None:
    write_runs(tmp_path, range(3))
    for side in SIDES:
        assert len(list((tmp_path / side).rglob("*.folded"))) == 15


def test_one_benchmark_in_a_hundred_is_slower(tmp_path: Path) -> None:
    write_results(tmp_path, range(200))
    before, after = (json.loads((tmp_path / side / "0.json").read_text())["benchmarks"] for side in SIDES)
    ratios = [new["stats"]["mean"] / old["stats"]["mean"] for old, new in zip(before, after, strict=True)]
    slower = [place for place, ratio in enumerate(ratios) if ratio > (1.0 + SLOWER) / 2]
    assert slower == [0, 100]


def test_each_symbol_has_one_stack_a_side(tmp_path: Path) -> None:
    write_symbols(tmp_path, range(3000))
    for side in SIDES:
        stacks = (tmp_path / side / "large.folded").read_text().splitlines()
        assert len({line.partition(" ")[0].rpartition(";")[2] for line in stacks}) == len(stacks) == 3000
