"""A history as a Parquet data set, with one row for each function of each metric of each reading.

The rows of one metric of one reading are adjacent, and a reading is in one file. A reading without functions is one row
whose function is null. Profiles are not stored.
"""

import contextlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain
from typing import Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds

from profgate.errors import ProfgateError
from profgate.history.history_reader import HistoryReader, facts_of, stored_series
from profgate.history.history_store import encodable, facts_text, run_bytes
from profgate.history.packed_columns import MOST_ROWS, checked_values
from profgate.history.row_files import SCHEMAS, TEXT, RowFile, RowFiles, encoded
from profgate.model.arrays import IntArray, read_only
from profgate.model.history import Column, Reading, Series, StoredCommit, StoredJob, StoredVerdict, SymbolKey
from profgate.model.units import Metric, MetricKind

PIECE = 1 << 21  # number of rows after which readings are written, and smaller than the limits of a file
MOST_READINGS = 5_000_000
END_OF_TIME = 253_402_300_800  # the year 10000
UNKNOWN_MONTH = "1970-01"  # of readings whose commit had no known time when they were written
NOTHING: Sequence[tuple[str | None, str | None]] = [(None, None)]
IDENTITY = ("commit", "job", "run")
SERIES = ("series", "workload_name", "format", "configuration")


class _Identity(NamedTuple):
    commit: str
    job: str
    run: str


class RowStore:
    """A data set that is open for reading and writing. ``workload`` limits what is read to one workload."""

    def __init__(self, files: RowFiles, repository: str, workload: str | None) -> None:
        self._files, self._repository, self._workload = files, repository, workload
        self._commits: dict[str, StoredCommit] | None = None
        self._series: dict[str, Series] = {}
        # the file of each reading, by series; by workload, because a writer needs only that of its own workloads
        self._known: dict[str, dict[str, dict[_Identity, RowFile]]] = {}
        self._whole = False
        self._writes = False
        self._new: dict[tuple[str, _Identity], Reading] = {}
        self._rows = 0
        self._new_commits: dict[str, StoredCommit] = {}
        self._others: dict[str, list[dict[str, object]]] = {}

    # Reading

    def commits(self) -> dict[str, StoredCommit]:
        """Return a mapping from hashes to all stored commits."""
        if self._commits is None:
            self._commits = {}
            for row in self._records("commits"):
                commit = StoredCommit(row["sha"], tuple(row["parents"].split()), row["time"], row["title"])
                if commit != StoredCommit(commit.sha) or commit.sha not in self._commits:
                    self._commits[commit.sha] = commit
        return self._commits | self._new_commits

    def series(self) -> list[Series]:
        """Return every series, sorted by workload name."""
        self._read_all()
        found = [self._series[key] for known in self._known.values() for key in known]
        return sorted(found, key=lambda series: (series.workload, series.key))

    def measured_commits(self, key: str | None = None) -> dict[str, frozenset[str]]:
        """Return the keys of the series that were measured at each commit. ``key`` selects a single series."""
        self._read_all()
        found: dict[str, set[str]] = {}
        for name, readings in chain.from_iterable(known.items() for known in self._known.values()):
            if key in (None, name):
                for identity in readings:
                    found.setdefault(identity.commit, set()).add(name)
        return {sha: frozenset(names) for sha, names in found.items()}

    def readings(
        self, key: str | None = None, commits: Iterable[str] | None = None, *, profiles: bool = False
    ) -> Iterator[Reading]:
        """Yield readings in the order of recording. ``key`` limits them to one series, ``commits`` to these commits."""
        del profiles  # a data set contains none
        self._read_all()
        chosen = None if commits is None else frozenset(commits)
        wanted: dict[RowFile, set[tuple[str, _Identity]]] = {}
        for name, readings in chain.from_iterable(known.items() for known in self._known.values()):
            if key in (None, name):
                for identity, file in readings.items():
                    if chosen is None or identity.commit in chosen:
                        wanted.setdefault(file, set()).add((name, identity))
        for file in sorted(wanted, key=lambda file: file.path.rpartition("/")[2]):
            yield from self._readings_in(file, wanted[file])

    def verdicts(self) -> list[StoredVerdict]:
        """Return the verdicts of the gate on unchanged code in the order of recording."""
        rows = [StoredVerdict(**row) for row in self._records("verdicts")]
        return list({(row.baseline, row.target, row.job): row for row in rows}.values())

    def reported_trends(self) -> dict[str, str]:
        """Map the key of each series to the text that lists its reported trends."""
        return {row["series"]: row["content"] for row in self._records("trends")}

    def _records(self, table: str) -> Iterator[dict[str, Any]]:
        for file in self._files.of(table):
            for batch in self._files.batches(file):
                yield from batch.to_pylist()

    def _read_all(self) -> None:
        if not self._whole:
            self._whole = True
            self._read(self._workload)

    def _read(self, workload: str | None) -> None:
        """Find the readings of one or all workloads that were not searched for yet."""
        done = frozenset(self._known)
        if workload is not None and encoded(workload) in done:
            return
        count, commits = 0, self.commits()
        for file in self._files.of("readings", workload):
            if file.workload in done:
                continue
            known = self._known.setdefault(file.workload, {})
            for batch in self._files.batches(file, [*IDENTITY, *SERIES]):
                with self._files.errors(file.path):
                    starts = _starts(batch)
                    count += len(starts)
                    if count > MOST_READINGS:
                        raise ValueError(f"there are more than {MOST_READINGS:,} readings")
                    for row in batch.take(starts).to_pylist():
                        series = row["series"]
                        if series not in self._series:
                            self._series[series] = stored_series(*(row[name] for name in SERIES))
                        _check_place(file, row, self._series[series], commits.get(row["commit"]))
                        identity = _Identity(*(row[name] for name in IDENTITY))
                        known.setdefault(series, {}).setdefault(identity, file)
        if workload is not None:
            self._known.setdefault(encoded(workload), {})

    def _readings_in(self, file: RowFile, wanted: set[tuple[str, _Identity]]) -> Iterator[Reading]:
        names = {name for name, _ in wanted}
        only = ds.field("commit").isin(pa.array({identity.commit for _, identity in wanted}).cast(pa.string()))
        if len(names) == 1:
            only &= ds.field("series") == names.pop()
        batches, rows = [], 0
        for batch in self._files.batches(file, only=only):
            batches.append(batch)
            rows += batch.num_rows
            if rows > 4 * MOST_ROWS:
                raise ProfgateError(file.path, f"has more than {4 * MOST_ROWS:,} rows of these commits; remove it")
        if not rows:
            return
        with self._files.errors(file.path):
            found = list(_parsed(pa.Table.from_batches(batches), wanted, self._series))
        yield from found

    # Writing

    @contextlib.contextmanager
    def writing(self) -> Iterator[Self]:
        """Write everything that is added in a ``with`` block at its end. Blocks can be nested.

        If the block fails, nothing is written, except that many readings are written in pieces.
        """
        if self._writes:
            yield self
            return
        self._writes = True
        try:
            yield self
            self._write()
        finally:
            self._writes, self._rows = False, 0
            for pending in (self._new, self._new_commits, self._others):
                pending.clear()

    def add_commits(self, commits: Iterable[StoredCommit]) -> None:
        """Add commits, and update those that are already stored."""
        with self.writing():
            known = self.commits()
            self._new_commits |= {commit.sha: commit for commit in commits if known.get(commit.sha) != commit}

    def add(self, readings: Iterable[Reading]) -> int:
        """Add the readings that are not stored yet, and return the number of added readings."""
        with self.writing():
            return sum(map(self._add, readings))

    def _add(self, reading: Reading) -> bool:
        series = reading.series
        self._read(series.workload)
        commit, job = encodable(reading.commit), encodable(reading.job.identity)
        identity = _Identity(commit, job, run_bytes(reading.run).hex())
        known = self._known[encoded(series.workload)].get(series.key, {})
        if identity in known or (series.key, identity) in self._new or not reading.columns:
            return False
        stored = self.commits() if self._commits is None else self._commits
        if commit not in stored and commit not in self._new_commits:
            self._new_commits[commit] = StoredCommit(commit)
        self._new[series.key, identity] = reading
        self._rows += sum(max(len(column.symbols), 1) for column in reading.columns)
        if self._rows >= PIECE:
            self._write()
        return True

    def add_verdicts(self, verdicts: Iterable[StoredVerdict]) -> None:
        """Add verdicts on unchanged code. They replace stored verdicts on the same commits and job."""
        self._add_others("verdicts", map(asdict, verdicts))

    def add_reported_trends(self, texts: Mapping[str, str], *, replace_known: bool = True) -> None:
        """Store the text that lists the reported trends of each series. Stored texts are replaced or retained."""
        known = {} if replace_known else self.reported_trends()
        added = [item for item in texts.items() if item[0] not in known]
        self._add_others("trends", ({"series": series, "content": content} for series, content in added))

    def _add_others(self, table: str, rows: Iterable[dict[str, object]]) -> None:
        with self.writing():
            self._others.setdefault(table, []).extend(rows)

    def copy(self, store: "HistoryReader | RowStore") -> int:
        """Add what only the other history contains. Return the number of added readings."""
        with self.writing():
            self.add_commits(store.commits().values())
            added = sum(self.add(store.readings(series.key)) for series in store.series())
            known = self.verdicts()
            self.add_verdicts(verdict for verdict in store.verdicts() if verdict not in known)
            self.add_reported_trends(store.reported_trends(), replace_known=False)
        return added

    def _write(self) -> None:
        """Write what was added."""
        commits = self.commits()
        groups: dict[tuple[str, str], list[tuple[_Identity, Reading]]] = {}
        for (_, identity), reading in self._new.items():
            month = _month(commits[identity.commit].time)
            groups.setdefault((reading.series.workload, month), []).append((identity, reading))
        rows = [asdict(commit) | {"parents": " ".join(commit.parents)} for commit in self._new_commits.values()]
        for table, records in (("commits", rows), *self._others.items()):
            if records:
                self._files.add(table, [self._repository], _table(table, records))
        for (workload, month), readings in groups.items():
            file = self._files.add("readings", [self._repository, workload, month], _rows(readings))
            for identity, reading in readings:
                self._series.setdefault(reading.series.key, reading.series)
                self._known[encoded(workload)].setdefault(reading.series.key, {})[identity] = file
        self._commits, self._rows = commits, 0
        for pending in (self._new, self._new_commits, self._others):
            pending.clear()


def _check_place(file: RowFile, row: Mapping[str, str], series: Series, commit: StoredCommit | None) -> None:
    """Raise ValueError if the row belongs into another folder."""
    if encoded(row["workload_name"]) != file.workload or series.workload != row["workload_name"]:
        raise ValueError("it contains rows of another workload")
    if commit is not None and commit.time and file.month not in (UNKNOWN_MONTH, _month(commit.time)):
        raise ValueError("it contains rows of another month")


def _month(moment: int) -> str:
    return time.strftime("%Y-%m", time.gmtime(moment)) if 0 < moment < END_OF_TIME else UNKNOWN_MONTH


def _starts(batch: Any) -> IntArray:  # noqa: ANN401 - pyarrow has no types
    """Return the rows that differ from the row before in any of these texts."""
    codes = [np.asarray(column.indices) for column in batch.columns]
    changed = np.ones(batch.num_rows, bool)
    if batch.num_rows:
        changed[1:] = np.logical_or.reduce([np.diff(each) != 0 for each in codes])
    return np.flatnonzero(changed)


def _parsed(
    table: Any,  # noqa: ANN401 - pyarrow has no types
    wanted: set[tuple[str, _Identity]],
    series: Mapping[str, Series],
) -> Iterator[Reading]:
    """Return the wanted readings in the rows. Raises ValueError if a value is not possible."""
    whole = table.unify_dictionaries().combine_chunks().to_batches(max_chunksize=None)[0]
    starts = _starts(whole.select([*IDENTITY, "metric", "unit", "better", "kind", *SERIES]))
    symbols = _symbols(whole["function"], whole["file"])
    names = ("self", "total", "calls", "sum", "period")
    own, total, calls, *_ = (read_only(checked_values(whole[name].fill_null(0).to_numpy())) for name in names)
    without, uncounted = (
        np.logical_or.reduceat(whole[name].is_null().to_numpy(zero_copy_only=False), starts).tolist()
        for name in ("function", "calls")
    )
    heads = whole.take(starts).to_pylist()
    facts = {text: facts_of(text) for text in {head["facts"] for head in heads}}
    found: dict[tuple[str, _Identity], tuple[dict[str, Any], list[Column]]] = {}
    ends = [*starts[1:].tolist(), len(own)]
    for head, start, end, empty, no_calls in zip(heads, starts.tolist(), ends, without, uncounted, strict=True):
        place = (head["series"], _Identity(*(head[name] for name in IDENTITY)))
        if place not in wanted:
            continue
        metric = Metric(head["metric"], head["unit"], head["better"], MetricKind(head["kind"]), head["exponent"])
        if metric.better not in ("lower", "higher") or abs(metric.exponent) > 30:
            raise ValueError("a metric is not possible")
        _, columns = found.setdefault(place, (head, []))
        if any(column.metric == metric for column in columns):
            raise ValueError("the rows of a reading are not adjacent")
        rows = slice(start, start if empty else end)
        values = (head["sum"], symbols[rows], own[rows], total[rows], None if no_calls else calls[rows])
        columns.append(Column(metric, *values, head["whole"], head["period"]))
    for (key, identity), (head, columns) in found.items():
        job = StoredJob(identity.job, head["ref"], head["event"])
        known = replace(facts[head["facts"]], job=identity.job or None)
        columns.sort(key=lambda column: (column.metric.name, column.metric.unit))
        yield Reading(identity.commit, series[key], identity.run, tuple(columns), job, known)


def _symbols(functions: Any, files: Any) -> list[SymbolKey]:  # noqa: ANN401 - pyarrow has no types
    """Return the symbol of each row; equal symbols are one object, which takes less memory."""
    names, places = ([*column.dictionary.to_pylist(), None] for column in (functions, files))
    name, place = (
        column.indices.fill_null(len(column.dictionary)).to_numpy().astype(np.int64) for column in (functions, files)
    )
    different, numbers = np.unique(name * len(places) + place, return_inverse=True)
    known = [(names[code // len(places)], places[code % len(places)]) for code in different.tolist()]
    return [known[number] for number in numbers.tolist()]


def _table(name: str, records: Sequence[Mapping[str, object]]) -> Any:  # noqa: ANN401 - pyarrow has no types
    arrays = []
    for field in SCHEMAS[name]:
        values = [record[field.name] for record in records]
        arrays.append(_encoded_texts(values) if field.type == TEXT else pa.array(values, field.type))
    return pa.table(arrays, schema=SCHEMAS[name])


def _encoded_texts(values: Iterable[Any]) -> Any:  # noqa: ANN401 - pyarrow has no types
    return pa.array([value if value is None else encodable(value) for value in values], pa.string()).dictionary_encode()


def _rows(readings: Sequence[tuple[_Identity, Reading]]) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return the rows of readings."""
    pairs = [(identity, reading, column) for identity, reading in readings for column in reading.columns]
    counts = np.array([max(len(column.symbols), 1) for *_, column in pairs])
    heads = [
        identity._asdict()
        | {"ref": reading.job.ref, "event": reading.job.event, "facts": facts_text(reading)}
        | {"series": reading.series.key, "workload_name": reading.series.workload, "format": reading.series.format}
        | {"configuration": json.dumps(asdict(reading.series.configuration))}
        | {"metric": column.metric.name, "unit": column.metric.unit, "better": column.metric.better}
        | {"kind": column.metric.kind, "exponent": column.metric.exponent}
        | {"sum": column.sum, "period": column.period, "whole": column.whole}
        for identity, reading, column in pairs
    ]
    columns = [column for *_, column in pairs]
    symbols: list[tuple[str | None, str | None]] = list(
        chain.from_iterable(column.symbols or NOTHING for column in columns)
    )
    zeros = [np.zeros(count, np.int64) for count in counts.tolist()]

    def numbers(values: Iterable[IntArray | None]) -> IntArray:
        given = zip(values, zeros, strict=True)
        return np.concatenate([zero if value is None or not len(value) else value for value, zero in given])

    uncounted = np.repeat([column.calls is None for column in columns], counts)
    arrays = {
        "function": _encoded_texts(name for name, _ in symbols),
        "file": _encoded_texts(file for _, file in symbols),
        "self": pa.array(numbers(column.own for column in columns)),
        "total": pa.array(numbers(column.total for column in columns)),
        "calls": pa.array(numbers(column.calls for column in columns), mask=uncounted),
    }
    repeated = pa.array(np.repeat(np.arange(len(heads)), counts))
    for field in SCHEMAS["readings"]:
        if field.name not in arrays:
            values = [head[field.name] for head in heads]
            short = _encoded_texts(values) if field.type == TEXT else pa.array(values, field.type)
            arrays[field.name] = short.take(repeated)
    return pa.table([arrays[field.name] for field in SCHEMAS["readings"]], schema=SCHEMAS["readings"])
