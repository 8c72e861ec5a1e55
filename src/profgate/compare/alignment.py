"""Aligns functions whose names hold a number, hash or address that each build, process or run sets anew.

Functions whose names are equal apart from these parts have the same *shape*. The functions of one shape in two
recordings are paired by the functions that only one of them calls or is called by, or else by their order. Costs never
decide. Functions that nothing distinguishes become one group. The result depends only on names and calls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache, partial
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from profgate.model.arrays import distinct
from profgate.model.frame_names import has_position, numbers_of, shape_of
from profgate.model.record import Record, replace

if TYPE_CHECKING:
    from profgate.compare.symbols import FrameKeys, Identity, Numbering
    from profgate.model.arrays import IntArray
    from profgate.model.history import Reading
    from profgate.model.profile import Profile, Workload

LONGEST_ORDINAL = 6  # longer parts are hashes, addresses or times, which have no order
MOST_ROUNDS = 10
GONE = " (before)"
Links = tuple["IntArray", "IntArray"]
"""Callers and callees, as symbols."""


class Unit(Record):
    """The runs that were recorded from one build: their symbols, and a function for each that returns the links.

    The symbols of a run may be repeated.
    """

    runs: list[IntArray]
    links: list[Callable[[], Links]]


class Shape(Record):
    """Symbols whose names have one shape, sorted by the ``order`` of their counters.

    ``hashed`` is whether names differ in a hash, address or time, so that equal names are certainly one function. An
    equal ``position`` in the source may be another function. ``grouped`` contains symbols of the target.
    """

    symbols: list[int]
    group: Identity
    order: dict[int, tuple[tuple[int, str], ...]]
    hashed: bool
    position: bool
    grouped: set[int]


class _Open(NamedTuple):
    """The symbols of one shape in two units that are not paired yet, and the pairs so far."""

    shape: Shape
    old: set[int]
    new: set[int]
    pairs: dict[int, int]

    def pair(self, old: int, new: int) -> None:
        self.pairs[old] = new
        self.old.discard(old)
        self.new.discard(new)


def align(
    keys: FrameKeys,
    numbered: Callable[[], Numbering],
    numbering: Numbering,
    workload: Workload,
    past: Sequence[Reading],
) -> tuple[Numbering, Sequence[Reading], dict[Identity, Identity], dict[Identity, int]]:
    """Rename functions as in the target, except tests and benchmarks, whose numbers are parameters.

    ``keys`` contains base runs of other commits first; ``numbered`` numbers their symbols and returns the base runs
    last, as in ``numbering``. Return the new numbering, the readings with the new names, the new names of the
    baseline's functions, and the number of the target's functions in each group.
    """
    noise, baselines = workload.noise_runs, workload.baseline_runs
    profiles = (*baselines, *workload.target_runs, *noise)
    renamed: dict[Identity, Identity] = {}
    groups: dict[Identity, int] = {}
    if any(profile.measurements is not None for profile in profiles):
        return numbering, past, renamed, groups
    jobs = (profile.facts.job or str(place) for place, profile in enumerate(noise))
    names: list[Hashable] = [*["baseline"] * len(baselines), *["target"] * len(workload.target_runs), *jobs]
    identities, units = _units(names, profiles, numbering, past)
    found: list[dict[Identity, Identity]] = []
    before: dict[Identity, list[int]] | None = None
    for within_words in (False, True):
        alike = _alike(identities, within_words=within_words)
        if alike == before and not any(found):
            break  # nothing else would be found
        before = alike
        found, of_stage = aligned(identities, alike, list(units.values()), within_words=within_words)
        if any(found):
            renames = dict(zip(units, found, strict=True))
            split = len(profiles) - len(noise)
            keys.rename([renames[name] for name in (*names[split:], *names[:split])], {})
            numbering, groups = numbered(), groups | of_stage
            past = [_with_names(reading, renames[reading.commit, reading.job]) for reading in past]
            step = renames["baseline"]
            renamed = step | {old: step.get(new, new) for old, new in renamed.items()}
            identities, units = _units(names, profiles, numbering, past)
    # a group, and a function that the target lacks, are no other name of one function
    shown = {old: new for old, new in renamed.items() if new not in groups and not new[0].endswith(GONE)}
    return numbering, past, shown, groups


def _units(
    names: Sequence[Hashable], profiles: Sequence[Profile], numbering: Numbering, past: Sequence[Reading]
) -> tuple[list[Identity], dict[Hashable, Unit]]:
    """Return the name and file of each symbol, and the units by name, of which the target is the last."""
    identities = list(zip(numbering.symbols.names, numbering.symbols.files, strict=True))
    units: dict[Hashable, Unit] = {}
    for name, profile, mapping in zip(names, profiles, numbering.maps, strict=True):
        unit = units.setdefault(name, Unit([], []))
        unit.runs.append(mapping)
        unit.links.append(cache(partial(_links_of, profile, mapping)))
    places = {identity: symbol for symbol, identity in enumerate(identities)} if past else {}
    for reading in past:
        # readings have no calls; functions with the names of the baseline have its calls
        unit = units.setdefault((reading.commit, reading.job), Unit([], units["baseline"].links[:1]))
        known = {identity for column in reading.columns for identity in column.symbols}
        others = sorted(known - places.keys(), key=str)
        places.update(zip(others, range(len(identities), len(identities) + len(others)), strict=True))
        identities += others
        unit.runs.append(np.array(list(map(places.__getitem__, known)), np.int64))
    units["target"] = units.pop("target")  # last
    return identities, units


def _with_names(reading: Reading, names: Mapping[Identity, Identity]) -> Reading:
    """Return a reading with new names of its functions. Several functions may get the same name."""
    columns = list(reading.columns)
    for place, column in enumerate(columns):
        columns[place] = replace(column, symbols=[names.get(identity, identity) for identity in column.symbols])
    return replace(reading, columns=tuple(columns))


def _links_of(profile: Profile, mapping: IntArray) -> Links:
    """Return the callers and callees of a run; ``mapping`` contains the symbol of each frame."""
    if profile.graph is not None:
        return mapping[profile.graph.caller], mapping[profile.graph.callee]
    if (stacks := profile.stacks) is None:
        return mapping[:0], mapping[:0]
    depth, count = stacks.depth.astype(np.int64), len(stacks.depth)
    order = np.argsort(stacks.depth, kind="stable")
    called, events = np.flatnonzero(depth > 0), depth[order] * count + order
    # the caller is the last event before at the depth above
    callers = order[np.searchsorted(events, (depth[called] - 1) * count + called) - 1]
    symbols = int(mapping.max(initial=0)) + 1
    pairs = distinct(mapping[stacks.frame[callers]] * symbols + mapping[stacks.frame[called]])
    return pairs // symbols, pairs % symbols


def aligned(
    identities: Sequence[Identity], alike: Mapping[Identity, list[int]], units: Sequence[Unit], *, within_words: bool
) -> tuple[list[dict[Identity, Identity]], dict[Identity, int]]:
    """Return the new identities of each unit as in the last unit, and the number of its functions in each group.

    ``alike`` contains the symbols of each shape, as `_alike` returns them. Numbers within words are
    compared only with ``within_words``. Such names belong to the program, so that equal names remain one function.
    """
    if not alike:
        return [{} for _ in units], {}
    counts, anew, others = _kinds(alike, units, len(identities))
    # of functions that each run numbers anew, nothing remains but their shape
    everywhere = {identities[symbol]: group for group in anew for symbol in alike[group]}
    unequal = [_shape(group, alike[group], identities, within_words=within_words) for group in others]
    *before, known = (set(np.flatnonzero(of_unit).tolist()) for of_unit in counts)
    opened = []
    for unit, recorded in zip(units[:-1], before, strict=True):
        members = [(shape, set(shape.symbols)) for shape in unequal]
        found = [_Open(shape, symbols & recorded, symbols & known, {}) for shape, symbols in members]
        for one in found:
            _pair_certain(one, within_words=within_words)
        if any(one.old and one.new for one in found):
            _pair_by_calls(found, (_links(unit), _links(units[-1])), len(identities))
        for one in found:
            _pair_rest(one)
        opened.append(found)
    grouped = [shape for shape in unequal if shape.grouped]
    groups = {identities[symbol]: shape.group for shape in grouped for symbol in shape.grouped}
    renames = [everywhere | _new_names(found, identities) for found in opened] + [everywhere | groups]
    changed = [{old: new for old, new in names.items() if old != new} for names in renames]
    return changed, {shape.group: len(shape.grouped) for shape in grouped}


def _links(unit: Unit) -> Links:
    callers, callees = zip(*(links() for links in unit.links), strict=True)
    return np.concatenate(callers), np.concatenate(callees)


def _alike(identities: Sequence[Identity], *, within_words: bool) -> dict[Identity, list[int]]:
    """Return the shapes that several symbols have, with these symbols."""
    known: dict[Identity, list[int]] = {}
    of_file = {file: file and shape_of(file, within_words=within_words) for file in {file for _, file in identities}}
    for symbol, identity in enumerate(identities):
        shape = shape_of(identity[0], within_words=within_words), of_file[identity[1]]
        if shape != identity:
            known.setdefault(shape, []).append(symbol)
    return {shape: members for shape, members in known.items() if len(members) > 1}


def _shape(group: Identity, symbols: list[int], identities: Sequence[Identity], *, within_words: bool) -> Shape:
    members = {
        symbol: [part for text in identities[symbol] if text for part in numbers_of(text, within_words=within_words)]
        for symbol in symbols
    }
    counters, hashed = [], False
    for column, parts in enumerate(zip(*members.values(), strict=False)):
        longest = max(map(len, parts)) if len(set(parts)) > 1 else 0
        hashed |= longest > LONGEST_ORDINAL
        if 0 < longest <= LONGEST_ORDINAL:
            counters.append(column)
    order = {
        symbol: tuple((len(parts[column]), parts[column]) for column in counters) for symbol, parts in members.items()
    }
    symbols = sorted(order, key=order.__getitem__)
    return Shape(symbols, group, order, hashed, not hashed and has_position(group[0]), set())


def _kinds(
    alike: Mapping[Identity, list[int]], units: Sequence[Unit], symbols: int
) -> tuple[IntArray, list[Identity], list[Identity]]:
    """Return the number of runs with each symbol by unit, and two kinds of shapes.

    The first have other names in each run of a unit. The others have names that must be aligned.
    """
    columns = np.array([symbol for members in alike.values() for symbol in members], np.int64)
    sizes, shape = np.array(list(map(len, alike.values())), np.int64), np.full(symbols, -1, np.int64)
    starts = np.cumsum(sizes) - sizes
    shape[columns] = np.repeat(np.arange(len(alike)), sizes)
    # the last column is for symbols of other shapes
    counts, having = np.zeros((len(units), symbols), np.int64), np.zeros((len(units), len(alike) + 1), np.int64)
    for place, unit in enumerate(units):
        for run in unit.runs:
            counts[place, run] += 1
            having[place, shape[run]] += 1
    # if no name is in all runs of a build that have the shape, each run numbers its functions anew
    anew = np.logical_or.reduce(np.maximum.reduceat(counts[:, columns], starts, axis=1) < having[:, :-1])
    other_names = np.logical_or.reduce((counts > 0) != (counts[-1] > 0))[columns]
    unequal = np.logical_or.reduceat(other_names, starts) | [has_position(name) for name, _ in alike]
    return counts, list(compress(alike, anew)), list(compress(alike, unequal & ~anew))


def _pair_certain(one: _Open, *, within_words: bool) -> None:
    """Pair equal names, unless their numbers were set anew, and symbols that are the only ones of their shape."""
    equal, shape = one.old & one.new, one.shape
    lasting = 2 * len(equal) > min(len(one.old), len(one.new)) and not shape.position
    if within_words or shape.hashed or lasting:
        for symbol in equal:
            one.pair(symbol, symbol)
    if len(one.old) == len(one.new) == 1:
        one.pair(*one.old, *one.new)


def _pair_by_calls(opened: Sequence[_Open], links: tuple[Links, Links], count: int) -> None:
    """Pair symbols by callers and callees that no other symbol of their shape has, in either recording."""
    shapes, colours = np.full((2, count), -1, np.int64), np.tile(np.arange(count), (2, 1))
    for number, one in enumerate(opened):
        for side, members in enumerate((one.old, one.new)):
            shapes[side, list(members)] = number
            colours[side, list(members)] = count + number  # the members of a shape are alike until they are paired
        colours[0, list(one.pairs)] = list(one.pairs.values())
    for _ in range(MOST_ROUNDS):  # each pair can tell apart the functions that it calls
        pairs = _agreed(_votes(shapes, colours, links)) if (shapes >= 0).any(axis=1).all() else []
        if not pairs:
            return
        for old, new in pairs:
            opened[shapes[0, old]].pair(old, new)
            shapes[0, old] = shapes[1, new] = -1
            colours[0, old] = colours[1, new] = new


def _votes(shapes: IntArray, colours: IntArray, links: tuple[Links, Links]) -> Counter[tuple[int, int]]:
    """Count the callers and callees that make each pair of symbols the only ones of their shape with them."""
    count = shapes.shape[1]
    members, keys = [], []
    for side, (caller, callee) in enumerate(links):
        member, other = np.concatenate([callee, caller]), np.concatenate([caller, callee])
        way = np.repeat([0, 1], len(caller))
        rows = shapes[side, member] >= 0
        member = member[rows]
        members.append(member)
        keys.append((2 * shapes[side, member] + way[rows]) * (2 * count) + colours[side, other[rows]])
    known, place = np.unique(np.concatenate(keys), return_inverse=True)
    only = np.full((2, len(known)), -1, np.int64)
    for side, places in enumerate(np.split(place, [len(keys[0])])):
        pairs = distinct(places * count + members[side])
        number = pairs // count
        only[side, number] = pairs % count
        only[side, np.bincount(number, minlength=len(known)) > 1] = -1
    rows = (only >= 0).all(axis=0)
    return Counter(zip(*only[:, rows].tolist(), strict=True))


def _agreed(votes: Counter[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the pairs that have more votes than every other pair of either symbol."""
    most: Counter[tuple[int, int]] = Counter()
    for pair, count in votes.items():
        for side, symbol in enumerate(pair):
            most[side, symbol] = max(most[side, symbol], count)
    best = [pair for pair, count in votes.items() if count == most[0, pair[0]] == most[1, pair[1]]]
    times = Counter(entry for pair in best for entry in enumerate(pair))
    return [pair for pair in best if times[0, pair[0]] == times[1, pair[1]] == 1]


def _pair_rest(one: _Open) -> None:
    """Pair the other symbols by their order if both recordings have the same number of them, or group them."""
    old, new = (list(filter(side.__contains__, one.shape.symbols)) for side in (one.old, one.new))
    ordered = all(len(set(map(one.shape.order.__getitem__, side))) == len(side) for side in (old, new))
    if ordered and len(old) == len(new):
        for pair in zip(old, new, strict=True):
            one.pair(*pair)
    elif old and new:
        one.shape.grouped.update(new)


def _new_names(opened: Sequence[_Open], identities: Sequence[Identity]) -> dict[Identity, Identity]:
    """Return the new names of a unit's symbols."""
    names: dict[Identity, Identity] = {}
    for shape, rest, of_target, pairs in opened:
        for old, new in pairs.items():
            names[identities[old]] = shape.group if new in shape.grouped else identities[new]
        taken = set(pairs.values())
        for old in rest:
            name, file = identities[old]
            if of_target:
                names[name, file] = shape.group
            elif old in taken:  # another function has this name in the target
                names[name, file] = f"{name}{GONE}", file
    return names
