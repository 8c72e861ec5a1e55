"""``profgate init`` on small repositories: what it writes is what the linters and our own readers accept."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from profgate import wiring
from profgate.__main__ import main
from profgate.commands.init import RECIPES
from profgate.config_file import read_policy
from profgate.settings import settings_from

ROOT = Path(__file__).parents[2]
CATALOGUE = {name: one.options for one in wiring.strategies() for name in (one.name, one.short)}


@pytest.fixture(params=RECIPES, ids=lambda recipe: recipe.language)
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    (tmp_path / request.param.marks[0]).touch()
    return tmp_path


def written(repository: Path, name: str = "performance") -> Path:
    return repository / ".github" / "workflows" / f"{name}.yml"


def test_every_language_gets_a_workflow_and_a_policy(repository: Path) -> None:
    assert main(["init", str(repository), "--yes", "--branch", "trunk"]) == 0
    content = yaml.safe_load(written(repository).read_text())
    assert content[True]["push"]["branches"] == ["trunk"]  # YAML 1.1 reads a bare on as true
    step = content["jobs"]["profgate"]["steps"][-1]
    settings_from(step["with"])
    assert "COMMAND" not in written(repository).read_text()
    policy = repository / ".github" / "profgate.yml"
    assert read_policy(policy.read_text(), str(policy), CATALOGUE).fail_on == "degradation"


def test_the_linters_have_nothing_to_say(repository: Path) -> None:
    assert main(["init", str(repository), "--yes"]) == 0
    place = written(repository)
    zizmor = shutil.which("zizmor", path=str(Path(sys.executable).parent))
    parser = ROOT / ".ci" / "workflow-parser"
    if zizmor is None or shutil.which("node") is None or not (parser / "node_modules").is_dir():
        pytest.skip("zizmor or GitHub's parser is not installed; ./run setup e2e, npm ci --prefix .ci/workflow-parser")
    config = ROOT / "examples" / "zizmor.yml"
    audit = subprocess.run(
        [zizmor, "--offline", "--config", config, place], capture_output=True, text=True, check=False
    )
    assert audit.returncode == 0, audit.stdout
    told = subprocess.run(["node", parser / "parse.mjs", place], capture_output=True, text=True, check=True)
    assert json.loads(told.stdout)["told"] == []


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = tmp_path / ".github" / "profgate.yml"
    written(tmp_path).parent.mkdir(parents=True)
    written(tmp_path).write_text("name: other\n")
    policy.write_text("gate: {fail-on: never}\n")
    assert main(["init", str(tmp_path), "--yes"]) == 0
    assert written(tmp_path).read_text() == "name: other\n"
    assert policy.read_text() == "gate: {fail-on: never}\n"
    assert "profgate/profgate@v1" in written(tmp_path, "profgate").read_text()
    capsys.readouterr()
    assert main(["init", str(tmp_path), "--yes"]) == 2
    assert "uses profgate already; nothing was written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--command", "echo ${{ secrets.x }}"], "without ${{"),
        (["--command", "a\nb"], "one line of shell"),
        (["--branch", "x]\n"], "is no branch"),
    ],
)
def test_what_a_workflow_cannot_hold_is_refused(
    words: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", str(tmp_path), "--yes", *words]) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / ".github").exists()


def test_a_language_is_never_guessed_in_silence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", str(tmp_path), "--yes"]) == 0
    assert capsys.readouterr().out.startswith(
        "No language is told by the files here; the workflow is that for native code"
    )
