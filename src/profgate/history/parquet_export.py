"""Writes a history as one Parquet file, which DuckDB, Spark and other programs can query."""

from collections.abc import Iterator, Sequence
from typing import Any

from profgate.errors import ProfgateError
from profgate.history.history_store import HistoryStore
from profgate.model.history import Column, Reading, StoredCommit


def export_rows(store: HistoryStore, path: str) -> int:
    """Write one row for each function of each metric of each reading, and return the number of rows.

    A reading of which no function is stored has one row without a function. Raises ProfgateError if pyarrow is not
    installed or the file cannot be written.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ProfgateError("store export", "needs pyarrow; run 'pip install profgate[parquet]'") from error
    text, cost = pa.dictionary(pa.int32(), pa.string()), pa.float64()  # a text is stored once in a row group
    schema = pa.schema(
        dict.fromkeys(("commit", "title", "job", "run", "workload", "metric", "unit", "function", "file"), text)
        | {"time": pa.timestamp("s", "UTC"), "self": cost, "total": cost, "calls": pa.int64(), "sum": cost}
    )
    written = 0
    try:
        with pq.ParquetWriter(path, schema, compression="zstd") as writer:
            for group in _groups(store):
                tables = [pa.table(values, schema) for values in group]
                rows = pa.concat_tables(tables).unify_dictionaries()
                writer.write_table(rows)
                written += len(rows)
    except (OSError, pa.ArrowException) as error:
        raise ProfgateError(path, f"cannot be written ({error})") from error
    return written


def _groups(store: HistoryStore) -> Iterator[list[dict[str, Any]]]:
    """Yield the values of each column of each reading, together those of one row group."""
    commits = store.commits()
    group, rows = list[dict[str, Any]](), 0
    for reading in store.readings():
        for column in reading.columns:
            group.append(_values(reading, commits[reading.commit], column))
            rows += len(group[-1]["commit"])
        # a row group is built in memory, and programs read a few large groups faster than many
        if rows >= 500_000:
            yield group
            group, rows = [], 0
    if group:
        yield group


def _values(reading: Reading, commit: StoredCommit, column: Column) -> dict[str, Any]:
    """Return the values of each column of the file by its name. Costs are in the unit of the metric."""
    symbols: Sequence[tuple[str | None, str | None]] = column.symbols or [(None, None)]
    unknown, scale = [None] * len(symbols), column.metric.scale
    same = {
        "commit": commit.sha,
        "title": commit.title,
        "time": commit.time or None,
        "job": reading.job,
        "run": reading.run,
        "workload": reading.series.workload,
        "metric": column.metric.name,
        "unit": column.metric.unit,
        "sum": column.sum * scale,
    }
    values: dict[str, Any] = {name: [value] * len(symbols) for name, value in same.items()}
    values["function"], values["file"] = zip(*symbols, strict=True)
    values |= {"self": unknown, "total": unknown, "calls": unknown}
    if column.symbols:
        values |= {"self": column.own * scale, "total": column.total * scale}
        if column.calls is not None:
            values["calls"] = column.calls
    return values
