"""The one shape of every reader."""

from typing import Protocol

from profgate.model.profile import Profile
from profgate.model.source import SourceFile


class ProfileReader(Protocol):
    """Recognises its format by content and reads it; opens nothing by name and guesses nothing."""

    name: str

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""

    def read(self, source: SourceFile) -> Profile:
        """The profile, values in base units. Raises ProfileError with file and line or byte."""
