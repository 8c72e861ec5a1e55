"""The bench of the history in small."""

from pathlib import Path

import pytest
from bench.history import main

from profgate.history.history_store import open_history


def test_a_small_history_is_filled_and_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--commits", "4", "--workloads", "3", "--symbols", "20", "--folder", str(tmp_path)]
    assert main(words) == 0
    message = capsys.readouterr().out
    assert "size after 4 commits of 3" in message
    assert "taken over by the next" in message
    with open_history(str(tmp_path)) as store:
        made = list(store.readings())
        assert len(made) == 12
        assert {len(keys) for keys in store.measured_commits().values()} == {3}
        assert {column.metric.unit for one in made for column in one.columns} == {"samples", "nanoseconds"}
