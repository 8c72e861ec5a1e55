"""A file as readers see it: a name to speak of, a head to sniff, bytes by range."""

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import BinaryIO

HEAD_SIZE = 64 * 1024


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One input file. ``open(start, stop)`` gives a binary stream over that byte range; stop None = the end.

    ``path`` is set where the bytes lie on disk, so that worker processes can open their own range.
    """

    name: str
    size: int
    head: bytes
    open: Callable[[int, int | None], BinaryIO] = field(repr=False)
    path: str | None = None

    def read(self, limit: int) -> bytes:
        """All bytes, at most ``limit`` + 1 of them, so that a caller can tell a file that is too large."""
        with self.open(0, None) as stream:
            return stream.read(limit + 1)


def source_of(name: str, data: bytes) -> SourceFile:
    """A source over bytes in memory."""
    return SourceFile(
        name, len(data), data[:HEAD_SIZE], lambda start, stop: io.BytesIO(data[start : len(data) if stop is None else stop])
    )
