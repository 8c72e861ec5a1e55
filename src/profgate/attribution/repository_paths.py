"""Finds the repository file of a path in a profile, and files that have other paths on the other side.

Files may be in another work folder, release or build output on each side.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from itertools import product, starmap
from typing import TYPE_CHECKING

from profgate.model.frame_names import LONGEST_PATH, path_ends

if TYPE_CHECKING:
    from profgate.model.attribution import SourceDiff
    from profgate.model.comparison import NameTable

BASELINE, TARGET = 0, 1
FunctionsByFile = dict[str, set[str]]


class RepositoryPaths:
    """The files of one commit. Unless ``all_known``, a file name without a folder never matches."""

    def __init__(self, paths: Iterable[str], *, all_known: bool) -> None:
        self._all_known = all_known
        self._paths = frozenset(paths)
        # in this order, paths with the same end are neighbors
        self._backwards = sorted(path[::-1] for path in self._paths)

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
        inside = next((end for end in path_ends(path) if "/" in end and end in self._paths), None)
        if inside is not None:
            return inside
        if "/" not in path and not self._all_known:
            return None
        backwards = f"{path[::-1]}/"
        first = bisect_left(self._backwards, backwards)
        around = [known for known in self._backwards[first : first + 2] if known.startswith(backwards)]
        return around[0][::-1] if len(around) == 1 else None


def both_sides(diff: SourceDiff) -> tuple[RepositoryPaths, RepositoryPaths]:
    """Return the files of both commits, as far as they are known from the diff."""
    gone = {file.path for file in diff.files if file.status == "removed"}
    came = {file.path for file in diff.files if file.status in {"added", "renamed"}}
    after = {*(diff.repository_files or ()), *(file.path for file in diff.files)} - gone
    before = (after - came) | {file.previous_path for file in diff.files if file.status != "added"}
    all_known = diff.repository_files is not None and diff.all_listed
    return RepositoryPaths(before, all_known=all_known), RepositoryPaths(after, all_known=all_known)


def files_of_two_roots(both: NameTable, diff: SourceDiff) -> dict[str, str]:
    """Map paths in the baseline profiles to the paths of the same repository files in the target profiles.

    The paths in the profiles of two releases may start with different folders. Only files with different paths are
    included. The map is empty if one side has two paths for the same file.
    """
    sides = functions_by_file(both)
    before, after = starmap(texts_of_paths, zip(sides, both_sides(diff), strict=True))
    return {
        before[path][0]: after[path][0]
        for path in sorted(before.keys() & after.keys())
        if len(before[path]) == len(after[path]) == 1 and before[path] != after[path]
    }


def files_of_two_folders(both: NameTable, diff: SourceDiff | None = None) -> tuple[dict[str, str], tuple[str, str]]:
    """Find two folders that contain the same files, and return a map from old to new paths and both folders.

    Unlike `files_of_two_roots`, this function does not need the sources, so it also finds the output of a build. At
    least two files must have the same paths relative to the folders, or one file must contain at least three functions
    with the same names. Most functions in these files must have the same names. Files whose full paths occur on both
    sides do not count, and neither do files of the repository if there is a diff. The map is empty if there are no such
    folders.
    """
    before, after = functions_by_file(both)
    nothing = RepositoryPaths((), all_known=False)
    old_paths, new_paths = both_sides(diff) if diff is not None else (nothing, nothing)
    gone = {file: names for file, names in before.items() if file not in after and old_paths.find(file) is None}
    new = {file: names for file, names in after.items() if file not in before and new_paths.find(file) is None}
    by_name: dict[str, tuple[list[str], list[str]]] = {}
    for side, files in enumerate((gone, new)):
        for file in files:
            if len(file) <= LONGEST_PATH:
                by_name.setdefault(file.rpartition("/")[2], ([], []))[side].append(file)
    folders: Counter[tuple[str, str]] = Counter()
    for namesakes in by_name.values():
        # comparing many files with the same name, such as __init__.py, takes too long
        if max(map(len, namesakes)) <= 10:
            for old_file, new_file in product(*namesakes):
                folders[_folders(old_file, new_file)] += len(gone[old_file] & new[new_file])
    if not folders:
        return {}, ("", "")
    best = min(folders, key=lambda pair: (-folders[pair], pair))
    found = {old: best[1] + old.removeprefix(best[0]) for old in sorted(gone) if old.startswith(best[0])}
    found = {old: other for old, other in found.items() if other in new}
    old_functions = sum(len(gone[old]) for old in found)
    new_functions = sum(len(new[other]) for other in found.values())
    same = sum(len(gone[old] & new[other]) for old, other in found.items())
    # minimum number of functions in a single file per side; fewer can match by chance
    enough = len(found) > 1 or same >= 3
    return (found, best) if enough and 2 * same > min(old_functions, new_functions) else ({}, ("", ""))


def functions_by_file(both: NameTable) -> tuple[FunctionsByFile, FunctionsByFile]:
    """Return the functions of each side by file, except nameless functions and files that a source map names."""
    sides: tuple[FunctionsByFile, FunctionsByFile] = ({}, {})
    symbols = both.symbols
    if not any(symbols.files):
        return sides
    for side, present in zip(sides, both.present.tolist(), strict=True):
        for symbol, (name, file, here) in enumerate(zip(symbols.names, symbols.files, present, strict=True)):
            if file and here and not symbols.is_claimed(symbol):
                side.setdefault(file, set()).update({name} if name[:1] not in "<(" else ())
    return sides


def texts_of_paths(files: Iterable[str], paths: RepositoryPaths) -> dict[str, list[str]]:
    """Return the paths that profiles use for each file of the repository."""
    found: dict[str, list[str]] = {}
    for text in sorted(files):
        if (path := paths.find(text)) is not None:
            found.setdefault(path, []).append(text)
    return found


def _folders(old: str, new: str) -> tuple[str, str]:
    """Return the leading parts of both paths, without the trailing components that both paths share."""
    before, after = old.split("/"), new.split("/")
    while before and after and before[-1] == after[-1]:
        before.pop()
        after.pop()
    return "/".join([*before, ""]), "/".join([*after, ""])
