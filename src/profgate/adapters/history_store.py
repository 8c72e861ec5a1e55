"""The history on disk: one SQLite file that holds what was measured, by commit and configuration.

    with open_history(".profgate", write=True) as store:       # a folder; the file in it is made when it is missing
        with store.writing():                                  # all of it or nothing, whoever else writes meanwhile
            store.add_commits([StoredCommit("4f1c...", parents=("99ab...",), time=1700000000, title="...")])
            store.add(readings)                                # a reading that is there already is left alone
        for reading in store.readings(key=series.key, commits=[...]): ...
        store.points(series.key, metric)                       # the totals of one series, in order of recording
        store.prune(Keep())

Records are those of `model/history.py`; `compare/readings.py` makes a `Reading` of a profile. What a
stranger may have made (an artifact, a branch) is opened with `open_foreign` of `foreign_history.py`. Everything that is
wrong with a file is a `ProfgateError` that names it.
"""

import contextlib
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Self

from profgate.adapters.history_file import FILE, UNUSABLE, connected, spoken_for
from profgate.adapters.history_rows import (
    facts_of,
    hash_of,
    inflated,
    inflated_text,
    integer_of,
    power_of_ten,
    run_bytes,
    series_of,
    text_of,
)
from profgate.adapters.history_schema import columns_of, create
from profgate.errors import ProfgateError
from profgate.model.history import (
    HISTORY_SCHEMA,
    Column,
    Keep,
    Point,
    Reading,
    Series,
    StoredCommit,
    StoredJob,
    StoredRecord,
    StoredVerdict,
    SymbolKey,
)
from profgate.model.history_columns import packed, unpacked
from profgate.model.units import Metric, MetricKind


@contextlib.contextmanager
def open_history(folder: str, *, write: bool = False) -> Iterator["HistoryStore"]:
    """The history of a folder of this machine. Raises ProfgateError where it does not exist and is not to be made."""
    place = Path(folder) / FILE
    with spoken_for(place):
        if write:
            place.parent.mkdir(parents=True, exist_ok=True)
            ignore = place.parent / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n")
        elif not place.is_file():
            raise ProfgateError(folder, "holds no history; fill it with 'profgate store add PROFILES'")
        # also a reader must be able to write: a writer that was killed leaves its journal for the next to roll back
        connection = connected(place, "rwc" if write else "rw")
    with contextlib.closing(connection):
        store = HistoryStore(connection, place)
        with spoken_for(place):
            store.check_version()
            if write:
                with store.writing():
                    create(connection)
                    connection.execute("INSERT OR IGNORE INTO meta VALUES ('schema', ?)", (HISTORY_SCHEMA,))
            store.learn_columns()
        with spoken_for(place, sqlite3.Error):
            yield store


class HistoryStore:
    """An open history; made by `open_history` and `open_foreign`."""

    def __init__(self, connection: sqlite3.Connection, place: Path) -> None:
        self._connection = connection
        self._place = place
        self._symbols: dict[int, SymbolKey] | None = None
        self._numbers: dict[SymbolKey, int] = {}
        self._known: dict[str, frozenset[str]] = {}

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
        names = ("commits", "jobs", "series", "metrics", "symbols", "facts", "readings", "measured", "profiles")
        self._known = {table: columns_of(self._connection, table) for table in (*names, "verdicts", "records")}

    def _rows(self, table: str, columns: Sequence[str], rest: str = "", values: Sequence[object] = ()) -> Iterator[Any]:
        """Rows of one table; a column the file does not have is None, a table it does not have is empty."""
        known = self._known[table]
        if not known:
            return iter(())
        chosen = ", ".join(f"{table}.{name}" if name in known else "NULL" for name in columns)
        return self._connection.execute(f"SELECT {chosen} FROM {table} {rest}", values)  # noqa: S608 - names of our own

    @contextlib.contextmanager
    def writing(self) -> Iterator[Self]:
        """All that is written inside is there afterwards, or nothing of it; other writers wait. May be nested."""
        if self._connection.in_transaction:
            yield self
            return
        with spoken_for(self._place, *UNUSABLE):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self
                self._connection.execute("COMMIT")
            except BaseException:
                self._numbers.clear()  # numbers of symbols that were not kept
                self._connection.rollback()  # SQLite itself goes back already where the disk fails
                raise
            self._symbols = None

    # Writing

    def add_commits(self, commits: Iterable[StoredCommit]) -> None:
        """Commits with what is known of them now."""
        with self.writing():
            self._connection.executemany(
                "INSERT INTO commits (sha, parents, time, title) VALUES (?, ?, ?, ?) ON CONFLICT (sha) DO UPDATE SET"
                " parents = excluded.parents, time = excluded.time, title = excluded.title",
                [(one.sha, " ".join(one.parents), one.time, text_of(one.title)) for one in commits],
            )

    def add(self, readings: Iterable[Reading]) -> int:
        """How many of these readings are new; those that are there already are left as they are."""
        added = 0
        with self.writing():
            for reading in readings:
                added += self._add(reading)
        return added

    def _add(self, reading: Reading) -> bool:
        series, job = reading.series, reading.job
        content = json.dumps(asdict(series.configuration), ensure_ascii=True)
        numbers = (
            self._number(
                "series", {"name": series.key}, workload=series.workload, format=series.format, content=content
            ),
            self._number("commits", {"sha": reading.commit}, parents=None),
            self._number("jobs", {"identity": job.identity}, ref=job.ref, event=job.event),
            run_bytes(reading.run),
        )
        said = asdict(replace(reading.facts, job=None))  # the job is told once, for all its readings
        facts = json.dumps({name: value for name, value in said.items() if value is not None})
        made = self._connection.execute(
            "INSERT INTO readings (series, revision, job, run, facts, profile) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            (*numbers, self._number("facts", {"content": facts}), self._file(reading)),
        )
        if not made.rowcount:
            return False
        for column in reading.columns:
            self._add_column(made.lastrowid, column)
        return True

    def _file(self, reading: Reading) -> int | None:
        """The number of the file that a reading was made from, which several may share; None where it is not kept."""
        if reading.profile is None:
            return None
        name = text_of(reading.name)
        digest = hashlib.sha256(name.encode() + b"\0" + reading.profile).hexdigest()
        number = self._number("profiles", {"digest": digest}, name=name)
        self._connection.execute(
            "UPDATE profiles SET content = ? WHERE id = ? AND content IS NULL",
            (zlib.compress(reading.profile, 6), number),
        )
        return number

    def _add_column(self, reading: int | None, column: Column) -> None:
        metric = column.metric
        kind = {"name": metric.name, "unit": metric.unit, "better": metric.better, "kind": metric.kind.value}
        blob = packed([self._symbol(one) for one in column.symbols], column.own, column.total, column.calls)
        self._connection.execute(
            "INSERT INTO measured (reading, metric, total, exponent, period, whole, symbols)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (reading, self._number("metrics", kind), column.sum, metric.exponent, column.period, column.whole, blob),
        )

    def _symbol(self, key: SymbolKey) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self._number("symbols", {"name": key[0], "file": key[1] or ""})
        return number

    def _number(self, table: str, key: dict[str, str], **more: str | None) -> int:
        """The number of the row with this key, made where it is missing."""
        values = [text_of(value) for value in key.values()]
        where = " AND ".join(f"{name} = ?" for name in key)
        found = self._connection.execute(f"SELECT id FROM {table} WHERE {where}", values).fetchone()  # noqa: S608 - ours
        if found is not None:
            return int(found[0])
        names = ", ".join([*key, *more])
        marks = ", ".join("?" * (len(key) + len(more)))
        values += [None if value is None else text_of(value) for value in more.values()]  # type: ignore[misc]
        made = self._connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)  # noqa: S608 - ours
        return int(made.lastrowid or 0)

    def add_verdict(self, verdict: StoredVerdict) -> None:
        """What the gate said; of the same sides and job it takes the old word's place."""
        report = zlib.compress(verdict.report.encode(), 6) if verdict.report else None
        with self.writing():
            self._connection.execute(
                "INSERT OR REPLACE INTO verdicts (kind, baseline, target, job, conclusion, reds, comparisons, report)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(verdict.kind, verdict.baseline, verdict.target, verdict.job, verdict.conclusion),
                    *(verdict.reds, verdict.comparisons, report),
                ),
            )

    def put_records(self, records: Iterable[StoredRecord]) -> None:
        """Records of strategies; each takes the place of the one it corrects."""
        with self.writing():
            self._connection.executemany(
                "INSERT OR REPLACE INTO records (baseline, target, series, strategy, content) VALUES (?, ?, ?, ?, ?)",
                [(one.baseline, one.target, one.series, one.strategy, one.content) for one in records],
            )

    # Reading

    def commits(self) -> dict[str, StoredCommit]:
        """Every commit there is something of, or that was told, by its hash."""
        with self._told():
            return {
                hash_of(sha): StoredCommit(sha, tuple((parents or "").split()), integer_of(time), title or "")
                for sha, parents, time, title in self._rows("commits", ("sha", "parents", "time", "title"))
            }

    def series(self) -> list[Series]:
        """Every series, by the workload's name."""
        with self._told():
            rows = self._rows("series", ("name", "workload", "format", "content"), "ORDER BY workload, name")
            return [series_of(*row) for row in rows]

    def measured_commits(self, key: str | None = None) -> dict[str, frozenset[str]]:
        """Which series (by key) each commit has a reading of; with ``key`` of that series alone."""
        found: dict[str, set[str]] = {}
        with self._told():
            names = dict(self._rows("series", ("id", "name"), *(() if key is None else ("WHERE name = ?", (key,)))))
            hashes = dict(self._rows("commits", ("id", "sha")))
            for number, name in names.items():  # by the index alone: no text is looked at for each reading
                for (revision,) in self._rows(
                    "readings", ("revision",), "WHERE series = ? GROUP BY revision", (number,)
                ):
                    found.setdefault(hashes[revision], set()).add(name)
        return {sha: frozenset(names) for sha, names in found.items()}

    def jobs(self) -> dict[str, StoredJob]:
        """The jobs that measured, by identity."""
        with self._told():
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
        with self._told():
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
        with self._told():
            numbers = self._chosen(key, commits)
            numbers = numbers if newest is None else numbers[-newest:] if newest else []
            for number in numbers:
                yield self._reading(number, profiles=profiles)

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
            series=series_of(key, workload, kind, content),
            run=bytes(run).hex(),
            columns=self._columns(number),
            job=StoredJob(identity, ref or "", event or ""),
            facts=replace(facts_of(facts), job=identity or None),
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
            known = self._all_symbols()
            symbols = [known[place] for place in numbers.tolist()]
            metric = Metric(name, unit, better, MetricKind(kind), power_of_ten(power))
            if better not in {"lower", "higher"}:
                raise ValueError(f"a metric is better {better!r}")
            step = None if period is None else integer_of(period)
            columns.append(Column(metric, integer_of(total), symbols, own, inclusive, calls, bool(whole), step))
        return tuple(columns)

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
        with self._told():
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
        with self._told():
            return [
                StoredRecord(*row) for row in self._rows("records", columns, f"{where} ORDER BY 2, 1, 3, 4", values)
            ]

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
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

    # Keeping it small

    def merge(self, other: "HistoryStore", jobs: Iterable[str] | None = None) -> int:
        """How many readings of the other history are new here; with ``jobs`` of these alone."""
        wanted = None if jobs is None else frozenset(jobs)
        added = 0
        with self.writing():
            self.add_commits(other.commits().values())
            for reading in other.readings(profiles=True):
                if wanted is None or reading.job.identity in wanted:
                    added += self.add([reading])
            for kind in ("gate", "unchanged"):
                for verdict in other.verdicts(kind):
                    self.add_verdict(verdict)
            self.put_records(other.records())
        return added

    def prune(self, keep: Keep) -> int:
        """How many columns lost their lighter symbols; gives the room back to the disk where it is worth it."""
        with self.writing():
            runs = [
                row[0]
                for row in self._connection.execute(
                    "SELECT MAX(id) FROM readings GROUP BY revision, job ORDER BY MAX(id) DESC"
                )
            ]
            thinned = 0
            if len(runs) > keep.runs:
                thinned = self._thin(runs[keep.runs] if keep.runs else runs[0], keep.symbols)
            if len(runs) > keep.profiles:
                last = runs[keep.profiles] if keep.profiles else runs[0]
                self._connection.execute("UPDATE readings SET profile = NULL WHERE id <= ?", (last,))
                self._connection.execute(
                    "DELETE FROM profiles WHERE id NOT IN (SELECT profile FROM readings WHERE profile IS NOT NULL)"
                )
            self._connection.execute(
                "UPDATE verdicts SET report = NULL WHERE report IS NOT NULL AND id NOT IN"
                " (SELECT id FROM verdicts ORDER BY id DESC LIMIT ?)",
                (keep.reports,),
            )
            if thinned and self._connection.execute("SELECT COUNT(*) FROM symbols").fetchone()[0] > keep.names:
                self._forget_symbols()
        free = self._connection.execute("PRAGMA freelist_count").fetchone()[0]
        if free * 4 > self._connection.execute("PRAGMA page_count").fetchone()[0]:
            with spoken_for(self._place):
                self._connection.execute("VACUUM")
        return thinned

    def _forget_symbols(self) -> None:
        """Removes the names that no reading holds any more."""
        used: set[int] = set()
        for (blob,) in self._connection.execute("SELECT symbols FROM measured"):
            used.update(unpacked(blob)[0].tolist())
        gone = [row for row in self._connection.execute("SELECT id FROM symbols") if row[0] not in used]
        self._connection.executemany("DELETE FROM symbols WHERE id = ?", gone)
        self._numbers.clear()

    def _thin(self, last: int, symbols: int) -> int:
        """Keeps the heaviest symbols of all readings up to the number ``last``."""
        rows = self._connection.execute(
            "SELECT reading, metric, symbols FROM measured WHERE reading <= ? AND whole", (last,)
        ).fetchall()
        for reading, metric, blob in rows:
            numbers, own, total, calls = unpacked(blob)
            heaviest = own.argsort(kind="stable")[::-1][:symbols]
            kept = packed(
                numbers[heaviest].tolist(), own[heaviest], total[heaviest], None if calls is None else calls[heaviest]
            )
            self._connection.execute(
                "UPDATE measured SET whole = 0, symbols = ? WHERE reading = ? AND metric = ?", (kept, reading, metric)
            )
        return len(rows)
