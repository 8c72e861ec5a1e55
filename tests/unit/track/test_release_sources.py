from pathlib import Path

import pytest

from profgate.track.track_folder import ReleaseSources


@pytest.fixture
def sources(tmp_path: Path) -> ReleaseSources:
    return ReleaseSources(tmp_path / "sources")


def release(folder: Path, **texts: str | bytes) -> str:
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.py").write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(folder)


def test_differing_files_of_two_releases(sources: ReleaseSources, tmp_path: Path) -> None:
    sources.store("1.0", release(tmp_path / "old", same="x = 1\n", other="a\n", gone="g\n", binary=b"\0\1"))
    sources.store("1.1", release(tmp_path / "new", same="x = 1\n", other="b\n", new="n\n", binary=b"\0\2"))
    before, after, files = sources.differing("1.0", "1.1") or ({}, {}, frozenset())
    assert before == {"gone.py": "g\n", "other.py": "a\n"}
    assert after == {"new.py": "n\n", "other.py": "b\n"}
    assert files == {"same.py", "other.py", "new.py", "binary.py"}
    texts = [path for path in sources.folder.rglob("*") if path.is_file() and path.suffix != ".json"]
    assert len(texts) == 5, "a text that two releases share is stored once"


def test_stored_release_is_not_replaced(sources: ReleaseSources, tmp_path: Path) -> None:
    sources.store("1.0", release(tmp_path / "old", one="a\n"))
    sources.store("1.0", release(tmp_path / "again", one="b\n"))
    sources.store("1.1", str(tmp_path / "again"))
    assert (sources.differing("1.0", "1.1") or ({}, {}))[0] == {"one.py": "a\n"}


def test_unknown_release_is_none(sources: ReleaseSources, tmp_path: Path) -> None:
    sources.store("1.0", release(tmp_path / "old", one="a\n"))
    assert sources.differing("1.0", "1.1") is None
    assert sources.differing("0.9", "1.0") is None


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', '{"a": "../../../../etc/passwd"}', "[" * 100_000])
def test_damaged_list_is_none(sources: ReleaseSources, tmp_path: Path, text: str) -> None:
    sources.store("1.0", release(tmp_path / "old", one="a\n"))
    for path in sources.folder.glob("*.json"):
        path.write_text(text)
    assert sources.differing("1.0", "1.0") is None


def test_missing_text_is_none(sources: ReleaseSources, tmp_path: Path) -> None:
    sources.store("1.0", release(tmp_path / "old", one="a\n"))
    sources.store("1.1", release(tmp_path / "new", one="b\n"))
    for path in sources.folder.rglob("*"):
        if path.is_file() and path.suffix != ".json":
            path.unlink()
    assert (sources.differing("1.0", "1.1") or ({}, {}))[:2] == ({"one.py": None}, {"one.py": None})
