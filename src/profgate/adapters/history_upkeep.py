"""Keeping a history small, and joining two of them; both inside one write of the history that is changed."""

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

from profgate.adapters.history_reader import HistoryReader
from profgate.adapters.history_rows import facts_of, hash_of, metric_of, power_of_ten, series_of
from profgate.adapters.history_schema import TABLES, names_of
from profgate.model.history import Keep
from profgate.model.history_columns import thinned, unpacked

GROWN = 1.25  # times as many names as the last look for unused ones left, from which the next one is worth its time
# What reading asks of a row's values beyond their types, here for all of them at once
CHECKS: dict[str, Callable[..., object]] = {
    "commits": lambda _, sha, *__: hash_of(sha),
    "series": lambda _, *row: series_of(*row),
    "metrics": lambda _, name, unit, better, kind: metric_of(name, unit, better, kind, 0),
    "facts": lambda _, content: facts_of(content),
    "measured": lambda *row: power_of_ten(row[3]),
}
REFERENCES = (
    ("readings", "series", "series"),
    ("readings", "revision", "commits"),
    ("readings", "job", "jobs"),
    ("readings", "facts", "facts"),
    ("readings", "profile", "profiles"),
    ("measured", "reading", "readings"),
    ("measured", "metric", "metrics"),
)


# Pruning


def pruned(connection: sqlite3.Connection, keep: Keep) -> int:
    """How many columns lost their lighter symbols."""
    runs = _newest_runs(connection, max(keep.runs, keep.profiles) + 1)
    lighter = 0
    if len(runs) > keep.runs:
        lighter = _thin(connection, runs[keep.runs], keep.symbols)
    if len(runs) > keep.profiles and connection.execute("SELECT 1 FROM profiles LIMIT 1").fetchone():
        connection.execute(
            "UPDATE readings SET profile = NULL WHERE id <= ? AND profile IS NOT NULL", (runs[keep.profiles],)
        )
        connection.execute(
            "DELETE FROM profiles WHERE id NOT IN (SELECT profile FROM readings WHERE profile IS NOT NULL)"
        )
    connection.execute(
        "UPDATE verdicts SET report = NULL WHERE report IS NOT NULL AND id NOT IN"
        " (SELECT id FROM verdicts ORDER BY id DESC LIMIT ?)",
        (keep.reports,),
    )
    if lighter:
        _forget_names(connection, keep.names)
    return lighter


def _newest_runs(connection: sqlite3.Connection, most: int) -> list[int]:
    """The last reading of each of the newest runs, newest first; no more of the file is looked at than these."""
    found: dict[tuple[int, int], int] = {}
    for number, revision, job in connection.execute("SELECT id, revision, job FROM readings ORDER BY id DESC"):
        if (revision, job) not in found:
            found[revision, job] = number
            if len(found) == most:
                break
    return list(found.values())


def _thin(connection: sqlite3.Connection, last: int, symbols: int) -> int:
    """Keeps the heaviest symbols of all readings up to the number ``last``.

    The rows are removed and made anew: SQLite leaves the pages of rows that shrink in place as empty as they become.
    """
    found = connection.execute("SELECT * FROM measured WHERE whole = 1 AND reading <= ?", (last,))
    names = [one[0] for one in found.description]  # with columns that a later version added
    rows = [dict(zip(names, row, strict=True)) for row in found]
    for row in rows:
        row |= {"whole": 0, "symbols": thinned(row["symbols"], symbols)}
    connection.executemany("DELETE FROM measured WHERE reading = :reading AND metric = :metric", rows)
    marks = ", ".join(f":{name}" for name in names)
    connection.executemany(f"INSERT INTO measured ({', '.join(names)}) VALUES ({marks})", rows)  # noqa: S608 - its own
    return len(rows)


def _forget_names(connection: sqlite3.Connection, most: int) -> None:
    """Removes the names that no reading holds any more, where there are many and many came since the last time."""
    count = connection.execute("SELECT COUNT(*) FROM symbols").fetchone()[0]
    row = connection.execute("SELECT value FROM meta WHERE name = 'names'").fetchone()
    left = int(row[0]) if row is not None and str(row[0]).isdecimal() else 0
    if count <= max(most, left * GROWN):
        return
    used = _used_names(connection)
    gone = [row for row in connection.execute("SELECT id FROM symbols") if row[0] not in used]
    connection.executemany("DELETE FROM symbols WHERE id = ?", gone)
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('names', ?)", (str(count - len(gone)),))


def _used_names(connection: sqlite3.Connection) -> set[int]:
    used: set[int] = set()
    for (blob,) in connection.execute("SELECT symbols FROM measured"):
        used.update(unpacked(blob)[0].tolist())
    return used


# Joining


def copied(connection: sqlite3.Connection, other: HistoryReader) -> int:
    """Takes everything over into a history that holds nothing, which is far quicker than reading by reading.

    Every value is checked as reading it would. Raises ValueError or TypeError for what profgate does not write.
    """
    for table in other.tables:
        names = names_of(TABLES[table])
        marks = ", ".join("?" * len(names))
        rows = _checked(table, other.raw(table))
        connection.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", rows)  # noqa: S608 - ours
    for table, column, there in REFERENCES:
        lost = connection.execute(
            f"SELECT 1 FROM {table} WHERE {column} IS NOT NULL AND {column} NOT IN (SELECT id FROM {there}) LIMIT 1"  # noqa: S608 - ours
        )
        if lost.fetchone():
            raise ValueError(f"a row of {table} belongs to nothing")
    if not _used_names(connection) <= {row[0] for row in connection.execute("SELECT id FROM symbols")}:
        raise ValueError("a column holds a symbol that has no name")
    return int(connection.execute("SELECT COUNT(*) FROM readings").fetchone()[0])


def _checked(table: str, rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    check = CHECKS.get(table)
    for row in rows:
        if check is not None:
            check(*row)
        yield row


def unknown_readings(connection: sqlite3.Connection, other: HistoryReader) -> Iterator[tuple[int, str]]:
    """The numbers in the other history of readings that this one lacks, with the job that made them."""
    ours = [
        dict(connection.execute(f"SELECT {name}, id FROM {table}"))  # noqa: S608 - our own names
        for table, name in (("series", "name"), ("commits", "sha"), ("jobs", "identity"))
    ]
    for number, run, *names in other.names_of_readings():
        known = [numbers.get(name) for numbers, name in zip(ours, names, strict=True)]
        asked = "SELECT 1 FROM readings WHERE series = ? AND revision = ? AND job = ? AND run = ?"
        if None in known or connection.execute(asked, (*known, run)).fetchone() is None:
            yield number, names[-1]
