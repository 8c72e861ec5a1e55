from pathlib import Path

import pytest

from profgate.track.track_folder import StoredSources


@pytest.fixture
def kept(tmp_path: Path) -> StoredSources:
    return StoredSources(tmp_path / "sources")


def release(folder: Path, **texts: str | bytes) -> str:
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.py").write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(folder)


def test_two_releases_are_compared_by_what_differs(kept: StoredSources, tmp_path: Path) -> None:
    kept.store("1.0", release(tmp_path / "old", same="x = 1\n", other="a\n", gone="g\n", binary=b"\0\1"))
    kept.store("1.1", release(tmp_path / "new", same="x = 1\n", other="b\n", new="n\n", binary=b"\0\2"))
    before, after, files = kept.differing("1.0", "1.1") or ({}, {}, frozenset())
    assert before == {"gone.py": "g\n", "other.py": "a\n"}
    assert after == {"new.py": "n\n", "other.py": "b\n"}
    assert files == {"same.py", "other.py", "new.py", "binary.py"}
    texts = [path for path in kept.folder.rglob("*") if path.is_file() and path.suffix != ".json"]
    assert len(texts) == 5, "a text that two releases share is kept once"


def test_what_was_kept_stays(kept: StoredSources, tmp_path: Path) -> None:
    kept.store("1.0", release(tmp_path / "old", one="a\n"))
    kept.store("1.0", release(tmp_path / "again", one="b\n"))
    kept.store("1.1", str(tmp_path / "again"))
    assert (kept.differing("1.0", "1.1") or ({}, {}))[0] == {"one.py": "a\n"}


def test_a_release_that_was_not_kept_is_not_known(kept: StoredSources, tmp_path: Path) -> None:
    kept.store("1.0", release(tmp_path / "old", one="a\n"))
    assert kept.differing("1.0", "1.1") is None
    assert kept.differing("0.9", "1.0") is None


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', '{"a": "../../../../etc/passwd"}', "[" * 100_000])
def test_a_list_that_somebody_spoiled_is_none(kept: StoredSources, tmp_path: Path, text: str) -> None:
    kept.store("1.0", release(tmp_path / "old", one="a\n"))
    for path in kept.folder.glob("*.json"):
        path.write_text(text)
    assert kept.differing("1.0", "1.0") is None


def test_a_text_that_is_gone_is_not_known(kept: StoredSources, tmp_path: Path) -> None:
    kept.store("1.0", release(tmp_path / "old", one="a\n"))
    kept.store("1.1", release(tmp_path / "new", one="b\n"))
    for path in kept.folder.rglob("*"):
        if path.is_file() and path.suffix != ".json":
            path.unlink()
    assert (kept.differing("1.0", "1.1") or ({}, {}))[:2] == ({"one.py": None}, {"one.py": None})
