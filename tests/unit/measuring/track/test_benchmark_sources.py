from pathlib import Path

import pytest

from profgate.errors import ProfgateError
from profgate.io.environment import cpu_model
from profgate.measuring.track.benchmark_sources import copy_into, digest_of_files, text_below
from profgate.measuring.track.measuring import machine


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name in ("bench/a.py", "bench/deep/b.py", "bench/__pycache__/a.pyc", "lib.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"# {name}")
    (tmp_path / "outside.py").write_text("secret")
    (root / "bench" / "link.py").symlink_to(tmp_path / "outside.py")
    return root


def test_digest_depends_on_text_and_name(folder: Path) -> None:
    names = ["bench/a.py", "lib.py"]
    first = digest_of_files(str(folder), names)
    assert first == digest_of_files(str(folder), [*names, "gone.py"])
    (folder / "lib.py").write_text("# other")
    assert digest_of_files(str(folder), names) != first
    assert digest_of_files(str(folder), ["gone.py"]) is None
    assert digest_of_files(str(folder), ["bench"]) != digest_of_files(str(folder), ["bench/a.py"])


def test_text_is_read_inside_the_folder_only(folder: Path) -> None:
    assert text_below(str(folder), "lib.py") == "# lib.py"
    assert text_below(str(folder), str(folder / "lib.py")) == "# lib.py"
    for name in ("../outside.py", "bench/link.py", "/etc/hostname", "bench", "a\0b", "gone.py"):
        assert text_below(str(folder), name) is None


def test_copies_replace_old_files(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    old = tmp_path / "old"
    (old / "sub" / "bench").mkdir(parents=True)
    (old / "sub" / "bench" / "stale.py").write_text("x")
    copy_into(str(old), "sub/", ["bench/deep", "lib.py"])
    assert (old / "sub/bench/deep/b.py").read_text() == "# bench/deep/b.py"
    assert (old / "sub/lib.py").exists()
    copy_into(str(old), "sub/", ["bench"])
    assert not (old / "sub/bench/stale.py").exists()


def test_copies_stay_inside_the_worktree(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    old = tmp_path / "old"
    old.mkdir()
    (tmp_path / "home").mkdir()
    (old / "bench").symlink_to(tmp_path / "home")
    with pytest.raises(ProfgateError, match="through a link"):
        copy_into(str(old), "", ["bench/a.py"])
    for name in ("../outside.py", str(folder / "lib.py")):
        with pytest.raises(ProfgateError, match="is outside of this folder"):
            copy_into(str(old), "", [name])
    assert list((tmp_path / "home").iterdir()) == []


@pytest.mark.parametrize(
    ("content", "model"),
    [("model name\t: Xeon   CPU @ 2.20GHz\n", "Xeon CPU @ 2.20GHz"), ("CPU part\t: 0xd0c\n", "0xd0c")],
)
def test_processor_of_the_machine_is_named_as_in_recordings(content: str, model: str, tmp_path: Path) -> None:
    file = tmp_path / "cpuinfo"
    file.write_text(content, encoding="ascii")
    assert machine(str(file)).endswith(f", {model}")
    assert cpu_model(str(file)) == model
