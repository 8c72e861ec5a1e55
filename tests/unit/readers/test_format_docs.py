from pathlib import Path

import pytest

from profgate.readers.reader import BuiltInReader
from profgate.readers.registry import READERS

DATA = Path(__file__).parents[2] / "data"
ELSEWHERE = {"folded", "durations"}  # proven by examples/shop, and by the tests of what writes it


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_reader_is_called_proven_where_a_file_of_its_tool_was_recorded(reader: BuiltInReader) -> None:
    assert reader.looks
    assert reader.record
    folder = DATA / reader.name
    recorded = [file for file in folder.iterdir() if not file.name.startswith("by-hand")] if folder.is_dir() else []
    assert reader.name in ELSEWHERE or bool(reader.proven) == bool(recorded)
