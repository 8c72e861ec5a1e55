"""Functions that only changed their name: pairs of a symbol of the baseline alone and one of the target alone."""

from dataclasses import dataclass

import numpy as np

from profgate.attribute.call_links import CallLinks, links_of, shares
from profgate.attribute.frame_functions import has_own_name
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.comparison import Comparison, Symbols

FEWEST_SAMPLES = 100  # of each of a pair
ALIKE = 0.3  # part of the callers and callees of a pair that is the same; in a chain of new names it is a third
RUNTIMES = ("runtime.", "runtime/", "java.", "jdk.", "sun.", "std::", "core::", "alloc::", "__libc_", "node:")
COST_FACTOR = 1.5  # costs of a pair lie within it
LISTED = 0.001  # share of the run below which a name is not looked at
MOST = 200  # names of each side, the heaviest
NEIGHBOUR = 0.05  # part of a function's cost below which a caller or callee comes and goes by chance
ROUNDS = 5  # a renamed neighbour makes the next pair visible
LONGEST_NAME = 200

Neighbours = frozenset[tuple[str, int]]
Identity = tuple[str, str | None]


@dataclass(frozen=True, slots=True, eq=False)
class _Names:
    """What pairing looks at: shares by symbol, inclusive and exclusive, and the files that one side alone knows."""

    symbols: Symbols
    inclusive: tuple[FloatArray, FloatArray]
    exclusive: tuple[FloatArray, FloatArray]
    lonely_files: frozenset[str | None]


def renamed(comparison: Comparison, refused: frozenset[int] = frozenset()) -> dict[Identity, Identity]:
    """Old (name, file) to new: mutually best pairs of names that stand on one side only.

    A pair is in the same file and has nearly the same callers and callees. A file that one side alone knows is the same
    for functions of one name: it was renamed itself. Of sampled costs both need `FEWEST_SAMPLES`. Functions of a
    runtime are never paired, nor is a function without a name of its own with one that has a name. Of several pairs
    the one with the closest callers, callees and names counts. ``refused`` are symbols that sources say more of.
    """
    known = np.array(comparison.present, dtype=np.bool_)
    names = _names(comparison, known)
    known[:, list(refused)] = True
    enough = _sampled_enough(comparison)
    gone = _candidates(known[0] & ~known[1] & enough[0], names)
    new = _candidates(known[1] & ~known[0] & enough[1], names)
    found: dict[int, int] = {}
    if not gone or not new:
        return {}
    links = links_of(comparison)
    for _ in range(ROUNDS):
        old_left = [symbol for symbol in gone if symbol not in found]
        new_left = [symbol for symbol in new if symbol not in found.values()]
        near = _neighbours(comparison, links, {*old_left, *new_left}, found)
        pairs = _mutual_best(_scored(old_left, new_left, names, near))
        if not pairs:
            break
        found |= pairs
    table = comparison.symbols
    return {(table.names[old], table.files[old]): (table.names[new], table.files[new]) for old, new in found.items()}


def _names(comparison: Comparison, known: BoolArray) -> _Names:
    files: dict[str | None, list[bool]] = {}
    for place, file in enumerate(comparison.symbols.files):
        sides = files.setdefault(file, [False, False])
        sides[0] |= bool(known[0, place])
        sides[1] |= bool(known[1, place])
    return _Names(
        comparison.symbols,
        shares(comparison, comparison.total_value),
        shares(comparison, comparison.self_value),
        frozenset(file for file, sides in files.items() if file is not None and sides[0] != sides[1]),
    )


def _sampled_enough(comparison: Comparison) -> tuple[BoolArray, BoolArray]:
    """bool[symbol] for each side: enough samples, where the number of samples is known."""
    total, split, sample = comparison.total_value, comparison.runs.baseline, comparison.sample_values
    if sample is None:
        every = np.ones(total.shape[1], np.bool_)
        return every, every
    counts = total / sample[:, None]
    before, after = counts[:split].sum(axis=0), counts[split:].sum(axis=0)
    return before >= FEWEST_SAMPLES, after >= FEWEST_SAMPLES


def _candidates(wanted: BoolArray, names: _Names) -> list[int]:
    share, table = np.maximum(*names.inclusive), names.symbols.names
    places = np.flatnonzero(wanted & (share >= LISTED))
    heaviest: IntArray = places[np.argsort(-share[places], kind="stable")]
    return sorted(place for place in heaviest[:MOST].tolist() if not table[place].startswith(RUNTIMES))


def _neighbours(
    comparison: Comparison, links: CallLinks, wanted: set[int], renames: dict[int, int]
) -> dict[int, Neighbours]:
    """Callers and callees that carry a part of a symbol's cost, old names read as their new ones."""
    cost = np.maximum(links.baseline, links.target)
    inclusive = np.maximum(*shares(comparison, comparison.total_value)) * max(1.0, float(comparison.run_totals.mean()))
    found: dict[int, set[tuple[str, int]]] = {symbol: set() for symbol in wanted}
    for mine, theirs, word in ((links.callee, links.caller, "from"), (links.caller, links.callee, "to")):
        rows = np.flatnonzero(np.isin(mine, list(wanted)) & (cost >= NEIGHBOUR * inclusive[mine]))
        for symbol, other in zip(mine[rows].tolist(), theirs[rows].tolist(), strict=True):
            found[symbol].add((word, renames.get(other, other)))
    return {symbol: frozenset(others) for symbol, others in found.items()}


def _scored(
    gone: list[int], new: list[int], names: _Names, near: dict[int, Neighbours]
) -> list[tuple[float, float, int, int]]:
    """(-score, distance of the costs, old, new) of every pair that is good enough."""
    found, table = [], names.symbols.names
    own = {symbol: has_own_name(table[symbol]) for symbol in (*gone, *new)}
    for old in gone:
        for other in (one for one in new if own[one] == own[old]):
            distance = min(_distance(names.inclusive, old, other), _distance(names.exclusive, old, other))
            if distance <= np.log(COST_FACTOR) and (score := _score(names, old, other, near)) > 0.0:
                found.append((-score, distance, old, other))
    return sorted(found)


def _distance(side_shares: tuple[FloatArray, FloatArray], old: int, new: int) -> float:
    before, after = float(side_shares[0][old]), float(side_shares[1][new])
    return abs(float(np.log(after / before))) if before >= LISTED and after >= LISTED else float("inf")


def _score(names: _Names, old: int, new: int, near: dict[int, Neighbours]) -> float:
    """How close two functions are, 0 to 1; 0 where nothing says that they are one."""
    table = names.symbols
    around = _jaccard(near[old], near[new])
    files = {table.files[old], table.files[new]}
    same_file = None not in files and len(files) == 1
    moved_file = table.names[old] == table.names[new] and files <= names.lonely_files
    if not (same_file or moved_file) or around < ALIKE:
        return 0.0
    return 0.5 * around + 0.5 * _alike(table.names[old], table.names[new])


def _jaccard(one: frozenset[object] | Neighbours, other: frozenset[object] | Neighbours) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0


def _alike(old: str, new: str) -> float:
    """0..1: the Dice index of the pairs of letters, and 1 for equal names."""
    if old == new:
        return 1.0
    pairs = [
        {name[place : place + 2].lower() for place in range(len(name) - 1)}
        for name in (old[:LONGEST_NAME], new[:LONGEST_NAME])
    ]
    both = len(pairs[0]) + len(pairs[1])
    return 2.0 * len(pairs[0] & pairs[1]) / both if both else 0.0


def _mutual_best(scored: list[tuple[float, float, int, int]]) -> dict[int, int]:
    best_of_old: dict[int, int] = {}
    best_of_new: dict[int, int] = {}
    for _, _, old, new in scored:
        best_of_old.setdefault(old, new)
        best_of_new.setdefault(new, old)
    return {old: new for old, new in best_of_old.items() if best_of_new[new] == old}
