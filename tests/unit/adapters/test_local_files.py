"""Files of the command line: what is found, what is refused, and writing whole or not at all."""

import pickle
from pathlib import Path

import pytest

from profgate.adapters.local_files import read_text, sources_under, write_text
from profgate.errors import ProfgateError


def test_a_folder_gives_its_files_by_relative_path(tmp_path: Path) -> None:
    for name in ("b/run-1.folded", "a.folded", ".hidden", ".git/x"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("m 1\n")
    (tmp_path / "link.folded").symlink_to(tmp_path / "a.folded")
    assert [source.name for source in sources_under(str(tmp_path))] == ["a.folded", "b/run-1.folded"]


def test_a_source_opens_ranges_and_travels_to_a_process(tmp_path: Path) -> None:
    file = tmp_path / "a.folded"
    file.write_bytes(b"main 12\n")
    source = pickle.loads(pickle.dumps(sources_under(str(file))[0]))  # noqa: S301 - our own bytes
    assert source.read(100) == b"main 12\n"
    with source.open(5, 7) as stream:
        assert stream.read() == b"12"


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProfgateError, match="no such file or folder"):
        sources_under(str(tmp_path / "nothing"))
    with pytest.raises(ProfgateError, match="cannot be read"):
        read_text(str(tmp_path / "nothing"))


def test_text_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "new" / "report.json"
    write_text(str(target), "one\n")
    write_text(str(target), "two\n")
    assert read_text(str(target)) == "two\n"
    assert [file.name for file in target.parent.iterdir()] == ["report.json"]


def test_a_file_in_the_way_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ProfgateError, match="cannot be written"):
        write_text(str(tmp_path / "file" / "x"), "")
