"""The example of a strategy as a package: built, installed, listed, used; and what happens when it raises."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from judged import changes_in

NAME = "mean_shift"
EXAMPLE = Path(__file__).parents[2] / "examples" / "strategy"
SLOWER = "main;parse 3000\nmain;write 2000\n", "main;parse 4500\nmain;write 2000\n"


def installed(package: Path, site: Path) -> Path:
    """The wheel of a package, laid out as an installer would: a wheel of Python files is what lies in the folder."""
    dist = package / "dist"
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(dist)],
        cwd=package,
        check=True,
        capture_output=True,
        timeout=120,
    )
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return site


def run(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-m", *arguments], env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example, because building writes files."""
    return Path(shutil.copytree(EXAMPLE, tmp_path_factory.mktemp("copied") / NAME))


@pytest.fixture(scope="module")
def site(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(package, tmp_path_factory.mktemp("site"))


@pytest.fixture
def sides(tmp_path: Path) -> list[str]:
    for name, text in zip(("a", "b"), SLOWER, strict=True):
        (tmp_path / f"{name}.folded").write_text(text)
    return [str(tmp_path / "a.folded"), str(tmp_path / "b.folded")]


def test_test_of_the_package_passes(package: Path, site: Path) -> None:
    done = run(site, "pytest", "-q", "-p", "no:cacheprovider", str(package / "tests"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout


def test_installed_package_runs_on_request(site: Path, sides: list[str]) -> None:
    done = run(site, "profgate", "compare", *sides, "--strategy", "ms", "--format", "json")
    (metric,) = json.loads(done.stdout)["workloads"][0]["metrics"]
    assert [(change["strategy"], change["location"]["name"], change["kind"]) for change in changes_in(metric)] == [
        (NAME, "parse", "MaybeDegradation")
    ]
    assert done.returncode == 0


def test_configuration_accepts_its_options(site: Path, sides: list[str], tmp_path: Path) -> None:
    configuration = tmp_path / "profgate.yml"
    configuration.write_text(f"degradation:\n  strategies:\n    - {{method: {NAME}, options: {{part: 0.5}}}}\n")
    asked = ("compare", *sides, "--config", str(configuration), "--format", "json")
    quiet = run(site, "profgate", *asked)
    assert changes_in(json.loads(quiet.stdout)["workloads"][0]["metrics"][0]) == []
    configuration.write_text(f"degradation:\n  strategies:\n    - {{method: {NAME}, options: {{part: 2.0}}}}\n")
    refused = run(site, "profgate", *asked)
    assert refused.returncode == 2
    assert "2.0 is out of range; write a number at most 1" in refused.stderr


def test_unloadable_strategy_is_named(site: Path, tmp_path: Path) -> None:
    broken = Path(shutil.copytree(site, tmp_path / "site"))
    (broken / f"profgate_{NAME}" / "strategy.py").write_text("raise SystemExit(0)\n")
    done = run(broken, "profgate", "strategies")
    assert done.returncode == 2
    assert f"entry point profgate.strategies: {NAME}" in done.stderr
