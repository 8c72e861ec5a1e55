"""The generated loads: one file for each run, one slower function in a hundred workloads, and many functions."""

import json
from pathlib import Path

from bench.load import SIDES, SLOWER, write_results


def test_one_benchmark_in_a_hundred_is_slower(tmp_path: Path) -> None:
    write_results(tmp_path, range(200))
    before, after = (json.loads((tmp_path / side / "0.json").read_text())["benchmarks"] for side in SIDES)
    ratios = [new["stats"]["mean"] / old["stats"]["mean"] for old, new in zip(before, after, strict=True)]
    slower = [place for place, ratio in enumerate(ratios) if ratio > (1.0 + SLOWER) / 2]
    assert slower == [0, 100]
