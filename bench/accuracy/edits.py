"""What a pull request does to a program besides making a function slower: new, gone, renamed, moved, split, inlined."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from bench.accuracy.simulator import Program, Random

from profgate.model.arrays import FloatArray

KEPT_OF_SPLIT = 0.4
NEW_SHARE = 0.02
SLOWER = 1.5


@dataclass(frozen=True, slots=True)
class Edited:
    """The target's program, and the names where a slowdown may rightly be told; none = nothing got slower."""

    program: Program
    slower: frozenset[str] = frozenset()


Edit = Callable[[Program, int, Random], Edited]


def _named(program: Program, place: int, name: str) -> Program:
    names = list(program.names)
    names[place] = name
    return replace(program, names=tuple(names))


def _added(program: Program, name: str, caller: int, share: float) -> Program:
    """One more function in its caller's file."""
    return Program(
        (*program.names, name),
        (*program.files, program.files[caller]),
        np.append(program.caller, caller),
        np.append(program.shares, share),
    )


def _with_share(program: Program, place: int, share: float) -> Program:
    shares: FloatArray = program.shares.copy()
    shares[place] = share
    return program.with_shares(shares)


def _without(program: Program, place: int, share: float) -> Program:
    """The function is gone; its callees are called by its caller, which takes ``share`` of its cost."""
    shares, caller = program.shares.copy(), program.caller.copy()
    above = int(caller[place])
    if above >= 0:
        shares[above] += share
    caller[caller == place] = above
    keep = np.arange(len(shares)) != place
    numbers = np.cumsum(keep) - 1
    kept = np.flatnonzero(keep).tolist()
    return Program(
        tuple(program.names[number] for number in kept),
        tuple(program.files[number] for number in kept),
        np.where(caller >= 0, numbers[caller], -1)[keep],
        shares[keep],
    )


def new(program: Program, place: int, _random: Random) -> Edited:
    """A new callee that costs 2 % of the run."""
    name = f"{program.names[place]}_audit"
    return Edited(_added(program, name, place, NEW_SHARE), frozenset([name, program.names[place]]))


def gone(program: Program, place: int, _random: Random) -> Edited:
    """The function and its cost are gone."""
    return Edited(_without(program, place, 0.0))


def renamed(program: Program, place: int, _random: Random) -> Edited:
    """Another name in the same file."""
    return Edited(_named(program, place, f"{program.names[place]}_checked"))


def renamed_and_slower(program: Program, place: int, random: Random) -> Edited:
    """Another name, and half as much again."""
    target = renamed(program, place, random).program
    slower = _with_share(target, place, SLOWER * float(target.shares[place]))
    return Edited(slower, frozenset([program.names[place], slower.names[place]]))


def moved(program: Program, place: int, random: Random) -> Edited:
    """Called by another function, which is not one of its own callees."""
    below = {place}
    while len(grown := below | set(np.flatnonzero(np.isin(program.caller, list(below))).tolist())) > len(below):
        below = grown
    others = [number for number in range(len(program.names)) if number not in {*below, int(program.caller[place])}]
    caller = program.caller.copy()
    caller[place] = others[int(random.integers(len(others)))]
    return Edited(replace(program, caller=caller))


def split(program: Program, place: int, _random: Random) -> Edited:
    """Most of its cost moves into a new callee."""
    share = float(program.shares[place])
    kept = _with_share(program, place, KEPT_OF_SPLIT * share)
    return Edited(_added(kept, f"{program.names[place]}_part", place, (1.0 - KEPT_OF_SPLIT) * share))


def inlined(program: Program, place: int, _random: Random) -> Edited:
    """Its caller does the work itself."""
    return Edited(_without(program, place, float(program.shares[place])))


NET_UNCHANGED: dict[str, Edit] = {"renamed": renamed, "moved": moved, "split": split, "inlined": inlined}
EDITS: dict[str, Edit] = {**NET_UNCHANGED, "gone": gone, "new cost": new, "renamed and slower": renamed_and_slower}


def edited_function(program: Program, random: Random) -> int:
    """A function of 1 to 6 % that has a caller."""
    shares = program.shares
    fitting = np.flatnonzero((shares >= 0.01) & (shares <= 0.06) & (program.caller >= 0))
    return int(random.choice(fitting))
