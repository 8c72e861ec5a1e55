"""Creates, opens and checks the SQLite file of a history.

Newer profgate versions may add tables, and columns that are nullable or have a default. Older versions ignore such
additions. The meaning of existing tables and columns must not change. Any other change needs a new major number in
`profgate.history/N`, so that older versions refuse the file.

``python -m profgate.history.history_file FILE`` checks one file. Each file is checked in a new process, so this module
imports only a few other modules.
"""

import contextlib
import functools
import re
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

from profgate.errors import ProfgateError

FILE = "history.sqlite"
VERSION = "profgate.history/1"
LOCK_TIMEOUT = 60  # seconds to wait for another writer
MAX_FILE_BYTES = 1 << 30  # maximum size of an untrusted file
MAX_VALUE_BYTES = 1 << 28
MAX_STEPS = 1 << 33  # maximum number of SQLite virtual machine instructions
MAX_ENTRIES = 200  # maximum number of tables and indexes
SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS commits (
    id INTEGER PRIMARY KEY, sha TEXT NOT NULL UNIQUE, parents TEXT, time INTEGER, title TEXT);
CREATE TABLE IF NOT EXISTS jobs (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, ref TEXT, event TEXT);
CREATE TABLE IF NOT EXISTS series (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, workload TEXT, format TEXT, content TEXT);
CREATE TABLE IF NOT EXISTS metrics (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, unit TEXT NOT NULL, better TEXT NOT NULL, kind TEXT NOT NULL,
    UNIQUE (name, unit, better, kind));
CREATE TABLE IF NOT EXISTS symbols (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, file TEXT NOT NULL, UNIQUE (name, file));
CREATE TABLE IF NOT EXISTS facts (id INTEGER PRIMARY KEY, content TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS readings (
    id INTEGER PRIMARY KEY, series INTEGER NOT NULL, revision INTEGER NOT NULL, job INTEGER NOT NULL,
    run BLOB NOT NULL, facts INTEGER, profile INTEGER, UNIQUE (series, revision, job, run));
CREATE TABLE IF NOT EXISTS measured (
    reading INTEGER NOT NULL, metric INTEGER NOT NULL, total INTEGER NOT NULL, exponent INTEGER NOT NULL,
    period INTEGER, whole INTEGER NOT NULL, symbols BLOB NOT NULL, PRIMARY KEY (reading, metric)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS measured_whole ON measured (whole, reading);
CREATE TABLE IF NOT EXISTS profiles (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT, content BLOB);
CREATE TABLE IF NOT EXISTS trends (series TEXT PRIMARY KEY NOT NULL, content TEXT NOT NULL) WITHOUT ROWID
"""
# parts of a schema that may cause SQLite to evaluate expressions; comments could hide the parts
ACTIVE = re.compile(
    r"\b(AS|CHECK|COLLATE|GENERATED|REFERENCES|SELECT|TRIGGER|USING|VIEW|VIRTUAL|WHERE)\b|\bDEFAULT\s*\(|--|/\*",
    re.IGNORECASE,
)
# SQL conditions that match invalid rows, in addition to the checks of value types
INVALID = {
    "commits": "sha = ''",
    "series": "json_type(content) <> 'object'",
    "facts": "json_type(content) <> 'object'",
    "metrics": "better NOT IN ('lower', 'higher') OR kind NOT IN ('sampled', 'timed', 'counted')",
    "readings": (
        "series NOT IN (SELECT id FROM series) OR revision NOT IN (SELECT id FROM commits)"
        " OR job NOT IN (SELECT id FROM jobs) OR facts IS NOT NULL AND facts NOT IN (SELECT id FROM facts)"
        " OR profile IS NOT NULL AND profile NOT IN (SELECT id FROM profiles)"
    ),
    "measured": (
        "abs(exponent) > 30 OR reading NOT IN (SELECT id FROM readings) OR metric NOT IN (SELECT id FROM metrics)"
    ),
}
LIMITS = {"INTEGER": "abs({0}) > 1 << 62", "TEXT": "length({0}) > 1 << 20", "BLOB": "0"}


@contextlib.contextmanager
def sqlite_errors(place: Path) -> Iterator[None]:
    """Convert SQLite errors to a ProfgateError that names the file."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the message of SQLite may quote bytes of a damaged file
        what = "another process has locked it; try again" if "locked" in str(error) else str(error)
        raise ProfgateError(str(place), f"is not a usable history ({what}); if it is damaged, remove it") from error


@contextlib.contextmanager
def connected(place: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """Open the file in a SQLite URI mode such as ``rw``, without trusting the schema."""
    uri = f"{place.absolute().as_uri()}?mode={mode}"
    with sqlite_errors(place), contextlib.ExitStack() as stack:
        connection = sqlite3.connect(uri, uri=True, timeout=LOCK_TIMEOUT, isolation_level=None)
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
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        steps = iter(range(MAX_STEPS >> 16))
        connection.set_progress_handler(lambda: next(steps, None) is None, 1 << 16)
        check_schema(connection, place)
        yield connection


def create_tables(connection: sqlite3.Connection) -> None:
    """Create missing tables and indexes."""
    for statement in SCHEMA.split(";"):
        connection.execute(statement)


def check_schema(connection: sqlite3.Connection, place: Path) -> None:
    """Raise ProfgateError if the file has views or triggers, or if the history has a different major version."""
    query = "SELECT type, name, sql FROM sqlite_schema LIMIT ?"
    entries = connection.execute(query, (MAX_ENTRIES + 1,)).fetchall()
    if len(entries) > MAX_ENTRIES:
        raise ProfgateError(str(place), "has more tables than a history; it is left out")
    for kind, name, sql in entries:
        expression = kind == "index" and (sql or "").count("(") > 1
        if kind not in {"table", "index"} or expression or ACTIVE.search(sql or ""):
            raise ProfgateError(str(place), f"its {kind} {name!r} is not part of a history; it is left out")
    if not table_columns(connection, "meta"):
        return
    row = connection.execute("SELECT value FROM meta WHERE name = 'schema'").fetchone()
    if row is not None and row[0] != VERSION:
        raise ProfgateError(
            str(place), f"is a history of {row[0]!r}, and this version reads {VERSION}; update profgate"
        )


@functools.cache
def stored_tables() -> dict[str, dict[str, tuple[str, bool]]]:
    """Return the type and nullability of each column of each table. Referenced tables come first."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'meta'")
        return {name: table_columns(connection, name) for (name,) in names.fetchall()}


def table_columns(connection: sqlite3.Connection, table: str) -> dict[str, tuple[str, bool]]:
    """Return the type and nullability of each column of a table, or an empty dict if the table does not exist."""
    query = 'SELECT name, type, NOT "notnull" AND NOT pk FROM pragma_table_info(?)'
    return {name: (kind, bool(nullable)) for name, kind, nullable in connection.execute(query, (table,))}


def check_file(place: Path) -> None:
    """Check a whole untrusted file. Raises ProfgateError if the file is damaged or is not a history."""
    with connected_untrusted(place) as connection:
        problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if problem != "ok":
            raise ProfgateError(str(place), f"is damaged ({problem[:200]}); remove it, and profgate creates a new one")
        check_rows(connection, place)


def check_rows(connection: sqlite3.Connection, place: Path) -> None:
    """Raise ProfgateError if a row has a value of another type or a reference to a row that does not exist."""
    for table, columns in stored_tables().items():
        wrong = [INVALID[table]] if table in INVALID else []
        for name, (kind, nullable) in columns.items():
            other = f"typeof({name}) <> '{kind.lower()}' OR {LIMITS[kind].format(name)}"
            wrong.append(f"{name} IS NOT NULL AND ({other})" if nullable else other)
        if connection.execute(f"SELECT 1 FROM {table} WHERE {' OR '.join(wrong)} LIMIT 1").fetchone():  # noqa: S608 - own names
            raise ProfgateError(str(place), f"is damaged (a row of {table}); remove it, and profgate creates a new one")


if __name__ == "__main__":
    try:
        check_file(Path(sys.argv[1]))
    except ProfgateError as error:
        sys.stdout.write(error.what)
        raise SystemExit(1) from None
