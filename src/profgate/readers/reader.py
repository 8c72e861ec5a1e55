"""Interfaces of readers, and the base class of the built-in readers."""

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from profgate.model.profile import Profile
from profgate.model.source import SourceFile
from profgate.readers.json_text import begins_object, ends_hold


class ProfileReader(Protocol):
    """Reader for one format, which is recognised by the content of the file."""

    name: str

    def recognizes(self, source: SourceFile) -> str | None:
        """Return the reason why this file looks like the format, or None."""

    def read(self, source: SourceFile) -> Profile:
        """Return the profile in base units. Raises ProfileError with the position if the file is invalid."""


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause garbage collection, because readers create millions of small objects without reference cycles."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class BuiltInReader:
    """Base class of the built-in readers. The docstring of a reader is its description in ``profgate formats``.

    The format is detected by the ``keys`` of a JSON object near the start or end of the file, or by a ``pattern`` that
    matches the first bytes. ``looks`` describes how the format is recognised, and ``record`` is a command that records
    a file in this format. ``counted`` are the names of the metrics of which the format counts every event, as patterns
    of `fnmatch`; all others are sampled or measured.
    """

    name: str
    looks: str
    record: str
    counted: tuple[str, ...] = ()
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
