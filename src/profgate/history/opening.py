"""Opens a history: the SQLite file of a folder, or a Parquet data set in a folder or in object storage."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from profgate.errors import ProfgateError
from profgate.history.history_store import is_data_set, open_history
from profgate.io.environment import is_of_pull_request

if TYPE_CHECKING:
    from profgate.history.history_reader import HistoryReader
    from profgate.history.history_store import HistoryStore
    from profgate.history.row_store import RowStore

SCHEMES = ("s3://", "gs://")


History: TypeAlias = "HistoryReader | RowStore"
WritableHistory: TypeAlias = "HistoryStore | RowStore"


def location(address: str) -> str:
    """Return the address as other processes can use it."""
    return address if "://" in address else os.path.abspath(address)  # noqa: PTH100 - links stay as they are


@contextlib.contextmanager
def open_any(
    address: str, *, write: bool = False, create: bool = True, workload: str | None = None
) -> Iterator[WritableHistory]:
    """Open a history of any kind. Of a data set, only the files of ``workload`` are read, if it is given."""
    if is_data_set(address):
        with open_data_set(address, workload=workload, create=write and create) as rows:
            yield rows
    else:
        with open_history(address, write=write, create=create) as store:
            yield store


@contextlib.contextmanager
def open_data_set(
    address: str,
    *,
    workload: str | None = None,
    repository: str | None = None,
    only: str | None = None,
    create: bool = False,
) -> "Iterator[RowStore]":
    """Open a data set. Its new files belong to ``repository``, by default the one of the job or checkout.

    If ``only`` is given, only files of this repository are read. Raises ProfgateError if the address is not allowed, a
    package is missing, or there is no data set.
    """
    if "::" in address or ("://" in address and not address.startswith(SCHEMES)):
        raise ProfgateError(
            address, f"is not allowed; use a folder, or one address that starts with {SCHEMES[0]} or gs://"
        )
    if "://" in address and is_of_pull_request(os.environ):
        what = "is refused in the job of a pull request, whose code could use the credentials; use the history artifact"
        raise ProfgateError(address, what)
    try:
        from profgate.history.row_files import RowFiles
        from profgate.history.row_store import RowStore

        files = RowFiles(address, only)
    except ImportError as error:
        package = "gcsfs" if address.startswith("gs://") else "'profgate[parquet]'"
        raise ProfgateError(address, f"needs the package {error.name}; run 'pip install {package}'") from error
    if not create and not files.exists():
        raise ProfgateError(address, "contains no history; fill it with 'profgate store export'")
    yield RowStore(files, repository or os.environ.get("GITHUB_REPOSITORY") or Path.cwd().name, workload)
