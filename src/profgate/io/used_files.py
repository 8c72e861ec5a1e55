"""Watches which files the processes of a command use. Only Linux shows them; elsewhere, the result is empty."""

import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

SEPARATORS = re.compile("[=:]")  # as in --config=FILE and -classpath FOLDER:FILE


@contextmanager
def used_files(found: set[str]) -> Iterator[Callable[[int], None]]:
    """Yield a function for ``on_start`` of `run_command`, which adds paths to ``found`` until the context ends.

    A path is a regular file that a process runs, maps or has opened only for reading, or that its arguments name.
    """
    done = Event()
    threads: list[Thread] = []

    def start(session: int) -> None:
        if sys.platform == "linux":
            threads.append(Thread(target=_watch, args=(session, found, done), daemon=True))
            threads[-1].start()

    try:
        yield start
    finally:
        done.set()
        for thread in threads:
            thread.join()


def _watch(session: int, found: set[str], done: Event) -> None:
    members: set[int] = set()
    others: set[int] = set()  # not looked at again: a process joins no session after its start
    seen: set[str] = set()
    while True:
        running = {int(name) for name in os.listdir("/proc") if name.isdigit()}  # noqa: PTH208 - many names
        members &= running
        others &= running
        for process in sorted(running - others):
            with suppress(OSError, ValueError):  # the process has ended
                if process in members or _belongs(process, session, members):
                    members.add(process)
                    paths = {*_mapped(process), *_opened(process), *_arguments(process)} - seen
                    seen |= paths
                    found |= {path for path in paths if os.path.exists(path)}  # noqa: PTH110 - accepts every text
                else:
                    others.add(process)
        # a file that is opened and closed again between two looks is not seen
        if done.wait(0.02):
            return


def _belongs(process: int, session: int, members: set[int]) -> bool:
    """Return whether a process is in the session, or was started by such a process in a session of its own."""
    fields = Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    return int(fields[3]) == session or int(fields[1]) in members


def _mapped(process: int) -> Iterator[str]:
    """Yield the executable, libraries and other mapped files."""
    for line in Path(f"/proc/{process}/maps").read_bytes().splitlines():
        path = line.split(maxsplit=5)[5:]
        if path and path[0].startswith(b"/"):
            yield os.fsdecode(path[0])


def _opened(process: int) -> Iterator[str]:
    for entry in Path(f"/proc/{process}/fd").iterdir():
        with suppress(OSError):  # the file was closed
            path = str(entry.readlink())
            if path.startswith("/") and not entry.lstat().st_mode & stat.S_IWUSR:
                yield path


def _arguments(process: int) -> Iterator[str]:
    folder = Path(f"/proc/{process}/cwd").readlink()
    for argument in Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")[1:]:
        for part in SEPARATORS.split(os.fsdecode(argument)):
            if part and part != ".":
                yield str(folder / part)
