"""The interfaces of readers, and how built-in readers recognise and describe their formats."""

import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar, runtime_checkable

from profgate.model.profile import Profile
from profgate.model.source import SourceFile
from profgate.readers.json_text import begins_object, ends_hold


class ProfileReader(Protocol):
    """Recognises its format by content and reads it; opens nothing by name and guesses nothing."""

    name: str

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""

    def read(self, source: SourceFile) -> Profile:
        """The profile, values in base units. Raises ProfileError with file and line or byte."""


Part = TypeVar("Part")


@runtime_checkable
class SplittingReader(ProfileReader, Protocol[Part]):
    """A reader whose files can be read in parts, at once and in several processes."""

    def scan(self, source: SourceFile, start: int, stop: int | None) -> Part:
        """What the bytes of a range hold, ready to travel between processes. Raises ProfileError."""

    def join(self, source: SourceFile, parts: Sequence[Part]) -> Profile:
        """The profile whose parts, in order, were scanned. Raises ProfileError, without the numbers of lines."""


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause the garbage collection: reading makes millions of small objects, none of them in a cycle."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class BuiltInReader:
    """A reader of this package, with what ``profgate formats`` shows of it.

    The ``keys`` of a JSON object, near an end of the file, or a ``pattern`` of the first bytes recognise the format.
    ``looks`` describes what distinguishes it, ``record`` is a command that writes it, and ``proven`` the tools and
    versions that wrote the files of the tests; empty means read by its documentation only.
    """

    name: str
    looks: str
    record: str
    proven: str = ""
    keys: tuple[str, ...] = ()
    pattern: re.Pattern[bytes] | None = None

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        return self.looks if self.fits(source) else None

    def fits(self, source: SourceFile) -> bool:
        """Whether this file looks like the format."""
        if self.keys and begins_object(source) and ends_hold(source, *(f'"{key}"'.encode() for key in self.keys)):
            return True
        return self.pattern is not None and self.pattern.match(source.head) is not None
