from pathlib import Path

import pytest

from profgate.io.source_folders import LARGEST_FILE, differing_texts


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    sides = tmp_path / "before", tmp_path / "after"
    for side in sides:
        (side / "pkg").mkdir(parents=True)
        (side / "pkg" / "same.py").write_text("same\n")
        (side / ".git").mkdir()
        (side / ".git" / "config").write_text(side.name)
    return sides


def texts(folders: tuple[Path, Path]) -> tuple[dict[str, str | None], dict[str, str | None], frozenset[str]]:
    return differing_texts(*map(str, folders))


def test_only_files_that_differ_are_read(folders: tuple[Path, Path]) -> None:
    before, after = folders
    (before / "pkg" / "a.py").write_text("one\n")
    (after / "pkg" / "a.py").write_text("two\n")
    (after / "new.py").write_text("new\n")
    old, new, files = texts(folders)
    assert old == {"pkg/a.py": "one\n"}
    assert new == {"new.py": "new\n", "pkg/a.py": "two\n"}
    assert sorted(files) == ["new.py", "pkg/a.py", "pkg/same.py"]


def test_no_link_leads_out_of_the_folder(folders: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.py").write_text("secret")
    (folders[1] / "key.py").symlink_to(tmp_path / "secret" / "key.py")
    (folders[1] / "linked").symlink_to(tmp_path / "secret")
    old, new, files = texts(folders)
    assert not old
    assert not new
    assert sorted(files) == ["pkg/same.py"]


def test_large_and_binary_files_have_no_text(folders: tuple[Path, Path]) -> None:
    (folders[1] / "large.py").write_text("x" * (LARGEST_FILE + 1))
    (folders[1] / "binary").write_bytes(b"a\0b")
    (folders[1] / "latin.py").write_bytes(b"\xe9")
    assert texts(folders)[1] == {"binary": None, "large.py": None, "latin.py": "\ufffd"}
