from pathlib import Path

import pytest

from profgate.errors import ProfgateError
from profgate.track.benchmark_sources import bring, digest_of, files_matching, machine, text_below


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name in ("bench/a.py", "bench/deep/b.py", "bench/__pycache__/a.pyc", "lib.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"# {name}")
    (tmp_path / "outside.py").write_text("secret")
    (root / "bench" / "link.py").symlink_to(tmp_path / "outside.py")
    return root


def test_patterns_find_files_and_what_lies_in_folders(folder: Path) -> None:
    assert files_matching(str(folder), "bench/*.py") == ["bench/a.py"]
    assert files_matching(str(folder), "bench/**/*.py") == ["bench/a.py", "bench/deep/b.py"]
    assert files_matching(str(folder), "bench") == ["bench/a.py", "bench/deep/b.py"]
    assert files_matching(str(folder), "*.rs") == []


def test_nothing_outside_of_the_folder_is_found(folder: Path) -> None:
    for pattern in ("../*.py", "bench/link.py", str(folder.parent / "outside.py")):
        assert files_matching(str(folder), pattern) == []


def test_a_digest_changes_with_text_and_name(folder: Path) -> None:
    names = ["bench/a.py", "lib.py"]
    first = digest_of(str(folder), names)
    assert first == digest_of(str(folder), [*names, "gone.py"])
    (folder / "lib.py").write_text("# other")
    assert digest_of(str(folder), names) != first
    assert digest_of(str(folder), ["gone.py"]) is None


def test_the_text_of_a_file_is_read_inside_alone(folder: Path) -> None:
    assert text_below(str(folder), "lib.py") == "# lib.py"
    assert text_below(str(folder), str(folder / "lib.py")) == "# lib.py"
    for name in ("../outside.py", "bench/link.py", "/etc/hostname", "bench", "a\0b", "gone.py"):
        assert text_below(str(folder), name) is None


def test_files_of_today_take_the_place_of_old_ones(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    old = tmp_path / "old"
    (old / "sub" / "bench").mkdir(parents=True)
    (old / "sub" / "bench" / "stale.py").write_text("x")
    bring(["bench/deep", "lib.py"], str(old), "sub/")
    assert (old / "sub/bench/deep/b.py").read_text() == "# bench/deep/b.py"
    assert (old / "sub/lib.py").exists()
    bring(["bench"], str(old), "sub/")
    assert not (old / "sub/bench/stale.py").exists()


def test_nothing_is_brought_out_of_the_worktree(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    old = tmp_path / "old"
    old.mkdir()
    (tmp_path / "home").mkdir()
    (old / "bench").symlink_to(tmp_path / "home")
    with pytest.raises(ProfgateError, match="through a link"):
        bring(["bench/a.py"], str(old), "")
    for name in ("../outside.py", str(folder / "lib.py")):
        with pytest.raises(ProfgateError, match="by its path from here"):
            bring([name], str(old), "")
    assert list((tmp_path / "home").iterdir()) == []


def test_the_machine_has_a_name() -> None:
    assert machine().count(",") >= 1
