"""The history on disk: one SQLite file that holds what was measured, by commit and configuration.

    with open_history(".profgate", write=True) as store:       # a folder; the file in it is made when it is missing
        with store.writing():                                  # all of it or nothing, whoever else writes meanwhile
            store.add_commits([StoredCommit("4f1c...", parents=("99ab...",), time=1700000000, title="...")])
            store.add(readings)                                # a reading that is there already is left alone
        store.prune(Keep())

Reading is `history_reader.py`, pruning and merging `history_upkeep.py`; `compare/readings.py` makes a `Reading` of a
profile. What a stranger may have made (an artifact, a branch) is opened with `open_foreign` of `foreign_history.py`.
"""

import contextlib
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Self, TypeVar

from profgate.adapters.history_file import FILE, UNUSABLE, connected, spoken_for
from profgate.adapters.history_reader import HistoryReader
from profgate.adapters.history_rows import run_bytes, text_of
from profgate.adapters.history_schema import create
from profgate.adapters.history_upkeep import copied, pruned, unknown_readings
from profgate.errors import ProfgateError
from profgate.model.history import (
    HISTORY_SCHEMA,
    Column,
    Keep,
    Reading,
    Series,
    StoredCommit,
    StoredJob,
    StoredRecord,
    StoredVerdict,
    SymbolKey,
)
from profgate.model.history_columns import packed
from profgate.model.profile import Facts
from profgate.model.units import Metric

T = TypeVar("T")


@contextlib.contextmanager
def open_history(folder: str, *, write: bool = False, make: bool = True) -> Iterator["HistoryStore"]:
    """The history of a folder of this machine; ``make``: one that is to be written is made where there is none.

    Raises ProfgateError where it does not exist and is not made.
    """
    place = Path(folder) / FILE
    with spoken_for(place):
        if write and make:
            place.parent.mkdir(parents=True, exist_ok=True)
            ignore = place.parent / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n")
        elif not place.is_file():
            raise ProfgateError(folder, "holds no history; fill it with 'profgate store add PROFILES'")
        # also a reader must be able to write: a writer that was killed leaves its journal for the next to roll back
        connection = connected(place, "rwc" if write and make else "rw")
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


class HistoryStore(HistoryReader):
    """An open history that may be written."""

    def __init__(self, connection: sqlite3.Connection, place: Path) -> None:
        super().__init__(connection, place)
        # What the write that goes on knows of the rows others refer to; other processes may change them in between
        self._names: dict[SymbolKey, int] = {}
        self._numbers: dict[object, int] = {}

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
                self._connection.rollback()  # SQLite itself goes back already where the disk fails
                raise
            finally:
                self._names.clear()
                self._numbers.clear()
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
        series, job, facts = reading.series, reading.job, replace(reading.facts, job=None)  # the job is told once
        numbers = (
            self._known_as(series, self._series_number),
            self._known_as(reading.commit, lambda sha: self._number("commits", {"sha": sha}, parents=None)),
            self._known_as(
                job, lambda one: self._number("jobs", {"identity": one.identity}, ref=one.ref, event=one.event)
            ),
            run_bytes(reading.run),
            self._known_as(facts, self._facts_number),
        )
        made = self._connection.execute(
            "INSERT INTO readings (series, revision, job, run, facts, profile) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            (*numbers, self._file(reading)),
        )
        if not made.rowcount:
            return False
        for column in reading.columns:
            self._add_column(made.lastrowid, column)
        return True

    def _known_as(self, thing: T, number: Callable[[T], int]) -> int:
        """The number of the row that stands for this, asked for once in a write."""
        found = self._numbers.get(thing)
        if found is None:
            found = self._numbers[thing] = number(thing)
        return found

    def _job_number(self, job: StoredJob) -> int:
        return self._number("jobs", {"identity": job.identity}, ref=job.ref, event=job.event)

    def _series_number(self, series: Series) -> int:
        content = json.dumps(asdict(series.configuration), ensure_ascii=True)
        return self._number(
            "series", {"name": series.key}, workload=series.workload, format=series.format, content=content
        )

    def _facts_number(self, facts: Facts) -> int:
        known = {name: value for name, value in asdict(facts).items() if value is not None}
        return self._number("facts", {"content": json.dumps(known)})

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
        numbers, known = [], self._all_names()
        for one in column.symbols:
            number = known.get(one)
            if number is None:
                number = known[one] = self._number("symbols", {"name": one[0], "file": one[1] or ""})
            numbers.append(number)
        self._connection.execute(
            "INSERT INTO measured (reading, metric, total, exponent, period, whole, symbols)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                *(reading, self._known_as(replace(metric, exponent=0), self._metric_number), column.sum),
                *(metric.exponent, column.period, column.whole),
                packed(numbers, column.own, column.total, column.calls),
            ),
        )

    def _metric_number(self, metric: Metric) -> int:
        kind = {"name": metric.name, "unit": metric.unit, "better": metric.better, "kind": metric.kind.value}
        return self._number("metrics", kind)

    def _all_names(self) -> dict[SymbolKey, int]:
        """The numbers of all names, read at once: asking for thousands one by one takes longer than all else."""
        if not self._names:
            rows = self._connection.execute("SELECT name, file, id FROM symbols")
            self._names = {(name, file or None): number for name, file, number in rows}
        return self._names

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

    # Keeping it small, and joining

    def merge(self, other: HistoryReader, jobs: Iterable[str] | None = None) -> int:
        """How many readings of the other history are new here; with ``jobs`` of these alone.

        What both have stays as it is here. Raises ProfgateError where the other one is damaged; nothing is taken then.
        """
        wanted = None if jobs is None else frozenset(jobs)
        with self.writing(), other.told():
            if wanted is None and not self._holds_anything():
                return copied(self._connection, other)
            self.add_commits(other.commits().values())
            unknown = [
                number for number, job in unknown_readings(self._connection, other) if wanted is None or job in wanted
            ]
            added = self.add(other.reading(number) for number in unknown)
            for kind in ("gate", "unchanged"):
                known = {(one.baseline, one.target, one.job) for one in self.verdicts(kind)}
                for verdict in other.verdicts(kind):
                    if (verdict.baseline, verdict.target, verdict.job) not in known:
                        self.add_verdict(verdict)
            ours = {(one.baseline, one.target, one.series, one.strategy) for one in self.records()}
            self.put_records(
                one for one in other.records() if (one.baseline, one.target, one.series, one.strategy) not in ours
            )
        return added

    def _holds_anything(self) -> bool:
        return any(self._connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() for table in self.tables)  # noqa: S608 - ours

    def prune(self, keep: Keep) -> int:
        """How many columns lost their lighter symbols; gives the room back to the disk where it is worth it."""
        with self.writing():
            thinned = pruned(self._connection, keep)
        free = self._connection.execute("PRAGMA freelist_count").fetchone()[0]
        if free * 4 > self._connection.execute("PRAGMA page_count").fetchone()[0]:
            with spoken_for(self._place):
                self._connection.execute("VACUUM")
        return thinned
