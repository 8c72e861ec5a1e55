"""Interfaces of the optional compiled loops, which replace slower Python loops in the readers."""

from array import array
from collections.abc import Sequence
from typing import Protocol

from profgate.model.record import Record


class TakenStacks(Record):
    """Stacks that have been read since the last call to `LineScan.take`.

    ``values`` is an int64 array, and the other arrays are int32, as in `folded_scan.Scan`. ``lines`` is the number of
    lines read, and ``two_numbers`` is the number of lines with two numbers at the end.
    """

    new: "array[int]"
    shared: "array[int]"
    fresh: "array[int]"
    values: "array[int]"
    lines: int
    two_numbers: int


class LineScan(Protocol):
    """A scan of folded stacks that reads plain lines and stops at any other line."""

    def lines(self, data: bytes, at: int, end: int) -> int:
        """Read whole lines from offset ``at`` to ``end``. Return the offset of the first unread line, or ``end``."""

    def too_deep(self) -> bool:
        """Return whether the scan stopped at a stack with too many frames."""

    def take(self) -> TakenStacks:
        """Return the stacks that have been read so far, and discard them."""

    def names(self) -> bytes:
        """Return the names of all frames, each followed by a line break."""

    def number_of(self, name: bytes) -> int:
        """Return the number of a frame. A new name gets the next number."""

    def path(self) -> tuple[bytes, int]:
        """Return the last stack without its last frame, and the number of frames in this path."""

    def follow(self, path: bytes) -> None:
        """Use a path as the previous stack."""


class Kernels(Protocol):
    """The compiled loops."""

    def line_scan(self) -> LineScan | None:
        """Return a new scan, or None if no compiled code is available."""

    def samples(
        self, data: bytes, given: Sequence[memoryview], types: int, most: int, columns: Sequence[memoryview]
    ) -> int | None:
        """Read the samples of a pprof profile, from the last to the first.

        ``given`` contains the starts and ends of the samples, the row of each location by id (int32, -1 if there is
        none), and the offsets and numbers (int32) of the frames by row. ``columns`` receive the number of frames that
        each sample does not share with the previous one, the values by type and sample, and the depth (uint16) and
        number of these frames. Other arrays are int64. Returns the number of frames, or None without compiled code, for
        an unusual sample, without space, or if all paths together have more than ``most`` frames.
        """

    def merged_paths(
        self, depth: memoryview, symbol: memoryview, symbols: int, columns: Sequence[memoryview]
    ) -> int | None:
        """Fill the columns with the row of each event, and the parent, symbol, depth and end of each row.

        They are those of `call_tree.merged_paths`, with space for all events and the root. ``depth`` is uint16 and
        ``symbol`` int64. Returns the number of rows, or None without compiled code or for a damaged stream.
        """

    def fields(self, data: bytes, at: int, known: bytes) -> "array[int] | None":
        """Return the tag, start and end of the content of consecutive fields, from offset ``at``.

        A tag has one byte, ``known`` contains 1 at the tags to return, and a length has at most two bytes. The array
        may contain only the first fields. Returns None without compiled code.
        """
