"""Every workflow we run or hand out, by GitHub's own parser, the published schema, zizmor and hadolint."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples" / "workflows").glob("*.yml"))
OURS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PARSER = ROOT / ".ci" / "workflow-parser"
FAULTY = """\
on: pushh
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo ${{ github.event.pull_request.title }} ${{ githb.sha }}
"""


def tool(name: str) -> str:
    place = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if place is None:
        pytest.skip(f"{name} is not installed; ./run setup e2e")
    return place


def said_by(*command: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, timeout=120, cwd=ROOT
    )


def parsed(*files: Path) -> dict[str, list[str]]:
    node = tool("node")
    if not (PARSER / "node_modules").is_dir():
        pytest.skip("GitHub's parser is not installed; npm ci --prefix .ci/workflow-parser")
    result = said_by(node, PARSER / "parse.mjs", *files)
    if "ERR_" in result.stderr or "SyntaxError" in result.stderr:
        pytest.skip(f"this node cannot run GitHub's parser: {result.stderr.strip().splitlines()[-1]}")
    assert result.returncode == 0, result.stderr
    return {one["name"]: one["told"] for one in map(json.loads, result.stdout.splitlines())}


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    place = tmp_path / "faulty.yml"
    place.write_text(FAULTY)
    return place


def test_github_s_parser_has_nothing_to_say() -> None:
    assert parsed(*EXAMPLES, *OURS) == {str(one): [] for one in (*EXAMPLES, *OURS)}


def test_github_s_parser_finds_what_is_wrong(faulty: Path) -> None:
    told = " ".join(parsed(faulty)[str(faulty)])
    assert "pushh" in told
    assert "githb" in told


def test_the_published_schema_accepts_them(faulty: Path) -> None:
    check = (tool("check-jsonschema"), "--builtin-schema")
    workflows = said_by(*check, "vendor.github-workflows", *EXAMPLES, *OURS)
    assert workflows.returncode == 0, workflows.stdout
    action = said_by(*check, "vendor.github-actions", ROOT / "action.yml")
    assert action.returncode == 0, action.stdout
    assert said_by(*check, "vendor.github-workflows", faulty).returncode == 1


def test_zizmor_finds_no_way_in(faulty: Path) -> None:
    zizmor = (tool("zizmor"), "--offline", "--no-progress", "--format", "plain")
    ours = said_by(*zizmor, *OURS, ROOT / "action.yml")
    assert ours.returncode == 0, ours.stdout
    examples = said_by(*zizmor, "--config", ROOT / "examples" / "zizmor.yml", *EXAMPLES)
    assert examples.returncode == 0, examples.stdout
    faulty.write_text(FAULTY.replace("pushh", "pull_request").replace("githb", "github"))
    assert "template-injection" in said_by(*zizmor, faulty).stdout


def test_hadolint_has_nothing_to_say_of_the_image(tmp_path: Path) -> None:
    hadolint = (tool("hadolint"), "--config", ROOT / ".hadolint.yaml")
    image = said_by(*hadolint, ROOT / "Dockerfile")
    assert image.returncode == 0, image.stdout
    (tmp_path / "Dockerfile").write_text("FROM python\nRUN cd /tmp\n")
    assert said_by(*hadolint, tmp_path / "Dockerfile").returncode == 1
