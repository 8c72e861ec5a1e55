"""Stores a history of measurements by commit and configuration.

    with open_history(".profgate", write=True) as store:  # creates the folder if it does not exist
        with store.writing():  # one transaction; other writers wait
            store.add_commits([StoredCommit("4f1c...", parents=("99ab...",), time=1700000000, title="...")])
            store.add(readings)  # ignores readings that are already stored
        store.prune(Retention())

`compare/readings.py` creates `Reading` objects from a profile.
"""

import contextlib
import hashlib
import json
import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Self

from profgate.errors import ProfgateError
from profgate.history.history_file import (
    FILE,
    VERSION,
    check_rows,
    check_schema,
    connected,
    create_tables,
    stored_tables,
)
from profgate.history.history_reader import HistoryReader
from profgate.history.packed_columns import columns_from_bytes, columns_to_bytes, thinned
from profgate.io.files import exists, write_text
from profgate.model.history import Column, Reading, Retention, StoredCommit, SymbolKey

RUN = re.compile(r"[0-9a-f]{16}")
GROWTH = 1.25  # factor by which the number of symbols must grow before the next search for unused symbols
IDENTITIES = """
SELECT readings.id, series.name, commits.sha, jobs.identity, run
FROM readings JOIN series ON series.id = readings.series JOIN commits ON commits.id = readings.revision
    JOIN jobs ON jobs.id = readings.job"""


@contextlib.contextmanager
def open_history(folder: str, *, write: bool = False, create: bool = True) -> Iterator["HistoryStore"]:
    """Open the history in a folder. A missing one is created if ``write`` and ``create`` are set."""
    place = Path(folder) / FILE
    if write and create:
        ignore = str(place.with_name(".gitignore"))
        if not exists(ignore):
            write_text(ignore, "*\n")
    elif not place.is_file():
        raise ProfgateError(folder, "contains no history; fill it with 'profgate store add PROFILES'")
    # readers also need write access, to roll back the journal of a writer that was killed
    mode = "rwc" if write and create else "rw"
    with connected(place, mode) as connection:
        check_schema(connection, place)
        store = HistoryStore(connection, place)
        if write:
            with store.writing():
                create_tables(connection)
                connection.execute("INSERT OR IGNORE INTO meta VALUES ('schema', ?)", (VERSION,))
        check_rows(connection, place)
        yield store


class HistoryStore(HistoryReader):
    """A history that is open for reading and writing."""

    def __init__(self, connection: sqlite3.Connection, place: Path) -> None:
        super().__init__(connection, place)
        # IDs of referenced rows, cached for one transaction
        self._numbers: dict[tuple[object, ...], int] = {}
        self._symbol_numbers: dict[SymbolKey, int] = {}

    @contextlib.contextmanager
    def writing(self) -> Iterator[Self]:
        """Run all writes in a ``with`` block in one transaction. Other writers wait. Blocks can be nested."""
        if self.connection.in_transaction:
            yield self
            return
        try:
            with self.connection:
                self.connection.execute("BEGIN IMMEDIATE")
                yield self
        finally:
            self._numbers.clear()
            self._symbol_numbers.clear()
            self._symbols = {}

    def add_commits(self, commits: Iterable[StoredCommit]) -> None:
        """Add commits, and update those that are already stored."""
        with self.writing():
            self.connection.executemany(
                "INSERT INTO commits (sha, parents, time, title) VALUES (?, ?, ?, ?) ON CONFLICT (sha) DO UPDATE SET"
                " parents = excluded.parents, time = excluded.time, title = excluded.title",
                [(commit.sha, " ".join(commit.parents), commit.time, encodable(commit.title)) for commit in commits],
            )

    def add(self, readings: Iterable[Reading]) -> int:
        """Add the readings that are not stored yet, and return the number of added readings."""
        with self.writing():
            return sum(self._add(reading) for reading in readings)

    def _add(self, reading: Reading) -> bool:
        series, job = reading.series, reading.job
        configuration = json.dumps(asdict(series.configuration))
        values = (
            self._number(
                "series", name=series.key, workload=series.workload, format=series.format, content=configuration
            ),
            self._number("commits", sha=reading.commit),
            self._number("jobs", identity=job.identity, ref=job.ref, event=job.event),
            run_bytes(reading.run),
            self._number("facts", content=facts_text(reading)),
            self._profile_number(reading),
        )
        cursor = self.connection.execute(
            "INSERT INTO readings (series, revision, job, run, facts, profile) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            values,
        )
        if cursor.rowcount:
            for column in reading.columns:
                self._add_column(cursor.lastrowid, column)
        return bool(cursor.rowcount)

    def _number(self, table: str, **values: str) -> int:
        """Return the ID of the row whose unique columns have these values, and insert the row if it does not exist."""
        key = (table, *values.values())
        if key not in self._numbers:
            marks = ", ".join("?" * len(values))
            cursor = self.connection.execute(
                f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})"  # noqa: S608 - own names
                " ON CONFLICT DO UPDATE SET id = id RETURNING id",
                [encodable(value) for value in values.values()],
            )
            ((self._numbers[key],),) = cursor
        return self._numbers[key]

    def _profile_number(self, reading: Reading) -> int | None:
        """Return the ID of a reading's stored file, or None if there is no file. Several readings may share a file."""
        if reading.profile is None:
            return None
        name = encodable(reading.name)
        digest = hashlib.sha256(name.encode() + b"\0" + reading.profile).hexdigest()
        number = self._number("profiles", digest=digest, name=name)
        self.connection.execute(
            "UPDATE profiles SET content = ? WHERE id = ? AND content IS NULL",
            (zlib.compress(reading.profile), number),
        )
        return number

    def _add_column(self, reading: int | None, column: Column) -> None:
        if not self._symbol_numbers:  # one query for all symbols, because one query per symbol is too slow
            rows = self.connection.execute("SELECT name, file, id FROM symbols")
            self._symbol_numbers = {(name, file or None): number for name, file, number in rows}
        known, metric = self._symbol_numbers, column.metric
        for symbol in column.symbols:
            if symbol not in known:
                known[symbol] = self._number("symbols", name=symbol[0], file=symbol[1] or "")
        number = self._number("metrics", name=metric.name, unit=metric.unit, better=metric.better, kind=metric.kind)
        symbols = columns_to_bytes([known[symbol] for symbol in column.symbols], column.own, column.total, column.calls)
        self.connection.execute(
            "INSERT INTO measured (reading, metric, total, exponent, period, whole, symbols)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (reading, number, column.sum, metric.exponent, column.period, column.whole, symbols),
        )

    def add_reported_trends(self, texts: Mapping[str, str], *, replace_known: bool = True) -> None:
        """Store the text that lists the reported trends of each series. Stored texts are replaced or retained."""
        rows = [{"series": series, "content": text} for series, text in texts.items()]
        self._insert("trends", rows, replace_known=replace_known)

    def _insert(self, table: str, rows: Sequence[Mapping[str, object]], *, replace_known: bool = True) -> None:
        if rows:
            names, marks = ", ".join(rows[0]), ", ".join(f":{name}" for name in rows[0])
            conflict = "REPLACE" if replace_known else "IGNORE"
            with self.writing():
                self.connection.executemany(f"INSERT OR {conflict} INTO {table} ({names}) VALUES ({marks})", rows)  # noqa: S608 - own names

    def merge(self, other: HistoryReader) -> int:
        """Add the entries that only the other history contains. Return the number of added readings.

        If the other history is damaged, raises ProfgateError and does not add anything.
        """
        with self.writing(), other.damage():
            tables_with_rows = (self.connection.execute(f"SELECT 1 FROM {name} LIMIT 1") for name in stored_tables())  # noqa: S608 - own names
            if not any(rows.fetchone() for rows in tables_with_rows):
                return self._copy(other)
            self.add_commits(other.commits().values())
            known = {tuple(identity) for _, *identity in self.connection.execute(IDENTITIES)}
            rows = other.connection.execute(f"{IDENTITIES} ORDER BY readings.id")
            unknown = [number for number, *identity in rows if tuple(identity) not in known]
            added = self.add(other.reading(number, profiles=True) for number in unknown)
            self.add_reported_trends(other.reported_trends(), replace_known=False)
        return added

    def _copy(self, other: HistoryReader) -> int:
        """Copy all rows of the other history, which is much faster than adding readings one by one."""
        for table, columns in stored_tables().items():
            names, marks = ", ".join(columns), ", ".join("?" * len(columns))
            rows = other.connection.execute(f"SELECT {names} FROM {table}")  # noqa: S608 - own names
            self.connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)  # noqa: S608 - own names
        if not self._used_symbols() <= {number for (number,) in self.connection.execute("SELECT id FROM symbols")}:
            raise ValueError("a column contains a symbol without a name")
        return int(self.connection.execute("SELECT COUNT(*) FROM readings").fetchone()[0])

    def prune(self, retention: Retention) -> int:
        """Remove data beyond the retention limits. Return the number of columns that lost symbols."""
        with self.writing(), self.damage():
            runs = self._newest_runs(max(retention.runs, retention.profiles) + 1)
            dropped = self._thin(runs[retention.runs], retention.symbols) if len(runs) > retention.runs else 0
            if len(runs) > retention.profiles:
                self.connection.execute(
                    "UPDATE readings SET profile = NULL WHERE id <= ? AND profile IS NOT NULL",
                    (runs[retention.profiles],),
                )
                self.connection.execute(
                    "DELETE FROM profiles WHERE id NOT IN (SELECT profile FROM readings WHERE profile IS NOT NULL)"
                )
            if dropped:
                self._drop_unused_symbols(retention.names)
        free = self.connection.execute("PRAGMA freelist_count").fetchone()[0]
        if free * 4 > self.connection.execute("PRAGMA page_count").fetchone()[0]:
            self.connection.execute("VACUUM")
        return dropped

    def _newest_runs(self, most: int) -> list[int]:
        """Return the last reading ID of each of the ``most`` newest runs, newest first, without reading older rows."""
        found: dict[tuple[int, int], int] = {}
        for number, *run in self.connection.execute("SELECT id, revision, job FROM readings ORDER BY id DESC"):
            found.setdefault(tuple(run), number)
            if len(found) == most:
                break
        return list(found.values())

    def _thin(self, last: int, symbols: int) -> int:
        """Drop the symbols with the smallest self values in all readings up to ``last``. Return how many rows changed.

        Rows are inserted again, because SQLite leaves pages half empty if rows become shorter in place.
        """
        cursor = self.connection.cursor()
        cursor.row_factory = sqlite3.Row
        found = cursor.execute("SELECT * FROM measured WHERE whole = 1 AND reading <= ?", (last,))
        rows = [{**row, "whole": 0, "symbols": thinned(row["symbols"], symbols)} for row in found]
        self.connection.executemany("DELETE FROM measured WHERE reading = :reading AND metric = :metric", rows)
        self._insert("measured", rows)  # the rows include columns that newer profgate versions added
        return len(rows)

    def _drop_unused_symbols(self, most: int) -> None:
        """Drop symbols that no reading uses, if many symbols have been added since the last search."""
        count = self.connection.execute("SELECT COUNT(*) FROM symbols").fetchone()[0]
        row = self.connection.execute("SELECT value FROM meta WHERE name = 'names'").fetchone()
        left = int(row[0]) if row is not None and str(row[0]).isdecimal() else 0
        if count <= max(most, left * GROWTH):
            return
        used = self._used_symbols()
        unused = [row for row in self.connection.execute("SELECT id FROM symbols") if row[0] not in used]
        self.connection.executemany("DELETE FROM symbols WHERE id = ?", unused)
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES ('names', ?)", (str(count - len(unused)),))

    def _used_symbols(self) -> set[int]:
        used: set[int] = set()
        for (blob,) in self.connection.execute("SELECT symbols FROM measured"):
            used.update(columns_from_bytes(blob)[0].tolist())
        return used


def run_bytes(text: str) -> bytes:
    """Return eight bytes that identify a run. In readings from a history, the run is given as these bytes in hex."""
    return bytes.fromhex(text) if RUN.fullmatch(text) else hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8]


def facts_text(reading: Reading) -> str:
    """Return the facts of a reading as JSON, without its job, which is stored elsewhere."""
    facts = asdict(replace(reading.facts, job=None))
    return json.dumps({name: fact for name, fact in facts.items() if fact is not None})


def encodable(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()
