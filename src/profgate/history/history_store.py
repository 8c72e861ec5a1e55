"""Stores a history of measurements by commit and configuration.

    with open_history(".profgate", write=True) as store:  # creates the folder if it does not exist
        with store.writing():  # one transaction; other writers wait
            store.add_commits([StoredCommit("4f1c...", parents=("99ab...",), time=1700000000, title="...")])
            store.add(readings)  # ignores readings that are already stored
        store.prune(Retention())

`compare/readings.py` creates `Reading` objects from a profile. If a file cannot be read, a `ProfgateError` that names
the file is raised.
"""

import contextlib
import hashlib
import json
import re
import sqlite3
import subprocess
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Self

from profgate.errors import ProfgateError
from profgate.history.history_file import (
    FILE,
    SCHEMA,
    check_rows,
    check_schema,
    connected,
    connected_untrusted,
    sqlite_errors,
)
from profgate.history.packed_columns import columns_from_bytes, columns_to_bytes, inflated
from profgate.io.files import exists, write_text
from profgate.io.limited_process import isolated_python
from profgate.model.history import Column, Reading, Retention, Series, StoredCommit, SymbolKey
from profgate.model.profile import Configuration, Facts
from profgate.model.record import adapter_of, replace, to_builtins
from profgate.model.units import Metric, MetricKind

READING = """
SELECT commits.sha, series.name, series.workload, series.format, series.content, jobs.identity,
    readings.run, facts.content, profiles.name, profiles.content
FROM readings JOIN commits ON commits.id = readings.revision JOIN series ON series.id = readings.series
    JOIN jobs ON jobs.id = readings.job JOIN facts ON facts.id = readings.facts
    LEFT JOIN profiles ON profiles.id = readings.profile AND ?
WHERE readings.id = ?"""
COLUMNS = """
SELECT metrics.name, metrics.unit, metrics.better, metrics.kind, exponent, total, period, measured.symbols
FROM measured JOIN metrics ON metrics.id = measured.metric
WHERE reading = ? ORDER BY metrics.name, metrics.unit"""
IDENTITIES = """
SELECT readings.id, series.name, commits.sha, jobs.identity, run
FROM readings JOIN series ON series.id = readings.series JOIN commits ON commits.id = readings.revision
    JOIN jobs ON jobs.id = readings.job ORDER BY readings.id"""


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
        store = HistoryStore(connection, place)
        if not check_schema(connection, place) and write:
            with store.writing():
                if not check_schema(connection, place):  # another process may have created the tables meanwhile
                    for statement in SCHEMA.split(";"):
                        connection.execute(statement)
        check_rows(connection, place)
        yield store


@contextlib.contextmanager
def open_untrusted(path: str) -> Iterator["HistoryStore"]:
    """Open an untrusted history for reading. Raises ProfgateError if the history is damaged.

    A separate process checks the whole file first. Only that process ends if the file causes SQLite to crash.
    """
    place = Path(path)
    if place.exists() and not place.is_file():
        raise ProfgateError(path, "is not a regular file; it is left out")
    command, environment = isolated_python("profgate.history.history_file")
    try:
        done = subprocess.run(  # noqa: S603 - itself
            [*command, path], capture_output=True, timeout=120, check=False, env=environment
        )
    except subprocess.TimeoutExpired:
        raise ProfgateError(path, "takes too long to check; it is left out") from None
    if done.returncode:
        what = done.stdout.decode("utf-8", "replace").strip()[:300]
        raise ProfgateError(path, what or "is not a readable history; remove it, and profgate creates a new one")
    with connected_untrusted(place) as connection:
        yield HistoryStore(connection, place)


class HistoryStore:
    """A history that is open for reading and, unless `open_untrusted` opened it, for writing."""

    def __init__(self, connection: sqlite3.Connection, place: Path) -> None:
        self.connection = connection
        self._place = place
        self._symbols: dict[int, SymbolKey] = {}
        # cached, because thousands of readings have the same text
        self._configuration = cache(lambda text: adapter_of(Configuration).validate_json(text, strict=True))
        self._facts = cache(lambda text: adapter_of(Facts).validate_json(text, strict=True))
        # IDs of referenced rows, cached for one transaction
        self._numbers: dict[tuple[object, ...], int] = {}
        self._symbol_numbers: dict[SymbolKey, int] = {}

    # Reading

    def commits(self) -> dict[str, StoredCommit]:
        """Return a mapping from hashes to all stored commits."""
        with self._damage():
            rows = self.connection.execute("SELECT sha, parents, time, title FROM commits")
            return {sha: StoredCommit(sha, tuple(parents.split()), time, title) for sha, parents, time, title in rows}

    def series(self) -> list[Series]:
        """Return every series, sorted by workload name."""
        with self._damage():
            rows = self.connection.execute("SELECT name, workload, content, format FROM series ORDER BY workload, name")
            return [Series(key, workload, self._configuration(text), kind) for key, workload, text, kind in rows]

    def measured_commits(self, key: str | None = None) -> dict[str, frozenset[str]]:
        """Return the keys of the series that were measured at each commit. ``key`` selects a single series."""
        # the query is a single statement, because another process may add rows between two statements
        query = """
            SELECT sha, series.name FROM (
                SELECT DISTINCT series, revision FROM readings
                WHERE ?1 IS NULL OR series = (SELECT id FROM series WHERE name = ?1)
            ) AS found JOIN series ON series.id = found.series JOIN commits ON commits.id = found.revision"""
        found: dict[str, set[str]] = {}
        with self._damage():
            for sha, name in self.connection.execute(query, (key,)):
                found.setdefault(sha, set()).add(name)
        return {sha: frozenset(names) for sha, names in found.items()}

    def readings(
        self, key: str | None = None, commits: Iterable[str] | None = None, *, profiles: bool = False
    ) -> Iterator[Reading]:
        """Yield the readings of one series or some commits in the order of recording, ``profiles`` with their files."""
        conditions, values = ["1"], list[str]()
        if key is not None:
            conditions.append("series = (SELECT id FROM series WHERE name = ?)")
            values.append(key)
        if commits is not None:
            conditions.append("revision IN (SELECT id FROM commits WHERE sha IN (SELECT value FROM json_each(?)))")
            values.append(json.dumps(list(commits)))
        with self._damage():
            query = f"SELECT id FROM readings WHERE {' AND '.join(conditions)}"  # noqa: S608 - own text
            for (number,) in sorted(self.connection.execute(query, values)):
                yield self._reading(number, profiles=profiles)

    def _reading(self, number: int, *, profiles: bool) -> Reading:
        row = self.connection.execute(READING, (profiles, number)).fetchone()
        sha, key, workload, kind, content, job, run, facts, name, profile = row
        columns = []
        for metric, unit, better, origin, exponent, total, period, blob in self.connection.execute(COLUMNS, (number,)):
            numbers, own, inclusive, calls = columns_from_bytes(blob)
            stated = Metric(metric, unit, better, MetricKind(origin), exponent)
            names = self._names(numbers.tolist())
            columns.append(Column(stated, total, names, own, inclusive, calls, period))
        return Reading(
            commit=sha,
            series=Series(key, workload, self._configuration(content), kind),
            run=run.hex(),
            columns=tuple(columns),
            job=job,
            facts=replace(self._facts(facts), job=job or None),
            name=name or "",
            profile=None if profile is None else inflated(profile, 1 << 28, "the bytes of a profile"),
        )

    def _names(self, numbers: Sequence[int]) -> list[SymbolKey]:
        if not self._symbols.keys() >= set(numbers):  # symbols not read yet, or added by another process
            rows = self.connection.execute("SELECT id, name, file FROM symbols")
            self._symbols = {number: (name, file or None) for number, name, file in rows}
        return [self._symbols[number] for number in numbers]

    def reported_trends(self) -> dict[str, str]:
        """Map the key of each series to the text that lists its reported trends."""
        with self._damage():
            return dict(self.connection.execute("SELECT series, content FROM trends ORDER BY series"))

    @contextlib.contextmanager
    def _damage(self) -> Iterator[None]:
        """Convert errors caused by damaged rows to a ProfgateError that names the file."""
        with sqlite_errors(self._place):
            try:
                yield
            except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
                if isinstance(error, UnicodeDecodeError):
                    raise
                what = f"is damaged ({str(error).splitlines()[0]}); remove it, and profgate creates a new one"
                raise ProfgateError(str(self._place), what) from error

    # Writing

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
                [(commit.sha, " ".join(commit.parents), commit.time, _encodable(commit.title)) for commit in commits],
            )

    def add(self, readings: Iterable[Reading]) -> int:
        """Add the readings that are not stored yet, and return the number of added readings."""
        with self.writing():
            return sum(self._add(reading) for reading in readings)

    def _add(self, reading: Reading) -> bool:
        series, run = reading.series, reading.run
        # readings from a history state their run as these bytes in hex
        digest = hashlib.sha256(run.encode("utf-8", "replace")).digest()[:8]
        if re.fullmatch("[0-9a-f]{16}", run):
            digest = bytes.fromhex(run)
        content = json.dumps(to_builtins(series.configuration))
        facts = {name: fact for name, fact in to_builtins(replace(reading.facts, job=None)).items() if fact is not None}
        values = (
            self._number("series", name=series.key, workload=series.workload, format=series.format, content=content),
            self._number("commits", sha=reading.commit),
            self._number("jobs", identity=reading.job),
            digest,
            self._number("facts", content=json.dumps(facts)),
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
                [_encodable(value) for value in values.values()],
            )
            ((self._numbers[key],),) = cursor
        return self._numbers[key]

    def _profile_number(self, reading: Reading) -> int | None:
        """Return the ID of a reading's stored file, or None if there is no file. Several readings may share a file."""
        if reading.profile is None:
            return None
        name = _encodable(reading.name)
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
            "INSERT INTO measured (reading, metric, total, exponent, period, symbols) VALUES (?, ?, ?, ?, ?, ?)",
            (reading, number, column.sum, metric.exponent, column.period, symbols),
        )

    def add_reported_trends(self, texts: Mapping[str, str]) -> None:
        """Store the text that lists the reported trends of each series, in place of the stored text."""
        with self.writing():
            self.connection.executemany("INSERT OR REPLACE INTO trends (series, content) VALUES (?, ?)", texts.items())

    def merge(self, other: "HistoryStore") -> int:
        """Add the entries that only the other history contains. Return the number of added readings.

        If the other history is damaged, raises ProfgateError and does not add anything.
        """
        with self.writing(), other._damage():  # noqa: SLF001 - of the same class
            anything = "SELECT sha FROM commits UNION SELECT series FROM trends LIMIT 1"
            if self.connection.execute(anything).fetchone() is None:
                return self._copy(other)
            self.add_commits(other.commits().values())
            known = {tuple(identity) for _, *identity in self.connection.execute(IDENTITIES)}
            rows = other.connection.execute(IDENTITIES).fetchall()
            unknown = [number for number, *identity in rows if tuple(identity) not in known]
            added = self.add(other._reading(number, profiles=True) for number in unknown)  # noqa: SLF001
            self.add_reported_trends(other.reported_trends() | self.reported_trends())
        return added

    def _copy(self, other: "HistoryStore") -> int:
        """Copy all rows of the other history, which is much faster than adding readings one by one."""
        for table in re.findall(r"CREATE TABLE (\w+)", SCHEMA):
            rows = other.connection.execute(f"SELECT * FROM {table}")  # noqa: S608 - own names
            marks = ", ".join("?" * len(rows.description))
            self.connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 - own names
        if not self._used_symbols() <= {number for (number,) in self.connection.execute("SELECT id FROM symbols")}:
            raise ValueError("a column contains a symbol without a name")
        return int(self.connection.execute("SELECT COUNT(*) FROM readings").fetchone()[0])

    def prune(self, retention: Retention) -> int:
        """Remove data beyond the retention limits. Return the number of removed readings."""
        with self.writing(), self._damage():
            old = self._older_than(retention.runs)
            self.connection.executemany("DELETE FROM measured WHERE reading = ?", old)
            self.connection.executemany("DELETE FROM readings WHERE id = ?", old)
            without = self._older_than(retention.profiles)
            self.connection.executemany("UPDATE readings SET profile = NULL WHERE id = ?", without)
            self.connection.execute(
                "DELETE FROM profiles WHERE id NOT IN (SELECT profile FROM readings WHERE profile IS NOT NULL)"
            )
            count = self.connection.execute("SELECT COUNT(*) FROM symbols").fetchone()[0]
            if old and count > retention.names:
                used = self._used_symbols()
                unused = [row for row in self.connection.execute("SELECT id FROM symbols") if row[0] not in used]
                self.connection.executemany("DELETE FROM symbols WHERE id = ?", unused)
        free = self.connection.execute("PRAGMA freelist_count").fetchone()[0]
        if free * 4 > self.connection.execute("PRAGMA page_count").fetchone()[0]:
            self.connection.execute("VACUUM")
        return len(old)

    def _older_than(self, most: int) -> list[tuple[int]]:
        """Return the IDs of the readings that do not belong to the ``most`` newest runs, by the time of their commit.

        The order of recording is not used, because a merged history may add readings of old commits last.
        """
        query = "SELECT readings.id, revision, job FROM readings JOIN commits ON commits.id = revision"
        newest, old = set[tuple[int, int]](), list[tuple[int]]()
        for number, *run in self.connection.execute(f"{query} ORDER BY time DESC, readings.id DESC"):
            if len(newest) < most:
                newest.add(tuple(run))
            if tuple(run) not in newest:
                old.append((number,))
        return old

    def _used_symbols(self) -> set[int]:
        used: set[int] = set()
        for (blob,) in self.connection.execute("SELECT symbols FROM measured"):
            used.update(columns_from_bytes(blob)[0].tolist())
        return used


def _encodable(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()
