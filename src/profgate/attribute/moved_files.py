"""What the sides call by two paths: one file of two folders, and functions of files that a diff says were renamed."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product

from profgate.attribute.repository_paths import RepositoryPaths, both_sides
from profgate.model.attribution import SourceDiff
from profgate.model.comparison import Comparison

LEAST_FILES = 2  # one file of each side may be any two
MOST_NAMESAKES = 10  # files of one name on a side; more, as of __init__.py, tell little and take long
LONGEST_PATH = 500  # characters of a path that is looked at
Identity = tuple[str, str | None]


def files_of_two_roots(comparison: Comparison, diff: SourceDiff) -> dict[str, str]:
    """What the baseline alone calls a file to what the target alone calls the one at the same path of the repository.

    Two releases lie in two folders, and a profile may name those. Nothing where a side has two texts for one path.
    """
    sides = _functions(comparison)
    before, after = (_texts(set(files), paths) for files, paths in zip(sides, both_sides(diff), strict=True))
    return {
        before[path][0]: after[path][0]
        for path in sorted(before.keys() & after.keys())
        if len(before[path]) == len(after[path]) == 1 and before[path] != after[path]
    }


def files_of_two_folders(comparison: Comparison) -> tuple[dict[str, str], tuple[str, str]]:
    """As `files_of_two_roots` where nobody knows the sources, and the two folders; nothing where none are seen.

    Two files or more stand at the same paths below them, and most of their functions have the same names there; only
    files are looked at that one side alone knows.
    """
    before, after = _functions(comparison)
    gone = {file: names for file, names in before.items() if file not in after}
    came = {file: names for file, names in after.items() if file not in before}
    folders: Counter[tuple[str, str]] = Counter()
    for old, new in _namesakes(gone, came):
        folders[_folders(old, new)] += len(gone[old] & came[new])
    if not folders:
        return {}, ("", "")
    best = min(folders, key=lambda one: (-folders[one], one))
    found = {old: best[1] + old.removeprefix(best[0]) for old in sorted(gone) if old.startswith(best[0])}
    found = {old: new for old, new in found.items() if new in came}
    known = sum(len(gone[old]) for old in found), sum(len(came[new]) for new in found.values())
    same = sum(len(gone[old] & came[new]) for old, new in found.items())
    return (found, best) if len(found) >= LEAST_FILES and 2 * same > min(known) else ({}, ("", ""))


def _namesakes(gone: Iterable[str], came: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pairs of files of one name, where so few have it that it tells something."""
    by_name: dict[str, tuple[list[str], list[str]]] = {}
    for side, files in enumerate((gone, came)):
        for file in files:
            if len(file) <= LONGEST_PATH:
                by_name.setdefault(file.rpartition("/")[2], ([], []))[side].append(file)
    for olds, news in by_name.values():
        if max(len(olds), len(news)) <= MOST_NAMESAKES:
            yield from product(olds, news)


def _folders(old: str, new: str) -> tuple[str, str]:
    """What stands before the last folders and the name that both paths have in common."""
    one, other = old.split("/"), new.split("/")
    same = 0
    while same < min(len(one), len(other)) and one[-1 - same] == other[-1 - same]:
        same += 1
    before, after = ("/".join([*parts[: len(parts) - same], ""]) for parts in (one, other))
    return before, after


def _functions(comparison: Comparison) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """The functions of each side by file, without what has no name of its own in any language."""
    sides: tuple[dict[str, set[str]], dict[str, set[str]]] = ({}, {})
    table = comparison.symbols
    for name, file, *known in zip(table.names, table.files, *comparison.present.tolist(), strict=True):
        for side, there in zip(sides, known, strict=True):
            if file and there:
                side.setdefault(file, set()).update({name} if name[:1] not in "<(" else ())
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
