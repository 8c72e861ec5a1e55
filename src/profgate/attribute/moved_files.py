"""What the sides call by two paths: one file of two folders, and functions of files that a diff says were renamed."""

from collections import Counter

from profgate.attribute.repository_paths import RepositoryPaths, both_sides
from profgate.model.attribution import SourceDiff
from profgate.model.comparison import Comparison

LEAST_FILES = 2  # one file of each side may be any two
MOST_NAMESAKES = 50  # of one side; more tell little and take long
Identity = tuple[str, str | None]


def files_of_two_roots(comparison: Comparison, diff: SourceDiff) -> dict[str, str]:
    """What the baseline alone calls a file to what the target alone calls the one at the same path of the repository.

    Two releases lie in two folders, and a profile may name those. Nothing where a side has two texts for one path.
    """
    sides = _files(comparison)
    before, after = (_texts(files, paths) for files, paths in zip(sides, both_sides(diff), strict=True))
    return {
        before[path][0]: after[path][0]
        for path in sorted(before.keys() & after.keys())
        if len(before[path]) == len(after[path]) == 1 and before[path] != after[path]
    }


def files_of_two_folders(comparison: Comparison) -> tuple[dict[str, str], tuple[str, str]]:
    """As `files_of_two_roots` where nobody knows the sources, and the two folders; nothing where none are seen.

    Of the files that one side alone knows most lie at the same paths below one folder of each side, two at least.
    """
    before, after = _files(comparison)
    alone = (before - after, after - before)
    by_name: dict[str, list[str]] = {}
    for file in alone[1]:
        by_name.setdefault(file.rpartition("/")[2], []).append(file)
    votes = Counter(
        _folders(old, new)
        for old in alone[0]
        for new in by_name.get(old.rpartition("/")[2], ())
        if len(by_name[old.rpartition("/")[2]]) <= MOST_NAMESAKES
    )
    (folders, count), *_ = sorted(votes.items(), key=lambda one: (-one[1], one[0])) or [(("", ""), 0)]
    if count < LEAST_FILES or 2 * count <= min(map(len, alone)):
        return {}, ("", "")
    found = {old: folders[1] + old.removeprefix(folders[0]) for old in sorted(alone[0]) if old.startswith(folders[0])}
    return {old: new for old, new in found.items() if new in alone[1]}, folders


def _folders(old: str, new: str) -> tuple[str, str]:
    """What stands before the last folders and the name that both paths have in common."""
    one, other = old.split("/"), new.split("/")
    same = 0
    while same < min(len(one), len(other)) and one[-1 - same] == other[-1 - same]:
        same += 1
    before, after = ("/".join([*parts[: len(parts) - same], ""]) for parts in (one, other))
    return before, after


def _files(comparison: Comparison) -> tuple[set[str], set[str]]:
    """The files of each side."""
    sides: tuple[set[str], set[str]] = (set(), set())
    for file, *known in zip(comparison.symbols.files, *comparison.present.tolist(), strict=True):
        for side, there in zip(sides, known, strict=True):
            side.update({file} if file and there else ())
    return sides


def functions_of_moved_files(comparison: Comparison, diff: SourceDiff) -> dict[Identity, Identity]:
    """(name, old file) of functions of the baseline to the same (name, new file) of the target.

    Both files are texts of the profiles. Only what stands on one side alone is paired, and nothing where the target
    calls the new file by several texts. So files that took each other's place are not told apart, and a function that
    also got another name is left to `renamed`.
    """
    moved = {one.previous_path: one.path for one in diff.files if one.status == "renamed"}
    if not moved:
        return {}
    table, (known, also) = comparison.symbols, comparison.present.tolist()
    before, after = both_sides(diff)
    now = _texts({file for file, there in zip(table.files, also, strict=True) if file and there}, after)
    old = {
        text: path for path, texts in _texts({file for file in table.files if file}, before).items() for text in texts
    }
    sides = list(zip(known, also, strict=True))
    identities = list(zip(table.names, table.files, strict=True))
    new = {identity for identity, side in zip(identities, sides, strict=True) if side == (False, True)}
    found: dict[Identity, Identity] = {}
    for (name, file), side in zip(identities, sides, strict=True):
        texts = now.get(moved.get(old.get(file or "", ""), ""), [])
        if side == (True, False) and len(texts) == 1 and (name, texts[0]) in new:
            found[name, file] = name, texts[0]
    return found


def _texts(files: set[str], paths: RepositoryPaths) -> dict[str, list[str]]:
    """The texts by which profiles call each file of the repository."""
    found: dict[str, list[str]] = {}
    for text in sorted(files):
        if (path := paths.find(text)) is not None:
            found.setdefault(path, []).append(text)
    return found
