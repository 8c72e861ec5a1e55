"""A CPU profile of Go 1.19.8, against what Go's own `pprof -top` prints of it."""

import json
from pathlib import Path

import pytest

from profgate.__main__ import main

RECORDED = Path(__file__).parents[1] / "data" / "pprof" / "go-1.19.8-cpu.pb.gz"
# go tool pprof -top -nodecount=400, 1.19.8: total 2.26s; cumulative seconds of each function
CUMULATIVE = {"main.main": 2.10, "main.work": 2.10, "main.unique": 0.56, "main.order": 0.20, "main.tokens": 0.17}


def test_totals_are_those_of_the_tool_that_owns_the_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["overweight", str(RECORDED), str(RECORDED), "--metric", "cpu", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["unit"], document["total"]["baseline"]) == ("nanoseconds", 2_260_000_000)
    inclusive = {row["name"]: row["baseline"] for row in document["symbols"]}
    for name, seconds in CUMULATIVE.items():
        assert inclusive[name] == round(seconds * 1e9)
    assert inclusive["runtime.mapassign_faststr"] == 510_000_000
