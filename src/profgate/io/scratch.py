"""Temporary folders, and the removal of what a killed profgate left behind: folders, and processes that use them."""

import contextlib
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from profgate.io.files import translated_errors

PREFIX = "profgate-"
MARK = ".profgate-scratch"  # a file, without which a folder with such a name belongs to the user
UNFOLLOWED = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # a link or a pipe is not opened


@contextlib.contextmanager
def scratch_folder(name: str = "") -> Iterator[str]:
    """Create a temporary folder and remove it afterwards, and before that the folders of killed processes.

    With ``name``, its path is the same in every run. Raises ProfgateError if the folder cannot be created.
    """
    parent = tempfile.gettempdir()
    for mark in Path(parent).glob(f"{PREFIX}*/{MARK}"):
        left = str(mark.parent)
        lock = _lock(left)
        if lock is not None:
            end_marked(f"GOBIN={os.path.realpath(left)}/")  # a variable of `side_environment`
            _remove(left, lock)
    place, lock = _created(parent, name)
    try:
        yield place
    finally:
        _remove(place, lock)


def end_marked(mark: str) -> int:
    """Kill the processes whose environment contains this text, such as ``NAME=value``, and return their number.

    They have left the process group of the command that started them. Only Linux shows the environment.
    """
    if sys.platform != "linux":
        return 0
    ended = 0
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):  # no process, or one that has ended or belongs to another user
            process = int(entry.name)
            if mark.encode() in (entry / "environ").read_bytes():
                os.kill(process, signal.SIGKILL)
                ended += 1
    return ended


def try_lock(file: int) -> bool:
    """Lock an open file until it is closed, and return whether this succeeded: another process may have locked it."""
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _created(parent: str, name: str) -> tuple[str, int | None]:
    """Create a folder and lock it. Until it is locked, it has a name that is not searched for."""
    with translated_errors(f"{parent}/{PREFIX}{name}"):
        made = tempfile.mkdtemp(prefix=f".{PREFIX}", dir=parent)
        Path(made, MARK).touch()
        lock = _lock(made)
        place = f"{parent}/{PREFIX}{name or made.rpartition(PREFIX)[2]}"
        try:
            Path(made).rename(place)
        except OSError:  # another user may have created the path, even as a link
            _remove(made, lock)
            raise
        return place, lock


def _lock(folder: str) -> int | None:
    """Lock a folder. Return None if another process has locked it, or if it is a link or belongs to another user."""
    if sys.platform == "win32":  # it does not open folders
        return None
    with contextlib.suppress(OSError):
        file = os.open(folder, os.O_RDONLY | UNFOLLOWED)
        if os.fstat(file).st_uid == os.getuid() and try_lock(file):
            return file
        os.close(file)
    return None


def _remove(folder: str, lock: int | None) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for above, names, _ in os.walk(folder):  # what is left is in folders that are read-only, as those of packages of Go
        for name in names:
            with contextlib.suppress(OSError):
                if not Path(above, name).is_symlink():
                    Path(above, name).chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        os.close(lock)
