"""Interfaces of the optional compiled loops, which replace slower Python loops in the readers."""

from array import array
from collections.abc import Sequence
from typing import NamedTuple, Protocol


class TakenStacks(NamedTuple):
    """Stacks that were read since the last call.

    ``values`` is an int64 array, the others are int32; see `folded_scan.Scan`. ``lines`` is the number of lines read,
    and ``two_numbers`` is the number of lines with two numbers at the end.
    """

    new: "array[int]"
    shared: "array[int]"
    fresh: "array[int]"
    values: "array[int]"
    lines: int
    two_numbers: int


class LineScan(Protocol):
    """A scan of the plain lines of folded stacks, which stops at any other line."""

    def lines(self, data: bytes, at: int) -> int:
        """Read whole lines from offset ``at``; return the offset of the first unread line, or the end."""

    def too_deep(self) -> bool:
        """Return whether the scan stopped at a stack with too many frames."""

    def take(self) -> TakenStacks:
        """Return the stacks read so far and discard them."""

    def names(self, first: int) -> Sequence[bytes]:
        """Return the names of frames from number ``first`` on."""

    def learn(self, name: bytes) -> None:
        """Assign the next number to a name found outside this scan."""

    def path(self) -> tuple[bytes, int]:
        """Return the last stack without its last frame, and the number of frames of this path."""

    def follow(self, path: bytes) -> None:
        """Set the previous stack."""


class Kernels(Protocol):
    """The compiled loops."""

    def line_scan(self) -> LineScan | None:
        """Return a new scan, or None if no compiled code is available."""

    def varints(
        self, data: bytes, starts: memoryview, ends: memoryview, counts: memoryview, numbers: memoryview
    ) -> int | None:
        """Decode the varints in spans of ``data`` into ``numbers``, which has space for one value per byte.

        ``counts`` receives the number of varints in each span; the return value is their sum, or None if no compiled
        code is available or a span is damaged. All arrays are int64 and writable.
        """
