"""File and line in frames of folded stacks, and threads at their roots, as some profilers write them.

A profile has one dialect: a name that only looks like a place, in a profile where most frames do not, stays as it is.
"""

import re
from dataclasses import replace

import numpy as np

from profgate.model.arrays import read_only
from profgate.model.profile import PYTHON_SAMPLING, FrameList, Stacks
from profgate.readers.builders import line_of

_THREAD = re.compile(r"tid:\d+")
_LINE = r":(?P<line>-?[0-9]{1,10})"
# `block in add - shop/cart.rb:12`
_RBSPY = re.compile(r"(?P<name>.+?) - (?P<file>.+)" + _LINE)
# `Cart::add /shop/cart.php:12`; PHP's own functions have the file `<internal>`
_PHPSPY = re.compile(r"(?P<name>[^ ]+) (?P<file>.*[./].*|<.*)" + _LINE)
# `cart.py:Cart.add:12`
_PYTHON_SAMPLING = re.compile(r"(?P<file>[^:]+):(?P<name>.+)" + _LINE)


def unnumbered(file: str | None, name: str) -> str:
    """The name of a frame of Python's sampling profiler; asyncio numbers tasks in the order in which they start."""
    return "Task-*" if file == "<task>" and name.removeprefix("Task-").isdecimal() else name


def read_dialect(names: list[str], stacks: Stacks) -> tuple[FrameList, Stacks, str | None]:
    """The frames with their files and lines, the stacks of all threads together, and the profiler where it is known."""
    roots = np.unique(stacks.frame[stacks.depth == 0]).tolist()
    if roots and all(_THREAD.fullmatch(names[root]) for root in roots):
        names, stacks = _without_threads(names, stacks)
        return _frames(names, _PYTHON_SAMPLING), stacks, PYTHON_SAMPLING
    if 2 * sum(name[-1:].isdigit() and ":" in name for name in names) > len(names):
        for dialect in (_RBSPY, _PHPSPY):
            frames = _frames(names, dialect)
            if 2 * sum(file is not None for file in frames.files) > len(names):
                return frames, stacks, None
    return FrameList.of_names(names), stacks, None


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


def _frames(names: list[str], dialect: re.Pattern[str]) -> FrameList:
    """The frames as the dialect writes them; only a name where a frame has another form."""
    frames = FrameList.of_names(list(names))
    for number, text in enumerate(names):
        if place := dialect.fullmatch(text):
            name, file, line = place.group("name", "file", "line")
            frames.names[number] = unnumbered(file, name)
            frames.files[number] = file
            frames.lines[number] = line_of(int(line))
    return frames
