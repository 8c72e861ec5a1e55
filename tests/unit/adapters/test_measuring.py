import subprocess
import sys
import time
from pathlib import Path

import pytest

from profgate.adapters.measuring import run_command, scratch_folder, worktree
from profgate.errors import ProfgateError


def test_the_command_runs_in_its_folder_with_what_it_is_told(tmp_path: Path) -> None:
    script = "import os, pathlib; pathlib.Path('seen').write_text(os.environ['PROFGATE_SIDE'])"
    run_command([sys.executable, "-c", script], str(tmp_path), {"PROFGATE_SIDE": "target"}, 60)
    assert (tmp_path / "seen").read_text() == "target"


def test_a_command_that_fails_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(ProfgateError, match=r"ended with exit code 3 .*: its \| last words"):
        run_command([sys.executable, "-c", "print('its\\nlast words'); exit(3)"], str(tmp_path), {}, 60)


def test_a_command_that_does_not_exist_is_told(tmp_path: Path) -> None:
    with pytest.raises(ProfgateError, match="cannot be started"):
        run_command([str(tmp_path / "nothing")], str(tmp_path), {}, 60)


def test_a_command_that_takes_too_long_ends_with_all_it_started(tmp_path: Path) -> None:
    script = (
        "import subprocess, sys; child = subprocess.Popen(['sleep', '60']); "
        "open('child', 'w').write(str(child.pid)); child.wait()"
    )
    with pytest.raises(ProfgateError, match="took longer than 3 seconds"):
        run_command([sys.executable, "-c", script], str(tmp_path), {}, 3)
    stat = Path("/proc", (tmp_path / "child").read_text(), "stat")
    for _ in range(100):  # the end of an orphan takes the system a moment
        if not stat.exists() or stat.read_text().split()[2] == "Z":
            return
        time.sleep(0.05)
    pytest.fail("the child is still there")


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
    with scratch_folder() as folder:
        with worktree(sha, folder) as place:
            assert Path(place, "file").read_text() == "one"
        assert not Path(place).exists()
        with pytest.raises(ProfgateError, match="fetch the commit"), worktree("f" * 40, folder):
            pass
    assert git("worktree", "list").count("\n") == 0
