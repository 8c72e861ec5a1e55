import subprocess
import sys
from pathlib import Path

import pytest

from profgate.errors import ProfgateError
from profgate.io.processes import output_of
from profgate.io.worktrees import worktree


def test_command_runs_in_folder_with_variables(tmp_path: Path) -> None:
    script = "import os, pathlib; pathlib.Path('seen').write_text(os.environ['PROFGATE_SIDE'])"
    output_of([sys.executable, "-c", script], str(tmp_path), {"PROFGATE_SIDE": "target"}, 60)
    assert (tmp_path / "seen").read_text() == "target"


def test_a_command_that_fails_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(ProfgateError, match=r"ended with exit code 3 .*: its \| last words"):
        output_of([sys.executable, "-c", "print('its\\nlast words'); exit(3)"], str(tmp_path), {}, 60)


def test_a_worktree_holds_the_commit_and_goes_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def git(*words: str) -> str:
        settings = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
        return subprocess.run(
            ["git", *settings, *words], check=True, capture_output=True, text=True, cwd=tmp_path
        ).stdout.strip()

    git("init", "--quiet")
    (tmp_path / "file").write_text("one")
    git("add", "file")
    git("commit", "--quiet", "-m", "one")
    sha = git("rev-parse", "HEAD")
    (tmp_path / "file").write_text("two")
    checkout = str(tmp_path / "checkout")
    with worktree(sha, checkout) as place:
        assert Path(place, "file").read_text() == "one"
    assert not Path(checkout).exists()
    with pytest.raises(ProfgateError, match="fetch the commit"), worktree("f" * 40, checkout):
        pass
    assert git("worktree", "list").count("\n") == 0
