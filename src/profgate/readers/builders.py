"""Builders that collect frames, call paths and call trees while a file is read."""

from array import array
from collections.abc import Iterable
from decimal import Decimal

import numpy as np
from numpy.typing import ArrayLike

from profgate.model.arrays import IntArray, read_only
from profgate.model.profile import CallGraph, FrameList, Stacks
from profgate.model.record import Struct, field
from profgate.readers.quantities import sum_of
from profgate.readers.stack_events import stacks_from_parents, stacks_from_paths

MAX_LINE = 1 << 31
ROOT = -1
"""The parent of a call without a caller."""


def line_of(value: object) -> int | None:
    """Return ``value`` if it is a valid line number, otherwise None."""
    return value if type(value) is int and 0 < value < MAX_LINE else None


class Frames(Struct):
    """Numbered frames of a profile. Frames with equal names, files, lines, modules and executed lines are merged."""

    numbers: dict[tuple[str, str | None, int | None, str | None, int | None], int] = field(default_factory=dict)

    def number_of(
        self,
        name: str,
        file: object = None,
        line: object = None,
        module: str | None = None,
        executed: int | None = None,
    ) -> int:
        """Return the number of a frame. An invalid ``file`` or ``line`` is treated as unknown."""
        known = file if isinstance(file, str) and file else None
        key = name or "[unknown]", known, line_of(line), module, executed
        return self.numbers.setdefault(key, len(self.numbers))

    def listed(self) -> FrameList:
        """Return the frames in the order of their numbers."""
        if not self.numbers:
            return FrameList.of_names([])
        names, files, lines, modules, executed = map(list, zip(*self.numbers, strict=True))
        return FrameList(names, files, lines, modules, executed if any(executed) else None)


class Paths(Struct):
    """Call paths of all samples, each starting at the root."""

    frames: "array[int]" = field(default_factory=lambda: array("q"))
    ends: "array[int]" = field(default_factory=lambda: array("q", [0]))

    def add(self, path: Iterable[int]) -> None:
        """Append a path, given as frame numbers from root to leaf."""
        self.frames.extend(path)
        self.ends.append(len(self.frames))

    def stacks(self, values: IntArray, where: str) -> Stacks:
        """Build stacks with an int64 value per metric and path. Raises ProfileError if a sum exceeds 63 bits."""
        for row in values:
            sum_of(row, where)
        return stacks_from_paths(np.array(self.frames, np.int64), np.array(self.ends, np.int64), values, where)


class Tree(Struct):
    """Call tree as lists of the nodes' parents (or `ROOT`), frames, self values and call counts."""

    parent: "array[int]" = field(default_factory=lambda: array("q"))
    frame: "array[int]" = field(default_factory=lambda: array("q"))
    own: list[int | Decimal] = field(default_factory=list)
    calls: "array[int]" = field(default_factory=lambda: array("q"))
    known: dict[int, int] = field(default_factory=dict)

    def add(self, parent: int, frame: int) -> int:
        """Append a node with value 0 and no calls, and return the number of the node."""
        self.parent.append(parent)
        self.frame.append(frame)
        self.own.append(0)
        self.calls.append(0)
        return len(self.parent) - 1

    def below(self, parent: int, frame: int) -> int:
        """Return the child of ``parent`` for ``frame``. The child is added if it does not exist."""
        key = (parent + 1) << 32 | frame
        node = self.known.get(key)
        if node is None:
            node = self.known[key] = self.add(parent, frame)
        return node

    def stacks(self, values: IntArray, where: str, *, calls: bool = False) -> Stacks:
        """Build stacks with an int64 value per metric and node, and with call counts if ``calls`` is true."""
        parent, frame = np.array(self.parent, np.int64), np.array(self.frame, np.int64)
        counts = np.array(self.calls, np.int64) if calls else None
        return stacks_from_parents(parent, frame, values, counts, where)

    def values(self) -> IntArray:
        """Return the self values as an int64 array with a single row and one column per node."""
        return np.array(self.own, np.int64).reshape(1, -1)


def call_graph(
    *,
    own: ArrayLike,
    total: ArrayLike,
    calls: ArrayLike,
    edges: Iterable[tuple[int, int]],
    edge_total: ArrayLike,
    edge_calls: ArrayLike,
) -> CallGraph:
    """Build a call graph from (caller, callee) pairs. Cost arrays have one row per metric, or one dimension."""
    caller, callee = np.array(list(edges), np.int64).reshape(-1, 2).T
    return CallGraph(
        self_value=_column(np.atleast_2d(own)),
        total_value=_column(np.atleast_2d(total)),
        calls=_column(calls),
        caller=_column(caller),
        callee=_column(callee),
        edge_total=_column(np.atleast_2d(edge_total)),
        edge_calls=_column(edge_calls),
    )


def _column(values: ArrayLike) -> IntArray:
    return read_only(np.array(values, np.int64))
