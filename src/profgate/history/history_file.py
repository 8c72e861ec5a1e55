"""Opens and checks the SQLite file of a history.

``python -m profgate.history.history_file FILE`` checks one file. Each file is checked in a new process, so this module
imports only a few other modules.
"""

import contextlib
import os
import re
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

from profgate.errors import ProfgateError

FILE = "history.sqlite"
MAX_FILE_BYTES = 1 << 30  # maximum size of an untrusted file
END_OF_NAME = bytes.fromhex("d9d505f920a163d7")  # what follows the name of another file in a journal
SCHEMA = """
CREATE TABLE commits (
    id INTEGER PRIMARY KEY, sha TEXT NOT NULL UNIQUE, parents TEXT NOT NULL DEFAULT '',
    time INTEGER NOT NULL DEFAULT 0, title TEXT NOT NULL DEFAULT '');
CREATE TABLE jobs (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE);
CREATE TABLE series (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, workload TEXT NOT NULL, format TEXT NOT NULL,
    content TEXT NOT NULL);
CREATE TABLE metrics (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, unit TEXT NOT NULL,
    better TEXT NOT NULL,
    kind TEXT NOT NULL, UNIQUE (name, unit, better, kind));
CREATE TABLE symbols (id INTEGER PRIMARY KEY, name TEXT NOT NULL, file TEXT NOT NULL, UNIQUE (name, file));
CREATE TABLE facts (id INTEGER PRIMARY KEY, content TEXT NOT NULL UNIQUE);
CREATE TABLE profiles (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT NOT NULL, content BLOB);
CREATE TABLE readings (
    id INTEGER PRIMARY KEY, series INTEGER NOT NULL REFERENCES series, revision INTEGER NOT NULL REFERENCES commits,
    job INTEGER NOT NULL REFERENCES jobs, run BLOB NOT NULL, facts INTEGER NOT NULL REFERENCES facts,
    profile INTEGER REFERENCES profiles, UNIQUE (series, revision, job, run));
CREATE TABLE measured (
    reading INTEGER NOT NULL REFERENCES readings, metric INTEGER NOT NULL REFERENCES metrics, total INTEGER NOT NULL,
    exponent INTEGER NOT NULL, period INTEGER,
    symbols BLOB NOT NULL, PRIMARY KEY (reading, metric)) WITHOUT ROWID;
CREATE TABLE trends (series TEXT NOT NULL PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID
"""
# Conditions for the rows of an untrusted file. They are not constraints, because SQLite does not check constraints of
# files that it opens read-only. It stores values of any type in any column, so each column limits the type.
LIMITS = {
    "INTEGER": "typeof({0}) IN ('integer', 'null') AND coalesce(abs({0}), 0) <= 1 << 62",
    "TEXT": "typeof({0}) = 'text' AND length({0}) <= 1 << 20",
    "BLOB": "typeof({0}) IN ('blob', 'null')",
}
VALID = {
    "commits": "sha <> ''",
    "series": "json_type(content) = 'object'",
    "facts": "json_type(content) = 'object'",
    "metrics": "better IN ('lower', 'higher') AND kind IN ('sampled', 'timed', 'counted')",
    "measured": "abs(exponent) <= 30",
}


@contextlib.contextmanager
def sqlite_errors(place: Path) -> Iterator[None]:
    """Convert SQLite errors to a ProfgateError that names the file."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the message of SQLite may quote bytes of a damaged file
        what = "another process has locked it; try again" if "locked" in str(error) else str(error)
        raise ProfgateError(str(place), f"is not a usable history ({what}); if it is damaged, remove it") from error


def _check_journal(place: Path) -> None:
    """Raise ProfgateError if the journal of a file names another file, which SQLite would delete.

    Only transactions of several files write such a name, as its last part ends. See "The Super-Journal" in
    https://www.sqlite.org/fileformat.html#the_rollback_journal.
    """
    journal = Path(f"{place.resolve()}-journal")
    if journal.is_file():
        # another process may have removed it by now
        with contextlib.suppress(OSError), journal.open("rb") as file:
            file.seek(-len(END_OF_NAME), os.SEEK_END)
            if file.read() == END_OF_NAME:
                raise ProfgateError(str(journal), "names a file that SQLite would delete; remove the journal")


@contextlib.contextmanager
def connected(place: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """Open the file in a SQLite URI mode such as ``rw``, without trusting the schema."""
    uri = f"{place.absolute().as_uri()}?mode={mode}"
    _check_journal(place)
    with sqlite_errors(place), contextlib.ExitStack() as stack:
        # the timeout is for other writers
        connection = sqlite3.connect(uri, uri=True, timeout=60, isolation_level=None)
        stack.callback(connection.close)
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "synchronous = FULL"):
            connection.execute(f"PRAGMA {pragma}")
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 1)  # VACUUM has to attach one database
        connection.setlimit(sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 0)
        if hasattr(connection, "setconfig"):  # since Python 3.12
            connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)  # type: ignore[attr-defined, unused-ignore]
        yield connection


@contextlib.contextmanager
def connected_untrusted(place: Path) -> Iterator[sqlite3.Connection]:
    """Open a file read-only with limits on size and CPU time. Raises ProfgateError if `check_schema` does."""
    with connected(place, "ro&immutable=1") as connection:
        if place.stat().st_size > MAX_FILE_BYTES:
            raise ProfgateError(str(place), f"is larger than {MAX_FILE_BYTES:,} bytes; prune the history that made it")
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1 << 28)
        steps = iter(range(1 << 17))  # 2^33 instructions of SQLite's virtual machine
        connection.set_progress_handler(lambda: next(steps, None) is None, 1 << 16)
        check_schema(connection, place)
        yield connection


def check_schema(connection: sqlite3.Connection, place: Path) -> bool:
    """Return whether the file has the tables of a history. Raises ProfgateError if it has any other schema.

    Other tables, views, triggers or expressions could make SQLite compute what their author wants.
    """
    query = "SELECT type, name, sql FROM sqlite_schema LIMIT 100"
    entries = connection.execute(query).fetchall()
    with contextlib.closing(sqlite3.connect(":memory:")) as own:
        own.executescript(SCHEMA)
        expected = frozenset(own.execute(query))
    if entries and frozenset(entries) != expected:
        what = "is not a history of this version of profgate; use the same version, or remove the file"
        raise ProfgateError(str(place), what)
    return bool(entries)


def check_rows(connection: sqlite3.Connection, place: Path) -> None:
    """Raise ProfgateError if a row has an invalid value or names a row that does not exist."""
    checks = {"a reference": "PRAGMA foreign_key_check"}
    for statement in SCHEMA.split(";"):
        table = statement.split()[2]
        limits = [LIMITS[kind].format(name) for name, kind in re.findall(r"(\w+) (INTEGER|TEXT|BLOB)", statement)]
        if limits:
            valid = " AND ".join([*limits, VALID.get(table, "1")])
            checks[f"a row of {table}"] = f"SELECT 0 FROM {table} WHERE NOT ({valid}) LIMIT 1"  # noqa: S608 - own names
    for what, query in checks.items():
        if connection.execute(query).fetchone() is not None:
            raise ProfgateError(str(place), f"is damaged ({what}); remove it, and profgate creates a new one")


def check_file(place: Path) -> None:
    """Check a whole untrusted file. Raises ProfgateError if the file is damaged or is not a history."""
    with connected_untrusted(place) as connection:
        problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if problem != "ok":
            raise ProfgateError(str(place), f"is damaged ({problem[:200]}); remove it, and profgate creates a new one")
        check_rows(connection, place)


if __name__ == "__main__":
    try:
        check_file(Path(sys.argv[1]))
    except ProfgateError as error:
        sys.stdout.write(error.what)
        raise SystemExit(1) from None
