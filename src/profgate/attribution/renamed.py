"""Functions that only changed their name: pairs of a symbol of the baseline alone and one of the target alone."""

from math import inf

import numpy as np

from profgate.attribution.call_links import CallLinks, links_of, shares
from profgate.attribution.frame_functions import has_own_name
from profgate.model.arrays import BoolArray, FloatArray
from profgate.model.comparison import Comparison

FEWEST_SAMPLES = 100  # of each of a pair
ALIKE = 0.3  # part of the callers and callees of a pair that is the same; in a chain of new names it is a third
RUNTIMES = ("runtime.", "runtime/", "java.", "jdk.", "sun.", "std::", "core::", "alloc::", "__libc_", "node:")
COST_FACTOR = 1.5  # costs of a pair lie within it
LISTED = 0.001  # share of the run below which a name does not count
MOST = 200  # names of each side, the heaviest
NEIGHBOUR = 0.05  # part of a function's cost below which a caller or callee comes and goes by chance
ROUNDS = 5  # a renamed neighbour makes the next pair visible
LONGEST_NAME = 200

Neighbours = set[tuple[str, int]]
Identity = tuple[str, str | None]
Sides = tuple[FloatArray, FloatArray]


def renamed(comparison: Comparison, refused: frozenset[int] = frozenset()) -> dict[Identity, Identity]:
    """Old (name, file) to new: mutually best pairs of names that stand on one side only.

    A pair is in the same file and has nearly the same callers and callees. A file that one side alone knows is the same
    for functions of one name: it was renamed itself. Of sampled costs both need `FEWEST_SAMPLES`. Functions of a
    runtime are never paired, nor is a function without a name of its own with one that has a name. Of several pairs
    the one with the closest callers, callees and names counts. ``refused`` are symbols that sources decide.
    """
    present = np.array(comparison.present, dtype=np.bool_)
    free = ~np.isin(np.arange(present.shape[1]), list(refused))
    pairing = _Pairing(comparison)
    gone = pairing.candidates(present[0] & ~present[1] & free, side=0)
    new = pairing.candidates(present[1] & ~present[0] & free, side=1)
    if not gone or not new:
        return {}
    links, found = links_of(comparison), dict[int, int]()
    for _ in range(ROUNDS):
        old_left, new_left = gone - found.keys(), new - set(found.values())
        near = pairing.neighbours(links, old_left | new_left, found)
        pairs = pairing.mutually_best(old_left, new_left, near)
        if not pairs:
            break
        found |= pairs
    names, files = comparison.symbols.names, comparison.symbols.files
    return {(names[old], files[old]): (names[other], files[other]) for old, other in found.items()}


class _Pairing:
    """The columns of a comparison by which names are paired; ``lonely_files`` are those that one side alone knows."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.inclusive = shares(comparison, comparison.total_value)
        self.exclusive = shares(comparison, comparison.self_value)
        before, after = (
            {file for file, known in zip(comparison.symbols.files, side, strict=True) if known}
            for side in comparison.present.tolist()
        )
        self.lonely_files = (before ^ after) - {None}

    def candidates(self, wanted: BoolArray, side: int) -> set[int]:
        """The heaviest of the wanted symbols with enough samples, where the number of samples is known."""
        total, split, sample = self.comparison.total_value, self.comparison.runs.baseline, self.comparison.sample_values
        if sample is not None:
            counts = total / sample[:, None]
            wanted = wanted & ((counts[split:] if side else counts[:split]).sum(axis=0) >= FEWEST_SAMPLES)
        share = np.maximum(*self.inclusive)
        places = np.flatnonzero(wanted & (share >= LISTED))
        heaviest: list[int] = places[np.argsort(-share[places], kind="stable")][:MOST].tolist()
        return {place for place in heaviest if not self.comparison.symbols.names[place].startswith(RUNTIMES)}

    def neighbours(self, links: CallLinks, wanted: set[int], renames: dict[int, int]) -> dict[int, Neighbours]:
        """Callers and callees with a part of a symbol's cost, old names read as their new ones."""
        cost = np.maximum(links.baseline, links.target)
        inclusive = np.maximum(*self.inclusive) * max(1.0, float(self.comparison.run_totals.mean()))
        found: dict[int, Neighbours] = {symbol: set() for symbol in wanted}
        for mine, theirs, kind in ((links.callee, links.caller, "from"), (links.caller, links.callee, "to")):
            rows = np.flatnonzero(np.isin(mine, list(wanted)) & (cost >= NEIGHBOUR * inclusive[mine]))
            for symbol, other in zip(mine[rows].tolist(), theirs[rows].tolist(), strict=True):
                found[symbol].add((kind, renames.get(other, other)))
        return found

    def mutually_best(self, gone: set[int], new: set[int], near: dict[int, Neighbours]) -> dict[int, int]:
        """The pairs of which each is the other's best, by likeness, then by cost."""
        own = {symbol: has_own_name(self.comparison.symbols.names[symbol]) for symbol in near}
        scored = []
        for old in gone:
            for other in (symbol for symbol in new if own[symbol] == own[old]):
                distance = min(_distance(self.inclusive, old, other), _distance(self.exclusive, old, other))
                if distance <= np.log(COST_FACTOR) and (likeness := self._likeness(old, other, near)):
                    scored.append((-likeness, distance, old, other))
        best_of_old: dict[int, int] = {}
        best_of_new: dict[int, int] = {}
        for _, _, old, other in sorted(scored):
            best_of_old.setdefault(old, other)
            best_of_new.setdefault(other, old)
        return {old: other for old, other in best_of_old.items() if best_of_new[other] == old}

    def _likeness(self, old: int, new: int, near: dict[int, Neighbours]) -> float:
        """How close two functions are, 0 to 1; 0 where nothing shows that they are the same."""
        names, files = self.comparison.symbols.names, self.comparison.symbols.files
        around = len(near[old] & near[new]) / max(1, len(near[old] | near[new]))
        same_file = files[old] is not None and files[old] == files[new]
        moved_file = names[old] == names[new] and {files[old], files[new]} <= self.lonely_files
        if not (same_file or moved_file) or around < ALIKE:
            return 0.0
        return 0.5 * around + 0.5 * _alike(names[old], names[new])


def _distance(side_shares: Sides, old: int, new: int) -> float:
    before, after = float(side_shares[0][old]), float(side_shares[1][new])
    return abs(float(np.log(after / before))) if before >= LISTED and after >= LISTED else inf


def _alike(old: str, new: str) -> float:
    """0..1: the Dice index of the pairs of letters, and 1 for equal names."""
    if old == new:
        return 1.0
    first, second = (
        {name[place : place + 2].lower() for place in range(len(name) - 1)}
        for name in (old[:LONGEST_NAME], new[:LONGEST_NAME])
    )
    return 2.0 * len(first & second) / max(1, len(first) + len(second))
