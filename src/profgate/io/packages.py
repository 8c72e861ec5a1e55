"""Search for entry points of installed packages, without slow imports."""

import os
import sys
from importlib.machinery import PathFinder


def registers(group: str) -> bool:
    """Return whether an installed package may register an entry point in a group.

    Importing ``importlib.metadata`` takes as long as a small comparison. The result is also True if packages are in
    archives or come from other finders, which only that module can read.
    """
    if any(hasattr(finder, "find_distributions") and finder is not PathFinder for finder in sys.meta_path):
        return True
    return any(_registers_in(place or os.curdir, group.encode()) for place in sys.path)


def _registers_in(place: str, group: bytes) -> bool:
    try:
        names = os.listdir(place)  # noqa: PTH208 - only the file names are needed
    except OSError as error:
        return isinstance(error, NotADirectoryError)
    described = (os.path.join(place, name) for name in names if name.endswith((".dist-info", ".egg-info")))  # noqa: PTH118
    if any(name.endswith(".egg") for name in names):
        return True
    return any(group in _entry_points(place) for place in described)


def _entry_points(description: str) -> bytes:
    try:
        with open(os.path.join(description, "entry_points.txt"), "rb") as stream:  # noqa: PTH118, PTH123 - pathlib is slower
            return stream.read()
    except OSError:
        return b""
