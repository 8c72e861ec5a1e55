"""Interfaces of readers, and the base class of built-in readers."""

import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar, runtime_checkable

from profgate.model.profile import Profile
from profgate.model.source import SourceFile
from profgate.readers.json_text import begins_object, ends_hold


class ProfileReader(Protocol):
    """Reader that detects its format by content. It opens no other files and does not guess."""

    name: str

    def recognizes(self, source: SourceFile) -> str | None:
        """Return the reason why this file looks like the format, or None."""

    def read(self, source: SourceFile) -> Profile:
        """Return the profile with values in base units. Raises ProfileError with the file and the line or byte."""


Part = TypeVar("Part")


@runtime_checkable
class SplittingReader(ProfileReader, Protocol[Part]):
    """Reader whose files can be read in parts, in parallel processes."""

    def scan(self, source: SourceFile, start: int, stop: int | None) -> Part:
        """Read a byte range into an object that can be pickled. Raises ProfileError if the content is invalid."""

    def join(self, source: SourceFile, parts: Sequence[Part]) -> Profile:
        """Return the profile from its scanned parts, in order. Raises ProfileError without line numbers."""


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause garbage collection: reading creates millions of small objects without reference cycles."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class BuiltInReader:
    """Reader of this package, with its description for ``profgate formats``.

    The format is detected by the ``keys`` of a JSON object near an end of the file, or by a ``pattern`` of the first
    bytes. ``looks`` describes how the format is recognised, ``record`` is a command that writes it, and ``proven``
    lists the tools and versions that wrote the test files; it is empty if the reader is based on documentation only.
    """

    name: str
    looks: str
    record: str
    proven: str = ""
    keys: tuple[str, ...] = ()
    pattern: re.Pattern[bytes] | None = None

    def recognizes(self, source: SourceFile) -> str | None:
        """Return the reason why this file looks like the format, or None."""
        return self.looks if self.fits(source) else None

    def fits(self, source: SourceFile) -> bool:
        """Return whether the file looks like this format."""
        if self.keys and begins_object(source) and ends_hold(source, *(f'"{key}"'.encode() for key in self.keys)):
            return True
        return self.pattern is not None and self.pattern.match(source.head) is not None
