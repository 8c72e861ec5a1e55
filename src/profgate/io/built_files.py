"""Reads scripts and source maps that a build wrote into a checkout. Paths in profiles and scripts are untrusted."""

import os
import posixpath

from profgate.errors import ProfgateError
from profgate.io.files import confined, read_stored

MOST_FOLDERS = 40  # maximum number of folders in a path


def file_in(folder: str, recorded: str) -> str | None:
    """Return the file below ``folder`` to which a recorded path refers, relative to the folder, or None.

    The path may come from another folder or container, so the longest end of the path that exists is used. Links that
    lead out of the folder are not followed.
    """
    parts = [part for part in recorded.replace("\\", "/").split("/") if part not in {"", "."}]
    if ".." in parts or "\0" in recorded or len(parts) > MOST_FOLDERS:
        return None
    ends = ("/".join(parts[start:]) for start in range(len(parts)))
    return next((end for end in ends if is_inside(folder, end)), None)


def is_inside(folder: str, name: str) -> bool:
    """Return whether ``name`` is a regular file below the folder, also after its links are resolved."""
    path = posixpath.join(folder, name)
    try:
        return os.path.isfile(path) and bool(confined(path, folder))  # noqa: PTH113 - unlike Path, accepts every text
    except ProfgateError:
        return False


def content_of(folder: str, name: str, limit: int) -> bytes:
    """Return the content of a file below the folder.

    Raises ProfgateError if the path leads out of the folder, is not a regular file or is larger than ``limit``.
    """
    path = confined(posixpath.join(folder, name), folder)
    try:
        return read_stored(os.path.realpath(path), limit)  # a link may lead to another file below the folder
    except ProfgateError as error:
        raise ProfgateError(name, f"{error.what.partition(';')[0]}; its sources are not used") from error
