"""What a killed measurement leaves behind is removed by the next one, and nothing else is."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from action_stage import SHARES, SLOWER
from profgate.io.scratch import scratch_folder
from two_commits import COPY, TwoCommits

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
WAIT = f'if test -n "$HANG"; then touch "$HANG"; setsid sleep 300 & sleep 300; fi; {COPY}'
TRACKED = ["track", "--last", "2", "--runs", "1"]
COMMANDS = {
    "measure": ["measure", "HEAD~1", "HEAD", "--budget", "1s", "--", "sh", "-c", WAIT],
    "setup": [
        "measure",
        "HEAD~1",
        "HEAD",
        "--budget",
        "1s",
        "--setup",
        WAIT.partition(COPY)[0],
        "--",
        "sh",
        "-c",
        COPY,
    ],
    "track": [*TRACKED, "--", "sh", "-c", WAIT],
}


@contextmanager
def scratch_folder_in(folder: Path) -> Iterator[Path]:
    """The folder of another command, which is running."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder))
        with scratch_folder() as used:
            yield Path(used)


def until(found: Callable[[], bool]) -> bool:
    end = time.monotonic() + 60
    while not (answer := found()) and time.monotonic() < end:
        time.sleep(0.02)
    return answer


def running(mark: str) -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_text())
        except OSError:
            continue
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("killed_one", "next_one"), [("measure", "track"), ("setup", "measure"), ("track", "measure")])
def test_next_command_removes_what_a_killed_one_left(tmp_path: Path, killed_one: str, next_one: str) -> None:
    repository, temporary = TwoCommits(tmp_path / "repository", SHARES, SLOWER), tmp_path / "temporary"
    temporary.mkdir()
    (temporary / "profgate-report").mkdir()
    repository.git("worktree", "add", "--detach", str(tmp_path / "unmounted"))
    (tmp_path / "unmounted").rename(tmp_path / "moved")
    mark = tmp_path / "hangs"
    environment = {**os.environ, "TMPDIR": str(temporary), "HANG": str(mark)}
    command = [sys.executable, "-m", "profgate"]
    with scratch_folder_in(temporary) as used:
        killed = subprocess.Popen(
            [*command, *COMMANDS[killed_one]], cwd=repository.place, env=environment, stderr=subprocess.DEVNULL
        )
        assert until(mark.exists)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert running(f"HANG={mark}")
        assert len(repository.git("worktree", "list").splitlines()) > 2
        del environment["HANG"]
        subprocess.run(
            [*command, *COMMANDS[next_one]], cwd=repository.place, env=environment, capture_output=True, check=False
        )
        assert {path.name for path in temporary.iterdir()} == {"profgate-report", used.name}
    assert until(lambda: running(f"HANG={mark}") == [])
    worktrees = repository.git("worktree", "list").splitlines()
    assert [line.split()[0] for line in worktrees] == [str(repository.place), str(tmp_path / "unmounted")]
