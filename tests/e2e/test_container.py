from pathlib import Path

import pytest

from e2e.container_run import Step, build_image, run_step, why_not, workspace_after
from profgate.version import VERSION

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def _image() -> None:
    if reason := why_not():
        pytest.skip(reason)
    build_image()


@pytest.mark.usefixtures("_image")
def test_the_image_runs_and_tells_its_version(tmp_path: Path) -> None:
    outcome = run_step(Step(["--version"], tmp_path))
    assert outcome.code == 0
    assert outcome.stdout.startswith(f"profgate {VERSION} (")


@pytest.mark.usefixtures("_image")
def test_a_hostile_workspace_does_not_become_the_program(tmp_path: Path) -> None:
    for name in ("profgate", "numpy"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("print('hijacked')\n", encoding="utf-8")
    (tmp_path / "sitecustomize.py").write_text("print('hijacked')\n", encoding="utf-8")
    outcome = run_step(Step(["--version"], tmp_path, {"PYTHONPATH": "/github/workspace"}))
    assert outcome.code == 0
    assert outcome.stdout.startswith(f"profgate {VERSION} (")


@pytest.mark.usefixtures("_image")
def test_two_files_are_compared_in_a_workspace_of_another_owner(tmp_path: Path) -> None:
    (tmp_path / "baseline.folded").write_text("main;parse 600\nmain;write 400\n", encoding="utf-8")
    (tmp_path / "target.folded").write_text("main;parse 900\nmain;write 400\n", encoding="utf-8")
    outcome = run_step(
        Step(["compare", "baseline.folded", "target.folded", "--output-dir", "out", "--fail-on", "never"], tmp_path)
    )
    assert outcome.code == 0, outcome.stderr
    written = {path.name for path in (workspace_after() / "out").rglob("*")}
    assert {"comment.md", "report.json"} <= written
    assert any(name.endswith(".html") for name in written)
