"""What the sides call by two paths: one file of two folders, and functions of files that a diff says were renamed."""

from profgate.attribute.repository_paths import RepositoryPaths, both_sides
from profgate.model.attribution import SourceDiff
from profgate.model.comparison import Comparison

Identity = tuple[str, str | None]


def files_of_two_roots(comparison: Comparison, diff: SourceDiff) -> dict[str, str]:
    """What the baseline alone calls a file to what the target alone calls the one at the same path of the repository.

    Two releases lie in two folders, and a profile may name those. Nothing where a side has two texts for one path.
    """
    sides: tuple[set[str], set[str]] = (set(), set())
    for file, *known in zip(comparison.symbols.files, *comparison.present.tolist(), strict=True):
        for side, there in zip(sides, known, strict=True):
            side.update({file} if file and there else ())
    before, after = (_texts(files, paths) for files, paths in zip(sides, both_sides(diff), strict=True))
    return {
        before[path][0]: after[path][0]
        for path in sorted(before.keys() & after.keys())
        if len(before[path]) == len(after[path]) == 1 and before[path] != after[path]
    }


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
