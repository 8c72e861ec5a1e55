"""A history that anybody may have made, from an artifact or a branch: opened for reading, and looked through before.

It is never written, its schema may hold plain tables and indexes only, SQLite is told to trust nothing in it, and a
process of its own has read it from end to end first, so that a file that brings SQLite down brings down that one.
"""

import contextlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from profgate.adapters.history_rows import MOST_PROFILE
from profgate.adapters.history_schema import objection
from profgate.adapters.history_store import HistoryStore, connected, spoken_for
from profgate.errors import ProfgateError

PROBE_PATIENCE = 120  # seconds to look through a file
MOST_BYTES = 1 << 30
MOST_STEPS = 1 << 33  # instructions of SQLite's machine: no honest question comes near
PASSED_ON = ("LD_LIBRARY_PATH", "SYSTEMROOT")  # what a Python may need to start


@contextlib.contextmanager
def open_foreign(path: str) -> Iterator["HistoryStore"]:
    """The history in this file, for reading. Raises ProfgateError where it is not as it should be."""
    place = Path(path)
    with spoken_for(place):
        if place.stat().st_size > MOST_BYTES:
            raise ProfgateError(str(place), f"is larger than {MOST_BYTES:,} bytes; prune the history that made it")
        _probe(place)
        connection = connected(place, "ro&immutable=1")
    with contextlib.closing(connection):
        store = HistoryStore(connection, place)
        with spoken_for(place):
            _restrain(connection, place)
            store.check_version()
            store.learn_columns()
        with spoken_for(place, sqlite3.Error):
            yield store


def _restrain(connection: sqlite3.Connection, place: Path) -> None:
    """Bounds what reading may cost, and refuses a schema that would make SQLite do more than read."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_PROFILE)
    steps = iter(range(MOST_STEPS >> 16))
    connection.set_progress_handler(lambda: next(steps, None) is None, 1 << 16)
    if reason := objection(connection):
        raise ProfgateError(str(place), f"{reason}; it is left out")


def _probe(place: Path) -> None:
    asked = [sys.executable, "-I", "-m", "profgate.adapters.history_probe", str(place)]
    # without our environment: whatever the file makes of that process, it finds no token there
    bare = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    try:
        done = subprocess.run(  # noqa: S603 - ourselves
            asked, capture_output=True, timeout=PROBE_PATIENCE, check=False, env=bare
        )
    except subprocess.TimeoutExpired:
        raise ProfgateError(str(place), "takes too long to look through; it is left out") from None
    if done.returncode:
        said = done.stdout.decode("utf-8", "replace").strip()[:300]
        raise ProfgateError(str(place), said or "is no history that can be read; remove it, and it is made anew")


def probe(path: str) -> str:
    """Reads a stranger's file from end to end; what is wrong with it, "" for nothing. For a process of its own."""
    try:
        with spoken_for(Path(path)), contextlib.closing(connected(Path(path), "ro&immutable=1")) as connection:
            _restrain(connection, Path(path))
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                return f"is damaged ({str(found)[:200]}); remove it, and it is made anew"
    except ProfgateError as error:
        return error.what
    return ""
