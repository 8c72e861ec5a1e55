"""The workflows, scripts and pictures of the documentation are valid and current."""

import os
import re
import runpy
from pathlib import Path
from typing import Any

import pytest
import yaml

from profgate.settings.config_file import KEYS
from profgate.settings.inputs import SETTINGS
from tutorial_blocks import blocks_of, output_of, run_tutorial
from workflow_rules import jobs_with_code_and_a_writing_token, unpinned

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
EXAMPLE = re.compile(r"(?<=<!-- example )[\w-]+\.yml(?= -->)")
INPUTS = {spec.name for spec in SETTINGS}
YAML = [
    pytest.param(yaml.safe_load(block.text), id=f"{page.stem}-{number}")
    for page in PAGES
    for number, block in enumerate(blocks_of(page))
    if block.language == "yaml"
]
WORKFLOWS = [case for case in YAML if isinstance(case.values[0], dict) and "permissions" in case.values[0]]


def steps_of(content: Any) -> list[dict[str, Any]]:
    """The steps of a workflow, of a job, or of a list of steps."""
    if isinstance(content, dict):
        return [step for job in content.get("jobs", {}).values() for step in job.get("steps", ())]
    return [step for step in content if isinstance(step, dict)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_shown_workflows_are_the_examples(page: Path) -> None:
    text = expected = page.read_text(encoding="utf-8")
    for name in EXAMPLE.findall(text):
        before, _, rest = expected.partition(f"<!-- example {name} -->\n")
        _, end, after = rest.partition(f"<!-- /example {name} -->")
        assert end
        example = (ROOT / "examples" / "workflows" / name).read_text(encoding="utf-8")
        expected = f"{before}<!-- example {name} -->\n\n```yaml\n{example}```\n\n{end}{after}"
    if os.environ.get("PROFGATE_UPDATE_GOLDEN"):
        page.write_text(expected, encoding="utf-8")
    assert page.read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("content", YAML)
def test_inputs_and_policy_keys_exist(content: Any) -> None:
    ours = [step for step in steps_of(content) if str(step.get("uses", "")).startswith("profgate/")]
    assert {name for step in ours for name in step.get("with", {})} <= INPUTS
    if isinstance(content, dict):
        assert set(content.get("gate", {})) <= set(KEYS)


@pytest.mark.parametrize("content", WORKFLOWS)
def test_workflows_are_safe(content: dict[str, Any]) -> None:
    assert list(jobs_with_code_and_a_writing_token(content)) == []
    for step in steps_of(content):
        assert "${{" not in step.get("run", "")
        assert unpinned(step.get("run", "")) == []


def test_script_for_other_ci_compares_two_commits(tmp_path: Path) -> None:
    (script,) = [block for block in blocks_of(DOCS / "how-to/other-ci.md") if block.title]
    (tmp_path / script.title).write_text(script.text)
    (tmp_path / "bench.py").write_text("print(sum(range(1000)))\n")
    commands = """
        git init --quiet --initial-branch main && git add bench.py && git commit --quiet --message a
        git switch --quiet --create work && echo '# a comment' >> bench.py && git commit --quiet --all --message b
        sh compare-performance.sh main
    """
    assert "5 + 5 runs" in output_of(["sh", "-ec", commands], tmp_path, timeout=120)
    assert (tmp_path / "profgate-report" / "comment.md").is_file()


def test_example_of_overweight_works(tmp_path: Path) -> None:
    run_tutorial(DOCS / "explanation/overweight.md", tmp_path, timeout=60)


def test_pictures_of_the_verdict_are_current() -> None:
    pictures = runpy.run_path(str(ROOT / "examples" / "verdict_pictures.py"))["PICTURES"]
    assert {name: draw() for name, draw in pictures.items()} == {
        name: (DOCS / "images" / name).read_text(encoding="utf-8") for name in pictures
    }
