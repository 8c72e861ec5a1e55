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

from profgate.adapters.history_file import connected, restrain, spoken_for
from profgate.adapters.history_reader import HistoryReader
from profgate.errors import ProfgateError

PROBE_PATIENCE = 120  # seconds to look through a file
MOST_BYTES = 1 << 30
PASSED_ON = ("LD_LIBRARY_PATH", "SYSTEMROOT")  # what a Python may need to start


@contextlib.contextmanager
def open_foreign(path: str) -> Iterator[HistoryReader]:
    """The history in this file, for reading. Raises ProfgateError where it is not as it should be."""
    place = Path(path)
    with spoken_for(place):
        if place.stat().st_size > MOST_BYTES:
            raise ProfgateError(str(place), f"is larger than {MOST_BYTES:,} bytes; prune the history that made it")
        _probe(place)
        connection = connected(place, "ro&immutable=1")
    with contextlib.closing(connection):
        store = HistoryReader(connection, place)
        with spoken_for(place):
            restrain(connection, place)
            store.check_version()
            store.learn_columns()
        with spoken_for(place, sqlite3.Error):
            yield store


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
