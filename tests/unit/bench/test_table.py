"""Rows say what was met, missed, missing or failed, in the table as in JSON."""

from pathlib import Path

import pytest
from bench import peers
from bench.cases import Results, Row, Target, _row
from bench.files import Pair
from bench.harness import Measured, RunError, Sample
from bench.table import as_table, failed, verdict

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
    text = as_table(Results([row]), 3, {})
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
    assert "exit code 4: bug" in as_table(results, 1, {})
