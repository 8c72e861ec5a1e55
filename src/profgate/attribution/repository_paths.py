"""From the file a profile names to the file of the repository."""

from collections.abc import Iterable

from profgate.model.attribution import SourceDiff


class RepositoryPaths:
    """The files of one commit. ``all_known`` False: these are only some of them, so a bare name proves nothing."""

    def __init__(self, paths: Iterable[str], *, all_known: bool) -> None:
        self._all_known = all_known
        self._paths = frozenset(paths)
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(self._paths):
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def find(self, file: str | None) -> str | None:
        """The file of the repository; None where none fits, or more than one equally well.

        One of the two must end in the whole of the other: a profile's path is longer (the folder of the checkout or
        the container, a Go module) or shorter (below a package's root). A bare name counts only where no other file of
        the repository has it, and never where the profile places it elsewhere: ``/usr/lib/tool/utils.py`` is not the
        ``utils.py`` at the top. A library's file with the path of one of ours is still mistaken for that.
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
    """The files of the baseline's and of the target's commit, as far as the diff knows them."""
    gone = {file.path for file in diff.files if file.status == "removed"}
    came = {file.path for file in diff.files if file.status in {"added", "renamed"}}
    after = {*(diff.repository_files or ()), *(file.path for file in diff.files)} - gone
    before = (after - came) | {file.previous_path for file in diff.files if file.status != "added"}
    all_known = diff.repository_files is not None and diff.all_listed
    return RepositoryPaths(before, all_known=all_known), RepositoryPaths(after, all_known=all_known)
