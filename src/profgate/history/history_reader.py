"""Reads a history: commits, series, readings and reported trends.

with open_untrusted("history.sqlite") as store:
    for reading in store.readings(key=series.key, commits=[...]): ...

If a file cannot be read, a `ProfgateError` that names the file is raised.
"""

import contextlib
import json
import sqlite3
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from profgate.errors import ProfgateError
from profgate.history.history_file import connected_untrusted, sqlite_errors
from profgate.history.packed_columns import columns_from_bytes, inflated
from profgate.io.limited_process import isolated_python
from profgate.model.history import Column, Reading, Series, StoredCommit, StoredJob, SymbolKey
from profgate.model.profile import Configuration, Facts
from profgate.model.units import Metric, MetricKind

CHECK_TIMEOUT = 120  # seconds
MAX_PROFILE_BYTES = 1 << 28  # maximum size of a profile after decompression
CONFIGURATION = TypeAdapter(Configuration)
FACTS = TypeAdapter(Facts)
READING = """
SELECT commits.sha, series.name, series.workload, series.format, series.content, jobs.identity, jobs.ref, jobs.event,
    readings.run, facts.content, profiles.name, profiles.content
FROM readings JOIN commits ON commits.id = readings.revision JOIN series ON series.id = readings.series
    JOIN jobs ON jobs.id = readings.job LEFT JOIN facts ON facts.id = readings.facts
    LEFT JOIN profiles ON profiles.id = readings.profile AND ?
WHERE readings.id = ?"""
COLUMNS = """
SELECT metrics.name, metrics.unit, metrics.better, metrics.kind, exponent, total, period, whole, measured.symbols
FROM measured JOIN metrics ON metrics.id = measured.metric
WHERE reading = ? ORDER BY metrics.name, metrics.unit"""


@contextlib.contextmanager
def open_untrusted(path: str) -> Iterator["HistoryReader"]:
    """Open an untrusted history for reading. Raises ProfgateError if the history is damaged.

    A separate process checks the whole file first. Only that process ends if the file causes SQLite to crash.
    """
    place = Path(path)
    if place.exists() and not place.is_file():
        raise ProfgateError(path, "is not a regular file; it is left out")
    command, environment = isolated_python("profgate.history.history_file")
    try:
        done = subprocess.run(  # noqa: S603 - itself
            [*command, path], capture_output=True, timeout=CHECK_TIMEOUT, check=False, env=environment
        )
    except subprocess.TimeoutExpired:
        raise ProfgateError(path, "takes too long to check; it is left out") from None
    if done.returncode:
        what = done.stdout.decode("utf-8", "replace").strip()[:300]
        raise ProfgateError(path, what or "is not a readable history; remove it, and profgate creates a new one")
    with connected_untrusted(place) as connection:
        yield HistoryReader(connection, place)


class HistoryReader:
    """A history that was opened for reading by `open_untrusted` or `open_history`."""

    def __init__(self, connection: sqlite3.Connection, place: Path) -> None:
        self.connection = connection
        self._place = place
        self._symbols: dict[int, SymbolKey] = {}
        self._series = cache(stored_series)  # cached, because thousands of readings have the same text
        self._facts = cache(facts_of)

    def commits(self) -> dict[str, StoredCommit]:
        """Return a mapping from hashes to all stored commits."""
        with self.damage():
            rows = self.connection.execute("SELECT sha, parents, time, title FROM commits")
            return {
                sha: StoredCommit(sha, tuple((parents or "").split()), time or 0, title or "")
                for sha, parents, time, title in rows
            }

    def series(self) -> list[Series]:
        """Return every series, sorted by workload name."""
        with self.damage():
            query = "SELECT name, workload, format, content FROM series ORDER BY workload, name"
            return [self._series(*row) for row in self.connection.execute(query)]

    def measured_commits(self, key: str | None = None) -> dict[str, frozenset[str]]:
        """Return the keys of the series that were measured at each commit. ``key`` selects a single series."""
        chosen = "" if key is None else "WHERE series = (SELECT id FROM series WHERE name = ?)"
        # the query is a single statement, because another process may add rows between two statements
        query = (
            f"SELECT sha, series.name FROM (SELECT DISTINCT series, revision FROM readings {chosen}) AS found"  # noqa: S608 - own text
            " JOIN series ON series.id = found.series JOIN commits ON commits.id = found.revision"
        )
        found: dict[str, set[str]] = {}
        with self.damage():
            for sha, name in self.connection.execute(query, () if key is None else (key,)):
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
        with self.damage():
            query = f"SELECT id FROM readings WHERE {' AND '.join(conditions)}"  # noqa: S608 - own text
            for (number,) in sorted(self.connection.execute(query, values)):
                yield self.reading(number, profiles=profiles)

    def reading(self, number: int, *, profiles: bool) -> Reading:
        """Return the reading with this ID. With ``profiles``, the reading contains its stored file."""
        with self.damage():
            row = self.connection.execute(READING, (profiles, number)).fetchone()
            if row is None:
                raise ValueError(f"reading {number} belongs to nothing")
            sha, key, workload, kind, content, identity, ref, event, run, facts, name, profile = row
            return Reading(
                commit=sha,
                series=self._series(key, workload, kind, content),
                run=run.hex(),
                columns=tuple(self._columns(number)),
                job=StoredJob(identity, ref or "", event or ""),
                facts=replace(self._facts(facts), job=identity or None),
                name=name or "",
                profile=None if profile is None else inflated(profile, MAX_PROFILE_BYTES, "the bytes of a profile"),
            )

    def _columns(self, number: int) -> Iterator[Column]:
        rows = self.connection.execute(COLUMNS, (number,))
        for name, unit, better, kind, exponent, total, period, whole, blob in rows:
            metric = Metric(name, unit, better, MetricKind(kind), exponent)
            numbers, own, inclusive, calls = columns_from_bytes(blob)
            yield Column(metric, total, self._names(numbers.tolist()), own, inclusive, calls, bool(whole), period)

    def _names(self, numbers: Sequence[int]) -> list[SymbolKey]:
        if not self._symbols.keys() >= set(numbers):  # symbols not read yet, or added by another process
            rows = self.connection.execute("SELECT id, name, file FROM symbols")
            self._symbols = {number: (name, file or None) for number, name, file in rows}
        return [self._symbols[number] for number in numbers]

    def reported_trends(self) -> dict[str, str]:
        """Map the key of each series to the text that lists its reported trends."""
        query = "SELECT series, content FROM trends ORDER BY series"
        with self.damage():
            return dict(self.connection.execute(query))

    @contextlib.contextmanager
    def damage(self) -> Iterator[None]:
        """Convert errors caused by damaged rows to a ProfgateError that names the file."""
        with sqlite_errors(self._place):
            try:
                yield
            except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
                if isinstance(error, UnicodeDecodeError):
                    raise
                reason = str(error).splitlines()[0]
                raise ProfgateError(
                    str(self._place), f"is damaged ({reason}); remove it, and profgate creates a new one"
                ) from error


def stored_series(key: str, workload: str | None, kind: str | None, content: str | None) -> Series:
    """Return the series with this configuration, which is JSON. Raises ValueError if it is not valid."""
    configuration = CONFIGURATION.validate_json(content or "{}", strict=True)
    return Series(key, workload or "", configuration, kind or "")


def facts_of(content: str | None) -> Facts:
    """Parse facts, which are JSON. Raises ValueError if they are not valid."""
    return FACTS.validate_json(content or "{}", strict=True)
