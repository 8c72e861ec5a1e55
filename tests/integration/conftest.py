from collections.abc import Iterator
from pathlib import Path

import pytest

from action_stage import BASE_RUNS, Stage
from fake_github import FakeGitHub


@pytest.fixture
def stage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Stage]:
    with FakeGitHub() as fake:
        yield Stage(fake, tmp_path, capsys)


@pytest.fixture
def recorded(stage: Stage) -> Stage:
    """A base branch whose noise is known, and an open pull request."""
    for _ in range(BASE_RUNS):
        stage.push()
    stage.open_pull()
    return stage
