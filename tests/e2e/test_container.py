from pathlib import Path

import pytest

from e2e.container_run import Step, build_image, run_step, why_not
from profgate.version import VERSION

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def _image() -> None:
    if reason := why_not():
        pytest.skip(reason)
    build_image()


@pytest.mark.usefixtures("_image")
def test_a_hostile_workspace_does_not_become_the_program(tmp_path: Path) -> None:
    for name in ("profgate", "numpy"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("print('hijacked')\n", encoding="utf-8")
    (tmp_path / "sitecustomize.py").write_text("print('hijacked')\n", encoding="utf-8")
    outcome = run_step(Step(["--version"], tmp_path, {"PYTHONPATH": "/github/workspace"}))
    assert outcome.code == 0
    assert outcome.stdout.startswith(f"profgate {VERSION} (")
