"""What compiled code can do for a reader, where an installation has any; Python does the same, slower."""

from array import array
from collections.abc import Sequence
from typing import NamedTuple, Protocol


class TakenStacks(NamedTuple):
    """Stacks read since the last time, as columns of int32, int64 for the values; see `folded_scan.Scan`.

    ``lines`` were read, ``two_numbers`` of them end in a second number before the weight.
    """

    new: "array[int]"
    shared: "array[int]"
    fresh: "array[int]"
    values: "array[int]"
    lines: int
    two_numbers: int


class LineScan(Protocol):
    """Reads plain lines of folded stacks, and stops at any other."""

    def lines(self, data: bytes, at: int) -> int:
        """Reads whole lines from ``at`` on; the place of the first one it leaves to others, or the end."""

    def too_deep(self) -> bool:
        """Whether it stopped because a stack has too many frames."""

    def take(self) -> TakenStacks:
        """What was read, which is forgotten then."""

    def names(self, first: int) -> Sequence[bytes]:
        """The frames' names from this number on."""

    def learn(self, name: bytes) -> None:
        """Gives the next number to a name that was met elsewhere."""

    def path(self) -> tuple[bytes, int]:
        """The last stack without its last frame, and its number of frames."""

    def follow(self, path: bytes) -> None:
        """Sets that path."""


class Kernels(Protocol):
    """The compiled loops."""

    def line_scan(self) -> LineScan | None:
        """A new scan, None where nothing is compiled."""

    def varints(
        self, data: bytes, starts: memoryview, ends: memoryview, counts: memoryview, numbers: memoryview
    ) -> int | None:
        """Decodes the varints in spans of data into ``numbers``, which has room for one of each byte.

        ``counts`` gets how many each span holds; the answer is their sum. None where nothing is compiled or a span
        is damaged. All are int64 and can be written to.
        """
