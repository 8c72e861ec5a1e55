"""The action in its container, run as the runner runs it, against the fake GitHub; its page opened in a browser."""

import json
import re
from pathlib import Path

import pytest

from action_stage import BASE_RUNS, SLOWER, WORKFLOW, Stage, profiles
from e2e.container_run import Step, build_image, run_step, why_not, workspace_after
from fake_github import FakeGitHub
from profgate.version import VERSION

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def _image() -> None:
    if reason := why_not():
        pytest.skip(reason)
    build_image()


def step_of(stage: Stage, tmp_path: Path) -> Step:
    """A pull request's step whose `parse` doubled, as the runner hands it to the container."""
    merge = stage.fake.add_commit(parents=[stage.base, stage.head])
    stage.fake.start_run(merge, event="pull_request", branch="feature")
    workspace = tmp_path / "checkout"
    for name, data in profiles(SLOWER, 77).items():
        place = workspace / "profiles" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    ours = stage.fake.state.repository_id
    event = {
        "number": stage.number,
        "repository": {"id": ours, "default_branch": "main"},
        "pull_request": {
            "number": stage.number,
            "head": {"sha": stage.head, "ref": "feature", "repo": {"id": ours}},
            "base": {"sha": stage.base, "ref": "main", "repo": {"id": ours}},
            "user": {"login": "octocat"},
        },
    }
    environment = {
        **stage.fake.service_env(),
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_SHA": merge,
        "GITHUB_REF": f"refs/pull/{stage.number}/merge",
        "GITHUB_BASE_REF": "main",
        "GITHUB_JOB": "performance",
        "GITHUB_WORKFLOW_REF": f"{stage.fake.state.repository}/{WORKFLOW}@refs/heads/main",
        "INPUT_TOKEN": stage.fake.token,
        "INPUT_FAIL-ON": "degradation",
    }
    return Step(["action"], workspace, environment, json.dumps(event))


def outputs_of(text: str) -> dict[str, str]:
    """The output file as the runner reads it."""
    return {
        name: value for name, _, value in re.findall(r"^([\w-]+)<<(\S+)\n(.*?)\n?\2$", text, re.MULTILINE | re.DOTALL)
    }


@pytest.mark.usefixtures("_image")
def test_a_regression_fails_the_step_and_tells_the_pull_request(
    request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeGitHub() as fake:
        stage = Stage(fake, tmp_path / "recorded", capsys)
        stage.folder.mkdir()
        for _ in range(BASE_RUNS):
            stage.push()
        stage.open_pull()
        outcome = run_step(step_of(stage, tmp_path))
        assert outcome.code == 1, outcome.stdout + outcome.stderr
        (comment,) = stage.comments
        pages = [one for one in fake.state.artifacts.values() if one.name.endswith(".html")]
        html = tmp_path / "page.html"
        html.write_bytes(pages[0].data)
    assert "parse" in comment.splitlines()[1]
    outputs = outputs_of(outcome.output)
    assert outputs["conclusion"] == "fail"
    assert outputs["page-url"] in comment
    assert "parse" in outcome.summary
    assert len(outcome.summary.encode()) < 1 << 20
    assert not re.search(r"##\[|^\s*::(?:set-output|save-state)", outcome.stdout + outcome.stderr, re.MULTILINE)
    report = workspace_after() / "profgate-report" / "report.json"
    assert json.loads(report.read_text())["verdict"]["conclusion"] == "fail"
    assert report.stat().st_uid == workspace_after().stat().st_uid
    page = request.getfixturevalue("open_file")(html)  # last: without a browser the rest has been seen
    page.wait_for_selector("canvas[data-painted]", state="attached")


@pytest.mark.usefixtures("_image")
def test_a_hostile_workspace_does_not_become_the_program(tmp_path: Path) -> None:
    for name in ("profgate", "numpy"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("print('hijacked')\n", encoding="utf-8")
    (tmp_path / "sitecustomize.py").write_text("print('hijacked')\n", encoding="utf-8")
    outcome = run_step(Step(["--version"], tmp_path, {"PYTHONPATH": "/github/workspace"}))
    assert outcome.code == 0
    assert outcome.stdout.startswith(f"profgate {VERSION} (")
