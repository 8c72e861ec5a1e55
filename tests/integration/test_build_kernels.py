"""Building a wheel with and without a C compiler."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("pyproject.toml", "README.md", "LICENSE", "native", "src", "templates")


@pytest.mark.parametrize(("required", "code"), [("required", 1), ("optional", 0)])
def test_kernels_can_be_required(tmp_path: Path, required: str, code: int) -> None:
    pytest.importorskip("hatchling")
    for name in PARTS:
        place = ROOT / name
        copy = shutil.copytree if place.is_dir() else shutil.copy
        copy(place, tmp_path / name)
    environ = os.environ | {"PROFGATE_KERNELS": required, "CC": "/nonexistent/cc"}
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    done = subprocess.run(build, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert ("the kernels could not be compiled" in done.stderr) == bool(code)
    assert [one.name.endswith("none-any.whl") for one in (tmp_path / "dist").glob("*.whl")] == [True] * (not code)
