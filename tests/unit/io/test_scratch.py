"""Temporary folders, and what killed processes left."""

import sys
import tempfile
from pathlib import Path

import pytest

from profgate.errors import ProfgateError
from profgate.io.scratch import MARK, scratch_folder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders are not locked there")


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_folder_is_removed_even_with_read_only_content(temporary: Path) -> None:
    with scratch_folder() as place:
        packages = Path(place, "packages", "a")
        packages.mkdir(parents=True)
        (packages / "file").write_text("a")
        packages.chmod(0o500)
    assert list(temporary.iterdir()) == []


def test_folder_of_a_killed_process_is_removed(temporary: Path) -> None:
    left, own = temporary / "profgate-left", temporary / "profgate-report"
    for folder in (left, own):
        (folder / "deep").mkdir(parents=True)
    (left / MARK).touch()
    with scratch_folder() as first, scratch_folder("track-1") as second:
        assert {str(path) for path in temporary.iterdir()} == {str(own), first, second}
        assert second == str(temporary / "profgate-track-1")


def test_links_are_not_followed(temporary: Path) -> None:
    (temporary / "own").mkdir()
    (temporary / "own" / MARK).touch()
    (temporary / "profgate-link").symlink_to("own")
    with scratch_folder():
        assert (temporary / "own" / MARK).is_file()


def test_missing_folder_is_an_error(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(temporary / "missing"))
    with pytest.raises(ProfgateError), scratch_folder():
        pass
