"""The files of a Parquet data set: their places, schemas and limits.

A data set has a folder for each table. Files are never changed: each write adds a file with a unique name that starts
with the time, so that concurrent writers lose nothing. Only files in the places below are read.

    readings/repository=NAME/workload=NAME/month=2026-11/TIME-ID.parquet
    commits/repository=NAME/TIME-ID.parquet        also verdicts/ and trends/

Names are percent-encoded. Data sets are untrusted: files with another schema are refused, links are ignored, and the
number of files and rows and the sizes of files and texts are limited. pyarrow loads no extension types, because the
schema must be equal to one of the schemas below.
"""

import contextlib
import hashlib
import os
import stat
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from profgate.errors import ProfgateError
from profgate.io.files import write_bytes

VERSION = "profgate.history-rows/1"
SUFFIX = ".parquet"
MOST_FILES = 100_000
MOST_FILE_BYTES = 1 << 30
MOST_GROUP_BYTES = 1 << 30  # maximum size of a row group after decompression, as its file claims
MOST_ROWS = 1 << 29  # maximum number of rows in all files that a command reads
MOST_TEXT_BYTES = 1 << 26  # maximum size of the different texts in one batch
BATCH = 1 << 17  # rows
GROUP = 1 << 20  # maximum number of rows of a row group
LONGEST_NAME = 200  # in bytes, percent-encoded
EMPTY = "__HIVE_DEFAULT_PARTITION__"  # as Spark and DuckDB name it

TEXT = pa.dictionary(pa.int32(), pa.string())


def _schema(texts: str = "", integers: str = "", flags: str = "") -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return a schema with these columns; those with a question mark may be null."""
    kinds = ((texts, TEXT), (integers, pa.int64()), (flags, pa.bool_()))
    fields = [pa.field(n.rstrip("?"), kind, nullable="?" in n) for names, kind in kinds for n in names.split()]
    return pa.schema(fields, metadata={"profgate.schema": VERSION})


SCHEMAS = {
    "readings": _schema(
        "commit job run function? file? metric unit better kind series workload_name format configuration ref event"
        " facts",
        "self total calls? sum exponent period?",
        "whole",
    ),
    "commits": _schema("sha parents title", "time"),
    "verdicts": _schema("baseline target job conclusion", "reds comparisons"),
    "trends": _schema("series content"),
}


@dataclass(frozen=True, slots=True)
class RowFile:
    """A file of a table. ``workload`` is the encoded name in its path, and ``month`` the month."""

    table: str
    path: str
    workload: str = ""
    month: str = ""


class RowFiles:
    """The files below an address, or those of one repository. Raises ImportError if a package is missing."""

    def __init__(self, address: str, repository: str | None = None) -> None:
        self._repository = None if repository is None else encoded(repository)
        scheme, _, place = address.rpartition("://")
        self._address = address
        self._remote: Any = None
        self._rows = 0
        if scheme:
            import fsspec

            self._root = place.strip("/")
            with self.errors(address):
                self._remote = fsspec.filesystem(scheme, use_listings_cache=False, skip_instance_cache=True)
        else:
            self._root = os.path.realpath(address)

    def exists(self) -> bool:
        """Return whether there are files or folders of readings or commits."""
        return any(True for table in ("readings", "commits") for _ in self._entries(f"{self._root}/{table}"))

    def of(self, table: str, workload: str | None = None) -> list[RowFile]:
        """Return the files of a table in the order of writing; of one workload, if it is given."""
        start = f"{self._root}/{table}"
        places = [start]
        if workload is not None:
            places = [f"{path}/workload={encoded(workload)}" for path, folder in self._entries(start) if folder]
        depth = start.count("/") + 1
        found = []
        for place in places:
            for path in self._below(place):
                *folders, name = path.split("/")[depth:]
                names = dict(each.split("=", 1) for each in folders if "=" in each)
                if (
                    tuple(names) == _keys(table)
                    and len(folders) == len(names)
                    and name.endswith(SUFFIX)
                    and name[0] != "."
                    and self._repository in (None, names["repository"])
                ):
                    found.append(RowFile(table, path, names.get("workload", ""), names.get("month", "")))
                if len(found) > MOST_FILES:
                    raise ProfgateError(self._address, f"has more than {MOST_FILES:,} files; export it into a new one")
        return sorted(found, key=lambda file: file.path.rpartition("/")[2])

    def batches(
        self,
        file: RowFile,
        columns: Sequence[str] | None = None,
        only: Any = None,  # noqa: ANN401 - pyarrow has no types
    ) -> Iterator[Any]:
        """Yield these columns of the rows for which the expression ``only`` is true."""
        schema = SCHEMAS[file.table]
        opened = partial(self._remote.open, mode="rb") if self._remote else pa.OSFile
        with self.errors(file.path), opened(file.path) as stream:
            if stream.seek(0, os.SEEK_END) > MOST_FILE_BYTES:
                raise ProfgateError(self._shown(file.path), f"is larger than {MOST_FILE_BYTES:,} bytes; remove it")
            fragment = ds.ParquetFileFormat().make_fragment(stream)
            found = fragment.physical_schema
            version = (found.metadata or {}).get(b"profgate.schema", b"").decode("ascii", "replace")
            if version != VERSION or not found.equals(schema):
                what = f"has not the schema {VERSION} of table {file.table}; update profgate, or remove the file"
                raise ProfgateError(self._shown(file.path), what)
            groups = [fragment.metadata.row_group(number) for number in range(fragment.metadata.num_row_groups)]
            self._rows += sum(group.num_rows for group in groups)
            if any(group.num_rows > GROUP for group in groups):  # few bytes can claim many rows
                what = f"has more than {GROUP:,} rows in a row group; write smaller ones"
                raise ProfgateError(self._shown(file.path), what)
            if self._rows > MOST_ROWS or any(group.total_byte_size > MOST_GROUP_BYTES for group in groups):
                what = f"exceeds {MOST_ROWS:,} rows or {MOST_GROUP_BYTES:,} bytes in a row group; read fewer workloads"
                raise ProfgateError(self._shown(file.path), what)
            for batch in fragment.to_batches(columns=columns, filter=only, batch_size=BATCH, use_threads=False):
                texts = sum(column.dictionary.nbytes for column in batch.columns if column.type == TEXT)
                if texts > MOST_TEXT_BYTES:
                    raise ProfgateError(self._shown(file.path), f"has more than {MOST_TEXT_BYTES:,} bytes of names")
                yield batch

    def add(self, table: str, partition: Sequence[str], rows: Any) -> RowFile:  # noqa: ANN401 - pyarrow has no types
        """Write rows into a new file and return it."""
        folders = [f"{key}={encoded(name)}" for key, name in zip(_keys(table), partition, strict=True)]
        name = f"{time.time_ns():020}-{uuid.uuid4().hex}{SUFFIX}"
        path = "/".join([self._root, table, *folders, name])
        with self.errors(path):
            sink = pa.BufferOutputStream()
            options = {"compression": "zstd", "dictionary_pagesize_limit": MOST_TEXT_BYTES}
            with pq.ParquetWriter(sink, rows.schema, **options) as writer:
                for group in _groups(rows):
                    writer.write_table(group, row_group_size=GROUP)
            data = sink.getvalue().to_pybytes()
            if self._remote is None:
                write_bytes(path, data)
            else:
                self._remote.pipe_file(path, data)
        return RowFile(table, path, *map(encoded, partition[1:]))

    @contextlib.contextmanager
    def errors(self, path: str) -> Iterator[None]:
        """Convert all errors to a ProfgateError that names the file."""
        try:
            yield
        except (ProfgateError, ImportError, MemoryError):
            raise
        except Exception as error:  # storage libraries raise errors of their own
            reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
            what = f"cannot be used ({reason}); if it is damaged, remove it from the data set"
            raise ProfgateError(self._shown(path), what) from error

    def _shown(self, path: str) -> str:
        return path if self._remote is None else f"{self._address.partition('://')[0]}://{path}"

    def _below(self, place: str) -> Iterator[str]:
        if self._remote is None:
            for path, folder in self._entries(place):
                if folder:
                    yield from self._below(path)
                else:
                    yield path
        else:
            with self.errors(place):
                found = self._remote.find(place)
            yield from found

    def _entries(self, place: str) -> Iterator[tuple[str, bool]]:
        """Yield the path of each file and folder, and whether it is a folder. Links and missing folders have none."""
        with self.errors(place), contextlib.suppress(FileNotFoundError):
            if self._remote is not None:
                for entry in self._remote.ls(place, detail=True):
                    yield entry["name"].rstrip("/"), entry["type"] == "directory"
                return
            with os.scandir(place) as entries:
                for entry in entries:
                    mode = entry.stat(follow_symlinks=False).st_mode
                    if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
                        yield f"{place}/{entry.name}", stat.S_ISDIR(mode)


def _groups(rows: Any) -> Iterator[Any]:  # noqa: ANN401 - pyarrow has no types
    """Yield the rows of each row group. The texts of one group may be read at the same time."""
    texts = [column.chunk(0).dictionary for column in rows.columns if column.type == TEXT and len(column)]
    if sum(text.nbytes for text in texts) <= MOST_TEXT_BYTES // 2:
        yield rows
        return
    longest = sum(pc.max(pc.binary_length(text)).as_py() or 0 for text in texts)
    if longest > MOST_TEXT_BYTES // 2:
        raise ValueError(f"a row has {longest:,} bytes of names")
    size = MOST_TEXT_BYTES // 2 // longest
    for start in range(0, len(rows), size):
        group = rows.slice(start, size)
        plain = pa.schema([field.with_type(pa.string()) if field.type == TEXT else field for field in rows.schema])
        yield group.cast(plain).cast(rows.schema)  # a dictionary has only the texts of its group


def _keys(table: str) -> tuple[str, ...]:
    return ("repository", "workload", "month") if table == "readings" else ("repository",)


def encoded(name: str) -> str:
    """Return the name as a part of a path. Long names are cut and end with a digest."""
    data = name.encode("utf-8", "replace")
    text = quote(data, safe="") or EMPTY
    if len(text) <= LONGEST_NAME:
        return text
    return (
        quote(data[: LONGEST_NAME // 4].decode("utf-8", "ignore"), safe="")
        + "~"
        + hashlib.sha256(data).hexdigest()[:16]
    )
