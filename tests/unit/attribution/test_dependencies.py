"""Packages whose versions moved, and the frames that belong to them."""

import pytest

from folder_diffs import folder_diff
from profgate.attribution.dependencies import dependency_changes, is_lock_file

NPM = '{"packages": {"": {"name": "shop"}, "node_modules/%s": {"version": "%s"}}}'
CARGO = '[[package]]\nname = "serde"\nversion = "%s"\n'


@pytest.mark.parametrize(
    ("path", "text", "frame", "expected"),
    [
        ("requirements.txt", "rich==%s\nnumpy==2.0\n", ("f", "rich/text.py"), "rich 1.0 → 1.1"),
        ("requirements-dev.lock", "ruamel.yaml==%s \\\n", ("f", "ruamel_yaml/a.py"), "ruamel.yaml 1.0 → 1.1"),
        ("uv.lock", CARGO, ("f", "serde/a.py"), "serde 1.0 → 1.1"),
        ("Cargo.lock", CARGO, ("serde::de::f", None), "serde 1.0 → 1.1"),
        ("Cargo.lock", CARGO, ("f", "x/serde-1.1.0/src/de.rs"), "serde 1.0 → 1.1"),
        ("web/package-lock.json", NPM % ("@a/b", "%s"), ("f", "@a/b/x.js"), "@a/b 1.0 → 1.1"),
        ("go.sum", "ex.org/a v%s.0 h1:x\n", ("ex.org/a.F", "ex.org/a/c/f.go"), "ex.org/a v1.0.0 → v1.1.0"),
    ],
)
def test_frames_of_a_package_that_moved_are_known(
    path: str, text: str, frame: tuple[str, str | None], expected: str
) -> None:
    found = dependency_changes(folder_diff({path: text % "1.0"}, {path: text % "1.1"}, frozenset({path})))
    assert found.of(*frame) == expected
    assert found.of("g", "other/a.py") is None


def test_a_removed_package_has_no_version() -> None:
    lock = {"poetry.lock": CARGO % "1.0"}
    found = dependency_changes(folder_diff(lock, {"poetry.lock": ""}, frozenset(lock)))
    assert found.of("f", "serde/a.py") == "serde 1.0 → (none)"


@pytest.mark.parametrize("text", ["{", "[1]", "[" * 100_000])
def test_damaged_lock_file_names_no_package(text: str) -> None:
    found = dependency_changes(
        folder_diff({"package-lock.json": NPM % ("a", "1")}, {"package-lock.json": text}, frozenset())
    )
    assert found.moved == {}


def test_lock_files_are_known_by_name() -> None:
    assert all(map(is_lock_file, ["requirements.txt", "a/requirements-dev.lock", "go.mod", "Cargo.lock", "uv.lock"]))
    assert not any(map(is_lock_file, ["a.py", "requirements.md", "package.json", "x/go.summary"]))
