"""Measuring anew: the user's own command, a checkout for each side, and a folder that takes what it records."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from profgate.errors import ProfgateError

LAST_OUTPUT = 1 << 16  # bytes of the output that are returned
PATIENCE = 300  # seconds for git


@contextmanager
def scratch_folder() -> Iterator[str]:
    """A folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="profgate-") as folder:
        yield folder


@contextmanager
def worktree(commit: str, folder: str) -> Iterator[str]:
    """A checkout of a commit of the repository this process stands in, below ``folder``. Raises ProfgateError."""
    place = str(Path(folder, commit[:12]))
    _git("worktree", "add", "--detach", "--quiet", place, commit)
    try:
        yield place
    finally:
        with suppress(ProfgateError):  # the folder goes anyway
            _git("worktree", "remove", "--force", place)


def run_command(command: Sequence[str], folder: str, variables: Mapping[str, str], seconds: float) -> str:
    """Runs the command in a folder with these variables beside the environment's; returns the end of its output.

    Raises ProfgateError for a command that cannot start, fails or takes longer; whatever it started ends with it.
    """
    shown = " ".join(command)[:200]
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(  # noqa: S603 - the user's own command
                list(command),
                cwd=folder,
                env={**os.environ, **variables},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise ProfgateError(shown, f"cannot be started in {folder}: {error}") from error
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired as error:
            raise ProfgateError(shown, f"took longer than {seconds:g} seconds; give more with --timeout") from error
        finally:
            _end(process)
        if code:
            raise ProfgateError(
                shown, f"ended with exit code {code} in {folder}; its last words: {_last_lines(output)}"
            )
        return _end_of(output)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Nothing of the command may run on beside the next measurement."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _end_of(output: IO[bytes]) -> str:
    output.seek(max(0, output.seek(0, os.SEEK_END) - LAST_OUTPUT))
    return output.read().decode("utf-8", "replace")


def _last_lines(output: IO[bytes]) -> str:
    return " | ".join(line for line in _end_of(output).splitlines() if line.strip())[-500:] or "none"


def _git(*words: str) -> None:
    git = shutil.which("git")
    if git is None:
        raise ProfgateError("git", "was not found; give --baseline-dir and --target-dir")
    try:
        subprocess.run([git, *words], capture_output=True, check=True, timeout=PATIENCE)  # noqa: S603 - words of our own
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ProfgateError(
            f"git {words[0]}", f"{(said or ['failed'])[-1]}; fetch the commit, or give --baseline-dir and --target-dir"
        ) from error
    except (OSError, subprocess.SubprocessError) as error:
        raise ProfgateError(f"git {words[0]}", f"{error}; give --baseline-dir and --target-dir") from error
