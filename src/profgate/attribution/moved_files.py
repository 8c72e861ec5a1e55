"""Files with another path on each side: those of two folders, and those that a diff renames, with their functions."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product

from profgate.attribution.repository_paths import RepositoryPaths, both_sides
from profgate.model.attribution import SourceDiff
from profgate.model.comparison import Comparison

LEAST_FILES = 2  # one file of each side may be any two
MOST_NAMESAKES = 10  # files of one name on a side; more, as of __init__.py, prove little and take long
LONGEST_PATH = 500  # characters of a path that is looked at
Identity = tuple[str, str | None]


def files_of_two_roots(comparison: Comparison, diff: SourceDiff) -> dict[str, str]:
    """The baseline's text for a file to the target's text for the same file of the repository, where these differ.

    Two releases lie in two folders, and a profile may name those. Nothing where a side has two texts for one path.
    """
    sides = _functions(comparison)
    before, after = (_texts(files, paths) for files, paths in zip(sides, both_sides(diff), strict=True))
    return {
        before[path][0]: after[path][0]
        for path in sorted(before.keys() & after.keys())
        if len(before[path]) == len(after[path]) == 1 and before[path] != after[path]
    }


def files_of_two_folders(comparison: Comparison) -> tuple[dict[str, str], tuple[str, str]]:
    """As `files_of_two_roots` where the sources are unknown, and the two folders; nothing where none are seen.

    Two files or more stand at the same paths below them, and most of their functions have the same names there. Only
    files that one side alone knows count.
    """
    before, after = _functions(comparison)
    gone = {file: names for file, names in before.items() if file not in after}
    came = {file: names for file, names in after.items() if file not in before}
    folders: Counter[tuple[str, str]] = Counter()
    for old, new in _namesakes(gone, came):
        folders[_folders(old, new)] += len(gone[old] & came[new])
    if not folders:
        return {}, ("", "")
    best = min(folders, key=lambda pair: (-folders[pair], pair))
    found = {old: best[1] + old.removeprefix(best[0]) for old in sorted(gone) if old.startswith(best[0])}
    found = {old: new for old, new in found.items() if new in came}
    known = sum(len(gone[old]) for old in found), sum(len(came[new]) for new in found.values())
    same = sum(len(gone[old] & came[new]) for old, new in found.items())
    return (found, best) if len(found) >= LEAST_FILES and 2 * same > min(known) else ({}, ("", ""))


def _namesakes(gone: Iterable[str], came: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pairs of files of one name, unless too many have it."""
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
    before, after = old.split("/"), new.split("/")
    while before and after and before[-1] == after[-1]:
        before.pop()
        after.pop()
    return "/".join([*before, ""]), "/".join([*after, ""])


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
    calls the new file by several texts; a function that also got another name is left to `renamed`.
    """
    moved = {file.previous_path: file.path for file in diff.files if file.status == "renamed"}
    if not moved:
        return {}
    before, after = both_sides(diff)
    now = _texts(_functions(comparison)[1], after)
    identities = list(zip(comparison.symbols.names, comparison.symbols.files, strict=True))
    sides = list(zip(*comparison.present.tolist(), strict=True))
    new = {identity for identity, side in zip(identities, sides, strict=True) if side == (False, True)}
    found: dict[Identity, Identity] = {}
    for (name, file), side in zip(identities, sides, strict=True):
        texts = now.get(moved.get(before.find(file) or "", ""), []) if side == (True, False) else []
        if len(texts) == 1 and (name, texts[0]) in new:
            found[name, file] = name, texts[0]
    return found


def _texts(files: Iterable[str], paths: RepositoryPaths) -> dict[str, list[str]]:
    """The texts by which profiles call each file of the repository."""
    found: dict[str, list[str]] = {}
    for text in sorted(files):
        if (path := paths.find(text)) is not None:
            found.setdefault(path, []).append(text)
    return found
