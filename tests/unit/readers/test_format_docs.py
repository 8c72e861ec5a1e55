from pathlib import Path

import pytest

from profgate.readers.reader import BuiltInReader
from profgate.readers.registry import READERS

DATA = Path(__file__).parents[2] / "data"
ELSEWHERE = {"folded", "durations"}  # proven by examples/shop, and by the tests of what writes it


@pytest.mark.parametrize("reader", tuple(READERS), ids=lambda reader: reader.name)
def test_proven_readers_have_a_recorded_file(reader: BuiltInReader) -> None:
    assert reader.looks
    assert reader.record
    folder = DATA / reader.name
    recorded = [file for file in folder.iterdir() if not file.name.startswith("by-hand")] if folder.is_dir() else []
    assert reader.name in ELSEWHERE or bool(reader.proven) == bool(recorded)
