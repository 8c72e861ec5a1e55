"""Finds the repository file to which a path in a profile refers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from profgate.model.attribution import SourceDiff

BASELINE, TARGET = 0, 1


class RepositoryPaths:
    """The files of one commit. Unless ``all_known``, a file name without a folder never matches."""

    def __init__(self, paths: Iterable[str], *, all_known: bool) -> None:
        self._all_known = all_known
        self._paths = frozenset(paths)
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(self._paths):
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def find(self, file: str | None) -> str | None:
        """Return the repository file, or None if no file matches or if several files match equally well.

        Two paths match if the longer path ends with the shorter path. The path in the profile is longer than the path
        in the repository if it starts with the checkout folder, a folder of the container or a Go module. It is shorter
        if it starts below the root of a package. A file name without a folder matches only if it is unique in the
        repository. A path with a folder never matches a top-level file: ``/usr/lib/tool/utils.py`` does not match
        ``utils.py``. A library file cannot be distinguished from a repository file with the same path.
        """
        if not file or file[0] in "<~":
            return None
        parts = file.replace("\\", "/").partition("://")
        path = (parts[2] or parts[0]).removeprefix("./")
        if path in self._paths:
            return path
        same_name = self._by_name.get(path.rpartition("/")[2], ())
        inside = [known for known in same_name if "/" in known and path.endswith(f"/{known}")]
        if inside:
            return max(inside, key=len)
        if "/" not in path and not self._all_known:
            return None
        around = [known for known in same_name if known.endswith(f"/{path}")]
        return around[0] if len(around) == 1 else None


def both_sides(diff: SourceDiff) -> tuple[RepositoryPaths, RepositoryPaths]:
    """Return the files of both commits, as far as they are known from the diff."""
    gone = {file.path for file in diff.files if file.status == "removed"}
    came = {file.path for file in diff.files if file.status in {"added", "renamed"}}
    after = {*(diff.repository_files or ()), *(file.path for file in diff.files)} - gone
    before = (after - came) | {file.previous_path for file in diff.files if file.status != "added"}
    all_known = diff.repository_files is not None and diff.all_listed
    return RepositoryPaths(before, all_known=all_known), RepositoryPaths(after, all_known=all_known)
