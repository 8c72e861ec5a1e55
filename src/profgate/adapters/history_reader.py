"""What a history file says: commits, jobs, series, readings, verdicts and records, checked value by value.

    with open_history(".profgate") as store:
        for reading in store.readings(key=series.key, commits=[...]): ...
        store.points(series.key, metric)                       # the totals of one series, in order of recording

A reader cannot write, so it is all there is of a stranger's file. Records are those of `model/history.py`. Everything
that is wrong with a file is a `ProfgateError` that names it.
"""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from profgate.adapters.history_file import UNUSABLE, spoken_for
from profgate.adapters.history_rows import (
    facts_of,
    hash_of,
    inflated,
    inflated_text,
    integer_of,
    metric_of,
    power_of_ten,
    series_of,
    text_of,
    value_of,
)
from profgate.adapters.history_schema import TABLES, columns_of, described
from profgate.errors import ProfgateError
from profgate.model.history import (
    HISTORY_SCHEMA,
    Column,
    Point,
    Reading,
    Series,
    StoredCommit,
    StoredJob,
    StoredRecord,
    StoredVerdict,
    SymbolKey,
)
from profgate.model.history_columns import unpacked
from profgate.model.units import Metric


class HistoryReader:
    """An open history, for reading; made by `open_history` and `open_foreign`."""

    def __init__(self, connection: sqlite3.Connection, place: Path) -> None:
        self._connection = connection
        self._place = place
        self._symbols: dict[int, SymbolKey] | None = None
        self._known: dict[str, frozenset[str]] = {}
        self._told_series = cache(series_of)  # the same text stands for thousands of readings
        self._told_facts = cache(facts_of)

    # Versions and strangers

    def check_version(self) -> None:
        """Refuses what a later version with another major number made."""
        if not columns_of(self._connection, "meta"):
            return
        row = self._connection.execute("SELECT value FROM meta WHERE name = 'schema'").fetchone()
        if row is not None and row[0] != HISTORY_SCHEMA:
            raise ProfgateError(
                str(self._place),
                f"is a history of {row[0]!r}, and this version reads {HISTORY_SCHEMA}; update profgate",
            )

    def learn_columns(self) -> None:
        """Which columns the file has: an older version's lacks some, whose values are unknown then."""
        self._known = {table: columns_of(self._connection, table) for table in TABLES if table != "meta"}

    def _rows(self, table: str, columns: Sequence[str], rest: str = "", values: Sequence[object] = ()) -> Iterator[Any]:
        """Rows of one table; a column the file does not have is None, a table it does not have is empty."""
        known = self._known[table]
        if not known:
            return iter(())
        chosen = ", ".join(f"{table}.{name}" if name in known else "NULL" for name in columns)
        return self._connection.execute(f"SELECT {chosen} FROM {table} {rest}", values)  # noqa: S608 - names of our own

    @property
    def tables(self) -> list[str]:
        """The tables that the file has, those that others refer to first."""
        return [table for table in TABLES if self._known.get(table)]

    def raw(self, table: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a table with all columns of this version, each value of the type that it must have."""
        columns = described(TABLES[table])
        with self.told():
            for row in self._rows(table, [name for name, _ in columns]):
                yield tuple(value_of(value, kind) for value, (_, kind) in zip(row, columns, strict=True))

    # Reading

    def commits(self) -> dict[str, StoredCommit]:
        """Every commit there is something of, or that was told, by its hash."""
        with self.told():
            return {
                hash_of(sha): StoredCommit(sha, tuple((parents or "").split()), integer_of(time), title or "")
                for sha, parents, time, title in self._rows("commits", ("sha", "parents", "time", "title"))
            }

    def series(self) -> list[Series]:
        """Every series, by the workload's name."""
        with self.told():
            rows = self._rows("series", ("name", "workload", "format", "content"), "ORDER BY workload, name")
            return [series_of(*row) for row in rows]

    def measured_commits(self, key: str | None = None) -> dict[str, frozenset[str]]:
        """Which series (by key) each commit has a reading of; with ``key`` of that series alone."""
        found: dict[int, set[str]] = {}
        with self.told():
            names = dict(self._rows("series", ("id", "name"), *(() if key is None else ("WHERE name = ?", (key,)))))
            for number, name in names.items():  # by the index alone: no text is looked at for each reading
                for (revision,) in self._rows(
                    "readings", ("revision",), "WHERE series = ? GROUP BY revision", (number,)
                ):
                    found.setdefault(revision, set()).add(name)
            hashes = dict(self._rows("commits", ("id", "sha")))  # after what refers to them: others write meanwhile
            return {hashes[revision]: frozenset(held) for revision, held in found.items()}

    def jobs(self) -> dict[str, StoredJob]:
        """The jobs that measured, by identity."""
        with self.told():
            rows = self._rows("jobs", ("identity", "ref", "event"))
            return {identity: StoredJob(identity, ref or "", event or "") for identity, ref, event in rows}

    def points(self, key: str, metric: Metric) -> list[Point]:
        """The totals of one series and metric in order of recording; quick, no symbol is looked at."""
        rest = (
            "JOIN readings ON readings.id = measured.reading JOIN series ON series.id = readings.series"
            " JOIN commits ON commits.id = readings.revision JOIN jobs ON jobs.id = readings.job"
            " JOIN metrics ON metrics.id = measured.metric"
            " WHERE series.name = ? AND metrics.name = ? AND metrics.unit = ? ORDER BY readings.id"
        )
        chosen = "commits.sha, jobs.identity, readings.id, measured.total, measured.exponent"
        with self.told():
            if not self._known["measured"]:
                return []
            rows = self._connection.execute(f"SELECT {chosen} FROM measured {rest}", (key, metric.name, metric.unit))  # noqa: S608 - ours
            return [
                Point(sha, job, number, integer_of(sum_) * 10.0 ** power_of_ten(power))
                for sha, job, number, sum_, power in rows
            ]

    def readings(
        self,
        key: str | None = None,
        commits: Iterable[str] | None = None,
        *,
        profiles: bool = False,
        newest: int | None = None,
    ) -> Iterator[Reading]:
        """Readings in order of recording, of one series and of some commits where these are named.

        ``profiles`` also gives the files themselves where they were kept; ``newest``: only so many of the last.
        """
        with self.told():
            numbers = self._chosen(key, commits)
            numbers = numbers if newest is None else numbers[-newest:] if newest else []
            for number in numbers:
                yield self._reading(number, profiles=profiles)

    def reading(self, number: int) -> Reading:
        """The reading of this number, with its file where that was kept."""
        with self.told():
            return self._reading(number, profiles=True)

    def names_of_readings(self) -> Iterator[tuple[int, bytes, str, str, str]]:
        """Number, run, series, commit and job of every reading; no column is looked at."""
        with self.told():
            series, commits, jobs = (
                dict(self._rows(table, ("id", name)))
                for table, name in (("series", "name"), ("commits", "sha"), ("jobs", "identity"))
            )
            for number, run, one, revision, job in self._rows("readings", ("id", "run", "series", "revision", "job")):
                yield number, bytes(run), series[one], hash_of(commits[revision]), jobs[job]

    def _chosen(self, key: str | None, commits: Iterable[str] | None) -> list[int]:
        """The numbers of readings, ascending."""
        if not self._known["readings"]:
            return []
        series = None
        if key is not None:
            row = self._connection.execute("SELECT id FROM series WHERE name = ?", (text_of(key),)).fetchone()
            if row is None:
                return []
            series = row[0]
        clause, values = ("series = ?", [series]) if series is not None else ("1", [])
        if commits is None:
            rows = self._connection.execute(f"SELECT id FROM readings WHERE {clause}", values).fetchall()  # noqa: S608 - ours
            return sorted(row[0] for row in rows)
        found: list[int] = []
        for sha in dict.fromkeys(commits):
            rows = self._connection.execute(
                f"SELECT id FROM readings WHERE {clause} AND revision = (SELECT id FROM commits WHERE sha = ?)",  # noqa: S608 - ours
                (*values, sha),
            ).fetchall()
            found += [row[0] for row in rows]
        return sorted(found)

    def _reading(self, number: int, *, profiles: bool) -> Reading:
        rest = (
            "JOIN commits ON commits.id = readings.revision JOIN series ON series.id = readings.series"
            " JOIN jobs ON jobs.id = readings.job LEFT JOIN facts ON facts.id = readings.facts WHERE readings.id = ?"
        )
        chosen = (
            "commits.sha, series.name, series.workload, series.format, series.content,"
            " jobs.identity, jobs.ref, jobs.event, readings.run, facts.content"
        )
        row = self._connection.execute(f"SELECT {chosen} FROM readings {rest}", (number,)).fetchone()  # noqa: S608 - ours
        if row is None:
            raise ValueError(f"reading {number} belongs to nothing")
        sha, key, workload, kind, content, identity, ref, event, run, facts = row
        name, profile = self._profile(number) if profiles else ("", None)
        return Reading(
            commit=hash_of(sha),
            series=self._told_series(key, workload, kind, content),
            run=bytes(run).hex(),
            columns=self._columns(number),
            job=StoredJob(identity, ref or "", event or ""),
            facts=replace(self._told_facts(facts), job=identity or None),
            name=name,
            profile=profile,
        )

    def _columns(self, number: int) -> tuple[Column, ...]:
        rest = "JOIN metrics ON metrics.id = measured.metric WHERE reading = ? ORDER BY metrics.name, metrics.unit"
        chosen = (
            "metrics.name, metrics.unit, metrics.better, metrics.kind, total, exponent, period, whole, measured.symbols"
        )
        columns = []
        for name, unit, better, kind, total, power, period, whole, blob in self._connection.execute(
            f"SELECT {chosen} FROM measured {rest}",  # noqa: S608 - ours
            (number,),
        ):
            numbers, own, inclusive, calls = unpacked(blob)
            symbols = self._symbols_of(numbers.tolist())
            metric = metric_of(name, unit, better, kind, power)
            step = None if period is None else integer_of(period)
            columns.append(Column(metric, integer_of(total), symbols, own, inclusive, calls, bool(whole), step))
        return tuple(columns)

    def _symbols_of(self, numbers: Sequence[int]) -> list[SymbolKey]:
        known = self._all_symbols()
        if not known.keys() >= set(numbers):  # another process added some meanwhile
            self._symbols = None
            known = self._all_symbols()
        return [known[number] for number in numbers]

    def _all_symbols(self) -> dict[int, SymbolKey]:
        if self._symbols is None:
            rows = self._rows("symbols", ("id", "name", "file"))
            self._symbols = {number: (name, file or None) for number, name, file in rows}
        return self._symbols

    def _profile(self, number: int) -> tuple[str, bytes | None]:
        file = next(self._rows("readings", ("profile",), "WHERE id = ?", (number,)), (None,))[0]
        row = next(self._rows("profiles", ("name", "content"), "WHERE id = ?", (file,)), None)
        return ("", None) if row is None or row[1] is None else (str(row[0] or ""), inflated(row[1]))

    def verdicts(self, kind: str) -> list[StoredVerdict]:
        """The gate's words of one kind in order of recording."""
        columns = ("baseline", "target", "job", "conclusion", "reds", "comparisons", "report")
        with self.told():
            return [
                StoredVerdict(
                    kind,
                    row[0],
                    row[1],
                    row[2],
                    row[3] or "",
                    integer_of(row[4]),
                    integer_of(row[5]),
                    inflated_text(row[6]),
                )
                for row in self._rows("verdicts", columns, "WHERE kind = ? ORDER BY id", (kind,))
            ]

    def records(self, target: str | None = None) -> list[StoredRecord]:
        """Records of strategies, of one target commit where it is named."""
        where, values = ("", ()) if target is None else ("WHERE target = ?", (target,))
        columns = ("baseline", "target", "series", "strategy", "content")
        with self.told():
            return [
                StoredRecord(*row) for row in self._rows("records", columns, f"{where} ORDER BY 2, 1, 3, 4", values)
            ]

    @contextlib.contextmanager
    def told(self) -> Iterator[None]:
        """What a damaged file makes of rows becomes an error that names the file."""
        with spoken_for(self._place, *UNUSABLE):
            try:
                yield
            except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
                if isinstance(error, UnicodeDecodeError):
                    raise
                raise ProfgateError(
                    str(self._place), f"is damaged ({error}); remove it, and it is made anew"
                ) from error
