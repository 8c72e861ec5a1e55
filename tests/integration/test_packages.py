"""The source distribution, and the wheel that is built from it."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from profgate.version import VERSION

ROOT = Path(__file__).parents[2]
SHOP = ROOT / "examples" / "shop" / "profiles"
PURE = os.environ | {"PROFGATE_KERNELS": "none"}


def output_of(*command: object, folder: Path, environ: Mapping[str, str] = os.environ) -> str:
    words = [sys.executable, *map(str, command)]
    done = subprocess.run(words, cwd=folder, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked source distribution."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("source")
    output_of("-m", "hatchling", "build", "--target", "sdist", "--directory", folder, folder=ROOT)
    shutil.unpack_archive(folder / f"profgate-{VERSION}.tar.gz", folder)
    return folder / f"profgate-{VERSION}"


@pytest.fixture(scope="module")
def wheel(source: Path) -> Path:
    output_of("-m", "hatchling", "build", "--target", "wheel", folder=source, environ=PURE)
    return source / "dist" / f"profgate-{VERSION}-py3-none-any.whl"


def test_source_distribution_has_only_what_a_build_needs(source: Path) -> None:
    found = {path.name for path in source.iterdir()} - {".gitignore", "dist"}
    files = {"CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
    assert found == files | {"native", "src", "templates"}


def test_wheel_has_only_the_package_and_its_templates(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {Path(name) for name in archive.namelist()}
    templates = {path.relative_to(ROOT) for path in (ROOT / "templates").rglob("*") if path.is_file()}
    code = {path.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("*.py")} | {Path("profgate/py.typed")}
    others = {name for name in names if name.parts[0] == "profgate"} - code - {"profgate" / name for name in templates}
    assert others == set()
    assert code <= names
    assert {"profgate" / name for name in templates} <= names
    assert {name.parts[0] for name in names} == {"profgate", f"profgate-{VERSION}.dist-info"}


@pytest.mark.slow
def test_installed_wheel_compares(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "installed"
    pip = ("-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index", "--no-deps")
    output_of(*pip, "--target", target, wheel, folder=tmp_path)
    environ = os.environ | {"PYTHONPATH": str(target)}
    where = output_of("-c", "import profgate; print(profgate.__file__)", folder=tmp_path, environ=environ)
    assert Path(where.strip()).is_relative_to(target)
    version = output_of("-m", "profgate", "--version", folder=tmp_path, environ=environ)
    assert version == f"profgate {VERSION} (pure Python)\n"
    compare = ("compare", SHOP / "baseline", SHOP / "target", "--output-dir", "out", "--fail-on", "never")
    text = output_of("-m", "profgate", *compare, folder=tmp_path, environ=environ)
    assert "find_duplicates is 7.4x slower" in text
    assert {"comment.md", "index.html", "report.json"} <= {path.name for path in (tmp_path / "out").iterdir()}


def test_readme_names_the_image_of_this_version() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"ghcr\.io/profgate/profgate:([\w.]+)", readme) == [VERSION]
