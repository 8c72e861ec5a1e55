"""The files of a repository as text."""

import os
import re

from profgate.errors import ProfgateError
from profgate.io.files import exists, read_loosely, sources_under

LARGEST_FILE = 1 << 20
MOST_FILES = 500
SKIPPED = frozenset({"node_modules", "vendor", "third_party", "target", "build", "dist"})


class Files:
    """The text files below a folder, with limits on their size and number."""

    def __init__(self, top: str) -> None:
        self.top = top

    def read(self, name: str) -> str:
        """Return the text of a file, or "" if it is missing, too large or unreadable."""
        place = os.path.join(self.top, *name.split("/"))  # noqa: PTH118 - paths are plain strings here
        try:
            return read_loosely(place, LARGEST_FILE) if exists(place) else ""
        except ProfgateError:
            return ""

    def listed(self, pattern: str) -> list[str]:
        """Return the paths that match a pattern, relative to the top, or none if the folder cannot be listed."""
        pattern = pattern.removeprefix("./")
        folder = re.split(r"[*?\[]", pattern, maxsplit=1)[0].rpartition("/")[0]
        try:
            found = sources_under(os.path.join(self.top, *pattern.split("/")))  # noqa: PTH118 - as above
        except ProfgateError:
            return []
        names = [f"{folder}/{source.name}".lstrip("/") for source in found]
        return [name for name in names if not SKIPPED & set(name.split("/"))][:MOST_FILES]
