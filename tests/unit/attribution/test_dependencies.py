"""Packages whose versions moved, and the frames that belong to them."""

import pytest

from profgate.attribution.dependencies import dependency_changes, is_lock_file
from profgate.attribution.unified_diff import folder_diff

NPM = '{"packages": {"": {"name": "shop"}, "node_modules/%s": {"version": "%s"}}}'
CARGO = '[[package]]\nname = "serde"\nversion = "%s"\n'


@pytest.mark.parametrize(
    ("path", "before", "after", "frame", "expected"),
    [
        (
            "requirements.txt",
            "rich==1.0\nnumpy==2.0\n",
            "rich==1.1\nnumpy==2.0\n",
            ("f", "rich/text.py"),
            "rich 1.0 → 1.1",
        ),
        (
            "requirements-dev.lock",
            "ruamel.yaml==1.0 \\\n",
            "ruamel.yaml==2.0 \\\n",
            ("f", "ruamel_yaml/a.py"),
            "ruamel.yaml 1.0 → 2.0",
        ),
        ("uv.lock", CARGO % "1.0", CARGO % "1.1", ("f", "serde/a.py"), "serde 1.0 → 1.1"),
        ("Cargo.lock", CARGO % "1.0", CARGO % "1.1", ("serde::de::f", None), "serde 1.0 → 1.1"),
        ("Cargo.lock", CARGO % "1.0", CARGO % "1.1", ("f", "x/serde-1.1.0/src/de.rs"), "serde 1.0 → 1.1"),
        (
            "web/package-lock.json",
            NPM % ("@a/b", "1.0.0"),
            NPM % ("@a/b", "2.0.0"),
            ("f", "@a/b/x.js"),
            "@a/b 1.0.0 → 2.0.0",
        ),
        (
            "go.sum",
            "ex.org/a v1.0.0 h1:x\n",
            "ex.org/a v1.1.0 h1:y\n",
            ("ex.org/a.F", "ex.org/a/c/f.go"),
            "ex.org/a v1.0.0 → v1.1.0",
        ),
        ("poetry.lock", CARGO % "1.0", "", ("f", "serde/a.py"), "serde 1.0 → (none)"),
    ],
)
def test_frames_of_a_package_that_moved_are_known(
    path: str, before: str, after: str, frame: tuple[str, str | None], expected: str
) -> None:
    found = dependency_changes(folder_diff({path: before}, {path: after}, frozenset({path})))
    assert found.of(*frame) == expected
    assert found.of("g", "other/a.py") is None
    assert found.unread == []


@pytest.mark.parametrize("text", ["{", "[1]", "[" * 100_000])
def test_a_damaged_lock_file_is_unread(text: str) -> None:
    found = dependency_changes(
        folder_diff({"package-lock.json": NPM % ("a", "1")}, {"package-lock.json": text}, frozenset())
    )
    assert found.unread == ["package-lock.json"]
    assert found.moved == {}


def test_lock_files_are_known_by_name() -> None:
    assert all(map(is_lock_file, ["requirements.txt", "a/requirements-dev.lock", "go.mod", "Cargo.lock", "uv.lock"]))
    assert not any(map(is_lock_file, ["a.py", "requirements.md", "package.json", "x/go.summary"]))
