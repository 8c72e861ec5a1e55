"""Access to the text files of a repository."""

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePosixPath

from profgate.errors import ProfgateError
from profgate.io.files import read_loosely

LARGEST_FILE = 1 << 20
MOST_FILES = 100_000
MOST_LISTED = 500
SKIPPED = frozenset({"node_modules", "vendor", "third_party", "target", "build", "dist"})


class Files:
    """The text files below a folder. Their size and number are limited, and links to paths outside are ignored."""

    def __init__(self, top: str) -> None:
        self.top = top

    def read(self, name: str) -> str:
        """Return the text of a file, or an empty string if the file is missing, too large or unreadable."""
        try:
            return read_loosely(str(Path(self.top, name)), LARGEST_FILE) if name in self._names else ""
        except ProfgateError:
            return ""

    def listed(self, pattern: str) -> list[str]:
        """Return the paths that match a pattern, relative to the top folder.

        A leading ``**/`` in the pattern matches any folder.
        """
        name = pattern.removeprefix("./").removeprefix("**/")
        depth = None if pattern.startswith("**/") else name.count("/")
        found = (path for path in self._names if depth in {None, path.count("/")} and PurePosixPath(path).match(name))
        return list(islice(found, MOST_LISTED))

    @cached_property
    def _names(self) -> dict[str, None]:
        """The paths of all regular files, relative to the top folder."""
        return dict.fromkeys(islice(self._walk(), MOST_FILES))

    def _walk(self) -> Iterator[str]:
        root = Path(self.top).resolve()
        for place, folders, names in os.walk(root):
            folders[:] = sorted(name for name in folders if name == ".github" or not name.startswith("."))
            folders[:] = [name for name in folders if name not in SKIPPED]
            for path in (Path(place, name) for name in sorted(names)):
                with suppress(OSError):  # a folder may be readable but not searchable
                    if path.is_file() and (not path.is_symlink() or path.resolve().is_relative_to(root)):
                        yield path.relative_to(root).as_posix()
