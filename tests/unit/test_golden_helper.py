from pathlib import Path

import pytest

from golden_files import Golden


def test_a_difference_leaves_the_actual_text_beside(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"old")
    with pytest.raises(AssertionError, match=r"a\.md"):
        Golden(tmp_path).check("a.md", "new\n")
    assert (tmp_path / "a.md.actual").read_bytes() == b"new\n"
    Golden(tmp_path).check("a.md", "old")
    assert not (tmp_path / "a.md.actual").exists()


def test_an_update_rewrites(tmp_path: Path) -> None:
    Golden(tmp_path, update=True).check("sub/a.md", "new")
    assert (tmp_path / "sub/a.md").read_bytes() == b"new"
