"""The tables of the history, and which schemas of a stranger's file are let in.

Rules for later versions: a table or column may be added (older versions name the columns they know and skip the rest; a
new column needs a default or may be null), none may change its meaning. What breaks that is a new major number in
`profgate.history/N`, which older versions refuse.
"""

import re
import sqlite3

TABLES = {
    "meta": "name TEXT PRIMARY KEY, value TEXT",
    "commits": "id INTEGER PRIMARY KEY, sha TEXT NOT NULL UNIQUE, parents TEXT, time INTEGER, title TEXT",
    "jobs": "id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, ref TEXT, event TEXT",
    "series": "id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, workload TEXT, format TEXT, content TEXT",
    "metrics": (
        "id INTEGER PRIMARY KEY, name TEXT NOT NULL, unit TEXT NOT NULL, better TEXT NOT NULL, kind TEXT NOT NULL,"
        " UNIQUE (name, unit, better, kind)"
    ),
    "symbols": "id INTEGER PRIMARY KEY, name TEXT NOT NULL, file TEXT NOT NULL, UNIQUE (name, file)",
    "facts": "id INTEGER PRIMARY KEY, content TEXT NOT NULL UNIQUE",
    "readings": (
        "id INTEGER PRIMARY KEY, series INTEGER NOT NULL, revision INTEGER NOT NULL, job INTEGER NOT NULL,"
        " run BLOB NOT NULL, facts INTEGER, profile INTEGER, UNIQUE (series, revision, job, run)"
    ),
    "measured": (
        "reading INTEGER NOT NULL, metric INTEGER NOT NULL, total INTEGER NOT NULL, exponent INTEGER NOT NULL,"
        " period INTEGER, whole INTEGER NOT NULL, symbols BLOB NOT NULL, PRIMARY KEY (reading, metric)"
    ),
    "profiles": "id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT, content BLOB",
    "verdicts": (
        "id INTEGER PRIMARY KEY, kind TEXT NOT NULL, baseline TEXT NOT NULL, target TEXT NOT NULL, job TEXT NOT NULL,"
        " conclusion TEXT, reds INTEGER, comparisons INTEGER, report BLOB, UNIQUE (kind, baseline, target, job)"
    ),
    "records": (
        "baseline TEXT NOT NULL, target TEXT NOT NULL, series TEXT NOT NULL, strategy TEXT NOT NULL,"
        " content TEXT NOT NULL, PRIMARY KEY (baseline, target, series, strategy)"
    ),
}
WITHOUT_ROWID = ("measured", "records")
INDEXES = {"measured_whole": "measured (whole, reading)"}  # pruning finds what still holds all symbols
# Words by which a schema makes SQLite compute something while it only reads
ACTIVE = re.compile(
    r"\b(AS|CHECK|COLLATE|GENERATED|REFERENCES|SELECT|TRIGGER|USING|VIEW|VIRTUAL|WHERE)\b", re.IGNORECASE
)
MOST_ENTRIES = 200


def create(connection: sqlite3.Connection) -> None:
    """Makes the tables and indexes that are missing, and the columns that a later version added to older tables."""
    for table, columns in TABLES.items():
        ending = " WITHOUT ROWID" if table in WITHOUT_ROWID else ""
        connection.execute(f"CREATE TABLE IF NOT EXISTS {table} ({columns}){ending}")
        known = columns_of(connection, table)
        for name, kind in described(columns):
            if name not in known:
                connection.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind.partition(' ')[0]}")
    for index, columns in INDEXES.items():
        connection.execute(f"CREATE INDEX IF NOT EXISTS {index} ON {columns}")


def names_of(columns: str) -> list[str]:
    """The names of the columns in a table's text."""
    return [name for name, _ in described(columns)]


def described(columns: str) -> list[tuple[str, str]]:
    """Name and description of each column in a table's text."""
    parts = [column.strip().partition(" ") for column in re.split(r", (?![^(]*\))", columns)]
    return [(name, kind) for name, _, kind in parts if name not in {"UNIQUE", "PRIMARY"}]


def columns_of(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """The names of a table's columns, none where there is no such table."""
    return frozenset(row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)))


def objection(connection: sqlite3.Connection) -> str:
    """Why a stranger's file is not let in, "" where its schema holds nothing but plain tables and indexes."""
    entries = connection.execute("SELECT type, name, sql FROM sqlite_schema LIMIT ?", (MOST_ENTRIES + 1,)).fetchall()
    if len(entries) > MOST_ENTRIES:
        return "it holds more tables than a history has"
    for kind, name, text in entries:
        if kind not in {"table", "index"} or ACTIVE.search(text or ""):
            return f"its {kind} {name!r} is none that a history has"
    return ""
