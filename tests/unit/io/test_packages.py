"""Packages that register entry points, as importlib.metadata finds them."""

import sys
from importlib.machinery import PathFinder
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from profgate.io.packages import registers


def package(folder: Path, group: str, form: str = "dist-info") -> None:
    description = folder / f"outside-1.0.{form}"
    description.mkdir(parents=True)
    (description / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n", encoding="utf-8")
    (description / "entry_points.txt").write_text(f"[{group}]\nmine = outside:Reader\n", encoding="utf-8")


@pytest.mark.parametrize("form", ["dist-info", "egg-info"])
def test_a_package_that_registers_a_reader_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path / "absent"), str(tmp_path)])
    package(tmp_path, "profgate.readers", form)
    assert [point.name for point in entry_points(group="profgate.readers")] == ["mine"]
    monkeypatch.setattr(sys, "meta_path", [PathFinder])  # other tests may have imported packages with finders
    assert registers("profgate.readers")
    assert not registers("profgate.strategies")
