"""The called workflow and the long form: permissions, origin of their parts, inputs, and agreement with ``init``."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from profgate.measuring.init.recipes import BUDGET, PERF, PY_SPY, RECIPES, RUNS
from profgate.measuring.init.repository import CURRENT
from workflow_rules import jobs_with_code_and_a_writing_token

ROOT = Path(__file__).parents[2]
GATE, LONG = (
    yaml.safe_load((ROOT / place).read_text())
    for place in (".github/workflows/gate.yml", "examples/workflows/confirm.yml")
)
CALLED = GATE[True]["workflow_call"]["inputs"]  # YAML 1.1 reads a bare on as true
GRANTED = {"contents": "read", "actions": "read", "pull-requests": "write"}
JOBS = ["measure", "confirm", "profgate"]
OWN = {
    "repository": "${{ job.workflow_repository || 'unknown' }}",
    "ref": "${{ job.workflow_sha }}",
    "path": ".profgate",
    "persist-credentials": False,
}
both = pytest.mark.parametrize("workflow", [GATE, LONG], ids=["called", "long"])


@both
def test_no_job_asks_for_more_than_the_caller_grants(workflow: dict[str, Any]) -> None:
    assert (workflow["permissions"], list(workflow["jobs"])) == ({}, JOBS)
    for job in workflow["jobs"].values():
        assert all(right in {"read", GRANTED[scope]} for scope, right in job["permissions"].items())
    assert list(jobs_with_code_and_a_writing_token(workflow)) == []


@pytest.mark.parametrize("name", JOBS)
def test_parts_are_of_the_commit_of_the_workflow(name: str) -> None:
    steps, owned = GATE["jobs"][name]["steps"], False
    for step in steps:
        owned = owned or step.get("with") == OWN
        used = step.get("uses", "actions/x@" + 40 * "0")
        assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", used) or (owned and used.startswith("./.profgate"))
    last = [step for step in steps if "upload" not in step.get("uses", "")][-2:]
    assert [step.get("with") == OWN for step in last] == [True, False]  # nothing runs between the checkout and its use


@both
def test_no_shell_contains_an_expression(workflow: dict[str, Any]) -> None:
    assert "${{" not in "".join(step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"])


@both
def test_verdict_is_given_after_jobs_that_failed_or_were_skipped(workflow: dict[str, Any]) -> None:
    measure, confirm, judge = workflow["jobs"].values()
    assert (confirm["needs"], judge["needs"]) == ("measure", ["measure", "confirm"])
    assert judge["if"] == "${{ !cancelled() && (github.event.pull_request || github.event.merge_group) }}"
    assert "needs.measure.outputs.conclusion" in confirm["if"]
    assert measure["outputs"] == {"conclusion": "${{ steps.first.outputs.conclusion }}"}
    assert confirm["strategy"]["fail-fast"] is False
    assert judge["steps"][1]["if"] == "needs.confirm.result != 'skipped'"
    downloads = [step["with"]["path"] for step in judge["steps"][:2]]  # what others wrote is never at the top
    assert downloads == ["first", "machines"]
    assert judge["steps"][-1]["with"]["report"].split() == ["first/report.json", "machines/*/report.json"]


def test_inputs_are_those_of_the_recipes() -> None:
    assert list(CALLED) == ["setup", "record", "runs", "budget", "machines", "python", "node", "go", "java", "rust"]
    assert {language.lower() for language in CURRENT} == set(list(CALLED)[5:])
    assert (CALLED["runs"]["default"], CALLED["budget"]["default"]) == (RUNS, BUDGET)


@pytest.mark.parametrize("name", JOBS[:2])
def test_profilers_are_those_of_the_recipes(name: str) -> None:
    (environment,) = {recipe.env for recipe in RECIPES if recipe.env}
    assert GATE["env"] == dict(environment)
    text = "\n".join(step.get("run", "") for step in GATE["jobs"][name]["steps"])
    assert all(line in text for line in (*PY_SPY[1:], *PERF))


def step_of_confirm() -> dict[str, Any]:
    """The step of the action that measures."""
    step: dict[str, Any] = yaml.safe_load((ROOT / "confirm" / "action.yml").read_text())["runs"]["steps"][-1]
    return step


HOSTILE = '\'; touch evil; echo "$(touch evil)`touch evil`" -x\ntouch made #'


@pytest.mark.skipif(sys.platform == "win32", reason="the action is for Linux")
@pytest.mark.parametrize(("code", "report"), [(0, True), (3, True), (1, False)])
def test_confirm_passes_inputs_as_single_arguments(code: int, report: bool, tmp_path: Path) -> None:
    python = tmp_path / "profgate" / "bin" / "python"
    python.parent.mkdir(parents=True)
    write = "mkdir out; touch out/report.json" if report else "true"
    python.write_text(f"#!/bin/sh\nfor each; do printf '%s\\0' \"$each\"; done > arguments\n{write}\nexit {code}\n")
    python.chmod(0o755)
    given = {"REPORT": HOSTILE, "SETUP": HOSTILE, "RECORD": HOSTILE, "BUDGET": "5", "OUTPUT": "out"}
    environment = os.environ | {f"CONFIRM_{name}": text for name, text in given.items()}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step_of_confirm()["run"]]
    assert set(step_of_confirm()["env"]) == {f"CONFIRM_{name}" for name in given}
    for again in (False, True):
        done = subprocess.run(
            command, cwd=tmp_path, env=environment | {"RUNNER_TEMP": str(tmp_path)}, capture_output=True, check=False
        )
        assert done.returncode == (not report or again)  # a report that exists before is not a result
        assert not (tmp_path / "evil").exists()
        (tmp_path / "out").mkdir(exist_ok=True)
    arguments = (tmp_path / "arguments").read_text().split("\0")[3:-1]
    options = ["confirm", "--budget=5m", "--fallback", f"--setup={HOSTILE}", "--output-dir=out"]
    assert arguments == [*options, HOSTILE, "--", "sh", "-ec", HOSTILE]


def test_documented_workflow_is_accepted() -> None:
    page = (ROOT / "docs" / "how-to" / "workflow.md").read_text()
    caller = yaml.safe_load(page.partition("```yaml\n")[2].partition("```")[0])
    (job,) = caller["jobs"].values()
    assert (job["permissions"], set(job["with"]) - set(CALLED)) == (GRANTED, set())
    tokens = re.findall(r"^\| `(\w+)` \|.*\| (`contents: .*) \|$", page, re.MULTILINE)
    stated = {job: yaml.safe_load(f"{{{rights.replace('`', '')}}}") for job, rights in tokens}
    assert stated == {name: job["permissions"] for name, job in GATE["jobs"].items()}
    rows = set(re.findall(r"`(\w+)`", page.partition("| input | content |")[2].partition("\n\n")[0]))
    assert set(CALLED) <= rows
