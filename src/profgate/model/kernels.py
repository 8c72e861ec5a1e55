"""Interfaces of the optional compiled loops, which replace slower Python loops of the readers."""

from array import array
from collections.abc import Sequence
from typing import NamedTuple, Protocol


class TakenStacks(NamedTuple):
    """Stacks read since the last call, as int32 columns, int64 for the values; see `folded_scan.Scan`.

    ``lines`` is the number of lines read; ``two_numbers`` of them have a second number before the weight.
    """

    new: "array[int]"
    shared: "array[int]"
    fresh: "array[int]"
    values: "array[int]"
    lines: int
    two_numbers: int


class LineScan(Protocol):
    """Reads plain lines of folded stacks, and stops at any other line."""

    def lines(self, data: bytes, at: int) -> int:
        """Read whole lines from offset ``at``; return the offset of the first line that was not read, or the end."""

    def too_deep(self) -> bool:
        """Whether the scan stopped at a stack with too many frames."""

    def take(self) -> TakenStacks:
        """Return the stacks read so far and discard them."""

    def names(self, first: int) -> Sequence[bytes]:
        """The names of frames from number ``first`` on."""

    def learn(self, name: bytes) -> None:
        """Assign the next number to a name found outside this scan."""

    def path(self) -> tuple[bytes, int]:
        """The last stack without its last frame, and its number of frames."""

    def follow(self, path: bytes) -> None:
        """Set the previous stack."""


class Kernels(Protocol):
    """The compiled loops."""

    def line_scan(self) -> LineScan | None:
        """A new scan, None if no compiled code is available."""

    def varints(
        self, data: bytes, starts: memoryview, ends: memoryview, counts: memoryview, numbers: memoryview
    ) -> int | None:
        """Decode the varints in spans of data into ``numbers``, which has space for one number per byte.

        ``counts`` receives the number of varints in each span; the return value is their sum, or None if no compiled
        code is available or a span is damaged. All arrays are int64 and writable.
        """
