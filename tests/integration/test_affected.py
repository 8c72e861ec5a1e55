"""The command affected in a repository with a history."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from profgate.__main__ import main

FILES = {
    "bench/parse.py": "from shop.text import parse\n",
    "bench/send.py": "from net import send\n",
    "shop/text.py": "def parse(text):\n    return text\n",
    "net.py": "def send(text):\n    return text\n",
}


def git(folder: Path, *words: str) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    command = ["git", *identity, *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, env=environment).stdout


@pytest.fixture(name="place")
def fixture_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two workloads in the history at main, and a branch that changes one of their files."""
    monkeypatch.chdir(tmp_path)
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    git(tmp_path, "init", "-q", "-b", "main", ".")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    (tmp_path / "out").mkdir()
    for name, file in (("parse", "shop/text.py"), ("send", "net.py")):
        (tmp_path / "out" / f"{name}.folded").write_text(f"<module> (bench/{name}.py:1);{name} ({file}:2) 900\n")
    assert main(["store", "add", "out"]) == 0
    git(tmp_path, "checkout", "-qb", "branch")
    (tmp_path / "net.py").write_text(FILES["net.py"].replace("return text", "return text * 2"))
    git(tmp_path, "commit", "-qam", "two")
    return tmp_path


def matrix(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    capsys.readouterr()
    assert main(["affected", "main", *words, "--format", "matrix"]) == 0
    return [one["workload"] for one in json.loads(capsys.readouterr().out)["include"]]


def test_matrix_contains_the_affected_workloads(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert matrix(capsys) == ["send"]
    # one that the history does not contain is affected, and a workload is left out only with a proof
    assert matrix(capsys, "other") == ["other", "send"]
    (place / "pyproject.toml").write_text("")
    git(place, "add", "pyproject.toml")
    git(place, "commit", "-qm", "three")
    assert matrix(capsys) == ["parse", "send"]
    assert main(["affected", "main", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["base"] == git(place, "rev-parse", "main").strip()
    reasons = {one["workload"]: one["reason"] for one in document["workloads"]}
    assert reasons["parse"] == "pyproject.toml changed, which may be read by any program or its build"


def test_matrix_is_never_empty(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "a.diff").write_text("")
    assert matrix(capsys, "--diff", "a.diff") == ["parse"]


def test_shallow_clone_and_missing_history_affect_everything(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert matrix(capsys, "parse", "--history", "none") == ["parse"]
    assert main(["affected", "main", "--history", "none"]) == 2
    assert "name them after main" in capsys.readouterr().err
    git(place, "clone", "-q", "--depth", "1", "--no-single-branch", f"file://{place}", "clone")
    git(place / "clone", "checkout", "-q", "-b", "main", "origin/main")
    monkeypatch.chdir(place / "clone")
    assert matrix(capsys, "--history", "../.profgate") == ["parse", "send"]
