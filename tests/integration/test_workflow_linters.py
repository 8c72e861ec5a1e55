"""Check workflows, examples and GitHub's files by GitHub's parser, the published schemas, zizmor and hadolint."""

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


def output_of(*command: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, timeout=120, cwd=ROOT
    )


def parsed(*files: Path) -> dict[str, list[str]]:
    node = tool("node")
    if not (PARSER / "node_modules").is_dir():
        pytest.skip("GitHub's parser is not installed; npm ci --prefix .ci/workflow-parser")
    result = output_of(node, PARSER / "parse.mjs", *files)
    if "ERR_" in result.stderr or "SyntaxError" in result.stderr:
        pytest.skip(f"this node cannot run GitHub's parser: {result.stderr.strip().splitlines()[-1]}")
    assert result.returncode == 0, result.stderr
    return {result["name"]: result["errors"] for result in map(json.loads, result.stdout.splitlines())}


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    place = tmp_path / "faulty.yml"
    place.write_text(FAULTY)
    return place


def test_github_s_parser_accepts_the_workflows() -> None:
    assert parsed(*EXAMPLES, *OURS) == {str(one): [] for one in (*EXAMPLES, *OURS)}


def test_github_s_parser_reports_mistakes(faulty: Path) -> None:
    errors = " ".join(parsed(faulty)[str(faulty)])
    assert "pushh" in errors
    assert "githb" in errors


@pytest.mark.slow
def test_the_published_schema_accepts_them(faulty: Path) -> None:
    check = (tool("check-jsonschema"), "--builtin-schema")
    workflows = output_of(*check, "vendor.github-workflows", *EXAMPLES, *OURS)
    assert workflows.returncode == 0, workflows.stdout
    forms = ROOT / ".github" / "ISSUE_TEMPLATE"
    others = {
        "actions": [ROOT / "action.yml", ROOT / "wheel" / "action.yml"],
        "issue-config": [forms / "config.yml"],
        "issue-forms": [path for path in forms.glob("*.yml") if path.name != "config.yml"],
    }
    for schema, files in others.items():
        result = output_of(*check, f"vendor.github-{schema}", *files)
        assert result.returncode == 0, result.stdout
    assert output_of(*check, "vendor.dependabot", ROOT / ".github" / "dependabot.yml").returncode == 0
    assert output_of(*check, "vendor.github-workflows", faulty).returncode == 1


def test_zizmor_reports_nothing(faulty: Path) -> None:
    zizmor = (tool("zizmor"), "--offline", "--no-progress", "--format", "plain")
    ours = output_of(
        *zizmor, *OURS, ROOT / "action.yml", ROOT / "wheel" / "action.yml", ROOT / ".github" / "dependabot.yml"
    )
    assert ours.returncode == 0, ours.stdout
    examples = output_of(*zizmor, "--config", ROOT / "examples" / "zizmor.yml", *EXAMPLES)
    assert examples.returncode == 0, examples.stdout
    faulty.write_text(FAULTY.replace("pushh", "pull_request").replace("githb", "github"))
    assert "template-injection" in output_of(*zizmor, faulty).stdout


def test_hadolint_accepts_the_dockerfile(tmp_path: Path) -> None:
    hadolint = (tool("hadolint"), "--config", ROOT / ".hadolint.yaml")
    image = output_of(*hadolint, ROOT / "Dockerfile")
    assert image.returncode == 0, image.stdout
    (tmp_path / "Dockerfile").write_text("FROM python\nRUN cd /tmp\n")
    assert output_of(*hadolint, tmp_path / "Dockerfile").returncode == 1
