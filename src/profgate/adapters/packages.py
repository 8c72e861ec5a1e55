"""What installed packages offer, found without the modules that take long to import."""

import os
import sys
from importlib.machinery import PathFinder

_DESCRIPTIONS = (".dist-info", ".egg-info")


def registers(group: str) -> bool:
    """Whether an installed package may register parts under a group of entry points.

    Hardly ever one does, and ``importlib.metadata``, which could say which, takes as long to import as a small
    comparison takes. True as well where packages lie in archives or come by other ways, which only it can look into.
    """
    if any(hasattr(finder, "find_distributions") and finder is not PathFinder for finder in sys.meta_path):
        return True
    return any(_registers_in(place or os.curdir, group.encode()) for place in sys.path)


def _registers_in(place: str, group: bytes) -> bool:
    try:
        names = os.listdir(place)  # noqa: PTH208 - names are all that is wanted
    except NotADirectoryError:
        return True
    except OSError:
        return False
    return any(
        name.endswith(".egg") or (name.endswith(_DESCRIPTIONS) and group in _entry_points(os.path.join(place, name)))  # noqa: PTH118
        for name in names
    )


def _entry_points(description: str) -> bytes:
    try:
        with open(os.path.join(description, "entry_points.txt"), "rb") as stream:  # noqa: PTH118, PTH123 - pathlib is slower
            return stream.read()
    except OSError:
        return b""
