"""Uses the diff, sources, callers and costs to pair functions whose names differ between the sides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import product
from math import inf, log
from typing import TYPE_CHECKING

import numpy as np

from profgate.attribution.call_links import CallLinks, links_of, shares
from profgate.attribution.repository_paths import (
    BASELINE,
    TARGET,
    both_sides,
    files_of_two_folders,
    files_of_two_roots,
    functions_by_file,
    texts_of_paths,
)
from profgate.model.frame_names import LONGEST_PATH
from profgate.model.levels import NEARLY_ALL

if TYPE_CHECKING:
    from profgate.attribution.function_changes import FunctionChanges, KnownFunction
    from profgate.attribution.source_states import Sides
    from profgate.compare.symbols import Identity
    from profgate.model.arrays import BoolArray
    from profgate.model.attribution import SourceDiff
    from profgate.model.comparison import NameTable, RunCosts

FEWEST_SAMPLES = 100  # minimum number of samples for each function of a pair
RUNTIMES = ("runtime.", "runtime/", "java.", "jdk.", "sun.", "std::", "core::", "alloc::", "__libc_", "node:")
COST_FACTOR = 1.5  # maximum ratio between the self or total costs of two paired functions
LISTED = 0.001  # minimum share of the run for a function to be paired
LONGEST_NAME = 200
_SCRIPTS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
_OUTPUT_FOLDERS = re.compile(r"(?:^|/)(?:lib|dist|build|out|output|src|source|esm|cjs|es|umd)/.*$")
_NAMELESS = re.compile(r"^(?:.*[.:/])?(?:\(anonymous\)|<(?:anonymous|lambda|module|\w+comp|genexpr)>|)$")


class SourcePairing:
    """Pairs the files and functions of both sides (see `compare.overlay.Pairing`), with their sources if known."""

    def __init__(self, diff: SourceDiff | None = None, changes: FunctionChanges | None = None) -> None:
        self._diff, self._changes = diff, changes

    def _sides(self, both: NameTable) -> Sides | None:
        if self._diff is None:
            return None
        from profgate.attribution.source_states import Sides  # imported only if there is a diff

        return Sides(both, self._diff, self._changes)

    def files(self, both: NameTable) -> tuple[dict[str, str], tuple[str, str] | None]:
        """Map files by their paths in the repository or, if those are unknown, by the folders that contain them."""
        files = {} if self._diff is None else files_of_two_roots(both, self._diff)
        others, folders = files_of_two_folders(both, self._diff)
        return {**others, **files}, folders if others else None

    def functions(self, both: NameTable) -> dict[Identity, Identity]:
        """Map functions by their packages, moved files and sources."""
        if not all(_alone(both)):
            return {}
        sides = self._sides(both)
        found = functions_of_packages(both, not_to_pair(both, sides))
        if self._diff is not None and sides is not None:
            found = found | functions_of_moved_files(both, self._diff) | paired_functions(both, sides)
        return found

    def functions_by_costs(self, costs: Iterable[RunCosts]) -> dict[Identity, Identity]:
        """Map functions by similar names, callers and costs."""
        found: dict[Identity, Identity] = {}
        for of_metric in costs:
            for old, new in paired_by_costs(of_metric, not_to_pair(of_metric, self._sides(of_metric))).items():
                if new not in found.values():  # pairs may differ between metrics; the first metric has priority
                    found.setdefault(old, new)
        return found


def functions_of_moved_files(both: NameTable, diff: SourceDiff) -> dict[Identity, Identity]:
    """Map (name, old file) of the baseline's functions to (name, new file) of the same functions in the target.

    Both files are paths from the profiles. A function is paired only if (name, old file) occurs only in the baseline,
    (name, new file) occurs only in the target, and the target has a single path for the new file. Functions that were
    also renamed are paired by `paired_by_costs`.
    """
    moved = {file.previous_path: file.path for file in diff.files if file.status == "renamed"}
    if not moved:
        return {}
    before, after = both_sides(diff)
    now = texts_of_paths(functions_by_file(both)[TARGET], after)
    gone, new = (dict.fromkeys(map(_identities(both).__getitem__, side)) for side in _alone(both))
    found: dict[Identity, Identity] = {}
    for name, file in gone:
        texts = now.get(moved.get(before.find(file) or "", ""), [])
        if len(texts) == 1 and (name, texts[0]) in new:
            found[name, file] = name, texts[0]
    return found


def functions_of_packages(both: NameTable, refused: frozenset[int]) -> dict[Identity, Identity]:
    """Map (name, old file) of the baseline's functions to those of the target that have the same name in a package.

    A name is paired if it occurs once among the functions of only one side. The package of a Go function is part of its
    name, that of a script is the folder of its sources and build outputs, and that of other functions is their folder.
    If most functions of a file are paired with those of one other file, its nameless code is paired, too. ``refused``
    is the result of `not_to_pair`.
    """
    identities, sides = _identities(both), _alone(both)
    named: dict[tuple[str, str], tuple[list[Identity], list[Identity]]] = {}
    sizes: Counter[str] = Counter()
    for side, symbols in enumerate(sides):
        for name, file in (identities[symbol] for symbol in symbols if symbol not in refused):
            if file and not (name[:2] == "__" == name[-2:]):
                named.setdefault(_within_package(name, file), ([], []))[side].append((name, file))
                sizes[file] += side == BASELINE
    found = {old[0]: new[0] for old, new in named.values() if len(old) == len(new) == 1}
    files = Counter((old[1] or "", new[1] or "") for old, new in found.items() if old[1] != new[1])
    moved = {old: new for (old, new), count in files.items() if count > 1 and 2 * count > sizes[old]}
    gone, new = (dict.fromkeys(map(identities.__getitem__, symbols)) for symbols in sides)
    nameless = ((name, file) for name, file in gone if file in moved and _NAMELESS.match(name))
    return found | {(name, file): (name, moved[file]) for name, file in nameless if (name, moved[file]) in new}


def _within_package(name: str, file: str) -> tuple[str, str]:
    """Return the parts of a function's name and file that identify it within its package."""
    if file.endswith(".go"):
        return name, ""
    if file.endswith(_SCRIPTS):
        above, installed, inner = file[:LONGEST_PATH].rpartition("node_modules/")
        # a bundler numbers equal names of different files
        return re.sub(r"\$\d+", "", name[:LONGEST_NAME]), f"{above}{installed}{_OUTPUT_FOLDERS.sub('', inner)}"
    return name, file.rpartition("/")[0]


def paired_functions(both: NameTable, sides: Sides) -> dict[Identity, Identity]:
    """Map (name, file) of the baseline's functions to (name, file) of the target's functions with the same source.

    A name is paired only if it occurs on a single side and cannot refer to another function in the file.
    """
    identities, (gone, new) = _identities(both), _alone(both)
    candidates: dict[tuple[object, ...], list[int]] = {}
    for symbol in new:
        if (known := _only(sides, symbol)) is not None:
            candidates.setdefault((known.path, known.function.parts, known.function.first), []).append(symbol)
    found: dict[Identity, Identity] = {}
    for symbol in gone:
        if (known := _only(sides, symbol)) is not None and known.partner is not None:
            path, function = known.partner
            partners = candidates.pop((path, function.parts, function.first), [])
            if len(partners) == 1:
                found[identities[symbol]] = identities[partners[0]]
    return found


def not_to_pair(both: NameTable, sides: Sides | None) -> frozenset[int]:
    """Return symbols of one side that names and costs must not pair: nameless ones, and those in both sources."""
    gone, new = _alone(both)
    refused = set[int]()
    for symbol in [*gone, *new]:
        states = {known.state for known in sides.meant[symbol]} if sides is not None else set()
        # a function of both sources has its counterpart on the other side, although its profile does not contain it
        in_both = states and states <= {"same", "changed"}
        if in_both or _NAMELESS.match(both.symbols.names[symbol]):
            refused.add(symbol)
    return frozenset(refused)


def paired_by_costs(costs: RunCosts, refused: frozenset[int] = frozenset()) -> dict[Identity, Identity]:
    """Map the old name and file of each renamed function to the new name and file.

    Only symbols that occur on a single side are paired, and only if each is the best match for the other. Both
    functions of a pair are in the same file and have similar callers and callees. If only their self or only their
    total costs are similar, their names are similar, too. Two files that each occur on only one side count as the same
    file for functions with equal names, because the file may have been renamed. If costs are
    sampled, each function needs at least `FEWEST_SAMPLES` samples. Functions of a language runtime are never paired,
    and a nameless function is never paired with a named function. Among several candidates, the function with the most
    similar callers, callees and name is chosen. ``refused`` contains symbols that must not be paired because of their
    sources.
    """
    before, after = costs.present
    if not (before & ~after).any() or not (after & ~before).any():
        return {}
    pairing = _Pairing(costs)
    gone, new = (pairing.candidates(side, refused) for side in (BASELINE, TARGET))
    links, found = links_of(costs), _renamed_root(costs)
    # several rounds, because each new pair can reveal that its callers and callees are also pairs
    for _ in range(5 if gone and new else 0):
        old_left, new_left = gone - found.keys(), new - set(found.values())
        pairs = pairing.mutually_best(old_left, new_left, pairing.neighbours(links, old_left | new_left, found))
        if not pairs:
            break
        found |= pairs
    identities = _identities(costs)
    return {identities[old]: identities[other] for old, other in found.items()}


def _renamed_root(costs: RunCosts) -> dict[int, int]:
    """Map root frames without files, such as names of executables, that hold nearly all of the run of each side."""
    tree, ends = costs.tree, list[int]()
    top = np.zeros(0, np.int64) if tree is None else np.flatnonzero(tree.parent == 0)
    if tree is None or not len(top):
        return {}
    for side, values in ((BASELINE, tree.baseline_total), (TARGET, tree.target_total)):
        row = top[np.argmax(values[top])]
        symbol = int(tree.symbol[row])
        known_elsewhere = costs.present[1 - side, symbol] or costs.symbols.files[symbol]
        if known_elsewhere or values[row] < NEARLY_ALL * values[0]:
            return {}
        ends.append(symbol)
    return {ends[0]: ends[1]}


class _Pairing:
    """The data for pairing names. ``lonely_files`` contains the files that occur on only one side."""

    def __init__(self, costs: RunCosts) -> None:
        self.costs = costs
        self.names, self.files = costs.symbols.names, costs.symbols.files
        self.inclusive = shares(costs, costs.total_value)
        self.exclusive = shares(costs, costs.self_value)
        files, (before, after) = np.array(self.files, object), costs.present
        self.lonely_files = (set(files[before]) ^ set(files[after])) - {None}

    def candidates(self, side: int, refused: frozenset[int]) -> set[int]:
        """Return the heaviest symbols that occur only on this side, except those with too few samples."""
        alone: BoolArray = np.zeros(len(self.names), np.bool_)
        alone[[symbol for symbol in _alone(self.costs)[side] if symbol not in refused]] = True
        total, split, sample = self.costs.total_value, self.costs.runs.baseline, self.costs.sampling.values
        if sample is not None:
            counts = total / sample[:, None]
            alone &= (counts[split:] if side else counts[:split]).sum(axis=0) >= FEWEST_SAMPLES
        share = np.maximum(*self.inclusive)
        places = np.flatnonzero(alone & (share >= LISTED))
        # maximum number of functions per side, starting with the heaviest
        heaviest: list[int] = places[np.argsort(-share[places], kind="stable")][:200].tolist()
        return {place for place in heaviest if not self.names[place].startswith(RUNTIMES)}

    def neighbours(
        self, links: CallLinks, symbols: set[int], renames: dict[int, int]
    ) -> dict[int, set[tuple[str, int]]]:
        """Return the callers and callees of each symbol that account for at least 5 % of the symbol's cost."""
        cost = np.maximum(links.baseline, links.target)
        inclusive = np.maximum(*self.inclusive) * max(1.0, float(self.costs.run_totals.mean()))
        found: dict[int, set[tuple[str, int]]] = {symbol: set() for symbol in symbols}
        for mine, theirs, kind in ((links.callee, links.caller, "from"), (links.caller, links.callee, "to")):
            # smaller fractions of a function's cost occur by chance
            rows = np.flatnonzero(np.isin(mine, list(symbols)) & (cost >= 0.05 * inclusive[mine]))
            for symbol, other in zip(mine[rows].tolist(), theirs[rows].tolist(), strict=True):
                found[symbol].add((kind, renames.get(other, other)))
        return found

    def mutually_best(self, gone: set[int], new: set[int], near: dict[int, set[tuple[str, int]]]) -> dict[int, int]:
        """Return the pairs of functions that are each other's best match, first by similarity and then by cost."""
        from profgate.attribution.frame_functions import has_own_name

        own = {symbol: has_own_name(self.names[symbol]) for symbol in near}
        scored = []
        for old, other in product(gone, new):
            distance = self._distance(old, other) if own[old] == own[other] else inf
            if distance <= log(COST_FACTOR) and (likeness := self._likeness(old, other, near)):
                scored.append((-likeness, distance, old, other))
        best_of_old: dict[int, int] = {}
        best_of_new: dict[int, int] = {}
        for _, _, old, other in sorted(scored):
            best_of_old.setdefault(old, other)
            best_of_new.setdefault(other, old)
        return {old: other for old, other in best_of_old.items() if best_of_new[other] == old}

    def _distance(self, old: int, new: int) -> float:
        """Return the absolute logarithm of the ratio of the more similar costs, or infinity if nothing is similar."""
        costs = [(float(before[old]), float(after[new])) for before, after in (self.inclusive, self.exclusive)]
        furthest = max(abs(log(max(after, LISTED) / max(before, LISTED))) for before, after in costs)
        # minimum similarity of the names if only the self or only the total costs are within the factor
        if furthest > log(COST_FACTOR) and _alike(self.names[old], self.names[new]) < 0.5:
            return inf
        return min(abs(log(after / before)) if min(before, after) >= LISTED else inf for before, after in costs)

    def _likeness(self, old: int, new: int, near: dict[int, set[tuple[str, int]]]) -> float:
        """Return the similarity of two functions from 0 to 1. It is 0 if nothing indicates that they are the same."""
        names, files = (self.names[old], self.names[new]), (self.files[old], self.files[new])
        around = len(near[old] & near[new]) / max(1, len(near[old] | near[new]))
        same_file = files[0] is not None and files[0] == files[1]
        moved_file = names[0] == names[1] and self.lonely_files.issuperset(files)
        # minimum fraction of shared callers and callees; in a chain of renamed functions, pairs share a third
        if not (same_file or moved_file) or around < 0.3:
            return 0.0
        return 0.5 * around + 0.5 * _alike(*names)


def _alike(old: str, new: str) -> float:
    """Return the Dice coefficient of the letter pairs of two names, from 0 to 1 (equal names)."""
    if old == new:
        return 1.0
    first, second = (
        {name[place : place + 2].lower() for place in range(len(name) - 1)}
        for name in (old[:LONGEST_NAME], new[:LONGEST_NAME])
    )
    return 2.0 * len(first & second) / max(1, len(first) + len(second))


def _identities(both: NameTable) -> list[Identity]:
    return list(zip(both.symbols.names, both.symbols.files, strict=True))


def _alone(both: NameTable) -> tuple[list[int], list[int]]:
    """Return the symbols that only the baseline has and only the target has, except those a source map names."""
    before, after = both.present
    sides = (np.flatnonzero(side).tolist() for side in (before & ~after, after & ~before))
    gone, new = ([symbol for symbol in side if not both.symbols.is_claimed(symbol)] for side in sides)
    return gone, new


def _only(sides: Sides, symbol: int) -> KnownFunction | None:
    """Return the function of a symbol, or None if the symbol is code inside a function, such as a comprehension."""
    from profgate.attribution.frame_functions import frame_name
    from profgate.attribution.grammars import language_of

    meant = sides.meant[symbol]
    if len(meant) != 1 or (language := language_of(meant[0].path)) is None:
        return None
    return None if frame_name(sides.symbols.names[symbol], language).within else meant[0]
