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
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Self

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
    StoredCommit,
    StoredRecord,
    StoredVerdict,
    SymbolKey,
)
from profgate.model.history_columns import packed


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
        self._numbers: dict[SymbolKey, int] = {}

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
            self._numbers.clear()  # names may be gone
        free = self._connection.execute("PRAGMA freelist_count").fetchone()[0]
        if free * 4 > self._connection.execute("PRAGMA page_count").fetchone()[0]:
            with spoken_for(self._place):
                self._connection.execute("VACUUM")
        return thinned
