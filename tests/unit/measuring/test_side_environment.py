import os
import subprocess
import sys
from pathlib import Path

import pytest

from profgate.measuring.side_environment import python_environment, side_environment


def test_values_of_both_sides_are_of_equal_length() -> None:
    outer = {"PATH": "/usr/bin", "CARGO_TARGET_DIR": "/x", "UV_PROJECT_ENVIRONMENT": "/y"}
    first, second = (side_environment(root, outer) for root in ("/scratch/a", "/scratch/b"))
    assert {name: len(value) for name, value in first.items()} == {name: len(value) for name, value in second.items()}
    assert all(first[name] != second[name] for name in first)


def test_build_folders_are_replaced_only_if_both_sides_would_share_them() -> None:
    outer = {"CARGO_TARGET_DIR": "/shared", "CARGO_BUILD_TARGET_DIR": "relative", "PATH": "/usr/bin"}
    variables = side_environment("/a", outer)
    assert variables["CARGO_TARGET_DIR"] == "/a/target"
    assert not {"CARGO_BUILD_TARGET_DIR", "UV_PROJECT_ENVIRONMENT"} & set(variables)
    assert variables["PATH"] == "/a/bin:/usr/bin"


@pytest.mark.parametrize(
    ("text", "shared"),
    [('[build]\ntarget-dir = "/x"', True), ("[build]\njobs = 2", False), ("build = 1", False), ("[", False)],
)
def test_build_folder_in_the_configuration_of_cargo_is_shared(tmp_path: Path, text: str, *, shared: bool) -> None:
    (tmp_path / "config.toml").write_text(text)
    assert ("CARGO_TARGET_DIR" in side_environment("/a", {"CARGO_HOME": str(tmp_path)})) is shared


def test_maven_reads_the_repository_outside() -> None:
    given = {"MAVEN_OPTS": "-Xmx1g -Dmaven.repo.local=/given"}
    assert side_environment("/a", given)["MAVEN_OPTS"] == (
        "-Xmx1g -Dmaven.repo.local=/given -Dmaven.repo.local=/a/m2 -Dmaven.repo.local.tail=/given"
    )
    assert side_environment("/a", {})["MAVEN_OPTS"].endswith("/.m2/repository")
    assert "MAVEN_OPTS" not in side_environment("/with space/a", {})


def test_python_of_a_side_has_the_outer_packages_and_commands(tmp_path: Path) -> None:
    checkout, root = tmp_path / "checkout", tmp_path / "root"
    checkout.mkdir()
    outer = f"{Path(sys.executable).parent}:" + os.environ["PATH"]
    assert python_environment(str(root), str(checkout), {"PATH": str(tmp_path)}) == {}
    variables = python_environment(str(root), str(checkout), {"PATH": outer})
    assert variables == {"VIRTUAL_ENV": f"{root}/venv", "PATH": f"{root}/venv/bin:{outer}"}
    code = "import pytest, sys; print(sys.prefix, pytest.__file__)"
    prefix, found = output([f"{root}/venv/bin/python", "-c", code]).split()
    assert (prefix, found) == (f"{root}/venv", pytest.__file__)
    assert "pytest" in output([f"{root}/venv/bin/pytest", "--version"])
    assert Path(root, "venv", "bin", "pip").read_text().startswith(f"#!{root}/venv/bin/python\n")


@pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="the system has no Python")
def test_python_of_the_system_becomes_a_side(tmp_path: Path) -> None:
    python_environment(f"{tmp_path}/a", str(tmp_path), {"PATH": "/usr/bin"})
    code = "import sys, site; print(sys.prefix, *site.getsitepackages())"
    prefix, *folders = output([f"{tmp_path}/a/venv/bin/python", "-c", code]).split()
    assert prefix == f"{tmp_path}/a/venv"
    assert any(Path(folder, "~outer.pth").is_file() for folder in folders)


def output(words: list[str]) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout
