"""The interfaces of readers."""

from collections.abc import Sequence
from typing import Protocol, TypeVar, runtime_checkable

from profgate.model.profile import Profile
from profgate.model.source import SourceFile


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
