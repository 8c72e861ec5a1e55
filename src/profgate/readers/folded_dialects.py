"""File and line in frames of folded stacks, and threads at their roots, as some profilers write them.

A profile has one dialect: a name that only looks like a place, in a profile where most frames do not, stays as it is.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from profgate.model.arrays import read_only
from profgate.model.profile import PYTHON_SAMPLING, FrameList, Stacks
from profgate.readers.builders import line_of

_MAX_DIGITS = 10
_THREAD = re.compile(r"tid:\d+")
_TASK = "<task>"


class Place(NamedTuple):
    """A frame as a dialect reads it; only a name where it has another form."""

    name: str
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class DialectFrames:
    """A profile's frames and stacks after its dialect was read; ``profiler`` where only one tool writes it."""

    frames: FrameList
    stacks: Stacks
    profiler: str | None = None


def _rbspy(text: str) -> tuple[str, str] | None:
    """Name and file of ``block in add - shop/cart.rb``."""
    name, between, file = text.partition(" - ")
    return (name, file) if between else None


def _phpspy(text: str) -> tuple[str, str] | None:
    """Name and file of ``Cart::add /shop/cart.php``; PHP's own functions stand in ``<internal>``."""
    name, _, file = text.partition(" ")
    return (name, file) if "." in file or "/" in file or file.startswith("<") else None


def _python_sampling(text: str) -> tuple[str, str] | None:
    """Name and file of ``cart.py:Cart.add``."""
    file, between, name = text.partition(":")
    return (unnumbered(file, name), file) if between else None


def unnumbered(file: str, name: str) -> str:
    """The name of a frame of Python's sampling profiler; asyncio numbers tasks in the order in which they start."""
    return "Task-*" if file == _TASK and name.removeprefix("Task-").isdecimal() else name


def read_dialect(names: list[str], stacks: Stacks) -> DialectFrames:
    """The frames with their files and lines, and the stacks of all threads together."""
    roots = np.unique(stacks.frame[stacks.depth == 0]).tolist()
    if roots and all(_THREAD.fullmatch(names[root]) for root in roots):
        names, stacks = _without_threads(names, stacks)
        return DialectFrames(_frame_list(_places(names, _python_sampling)), stacks, PYTHON_SAMPLING)
    if _are_most(sum(name[-1:].isdigit() and ":" in name for name in names), names):
        for dialect in (_rbspy, _phpspy):
            places = _places(names, dialect)
            if _are_most(sum(place.file is not None for place in places), names):
                return DialectFrames(_frame_list(places), stacks)
    return DialectFrames(FrameList.of_names(names), stacks)


def _are_most(count: int, names: Sequence[str]) -> bool:
    return 2 * count > len(names)


def _without_threads(names: list[str], stacks: Stacks) -> tuple[list[str], Stacks]:
    """The stacks without their first frames, and the names of the frames that are left."""
    below, on_root = stacks.depth > 0, stacks.depth[stacks.leaf] == 0
    used, frame = np.unique(stacks.frame[below], return_inverse=True)
    left = replace(
        stacks,
        depth=read_only(stacks.depth[below] - 1),
        frame=read_only(frame.astype(np.int64)),
        leaf=read_only(stacks.leaf[below]),
        values=read_only(stacks.values[:, ~on_root]),
        root_values=read_only(stacks.root_values + stacks.values[:, on_root].sum(axis=1)),
    )
    return [names[number] for number in used.tolist()], left


def _places(names: Sequence[str], dialect: Callable[[str], tuple[str, str] | None]) -> list[Place]:
    return [_place(name, dialect) for name in names]


def _place(frame: str, dialect: Callable[[str], tuple[str, str] | None]) -> Place:
    text, _, line = frame.rpartition(":")
    digits = line.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _MAX_DIGITS):
        return Place(frame)
    name, file = dialect(text) or ("", "")
    if not (name and file):
        return Place(frame)
    return Place(name, file, line_of(int(line)))


def _frame_list(places: Sequence[Place]) -> FrameList:
    return FrameList(
        [place.name for place in places],
        [place.file for place in places],
        [place.line for place in places],
        [None] * len(places),
    )
