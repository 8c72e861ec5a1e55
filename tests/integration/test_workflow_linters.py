"""Check workflows, examples and GitHub's files by GitHub's parser, the published schemas and zizmor."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples" / "workflows").glob("*.yml"))
OURS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTIONS = [ROOT / folder / "action.yml" for folder in (".", "confirm", "wheel")]
PARSER = ROOT / ".ci" / "workflow-parser"


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


def test_github_s_parser_accepts_the_workflows() -> None:
    assert parsed(*EXAMPLES, *OURS) == {str(one): [] for one in (*EXAMPLES, *OURS)}


@pytest.mark.slow
def test_the_published_schema_accepts_them() -> None:
    check = (tool("check-jsonschema"), "--builtin-schema")
    workflows = output_of(*check, "vendor.github-workflows", *EXAMPLES, *OURS)
    assert workflows.returncode == 0, workflows.stdout
    forms = ROOT / ".github" / "ISSUE_TEMPLATE"
    others = {
        "actions": ACTIONS,
        "issue-config": [forms / "config.yml"],
        "issue-forms": [path for path in forms.glob("*.yml") if path.name != "config.yml"],
    }
    for schema, files in others.items():
        result = output_of(*check, f"vendor.github-{schema}", *files)
        assert result.returncode == 0, result.stdout
    assert output_of(*check, "vendor.dependabot", ROOT / ".github" / "dependabot.yml").returncode == 0


def test_actionlint_reports_nothing(tmp_path: Path) -> None:
    gate = tmp_path / "gate.yml"  # actionlint does not know these properties
    text = (ROOT / ".github" / "workflows" / "gate.yml").read_text()
    gate.write_text(
        text.replace("job.workflow_repository", "github.repository").replace("job.workflow_sha", "github.sha")
    )
    result = output_of(tool("actionlint"), "-shellcheck=", "-pyflakes=", *EXAMPLES, gate)
    assert result.returncode == 0, result.stdout


def test_zizmor_reports_nothing() -> None:
    zizmor = (tool("zizmor"), "--offline", "--no-progress", "--format", "plain")
    ours = output_of(*zizmor, *OURS, *ACTIONS, ROOT / ".github" / "dependabot.yml")
    assert ours.returncode == 0, ours.stdout
    examples = output_of(*zizmor, "--config", ROOT / "examples" / "zizmor.yml", *EXAMPLES)
    assert examples.returncode == 0, examples.stdout
