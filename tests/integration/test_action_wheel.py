"""The composite action for runners without containers: bash runs its steps as the runner does."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from action_stage import SLOWER, Stage, profiles
from fake_github import FakeGitHub
from profgate.settings.inputs import SETTINGS

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "wheel"
# Creates a folder like a virtual environment, whose Python only writes its arguments to a file.
FAKE_PYTHON = """#!/bin/sh
for folder in bin Scripts; do
  mkdir -p "$4/$folder"
  for name in python python.exe; do
    printf '#!/bin/sh\\necho "$*" >> "%s/pip.log"\\n' "$4" > "$4/$folder/$name"
    chmod +x "$4/$folder/$name"
  done
done
"""


def steps(folder: str = "wheel") -> list[dict[str, Any]]:
    content = yaml.safe_load((ROOT / folder / "action.yml").read_text())
    found: list[dict[str, Any]] = content["runs"]["steps"]
    return found


def bash(script: str, environ: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    """Run a script as the runner does for ``shell: bash``."""
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    clean = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(command, env=clean | dict(environ), capture_output=True, text=True, check=False, timeout=120)


class WheelStage(Stage):
    """A stage on which bash runs the last step of the composite action."""

    def launch(self, environ: Mapping[str, str]) -> int:
        temporary = self.folder / "runner-temp"
        if not temporary.exists():
            venv.create(temporary / "profgate", symlinks=True)
            (place,) = (temporary / "profgate").glob("lib/python*/site-packages")
            (place / "installed.pth").write_text(f"{ROOT / 'src'}\n{sysconfig.get_path('purelib')}\n")
        given = {name.removeprefix("INPUT_").lower(): text for name, text in environ.items() if "INPUT_" in name}
        inputs = {spec.name: given.get(spec.name, spec.default) for spec in SETTINGS}
        others = {name: text for name, text in environ.items() if "INPUT_" not in name}
        runner = {"RUNNER_OS": "macOS", "RUNNER_TEMP": str(temporary), "GITHUB_ACTION_PATH": str(FOLDER)}
        done = bash(steps()[-1]["run"], {**others, **runner, "PROFGATE_INPUTS": json.dumps(inputs)})
        self.log = done.stdout + done.stderr
        return done.returncode


@pytest.mark.skipif(sys.platform == "win32", reason="the stage links the Python of the tests")
def test_composite_action_compares_a_pull_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeGitHub() as fake:
        stage = WheelStage(fake, tmp_path, capsys)
        stage.push()
        stage.open_pull()
        assert stage.compare(profiles(SLOWER, 77)) == 0, stage.log
    assert "parse" in stage.comments[0].splitlines()[1]
    assert stage.outputs["conclusion"] == "warn"
    assert "parse" in stage.summary


def test_step_with_the_inputs_has_the_variables_of_the_artifact_service() -> None:
    assert set(steps()[-1]["env"]) == {"ACTIONS_RESULTS_URL", "ACTIONS_RUNTIME_TOKEN", "PROFGATE_INPUTS"}
    assert not [step for folder in ("wheel", "confirm") for step in steps(folder) if "${{" in step.get("run", "")]


def test_actions_are_pinned_by_digest() -> None:
    used = [step["uses"] for folder in ("wheel", "confirm") for step in steps(folder) if "uses" in step]
    assert used
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", name) for name in used)


@pytest.mark.parametrize(
    ("folder", "system"), [("wheel", "Linux"), ("wheel", "macOS"), ("wheel", "Windows"), ("confirm", "Linux")]
)
@pytest.mark.parametrize("release", [True, False])
def test_all_packages_are_installed_by_hash(folder: str, system: str, release: bool, tmp_path: Path) -> None:
    (install,) = [step["run"] for step in steps(folder) if "install.sh" in step.get("run", "")]
    python = tmp_path / "fake-python"
    python.write_text(FAKE_PYTHON)
    python.chmod(0o755)
    for name in ("wheel", "confirm"):
        (tmp_path / name).mkdir()
    for name in ("requirements.lock", "requirements-bootstrap.lock", "wheel/install.sh"):
        shutil.copy(ROOT / name, tmp_path / name)
    if release:
        (tmp_path / "wheel" / "profgate.lock").touch()
    place = {"RUNNER_TEMP": str(tmp_path), "GITHUB_ACTION_PATH": str(tmp_path / folder)}
    done = bash(install, {"PYTHON": str(python), "RUNNER_OS": system, **place})
    assert done.returncode == 0, done.stderr
    commands = (tmp_path / "profgate" / "pip.log").read_text().splitlines()
    assert all(line.startswith("-I -m pip ") for line in commands)
    *locked, last = commands
    if release:
        locked.append(last)
    else:
        assert "--no-index --no-deps --no-build-isolation" in last
    assert len(locked) == 2
    assert all("--only-binary :all: --require-hashes" in line for line in locked)
    assert all(Path(line.split()[-1]).is_file() for line in locked)
