from pathlib import Path

import pytest

from profgate.readers.format_docs import FORMAT_DOCS
from profgate.readers.registry import READERS

DATA = Path(__file__).parents[2] / "data"
ELSEWHERE = {"folded", "durations"}  # proven by examples/shop, and by the tests of what writes it


def test_every_reader_is_described() -> None:
    assert sorted(FORMAT_DOCS) == sorted(reader.name for reader in READERS)


@pytest.mark.parametrize("name", sorted(set(FORMAT_DOCS) - ELSEWHERE))
def test_a_reader_is_called_proven_where_a_file_of_its_tool_was_recorded(name: str) -> None:
    folder = DATA / name
    recorded = [file for file in folder.iterdir() if not file.name.startswith("by-hand")] if folder.is_dir() else []
    assert bool(FORMAT_DOCS[name].proven) == bool(recorded)
