"""A history file as SQLite opens it: with nothing in it trusted, and with errors that name it."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from profgate.adapters.history_schema import objection
from profgate.errors import ProfgateError

FILE = "history.sqlite"
PATIENCE = 60  # seconds to wait for another writer
LARGEST_VALUE = 1 << 28  # bytes of one value in a stranger's file
MOST_STEPS = 1 << 33  # instructions of SQLite's machine: no honest question comes near
UNUSABLE = (sqlite3.Error, UnicodeDecodeError)  # the second: SQLite's message quotes bytes of a damaged file


def connected(place: Path, mode: str) -> sqlite3.Connection:
    """The file opened by a mode of SQLite's addresses, with nothing in it trusted."""
    uri = f"{place.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    try:
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "synchronous = FULL"):
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 1)  # what VACUUM needs
    connection.setlimit(sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 0)
    if hasattr(connection, "setconfig"):  # Python 3.12
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)  # type: ignore[attr-defined, unused-ignore]
    return connection


def restrain(connection: sqlite3.Connection, place: Path) -> None:
    """Bounds what reading may cost, and refuses a schema that would make SQLite do more than read."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
    steps = iter(range(MOST_STEPS >> 16))
    connection.set_progress_handler(lambda: next(steps, None) is None, 1 << 16)
    if reason := objection(connection):
        raise ProfgateError(str(place), f"{reason}; it is left out")


@contextlib.contextmanager
def spoken_for(place: Path, *kinds: type[Exception]) -> Iterator[None]:
    """What SQLite or the disk say becomes an error that names the file; with ``kinds`` only what they name."""
    chosen = kinds or (*UNUSABLE, OSError)
    try:
        yield
    except chosen as error:
        if isinstance(error, OSError):
            raise ProfgateError(str(place), f"{error.strerror or error}; check the path and its rights") from error
        what = "another process keeps it locked; try again" if "locked" in str(error) else str(error)
        raise ProfgateError(
            str(place), f"is no history that can be used ({what}); if it is damaged, remove it"
        ) from error
