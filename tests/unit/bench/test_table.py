"""Rows say what was met, missed, missing or failed, in the table as in JSON."""

from pathlib import Path

import pytest
from bench import peers
from bench.cases import Limit, Results, Row, Target, _row
from bench.files import Pair
from bench.harness import Measured, RunError, Sample
from bench.table import as_json, as_table, failed, verdict

PAIR = Pair(Path("base.folded"), Path("target.folded"))


def measured(wall: float, peak: int = 1 << 20) -> Measured:
    return Measured((Sample(wall, wall, peak),), peak)


@pytest.mark.parametrize(
    ("target", "word"),
    [
        (Target(), ""),
        (Target(wall=0.5), "met"),
        (Target(wall=0.4), "missed"),
        (Target(wall=0.5, peak=1.9), "missed"),
        (Target(wall=0.5, peak=2.0), "met"),
    ],
)
def test_a_verdict_needs_every_bound(target: Target, word: str) -> None:
    assert verdict(Row("10k", "ours", "peer", target, measured(1.0, 2 << 20), measured(2.0))) == word


def test_a_peer_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert peers.folded_peer(peers.PERL, PAIR, Path()) is None
    assert peers.pprof_peer(PAIR, Path()) is None
    row = _row("10k", "ours", peers.PERL, Target(wall=0.5), {"ours": measured(1.0)})
    assert verdict(row) == "missing"
    text = as_table(Results([row]), 3)
    assert "- 10k, difffolded.pl | flamegraph.pl: not installed" in text
    assert "<= 0.5" in text


def test_a_failure_of_ours_is_told_and_fails_the_benchmark() -> None:
    outcome: dict[str, Measured | RunError] = {
        "ours": RunError("ours: ended with exit code 4: bug"),
        "peer": measured(1.0),
    }
    results = Results([_row("10k", "ours", "peer", Target(), outcome)])
    assert verdict(results.rows[0]) == "failed"
    assert failed(results)
    assert "exit code 4: bug" in as_table(results, 1)


def test_a_failure_of_a_peer_is_not_ours() -> None:
    outcome: dict[str, Measured | RunError] = {"ours": measured(1.0), "peer": RunError("peer: took longer than 1 s")}
    results = Results([_row("10k", "ours", "peer", Target(), outcome)])
    assert verdict(results.rows[0]) == "failed"
    assert not failed(results)


def test_json_holds_ratios_and_every_run() -> None:
    rows = [Row("10k", "ours", "peer", Target(wall=0.5), measured(1.0), measured(4.0))]
    record = as_json(Results(rows, [Limit("200 stacks to page", 0.4, 0.35, "s")]), 1)
    assert record["rows"][0]["wall_ratio"] == 0.25
    assert record["rows"][0]["profgate"]["runs"] == [{"wall": 1.0, "processor": 1.0, "largest": 1 << 20}]
    assert record["limits"][0]["met"] is False


def test_pipes_do_not_break_the_table() -> None:
    text = as_table(Results([Row("10k", "ours", peers.INFERNO, Target(), measured(1.0), measured(4.0))]), 1)
    head, _, row = text.splitlines()[:3]
    assert row.replace("\\|", "").count("|") == head.count("|")
