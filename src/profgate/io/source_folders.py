"""Compares two source folders on disk and returns the texts of the files that differ. Links are not followed."""

import filecmp
import os
from pathlib import Path

from profgate.errors import ProfgateError

LARGEST_FILE = 400_000  # in bytes; larger files are not treated as sources
MOST_FILES = 100_000
HIDDEN = (".", "__pycache__", "node_modules")
Texts = dict[str, str | None]


def differing_texts(before: str, after: str) -> tuple[Texts, Texts, frozenset[str]]:
    """Return the texts of the differing files on each side by path, and all paths of the second folder.

    Paths are relative to their folder. The text is None for a file that is too large or not text. Raises ProfgateError
    if ``before`` or ``after`` is not a folder, or if there are too many files.
    """
    old, new = files_below(before), files_below(after)
    same = {path for path in old.keys() & new.keys() if filecmp.cmp(old[path], new[path], shallow=False)}
    filecmp.clear_cache()
    texts = [{path: text_of(side[path]) for path in sorted(side.keys() - same)} for side in (old, new)]
    return texts[0], texts[1], frozenset(new)


def files_below(folder: str) -> dict[str, Path]:
    """Return the files that are not hidden by relative path. Raises ProfgateError for too many files or no folder."""
    root = Path(folder)
    if not root.is_dir():
        raise ProfgateError(folder, "is not a folder; name the folder of the sources")
    found: dict[str, Path] = {}
    for place, folders, names in os.walk(root, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith(HIDDEN))
        for name in names:
            path = Path(place) / name
            if path.is_symlink() or not path.is_file():
                continue
            found[path.relative_to(root).as_posix()] = path
            if len(found) > MOST_FILES:
                raise ProfgateError(folder, f"contains more than {MOST_FILES:,} files; name the folder of the sources")
    return found


def text_of(path: Path) -> str | None:
    """Return the text of a file, or None if it is too large or not text."""
    if path.stat().st_size > LARGEST_FILE:
        return None
    data = path.read_bytes()
    return None if b"\0" in data else data.decode("utf-8", "replace")
