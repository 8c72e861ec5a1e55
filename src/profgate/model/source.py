"""Input files for readers: a name for messages, the first bytes for detection, and access by byte range."""

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import BinaryIO

from profgate.model.profile import Profile

HEAD_SIZE = 64 * 1024


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One input file. ``open(start, stop)`` returns a binary stream over that byte range; stop None means the end.

    ``path`` is set if the file is on disk, so that worker processes can open their own range. ``profile`` is set if the
    file has already been read, for example by the history.
    """

    name: str
    size: int
    head: bytes
    open: Callable[[int, int | None], BinaryIO] = field(repr=False)
    path: str | None = None
    profile: Profile | None = None

    def read(self, limit: int) -> bytes:
        """All bytes, at most ``limit`` + 1 of them, so that a caller can detect a file that is too large."""
        with self.open(0, None) as stream:
            return stream.read(limit + 1)


@dataclass(frozen=True, slots=True)
class BytesInMemory:
    """Opens ranges of bytes in memory; it can be pickled for another process."""

    data: bytes = field(repr=False)

    def __call__(self, start: int, stop: int | None) -> BinaryIO:
        """A stream over the range."""
        return io.BytesIO(self.data[start : len(self.data) if stop is None else stop])


def source_of(name: str, data: bytes) -> SourceFile:
    """A source over bytes in memory."""
    return SourceFile(name, len(data), data[:HEAD_SIZE], BytesInMemory(data))


def source_of_profile(profile: Profile) -> SourceFile:
    """A source for a profile that has already been read."""
    return SourceFile(profile.name, 0, b"", BytesInMemory(b""), profile=profile)
